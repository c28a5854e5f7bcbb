"""What waits for somebody in a goal: one row for each thing that a person or an agent has to do, and none twice.

Attention, overview, digest and review packet are made from these rows, so that they cannot disagree about what is
open. A row names the action that settles it and the subject, never a command line; whom it waits for are those whom
the rules would let do it.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from ledger.ids import GoalId, MemberId
from ledger.parts.gates import Gate
from ledger.projections.channel import Reading
from ledger.records import CLOSED, Todo
from ledger.rules.amendment_graph import needs_rebase
from ledger.rules.amendments import ROUTINE, amendment_basis
from ledger.rules.common import owners_of, registered
from ledger.rules.gates import CODES, awaited, blocking, gate_basis, is_over, why_held
from ledger.rules.goals import question_basis, state_basis
from ledger.rules.intents import erased_fields
from ledger.rules.plans import deciders, plan_basis
from ledger.rules.quota import QuotaDecision, QuotaState, Verdict
from ledger.rules.runs import replan_cause
from ledger.rules.selection import NOBODY
from ledger.state import Goal, Workspace

Kind = Literal[
    "question", "confirmation", "acceptance", "gate", "plan", "amendment", "proposal", "request", "todo",
    "blocked", "quota", "staffing", "decision", "replan", "monitor", "report", "resume",
]  # fmt: skip
WaitingOn = Literal["codex", "controller", "user_or_controller", "external_evidence", "monitor_signal"]
Severity = Literal["high", "action", "watch", "info"]

_URGENT_GATES = frozenset({"high", "critical"})
_HOLDS_UP = frozenset({"quota.set", "goal.revise", "member.grant", "member.add", "member.add_agent"})
"""Steps of people that no row but the last one stands for."""


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that waits. `seq` is the event that made it wait; `action` settles it, or shows what to settle."""

    goal_id: GoalId
    kind: Kind
    subject: dict[str, object]
    action: str
    waits_for: tuple[MemberId, ...]
    waiting_on: WaitingOn
    severity: Severity
    seq: int
    at_ms: int | None = None
    basis: str | None = None
    gate_id: str | None = None
    text: str = ""
    """What somebody wrote about it; shown only through the privacy screen."""
    code: str | None = None
    """Why it waits, as a reason code, where the kind alone does not say it."""
    concerns: tuple[MemberId, ...] = ()
    """Those who are not asked to do it and want to know."""


def needs_of(workspace: Workspace, goal: Goal, found: Reading, now_ms: int) -> list[Need]:
    """All that waits in one goal; nothing waits in one that is closed."""
    if goal.state in CLOSED:
        return []
    owners = owners_of(goal, workspace)
    rows = [*_promise(goal, owners), *_gates(workspace, goal, owners, now_ms)]
    rows += [*_plans(workspace, goal, now_ms), *_amendments(workspace, goal, owners, now_ms)]
    rows += [
        *_proposals(workspace, goal),
        *_requests(workspace, goal),
        *_work(goal, found, owners),
        *_agents(goal, owners),
    ]
    return [*rows, *_verdict(workspace, goal, found, owners, now_ms, decided=_is_told(found.given.verdict, rows))]


_DECISIONS = frozenset({"question", "confirmation", "acceptance"})


def _is_told(verdict: Verdict, rows: list[Need]) -> bool:
    """Whether a row stands for what the verdict waits for: that very gate, or the owners' own decision on the goal."""
    if verdict.gate_id is not None:
        return any(one.gate_id == verdict.gate_id for one in rows)
    return verdict.reason_codes[0] not in CODES and any(one.kind in _DECISIONS for one in rows)


def _urgency(goal: Goal) -> Severity:
    return "high" if goal.intent.priority == "P0" else "action"


