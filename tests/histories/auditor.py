"""An auditor who reads the recorded events and nothing else, and keeps a plain model of its own.

It knows the promises, not the code: no two holders of one todo, no two leases that can write one path, a claim and a
lease that never diverge, one completion and one successor, no yes but to what is shown now, no approval without its
quorum, no slot for nothing, a plan whole or not at all, one return for a request. It asks the ledger what somebody is
shown, and whether its state says the same as the events; it shares no rule with it.
"""

from collections.abc import Callable, Iterable
from itertools import chain

from ledger.events import Recorded
from ledger.ids import GoalId
from ledger.rules.amendments import amendment_basis
from ledger.rules.gates import gate_basis
from ledger.rules.plans import plan_basis
from ledger.state import Goal, Workspace
from ledger.writer import Request
from tests.histories.audits import (
    agents,
    erasures,
    evidence,
    gates,
    identity,
    leases,
    members,
    promises,
    requests,
    shapes,
    slots,
    summaries,
    work,
)
from tests.histories.audits.beliefs import Case, Model
from tests.histories.audits.model import Promise
from tests.histories.audits.shapes import picture

CHECKS: dict[str, Callable[[Case], None]] = dict(
    chain.from_iterable(
        family.CHECKS.items()
        for family in (
            promises,
            work,
            leases,
            evidence,
            gates,
            shapes,
            requests,
            slots,
            members,
            identity,
            erasures,
            agents,
            summaries,
        )
    )
)
SHOWS_AMENDMENT = frozenset({"amendment.submitted", "amendment.rebased"})


