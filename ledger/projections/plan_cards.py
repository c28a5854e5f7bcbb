"""A plan as it is put before those who decide on it: its gaps, its lanes, and what became of it.

A plan keeps the lanes of its newest revision alone. The card of an older revision says that it was replaced and by
which; what it once asked for can no longer be said yes to, and so it is not shown either.
"""

from ledger.ids import MemberId
from ledger.parts.plans import Gap, Lane, Plan, todo_id_of
from ledger.projections.causes import Cause, DecisionView
from ledger.projections.channel import cause_of
from ledger.projections.holds import name_of, names_of
from ledger.projections.plan_views import LaneView, PlanStatusName, PlanView
from ledger.records import CLOSED
from ledger.rules.common import owners_of
from ledger.rules.plan_gaps import gaps_of
from ledger.rules.plans import may_decide, plan_basis
from ledger.state import Goal, Workspace


def plan_view(workspace: Workspace, goal: Goal, plan: Plan, revision: int, now_ms: int) -> PlanView:
    """One revision of a plan; the gaps of an open one are those of now."""
    status = _status(goal, plan, revision)
    replaced, is_open = status == "superseded", status == "open"
    gaps = gaps_of(workspace, goal, plan.lanes, now_ms) if is_open else plan.gaps
    return PlanView(
        plan_id=plan.plan_id,
        revision=revision,
        newest=plan.revision,
        status=status,
        lanes=() if replaced else _lanes(workspace, goal, plan, gaps),
        people=names_of(workspace, plan_deciders(workspace, goal)) if is_open else (),
        proposed_by=name_of(workspace, plan.proposed_by),
        basis=plan_basis(workspace, goal, plan, now_ms) if is_open else "",
        decision=None if replaced else _decision(workspace, plan),
        cause=_cause(workspace, goal, plan, status),
    )


def plan_deciders(workspace: Workspace, goal: Goal) -> tuple[MemberId, ...]:
    """The owners, and the stewards that decide for them where the goal says so."""
    owners = owners_of(goal, workspace)
    return (*owners, *(one for one in workspace.members if one not in owners and may_decide(workspace, goal, one)))


def _status(goal: Goal, plan: Plan, revision: int) -> PlanStatusName:
    if revision < plan.revision:
        return "superseded"
    match plan.status:
        case "open":
            return "ended" if goal.state in CLOSED else "open"
        case "confirmed":
            return plan.outcome or "committed"
        case "rejected" | "withdrawn":
            return plan.status


def _lanes(workspace: Workspace, goal: Goal, plan: Plan, gaps: tuple[Gap, ...]) -> tuple[LaneView, ...]:
    by_lane = {gap.lane_id: gap for gap in gaps}
    together = zip(plan.lanes, plan.titles, plan.acceptances, strict=True)
    return tuple(
        _lane(workspace, lane, title, acceptance, by_lane.get(lane.lane_id), _todo_status(goal, plan, lane))
        for lane, title, acceptance in together
    )


def _lane(
    workspace: Workspace, lane: Lane, title: str, acceptance: str, gap: Gap | None, todo_status: str | None
) -> LaneView:
    return LaneView(
        lane_id=lane.lane_id,
        title=title,
        acceptance=acceptance,
        agent="" if lane.agent is None else name_of(workspace, lane.agent),
        depends_on=lane.depends_on,
        action_kind=lane.action_kind or "",
        write_scopes=lane.write_scopes,
        capabilities=lane.capabilities,
        validators=lane.validators,
        priority=lane.priority,
        gap=None if gap is None else gap.reason,
        names=() if gap is None else gap.names,
        todo_status=todo_status,
    )


def _todo_status(goal: Goal, plan: Plan, lane: Lane) -> str | None:
    todo_id = todo_id_of(plan.plan_id, lane.lane_id)
    todo = goal.todos.get(todo_id) if todo_id in plan.todo_ids else None
    return None if todo is None else todo.status


def _decision(workspace: Workspace, plan: Plan) -> DecisionView | None:
    if plan.decided_by is None or plan.decided_at_ms is None:
        return None
    return DecisionView(
        outcome=plan.outcome or plan.status,
        by_name=name_of(workspace, plan.decided_by),
        at_ms=plan.decided_at_ms,
        reason=plan.reason,
    )


def _cause(workspace: Workspace, goal: Goal, plan: Plan, status: PlanStatusName) -> Cause:
    """The event that made the status true. The hash of a decision is kept by the ledger alone, and so is left out."""
    if status == "ended":
        note = cause_of(goal)
        seq, kind, actor, at_ms, short_hash = note.seq, note.kind, note.actor, note.at_ms, note.short_hash
    elif plan.decided_by is None or plan.decided_at_ms is None or status == "superseded":
        seq, kind, actor, at_ms, short_hash = plan.seq, "plan.proposed", plan.proposed_by, plan.at_ms, ""
        short_hash = plan.digests[-1][:8]
    else:
        seq, kind, actor, at_ms = plan.decided_seq, f"plan.{plan.status}", plan.decided_by, plan.decided_at_ms
        short_hash = ""
    return Cause(
        seq=seq, kind=kind, actor_id=actor, actor_name=name_of(workspace, actor), at_ms=at_ms, short_hash=short_hash
    )
