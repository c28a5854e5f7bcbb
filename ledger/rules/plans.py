"""Plans: one to eight lanes that are confirmed together or not at all.

A lane is known by its plan and its own id, never by its text: two lanes with the same words are two todos. What was
shown is what exists: a yes names the revision of the plan, the promise in force and the set of gaps, and when one of
them has moved it is stale. One event holds all todos of a plan, so that there is no half of one.
"""

from enum import StrEnum

from ledger.canonical import basis_of
from ledger.events import Draft
from ledger.ids import GoalId, MemberId
from ledger.parts.plans import Gap, Lane, Plan, todo_id_of
from ledger.records import CLOSED
from ledger.refusals import Refusal
from ledger.rules.common import (
    Caller,
    Decision,
    Held,
    check_basis,
    granted,
    is_owner,
    next_seq,
    owners_of,
    refuse,
    registered,
)
from ledger.rules.order import in_order
from ledger.rules.plan_events import (
    LaneWords,
    PlanConfirmed,
    PlanProposed,
    PlanReasonWords,
    PlanRejected,
    PlanWithdrawn,
    PlanWords,
)
from ledger.rules.plan_gaps import gaps_of
from ledger.rules.plan_params import ConfirmPlan, ProposePlan, RejectPlan, WithdrawPlan
from ledger.rules.todo_events import TodoAdded
from ledger.rules.todos import TODOS_MAX
from ledger.scopes import canonical_scope
from ledger.state import Goal, Workspace

PLANS_MAX = 500
REVISIONS_MAX = 100
STEWARD = "steward"
LANE_FIELD_CLASS = {
    **dict.fromkeys(("lane_id", "agent", "depends_on", "action_kind", "write_scope", "capability"), "enforced"),
    **dict.fromkeys(("title", "acceptance", "priority"), "retained"),
    "validator": "advisory",
}
"""What the ledger does with each field of a lane: enforce it, keep it as it was shown, or pass it on as advice."""


class PlanRefusal(StrEnum):
    """Why a plan action is refused, in order of precedence."""

    ACTOR_NOT_REGISTERED = "actor_not_registered"
    NOT_AN_OWNER = "not_an_owner"
    PLAN_NOT_FOUND = "plan_not_found"
    NOT_THE_PROPOSER = "not_the_proposer"
    PLAN_DECIDED = "plan_decided"
    GOAL_CLOSED = "goal_closed"
    GOAL_NOT_CONFIRMED = "goal_not_confirmed"
    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    TOO_MANY_PLANS = "too_many_plans"
    LANE_REPEATED = "lane_repeated"
    LANE_NOT_FOUND = "lane_not_found"
    LANE_CYCLE = "lane_cycle"
    INVALID_WRITE_SCOPE = "invalid_write_scope"
    ENFORCEMENT_NOT_SUPPORTED = "enforcement_not_supported"
    BASIS_REQUIRED = "basis_required"
    STALE_BASIS = "stale_basis"
    ALL_GAP = "all_gap"
    TODO_EXISTS = "todo_exists"
    TOO_MANY_TODOS = "too_many_todos"


def plan_basis(workspace: Workspace, goal: Goal, plan: Plan, now_ms: int) -> str:
    """What somebody sees who looks at the plan now: its revision, the promise in force and the gaps."""
    return _basis(goal, plan, plan.digests[-1], goal.intent.basis, gaps_of(workspace, goal, plan.lanes, now_ms))


def _basis(goal: Goal, plan: Plan, digest: str, intent_basis: str, gaps: tuple[Gap, ...]) -> str:
    shown = [[gap.lane_id, gap.reason, list(gap.names)] for gap in gaps]
    return basis_of("plan", goal.goal_id, plan.plan_id, digest, intent_basis, shown)