def _promise(goal: Goal, owners: tuple[MemberId, ...]) -> Iterator[Need]:
    """The owners' own decisions: an open question goes before the promise that it is about."""
    if (question := goal.question) is not None:
        asked = int(question.question_id.removeprefix("q_"))
        yield Need(
            goal_id=goal.goal_id, kind="question", action="goal.clarify", text=question.text, seq=asked,
            subject={"goal_id": goal.goal_id, "question_id": question.question_id},
            waits_for=tuple(dict.fromkeys((*owners, goal.proposed_by))), waiting_on="user_or_controller",
            severity=_urgency(goal), basis=question_basis(goal.goal_id, question),
        )  # fmt: skip
    elif goal.pending:
        intent = goal.intents[goal.pending - 1]
        erased = bool(erased_fields(intent))
        yield Need(
            goal_id=goal.goal_id, kind="confirmation", action="goal.revise" if erased else "goal.confirm",
            code="promise_erased" if erased else None, text=intent.title, seq=intent.note.seq,
            subject={"goal_id": goal.goal_id, "revision": intent.number}, at_ms=intent.at_ms, basis=intent.basis,
            waits_for=owners, waiting_on="user_or_controller", severity=_urgency(goal),
        )  # fmt: skip
    if goal.state == "delivered" and goal.delivery is not None:
        delivery = goal.delivery
        yield Need(
            goal_id=goal.goal_id, kind="acceptance", action="goal.accept", text=delivery.summary,
            subject={"goal_id": goal.goal_id, "delivery": delivery.number}, seq=delivery.note.seq,
            at_ms=delivery.at_ms, basis=delivery.basis, waits_for=owners, waiting_on="user_or_controller",
            severity=_urgency(goal),
        )  # fmt: skip
    if goal.state == "paused":
        yield Need(
            goal_id=goal.goal_id, kind="resume", action="goal.resume", subject={"goal_id": goal.goal_id},
            text=goal.reason, seq=goal.state_seq, at_ms=None if goal.state_note is None else goal.state_note.at_ms,
            basis=state_basis(goal), waits_for=owners, waiting_on="user_or_controller", severity="watch",
        )  # fmt: skip


def _gates(workspace: Workspace, goal: Goal, owners: tuple[MemberId, ...], now_ms: int) -> Iterator[Need]:
    for gate_id in goal.gates.waiting:
        gate = goal.gates.by_id[gate_id]
        if is_over(gate, now_ms):
            continue  # Nobody decides it any more: the daemon writes how it ended.
        voters = awaited(workspace, gate, now_ms)
        yield Need(
            goal_id=goal.goal_id, kind="gate", action="gate.approve" if voters else "gate.withdraw",
            text=gate.question, seq=gate.seq,
            subject={"goal_id": goal.goal_id, "gate_id": gate_id}, at_ms=gate.opened_at_ms,
            basis=gate_basis(goal, gate), gate_id=gate_id,
            # Where nobody is left who may vote, the owners must know: the gate would wait for ever.
            waits_for=voters or owners, code=None if voters else why_held(workspace, gate, now_ms),
            waiting_on="user_or_controller", severity=_severity_of(goal, gate),
        )  # fmt: skip


def _severity_of(goal: Goal, gate: Gate) -> Severity:
    if gate.severity in _URGENT_GATES:
        return "high"
    return "watch" if gate.status == "deferred" else _urgency(goal)


def _plans(workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Need]:
    for plan in goal.plans.by_id.values():
        if plan.status != "open":
            continue
        yield Need(
            goal_id=goal.goal_id, kind="plan", action="plan.confirm", seq=plan.seq, at_ms=plan.at_ms,
            subject={"goal_id": goal.goal_id, "plan_id": plan.plan_id, "lanes": len(plan.lanes)},
            basis=plan_basis(workspace, goal, plan, now_ms), waits_for=deciders(workspace, goal),
            waiting_on="user_or_controller", severity=_urgency(goal),
        )  # fmt: skip


