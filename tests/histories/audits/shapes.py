"""Plans and amendments: whole or not at all, on what was shown, and of two on one basis at most one."""

from collections.abc import Callable, Mapping

from tests.histories.audits.beliefs import Case, Model
from tests.histories.audits.gates import work_changed
from tests.histories.audits.model import EXECUTABLE, Change, Draft, Promise
from tests.histories.audits.paths import paths_of
from tests.histories.audits.work import cancel, enter, nothing_waits_for_ever

REACH = ("lane_route", "shared_work_graph", "shared_acceptance", "protected_authority")
LEAST = {"reprioritise": 0, "rebind": 0, "add": 1, "cancel": 1, "rewire": 1, "rescope": 1, "restate": 2}


def _proposed(case: Case) -> None:
    facts, promise = case.facts, case.promise
    before = promise.plans.get(facts.plan_id)
    assert facts.revision == (1 if before is None else before.revision + 1)
    if before is not None:
        assert (before.by, before.status) == (case.event.actor, "open"), "somebody else's plan was revised"
    promise.plans[facts.plan_id] = Draft(case.event.actor, facts.revision, facts.lanes)


def _confirmed(case: Case) -> None:
    facts, promise, model = case.facts, case.promise, case.model
    plan = promise.plans[facts.plan_id]
    assert (plan.status, plan.revision) == ("open", facts.revision), "a yes to a plan that does not wait"
    assert case.params.basis == facts.basis == case.before, "a yes to something else than was shown"
    _may_confirm(case)
    gaps = {gap.lane_id for gap in facts.gaps}
    lanes = {lane.lane_id: lane for lane in plan.lanes}
    admitted = {name: lane for name, lane in lanes.items() if name not in gaps}
    assert {todo.lane_id for todo in facts.todos} == set(admitted), "half a plan"
    assert admitted, "nothing was confirmed"
    assert facts.outcome == ("partial" if gaps else "committed")
    for todo in facts.todos:
        lane = admitted[todo.lane_id]
        assert todo.todo_id == f"todo_{facts.plan_id}_{todo.lane_id}", "an id that does not follow from plan and lane"
        assert not gaps & {*lane.depends_on}, "it waits for a lane that is not there"
        _staffed(model, promise, lane)
        enter(promise, todo)
    assert len(case.group) == 1, "a plan in more than one event"
    plan.status, plan.todos = "confirmed", tuple(todo.todo_id for todo in facts.todos)
    promise.plan_seq = case.event.seq
    nothing_waits_for_ever(model, promise)


def _may_confirm(case: Case) -> None:
    promise, being = case.promise, case.model.members[case.event.actor]
    if being.kind == "agent":
        assert promise.intent.plan_approval == "steward", "an agent confirmed for the owners"
        assert being.role == "steward"
        assert case.model.has_goal(case.event.actor, promise.goal_id)
    else:
        assert case.owns, "confirmed by somebody who does not decide"


def _staffed(model: Model, promise: Promise, lane) -> None:
    """Somebody there could do the lane."""
    fold = promise.intent.fold_case
    boundary = paths_of(promise.intent.write_scopes, fold_case=fold)
    assert paths_of(lane.write_scopes, fold_case=fold) <= boundary, "a lane outside of the boundary"
    names = [lane.agent] if lane.agent is not None else [*model.members]
    able = [
        name
        for name in names
        if (being := model.living(name)) is not None
        and being.kind == "agent"
        and model.has_goal(name, promise.goal_id)
        and model.capable(name, promise.goal_id).issuperset((*promise.intent.capabilities, *lane.capabilities))
    ]
    assert able, "a lane that nobody could do was confirmed"


def _turned_down(case: Case) -> None:
    plan = case.promise.plans[case.facts.plan_id]
    assert (plan.status, plan.revision) == ("open", case.facts.revision)
    if case.event.kind == "plan.withdrawn":
        assert plan.by == case.event.actor
    plan.status = case.event.kind.partition(".")[2]


# Amendments.


def picture(model: Model, promise: Promise, operations: tuple) -> object:
    """What a change rests on: the promise, the graph as a whole, and each todo it touches."""
    touched = dict.fromkeys(one.todo_id for one in operations if one.todo_id in promise.work)
    todos = []
    for todo_id in touched:
        work, hold = promise.work[todo_id], promise.holds.get(todo_id)
        epoch = 0 if hold is None else hold.epoch
        holder = model.claimant(promise, todo_id)
        todos.append((todo_id, work.status, work.priority, work.needs, work.bound, work.scopes, holder, epoch))
    return promise.confirmed, promise.graph_seq, tuple(todos)


def _submitted(case: Case) -> None:
    facts, promise = case.facts, case.promise
    assert facts.amendment_id not in promise.changes
    least = max(LEAST[one.op] for one in facts.operations)
    assert REACH.index(facts.amendment_class) >= least, "it reaches further than it says"
    promise.changes[facts.amendment_id] = Change(
        change_class=facts.amendment_class,
        by=case.event.actor,
        operations=facts.operations,
        fates=facts.dispositions,
        picture=picture(case.model, promise, facts.operations),
        gate_id=facts.gate_id,
        digest=case.event.hash.hex(),
    )
    _every_fate_is_said(case, promise.changes[facts.amendment_id])