def decide_propose(workspace: Workspace, caller: Caller, ask: ProposePlan, now_ms: int) -> Decision:
    """Put lanes forward with the gaps they have; what cannot be enforced is refused here, not discovered later."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (broken := may_shape(workspace, goal, caller)) is not None:
        return broken
    plan_id = ask.plan_id or f"plan_{next_seq(workspace):06d}"
    before = goal.plans.by_id.get(plan_id)
    if (broken := _may_revise(before, caller) or _closed(goal)) is not None:
        return broken
    if before is None and len(goal.plans.by_id) >= PLANS_MAX:
        return refuse(PlanRefusal.TOO_MANY_PLANS, limit=PLANS_MAX)
    if before is not None and before.revision >= REVISIONS_MAX:
        return refuse(PlanRefusal.TOO_MANY_PLANS, limit=REVISIONS_MAX)
    lanes = _lanes(ask)
    if isinstance(lanes, Refusal):
        return lanes
    facts = PlanProposed(
        plan_id=plan_id,
        revision=1 if before is None else before.revision + 1,
        lanes=lanes,
        gaps=gaps_of(workspace, goal, lanes, now_ms),
    )
    words = PlanWords(lanes=tuple(LaneWords(title=lane.title, acceptance=lane.acceptance) for lane in ask.lane))
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def decide_confirm(workspace: Workspace, caller: Caller, ask: ConfirmPlan, now_ms: int) -> Decision:
    """A yes applies to the plan that was shown, with the gaps that were shown, or to nothing."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    plan = _to_decide(workspace, goal, caller, ask.plan_id)
    if isinstance(plan, Refusal):
        return plan
    if plan.status == "confirmed" and ask.basis == plan.basis:
        return read_back(goal, plan)
    if plan.status != "open":
        return _decided(plan)
    if (broken := _closed(goal)) is not None:
        return broken
    gaps = gaps_of(workspace, goal, plan.lanes, now_ms)
    basis = _basis(goal, plan, plan.digests[-1], goal.intent.basis, gaps)
    if (broken := check_basis(ask.basis, basis, _moved(goal, plan, gaps, ask.basis), required=True)) is not None:
        return broken
    todos = _todos(plan, {gap.lane_id for gap in gaps})
    if not todos:
        return refuse(PlanRefusal.ALL_GAP, plan_id=plan.plan_id, gap_lanes=_shown(gaps))
    if taken := [todo.todo_id for todo in todos if todo.todo_id in goal.todos]:
        return refuse(PlanRefusal.TODO_EXISTS, todo_id=taken[0])
    if len(goal.todos) + len(todos) > TODOS_MAX:
        return refuse(PlanRefusal.TOO_MANY_TODOS, limit=TODOS_MAX)
    facts = PlanConfirmed(
        plan_id=plan.plan_id,
        revision=plan.revision,
        basis=basis,
        outcome="partial" if gaps else "committed",
        todos=todos,
        gaps=gaps,
    )
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def decide_reject(workspace: Workspace, caller: Caller, ask: RejectPlan, now_ms: int) -> Decision:
    """A no to the plan that was shown; where a basis is given, to no other."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    plan = _to_decide(workspace, goal, caller, ask.plan_id)
    if isinstance(plan, Refusal):
        return plan
    if plan.status != "open":
        return _decided(plan)
    gaps = gaps_of(workspace, goal, plan.lanes, now_ms)
    basis = _basis(goal, plan, plan.digests[-1], goal.intent.basis, gaps)
    if (broken := check_basis(ask.basis, basis, _moved(goal, plan, gaps, ask.basis), required=False)) is not None:
        return broken
    facts = PlanRejected(plan_id=plan.plan_id, revision=plan.revision)
    return (Draft(facts=facts, words=_reason(ask.reason), goal_id=goal.goal_id),)


def decide_withdraw(workspace: Workspace, caller: Caller, ask: WithdrawPlan, _now_ms: int) -> Decision:
    """Whoever proposed it may take it back while nobody has decided."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    plan = goal.plans.by_id.get(ask.plan_id)
    if plan is None:
        return refuse(PlanRefusal.PLAN_NOT_FOUND, plan_id=ask.plan_id)
    if (broken := _may_revise(plan, caller)) is not None:
        return broken
    facts = PlanWithdrawn(plan_id=plan.plan_id, revision=plan.revision)
    return (Draft(facts=facts, words=_reason(ask.reason), goal_id=goal.goal_id),)


def read_back(goal: Goal, plan: Plan) -> Held:
    """What confirming did, whatever became of the todos since."""
    facts: dict[str, object] = {
        "goal_id": goal.goal_id,
        "plan_id": plan.plan_id,
        "revision": plan.revision,
        "basis": plan.basis,
        "outcome": plan.outcome,
        "todo_ids": list(plan.todo_ids),
        "gap_lanes": _shown(plan.gaps),
    }
    return Held(seq=plan.decided_seq, facts=facts)