def _proposals(workspace: Workspace, goal: Goal) -> Iterator[Need]:
    """Work that was only proposed: the first of it, and how much there is. Behind a delivery none is let in."""
    first = next(iter(goal.handoffs.proposals), None)
    if first is None or goal.state == "delivered":
        return
    todo = goal.todos[first]
    yield Need(
        goal_id=goal.goal_id, kind="proposal", action="todo.admit", seq=todo.seq, text=todo.title,
        subject={"goal_id": goal.goal_id, "todo_id": first, "todos": len(goal.handoffs.proposals)},
        waits_for=deciders(workspace, goal), waiting_on="user_or_controller", severity="watch",
    )  # fmt: skip


def _amendments(workspace: Workspace, goal: Goal, owners: tuple[MemberId, ...], now_ms: int) -> Iterator[Need]:
    """Those whose gate waits are the gate's; routine ones are any agent's, so that nobody in particular is told."""
    for one in goal.amendments.by_id.values():
        if one.status != "open" or one.gate_id in goal.gates.waiting:
            continue
        moved = bool(needs_rebase(goal, one, now_ms))
        if one.amendment_class in ROUTINE and not moved:
            continue
        person = (member := registered(workspace, one.submitted_by)) is not None and member.kind == "person"
        yield Need(
            goal_id=goal.goal_id, kind="amendment", action="amendment.rebase" if moved else "amendment.commit",
            subject={"goal_id": goal.goal_id, "amendment_id": one.amendment_id}, text=one.why, seq=one.seq,
            at_ms=one.at_ms, basis=amendment_basis(goal, one), waits_for=(one.submitted_by,) if moved else owners,
            waiting_on="user_or_controller" if person or not moved else "codex",
            severity="watch" if moved else _urgency(goal), code="needs_rebase" if moved else None,
            concerns=owners if moved else (),
        )  # fmt: skip


def _requests(workspace: Workspace, goal: Goal) -> Iterator[Need]:
    """Requests that nobody has answered yet."""
    for request_ids in goal.requests.open_for.values():
        for request_id in request_ids:
            request = goal.requests.by_id[request_id]
            if request.answered is not None or request.committed is not None:
                continue
            member = registered(workspace, request.receiver)
            person = member is not None and member.kind == "person"
            yield Need(
                goal_id=goal.goal_id, kind="request", action="request.respond", text=request.purpose,
                subject={"goal_id": goal.goal_id, "request_id": request_id}, seq=request.seq, at_ms=request.at_ms,
                waits_for=(request.receiver,), waiting_on="user_or_controller" if person else "codex",
                severity="action" if person else "watch", concerns=(request.sender,),
            )  # fmt: skip


def _work(goal: Goal, found: Reading, owners: tuple[MemberId, ...]) -> Iterator[Need]:
    """Work that only people can do, and work that is stuck: the most urgent one, and how many there are."""
    mine = [goal.todos[todo_id] for _, _, todo_id in goal.by_priority if goal.todos[todo_id].role == "user"]
    ready = [todo for todo in mine if todo.todo_id not in goal.unmet]
    if ready:
        holder = ready[0].claimed_by
        yield _todo(goal, "todo", "todo.complete", ready, owners if holder is None else (holder,))
    if found.listed.blocked:
        yield _todo(goal, "blocked", "todo.update", found.listed.blocked, owners)


def _todo(goal: Goal, kind: Kind, action: str, todos: list[Todo], waits_for: tuple[MemberId, ...]) -> Need:
    first = todos[0]
    return Need(
        goal_id=goal.goal_id, kind=kind, action=action, seq=first.status_seq,
        subject={"goal_id": goal.goal_id, "todo_id": first.todo_id, "todos": len(todos)},
        text=first.reason if kind == "blocked" else first.title, waits_for=waits_for,
        waiting_on="user_or_controller", severity=_urgency(goal),
    )  # fmt: skip