class Auditor:
    """Checks one event after the other, and then that the state says the same."""

    def __init__(self, history: Iterable[Recorded]) -> None:
        self.model = Model()
        self.seq: int | None = None
        self.dirty: set[str] = set()
        self._before: object = None
        for event in history:
            self.seq, self.model.at_ms = event.seq, event.at_ms
            erasures.written(self.model, event)
            if event.kind in members.CHECKS:
                # Who there was before anything was asked for.
                nobody = Promise("", "")
                members.CHECKS[event.kind](Case(self.model, event, None, (event,), nobody, None))

    def look(self, request: Request, state: Workspace, at_ms: int) -> None:
        """What is to be seen before a command is decided."""
        self._before, self.model.at_ms = None, at_ms
        promise = self.model.promises.get(str(getattr(request.params, "goal_id", "")))
        if promise is None:
            return
        match request.action.name:
            case "todo.complete" | "todo.handoff" | "todo.block" | "todo.cancel" | "todo.defer":
                todo_id = request.params.todo_id
                if todo_id in promise.work:
                    hold = self.model.effective(promise, todo_id)
                    self._before = (self.model.claimant(promise, todo_id), hold)
            case "amendment.commit":
                change = promise.changes.get(request.params.amendment_id)
                self._before = None if change is None else picture(self.model, promise, change.operations)
            case "plan.confirm":
                goal = state.goals[GoalId(promise.goal_id)]
                plan = goal.plans.by_id.get(request.params.plan_id)
                self._before = None if plan is None else plan_basis(state, goal, plan, at_ms)
            case _:
                pass

    def take(self, events: tuple[Recorded, ...], state: Workspace, request: Request) -> None:
        """Check the events of one command, in order."""
        for event in events:
            assert self.seq is None or event.seq == self.seq + 1, "the sequence has a gap"
            assert event.at_ms >= self.model.at_ms, "time went back"
            self.seq, self.model.at_ms = event.seq, event.at_ms
            self._event(event, events, state, request)
        for event in events:
            if event.goal_id is not None:
                self.dirty.add(str(event.goal_id))
                self._shown(event, state)
        if request.action.name == "member.revoke" and events:
            self._left_nothing(str(events[0].facts.member_id))

    def _event(self, event: Recorded, group: tuple[Recorded, ...], state: Workspace, request: Request) -> None:
        erasures.written(self.model, event)
        if event.kind == "goal.proposed":
            assert event.goal_id not in self.model.promises, "a goal was proposed twice"
            promise = Promise(str(event.goal_id), event.actor, intents=[event.facts], mode=event.facts.handoff_mode)
            self.model.promises[promise.goal_id] = promise
        promise = self.model.promises.get(str(event.goal_id)) or Promise("", "")
        case = Case(self.model, event, request, group, promise, state, self._before)
        members.credential(case)
        if event.goal_id is not None:
            promises.owners_word(case)
            erasures.readable(case)
            promises.move(case)
        check = CHECKS.get(event.kind)
        if check is not None:
            check(case)

    def _shown(self, event: Recorded, state: Workspace) -> None:
        """What people are shown from now on: never what anything else was shown by."""
        promise, goal = self.model.promises[str(event.goal_id)], state.goals[event.goal_id]
        if event.kind in {"goal.proposed", "goal.revised"}:
            self._keep(promise, "intent", goal.intents[-1].basis)
            promise.bases.append(goal.intents[-1].basis)
        elif event.kind == "goal.delivered":
            self._keep(promise, "delivery", goal.deliveries[-1].basis)
            promise.deliveries.append(goal.deliveries[-1].basis)
        elif event.kind in gates.SHOWS:
            gate = goal.gates.by_id[event.facts.gate_id]
            seen = self.model.shown.get(f"{promise.goal_id}/{gate.gate_id}", [""])[-1]
            if gate.is_open and gate_basis(goal, gate) != seen:
                self._keep(promise, gate.gate_id, gate_basis(goal, gate))
        elif event.kind in SHOWS_AMENDMENT:
            amendment = goal.amendments.by_id[event.facts.amendment_id]
            self._keep(promise, amendment.amendment_id, amendment_basis(goal, amendment))
        elif event.kind == "plan.proposed":
            plan = goal.plans.by_id[event.facts.plan_id]
            self._keep(promise, plan.plan_id, plan_basis(state, goal, plan, event.at_ms))

    def _keep(self, promise: Promise, subject: str, basis: str) -> None:
        assert all(basis not in shown for shown in self.model.shown.values()), "two things are shown by one basis"
        self.model.shown.setdefault(f"{promise.goal_id}/{subject}", []).append(basis)

    def _left_nothing(self, member: str) -> None:
        for promise in self.model.promises.values():
            assert all(work.claimant != member for work in promise.work.values()), "a claim outlived its member"
            assert all(not (hold.active and hold.owner == member) for hold in promise.holds.values())

    # Does the state say the same?

    def compare(self, state: Workspace) -> None:
        """Hold what was touched since in the ledger's state against what the events said."""
        for goal_id in sorted(self.dirty):
            promise, goal = self.model.promises[goal_id], state.goals[GoalId(goal_id)]
            assert (goal.state, goal.confirmed, goal.pending) == (
                promise.state,
                promise.confirmed,
                promise.open_revision,
            )
            self._compare_work(promise, goal)
            self._compare_rest(promise, goal)
            evidence.nothing_stands_on_what_fell(promise)
        self.dirty.clear()

    def _compare_work(self, promise: Promise, goal: Goal) -> None:
        todos = {
            todo.todo_id: (todo.status, todo.claimed_by, todo.claim_from_lease, len(todo.successor_todo_ids))
            for todo in goal.todos.values()
        }
        assert todos == {
            one.todo_id: (one.status, one.claimant, one.by_lease, one.successors) for one in promise.work.values()
        }
        assert {todo_id for _, _, todo_id in goal.ready} == work.compare_ready(self.model, promise)
        held = {todo_id: one.held_by for todo_id, one in promise.work.items() if one.held_by is not None}
        assert {todo_id: one.amendment_id for todo_id, one in goal.amendments.held.items()} == held
        for todo_id, hold in promise.holds.items():
            lease = goal.leases[todo_id]
            assert (lease.status == "active", lease.owner, lease.version) == (hold.active, hold.owner, hold.version)
            if lease.status == "active" and promise.work[todo_id].status == "open":
                assert promise.work[todo_id].claimant == hold.owner, "a claim and a lease diverged"

    def _compare_rest(self, promise: Promise, goal: Goal) -> None:
        ledger = [
            {
                gate.gate_id: ("open" if gate.is_open else gate.status, gate.generation, len(gate.votes))
                for gate in goal.gates.by_id.values()
            },
            {plan.plan_id: (plan.status, plan.todo_ids) for plan in goal.plans.by_id.values()},
            {one.amendment_id: one.status for one in goal.amendments.by_id.values()},
            {one.request_id: (one.is_open, one.delivered is not None) for one in goal.requests.by_id.values()},
            {todo_id: one.admission_id for todo_id, one in goal.slots.admissions.items()},
            {name: bool(one.voided_seq) for name, one in goal.slots.spends.items()},
            goal.slots.spent(self.model.at_ms),
            {name: goal.reviews.is_sound(name) for name in goal.artifacts},
        ]
        events = [
            {gate.gate_id: (gate.status, gate.generation, len(gate.votes)) for gate in promise.gates.values()},
            {name: (plan.status, plan.todos) for name, plan in promise.plans.items()},
            {name: one.status for name, one in promise.changes.items()},
            {name: (one.status == "open", one.delivered) for name, one in promise.requests.items()},
            {todo_id: one.admission_id for todo_id, one in promise.admissions.items()},
            {name: one.voided for name, one in promise.spends.items()},
            self.model.spent(promise),
            {name: proof.sound for name, proof in promise.proofs.items()},
        ]
        for says, said in zip(ledger, events, strict=True):
            assert says == said