def may_shape(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    """Work is shaped by an agent that has the goal, by those who decide for it, and by whoever proposed it."""
    member = registered(workspace, caller.member_id)
    if member is None or (member.kind == "agent" and not granted(member, goal.goal_id)):
        return refuse(PlanRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if member.kind == "agent" or caller.member_id == goal.proposed_by or is_owner(goal, caller.member_id, workspace):
        return None
    return refuse(PlanRefusal.NOT_AN_OWNER)


def may_decide(workspace: Workspace, goal: Goal, member_id: MemberId) -> bool:
    """The owners decide; a steward that has the goal does so for them where the goal's policy says so."""
    member = registered(workspace, member_id)
    if member is None:
        return False
    if member.kind == "agent":
        delegated = goal.intent.plan_approval == STEWARD
        return delegated and member.profile_role == STEWARD and granted(member, goal.goal_id)
    return is_owner(goal, member_id, workspace)


def deciders(workspace: Workspace, goal: Goal) -> tuple[MemberId, ...]:
    """The owners, and the stewards that decide for them where the goal says so."""
    owners = owners_of(goal, workspace)
    return (*owners, *(one for one in workspace.members if one not in owners and may_decide(workspace, goal, one)))


def _lanes(ask: ProposePlan) -> tuple[Lane, ...] | Refusal:
    names = [lane.lane_id for lane in ask.lane]
    if len(set(names)) != len(names):
        return refuse(PlanRefusal.LANE_REPEATED, lane_id=next(name for name in names if names.count(name) > 1))
    if unknown := [other for lane in ask.lane for other in lane.depends_on if other not in names]:
        return refuse(PlanRefusal.LANE_NOT_FOUND, lane_id=unknown[0])
    if in_order({lane.lane_id: lane.depends_on for lane in ask.lane}) is None:
        return refuse(PlanRefusal.LANE_CYCLE, lanes=names)
    lanes: list[Lane] = []
    for lane in ask.lane:
        scopes: list[str] = []
        for text in lane.write_scope:
            if (scope := canonical_scope(text)) is None:
                return refuse(PlanRefusal.INVALID_WRITE_SCOPE, write_scope=text, lane_id=lane.lane_id)
            scopes.append(scope)
        lanes.append(
            Lane(
                lane_id=lane.lane_id,
                agent=None if lane.agent is None else MemberId(lane.agent),
                depends_on=tuple(dict.fromkeys(lane.depends_on)),
                action_kind=lane.action_kind,
                write_scopes=tuple(dict.fromkeys(scopes)),
                capabilities=tuple(dict.fromkeys(lane.capability)),
                validators=tuple(dict.fromkeys(lane.validator)),
                priority=lane.priority,
                enforce=tuple(dict.fromkeys(lane.enforce)),
            )
        )
    return _claims_kept(lanes)


def _claims_kept(lanes: list[Lane]) -> tuple[Lane, ...] | Refusal:
    """Nobody may be told that a field is enforced which is only kept."""
    for lane in lanes:
        if beyond := [name for name in lane.enforce if LANE_FIELD_CLASS.get(name) != "enforced"]:
            enforced = [name for name, kind in LANE_FIELD_CLASS.items() if kind == "enforced"]
            return refuse(PlanRefusal.ENFORCEMENT_NOT_SUPPORTED, fields=beyond, enforced=enforced, lane_id=lane.lane_id)
    return tuple(lanes)


def _todos(plan: Plan, gaps: set[str]) -> tuple[TodoAdded, ...]:
    """The admitted lanes as todos, each after those it waits for."""
    order = in_order({lane.lane_id: lane.depends_on for lane in plan.lanes})
    assert order is not None, "a plan with a cycle was refused"
    by_id = {lane.lane_id: lane for lane in plan.lanes}
    return tuple(_todo(plan.plan_id, by_id[lane_id]) for lane_id in order if lane_id not in gaps)


def _todo(plan_id: str, lane: Lane) -> TodoAdded:
    return TodoAdded(
        todo_id=todo_id_of(plan_id, lane.lane_id),
        role="agent",
        priority=lane.priority,
        task_class="advancement_task",
        action_kind=lane.action_kind,
        required_write_scopes=lane.write_scopes,
        required_capabilities=lane.capabilities,
        depends_on=tuple(todo_id_of(plan_id, other) for other in lane.depends_on),
        bound_agent=lane.agent,
        excluded_agents=(),
        validators=lane.validators,
        plan_id=plan_id,
        lane_id=lane.lane_id,
    )


def _to_decide(workspace: Workspace, goal: Goal, caller: Caller, plan_id: str) -> Plan | Refusal:
    if not may_decide(workspace, goal, caller.member_id):
        return refuse(PlanRefusal.NOT_AN_OWNER)
    plan = goal.plans.by_id.get(plan_id)
    return refuse(PlanRefusal.PLAN_NOT_FOUND, plan_id=plan_id) if plan is None else plan


def _may_revise(plan: Plan | None, caller: Caller) -> Refusal | None:
    if plan is None:
        return None
    if plan.proposed_by != caller.member_id:
        return refuse(PlanRefusal.NOT_THE_PROPOSER)
    return None if plan.status == "open" else _decided(plan)


def _decided(plan: Plan) -> Refusal:
    return refuse(PlanRefusal.PLAN_DECIDED, plan_id=plan.plan_id, decision=plan.status, decided_by=plan.decided_by)


def _closed(goal: Goal) -> Refusal | None:
    if goal.state in CLOSED:
        return refuse(PlanRefusal.GOAL_CLOSED, state=goal.state)
    if not goal.confirmed:
        return refuse(PlanRefusal.GOAL_NOT_CONFIRMED, state=goal.state)
    if goal.state == "delivered":
        # Work added behind a delivery would be accepted unseen.
        return refuse(PlanRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    return None


def _moved(goal: Goal, plan: Plan, gaps: tuple[Gap, ...], given: str | None) -> tuple[str, ...]:
    """What differs between what was seen and what is; where it cannot be told, the gaps."""
    for digest in plan.digests:
        for intent in goal.intents:
            for seen in (gaps, plan.gaps):
                if _basis(goal, plan, digest, intent.basis, seen) == given:
                    parts = {
                        "plan": digest != plan.digests[-1],
                        "revision": intent.basis != goal.intent.basis,
                        "gaps": seen != gaps,
                    }
                    return tuple(name for name, differs in parts.items() if differs)
    return ("gaps",)


def _shown(gaps: tuple[Gap, ...]) -> list[str]:
    return [f"{gap.lane_id}: {gap.reason}" for gap in gaps]


def _reason(text: str) -> PlanReasonWords | None:
    return PlanReasonWords(reason=text) if text else None
