"""The documents of plans: what a plan holds, what it lacks now, and the basis to decide on it by."""

from collections.abc import Callable
from itertools import islice
from typing import cast

from ledger.ids import GoalId
from ledger.params import Params
from ledger.parts.plans import Gap, Plan, todo_id_of
from ledger.refusals import Refusal
from ledger.rules import plan_params
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.plan_gaps import gaps_of
from ledger.rules.plans import LANE_FIELD_CLASS, PlanRefusal, plan_basis
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]
Reader = Callable[[Workspace, Caller, Params, int], Document | Refusal]


def _show(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("plan_params.ShowPlan", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    plan = goal.plans.by_id.get(ask.plan_id)
    if plan is None:
        return refuse(PlanRefusal.PLAN_NOT_FOUND, plan_id=ask.plan_id)
    is_open = plan.status == "open"
    gaps = gaps_of(workspace, goal, plan.lanes, now_ms) if is_open else plan.gaps
    return {
        "schema_version": "frontstage_plan_v1",
        **_row(goal, plan),
        "basis": plan_basis(workspace, goal, plan, now_ms) if is_open else plan.basis,
        "lanes": _lanes(goal, plan, gaps),
        "gap_lanes": [_gap(gap) for gap in gaps],
        "field_class": dict(LANE_FIELD_CLASS),
        "reason": plan.reason,
    }


def _lanes(goal: Goal, plan: Plan, gaps: tuple[Gap, ...]) -> list[Document]:
    by_lane = {gap.lane_id: gap for gap in gaps}
    rows: list[Document] = []
    for lane, title, acceptance in zip(plan.lanes, plan.titles, plan.acceptances, strict=True):
        todo_id = todo_id_of(plan.plan_id, lane.lane_id)
        todo = goal.todos.get(todo_id) if todo_id in plan.todo_ids else None
        gap = by_lane.get(lane.lane_id)
        rows.append(
            {
                "lane_id": lane.lane_id,
                "title": title,
                "acceptance": acceptance,
                "agent": lane.agent,
                "depends_on": list(lane.depends_on),
                "action_kind": lane.action_kind,
                "write_scopes": list(lane.write_scopes),
                "capabilities": list(lane.capabilities),
                "validators": list(lane.validators),
                "priority": lane.priority,
                "enforce": list(lane.enforce),
                "todo_id": todo_id,
                "todo_status": None if todo is None else todo.status,
                "gap": None if gap is None else gap.reason,
            }
        )
    return rows


def _gap(gap: Gap) -> Document:
    return {"lane_id": gap.lane_id, "reason": gap.reason, "names": list(gap.names)}


def _row(goal: Goal, plan: Plan) -> Document:
    return {
        "goal_id": goal.goal_id,
        "plan_id": plan.plan_id,
        "revision": plan.revision,
        "status": plan.status,
        "outcome": plan.outcome,
        "lanes_total": len(plan.lanes),
        "proposed_by": plan.proposed_by,
        "proposed_at": rfc3339(plan.at_ms),
        "decided_by": plan.decided_by,
        "decided_at": rfc3339_or_none(plan.decided_at_ms),
        "todo_ids": list(plan.todo_ids),
        "seq": plan.seq,
    }


def _list(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("plan_params.ListPlans", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    newest = islice(reversed(goal.plans.by_id.values()), ask.limit)
    return {
        "schema_version": "frontstage_plan_list_v1",
        "goal_id": goal.goal_id,
        "plans": [_row(goal, plan) for plan in newest],
        "total": len(goal.plans.by_id),
    }


READERS: dict[str, Reader] = {"plan.show": _show, "plan.list": _list}