def _agents(goal: Goal, owners: tuple[MemberId, ...]) -> Iterator[Need]:
    """Agents that must write a new plan before they do another turn."""
    for agent_id, streak in goal.runs.streaks.items():
        if not goal.is_executable or (cause := replan_cause(goal, agent_id)) is None:
            continue
        yield Need(
            goal_id=goal.goal_id, kind="replan", action="run.replan", code=cause, seq=streak.seq,
            subject={"goal_id": goal.goal_id, "agent_id": agent_id}, waits_for=(agent_id,), waiting_on="codex",
            severity="watch", concerns=owners,
        )  # fmt: skip


def _verdict(
    workspace: Workspace, goal: Goal, found: Reading, owners: tuple[MemberId, ...], now_ms: int, *,
    decided: bool,
) -> Iterator[Need]:  # fmt: skip
    """What holds the whole goal up, where no row above says it already."""
    verdict, step = found.given.verdict, found.step
    code = verdict.reason_codes[0]
    about: dict[str, object] = {"goal_id": goal.goal_id}
    if verdict.state is QuotaState.MONITOR_DUE and verdict.todo is not None and found.given.agent_id is not None:
        yield Need(
            goal_id=goal.goal_id, kind="monitor", action="run.observe", seq=verdict.todo.status_seq, severity="info",
            subject=about | {"todo_id": verdict.todo.todo_id}, waits_for=(found.given.agent_id,),
            waiting_on="monitor_signal", text=verdict.todo.title, code=code,
        )  # fmt: skip
        return
    for deferral in goal.handoffs.deferrals.values():
        if deferral.condition == "report":
            yield Need(
                goal_id=goal.goal_id, kind="report", action="todo.resume", seq=deferral.seq, at_ms=deferral.at_ms,
                subject=about | {"todo_id": deferral.todo_id}, text=deferral.reference, severity="info",
                waits_for=(), waiting_on="external_evidence", concerns=owners,
            )  # fmt: skip
    if verdict.decision is QuotaDecision.ASK_USER and not decided:
        yield _decision(workspace, goal, verdict, owners, now_ms)
    elif step.key in _HOLDS_UP and step.action is not None:
        operators = tuple(m.member_id for m in workspace.members.values() if "owner" in m.roles and not m.revoked)
        yield Need(
            goal_id=goal.goal_id, kind="staffing" if step.action.startswith("member.") else "quota", code=code,
            action=step.action, subject=step.subject, seq=goal.last_seq, waits_for=step.members or operators,
            waiting_on="controller", severity=_urgency(goal),
        )  # fmt: skip


def _decision(workspace: Workspace, goal: Goal, verdict: Verdict, owners: tuple[MemberId, ...], now_ms: int) -> Need:
    """What the owners are to settle that no open gate asks for: a gate that said no, or a need that none covers."""
    code = verdict.reason_codes[0]
    about: dict[str, object] = {"goal_id": goal.goal_id}
    gate = None if verdict.gate_id is None else goal.gates.by_id[verdict.gate_id]
    if gate is not None:
        return Need(
            goal_id=goal.goal_id, kind="decision", action="gate.show", subject=about | {"gate_id": gate.gate_id},
            seq=gate.resolved_seq or gate.seq, at_ms=gate.resolved_at_ms, text=gate.question, waits_for=owners,
            waiting_on="user_or_controller", severity=_urgency(goal), gate_id=gate.gate_id, code=code,
        )  # fmt: skip
    held = (goal.todos[todo_id] for _, _, todo_id in goal.by_priority)
    todo = next((one for one in held if blocking(workspace, goal, one, NOBODY, now_ms) == code), None)
    return Need(
        goal_id=goal.goal_id, kind="decision", action="gate.open", subject=about, seq=goal.last_seq,
        at_ms=None if goal.cause is None else goal.cause.at_ms, text="" if todo is None else todo.title,
        waits_for=owners, waiting_on="user_or_controller", severity=_urgency(goal), code=code,
    )  # fmt: skip