def _every_fate_is_said(case: Case, change: Change) -> None:
    fates = {one.todo_id: one for one in change.fates}
    for one in change.operations:
        todo_id = one.todo_id
        holder = case.model.claimant(case.promise, todo_id) if todo_id in case.promise.work else None
        if holder is not None:
            assert todo_id in fates, "what becomes of work in hand was left to silence"
            assert fates[todo_id].agent_id == holder
            if one.op == "cancel":
                assert fates[todo_id].choice == "stop"


def _rebased(case: Case) -> None:
    change = _waits(case)
    assert change.by == case.event.actor
    change.fates = case.facts.dispositions
    change.picture = picture(case.model, case.promise, change.operations)
    change.digest = case.event.hash.hex()
    _every_fate_is_said(case, change)


def _waits(case: Case) -> Change:
    change = case.promise.changes[case.facts.amendment_id]
    assert change.status == "open", f"{case.event.kind} on an amendment that is {change.status}"
    return change


def _committed(case: Case) -> None:
    facts, promise = case.facts, case.promise
    change = _waits(case)
    assert case.before == change.picture, "committed on something else than it was made for"
    assert case.params.basis == case.shown(facts.amendment_id), "a yes to something else than was shown"
    assert promise.state in EXECUTABLE | {"paused"}
    _may_commit(case, change)
    assert (facts.operations, facts.dispositions) == (change.operations, change.fates)
    added = {one.todo_id for one in facts.operations if one.op == "add"}
    assert {todo.todo_id for todo in facts.todos} == added, "half an amendment"
    for todo in facts.todos:
        enter(promise, todo)
    for one in facts.operations:
        if one.op in {"rewire", "rescope", "restate"}:
            work_changed(case, one.todo_id)
        _apply(promise, one)
    for fate in facts.dispositions:
        _carry_out(case, fate)
    change.status, promise.graph_seq, promise.plan_seq = "committed", case.event.seq, case.event.seq
    nothing_waits_for_ever(case.model, promise)


def _may_commit(case: Case, change: Change) -> None:
    being, promise = case.model.members[case.event.actor], case.promise
    routine = REACH.index(change.change_class) < 2
    if being.kind == "agent":
        assert routine, "an agent changed what people answer for"
        assert being.role != "dreaming_proposer", "whoever only proposes decided"
        assert case.model.has_goal(case.event.actor, promise.goal_id)
    else:
        assert case.owns
    if change.change_class == "protected_authority":
        gate = promise.gates.get(change.gate_id or "")
        assert gate is not None
        assert (gate.status, gate.topic[0], gate.evidence) == ("approved", "amendment", change.digest), "not approved"


def _apply(promise: Promise, one) -> None:
    if one.op == "add":
        return
    work = promise.work[one.todo_id]
    match one.op:
        case "cancel":
            cancel(promise, one.todo_id)
        case "reprioritise":
            work.priority = one.priority or work.priority
        case "rewire":
            work.needs = one.depends_on or ()
        case "rebind":
            work.bound = one.agent
        case "rescope":
            boundary = paths_of(promise.intent.write_scopes, fold_case=promise.intent.fold_case)
            named = paths_of(one.write_scopes or (), fold_case=promise.intent.fold_case)
            assert named <= boundary, "an amendment widened the boundary"
            work.scopes = one.write_scopes or ()
        case _:
            pass


def _carry_out(case: Case, fate) -> None:
    work = case.promise.work[fate.todo_id]
    if fate.choice == "stop":
        assert case.model.effective(case.promise, fate.todo_id) is None, "stopped, and the lease lives on"
        assert work.claimant is None, "stopped, and the claim lives on"
    if fate.choice != "continue" and work.status != "cancelled":
        work.held_by = case.facts.amendment_id


def _ended(case: Case) -> None:
    change = _waits(case)
    if case.event.kind == "amendment.withdrawn":
        assert change.by == case.event.actor
    change.status = case.event.kind.partition(".")[2]


def _adopted(case: Case) -> None:
    facts, work = case.facts, case.work
    assert facts.agent_id == case.event.actor
    assert work.held_by == facts.amendment_id, "adopted what holds nothing"
    assert case.model.claimant(case.promise, work.todo_id) in {None, case.event.actor}
    work.held_by = None


CHECKS: Mapping[str, Callable[[Case], None]] = {
    "plan.proposed": _proposed,
    "plan.confirmed": _confirmed,
    "plan.rejected": _turned_down,
    "plan.withdrawn": _turned_down,
    "amendment.submitted": _submitted,
    "amendment.rebased": _rebased,
    "amendment.committed": _committed,
    "amendment.rejected": _ended,
    "amendment.withdrawn": _ended,
    "amendment.adopted": _adopted,
}
