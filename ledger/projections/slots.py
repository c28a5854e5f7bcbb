"""What was spent, run and used, and which goal an agent would best turn to: the readers of the family."""

from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import cast

from ledger.ids import GoalId, MemberId, TodoId
from ledger.params import Params
from ledger.parts.runs import Run, Usage
from ledger.parts.slots import Admission, Spend
from ledger.projections.readings import Readings
from ledger.projections.verdict import reason_of
from ledger.refusals import Refusal
from ledger.rules import run_params, slot_params
from ledger.rules.common import Caller, granted, refuse, registered
from ledger.rules.goals import GoalRefusal
from ledger.rules.quota import QuotaDecision, Verdict, verdict_of_state
from ledger.rules.runs import RunRefusal, replan_cause
from ledger.rules.slots import allowed_slots, reserved_slots
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]

_ORDER = (
    QuotaDecision.RUN, QuotaDecision.REPLAN, QuotaDecision.REPAIR,
    QuotaDecision.OBSERVE, QuotaDecision.ASK_USER, QuotaDecision.SKIP,
)  # fmt: skip
_RANK = {decision: rank for rank, decision in enumerate(_ORDER)}
"""What an agent would rather do: work, then what clears the way for work, then a look, then nothing."""


def _status(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("slot_params.ShowQuota", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    agent = caller.member_id if caller.kind == "agent" else None
    spends = goal.slots.in_window(now_ms)
    window_ms = goal.slots.settings.window_hours * 3_600_000
    spent, allowed = goal.slots.spent(now_ms), allowed_slots(goal)
    halted = verdict_of_state(goal)
    return {
        "schema_version": "frontstage_quota_status_v1",
        "goal_id": goal.goal_id,
        "pause_cause": _pause_cause(halted),
        "window_from": rfc3339(max(0, now_ms - window_ms)),
        "window_hours": goal.slots.settings.window_hours,
        "slot_minutes": goal.slots.settings.slot_minutes,
        "compute_permille": goal.slots.settings.compute_permille,
        "set_seq": goal.slots.settings.seq or None,
        "allowed_slots": allowed,
        "spent_slots": spent,
        "left_slots": max(0, allowed - spent - reserved_slots(goal, None, now_ms)),
        "receipts": [_spend(spend) for spend in islice(reversed(spends), ask.limit)],
        "receipts_total": len(spends),
        "admissions": [_admission(one) for one in goal.slots.admissions.values() if one.expires_at_ms > now_ms],
        "replan_cause": None if agent is None else replan_cause(goal, agent),
    }


def _pause_cause(halted: Verdict | None) -> str | None:
    return halted.reason_codes[0] if halted is not None and halted.state == "paused" else None


def _spend(spend: Spend) -> Document:
    return {
        "spend_id": spend.spend_id,
        "seq": spend.seq,
        "agent_id": spend.agent_id,
        "todo_id": spend.todo_id,
        "turn_instance_id": spend.turn_instance_id,
        "run_id": spend.run_id,
        "slots": spend.slots,
        "at": rfc3339(spend.at_ms),
    }


def _admission(admission: Admission) -> Document:
    return {
        "admission_id": admission.admission_id,
        "agent_id": admission.agent_id,
        "todo_id": admission.todo_id,
        "slots": admission.slots,
        "expires_at": rfc3339(admission.expires_at_ms),
        "seq": admission.seq,
    }


def _plan(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    return plan_from(Readings())(workspace, caller, asked, now_ms)


def plan_from(readings: Readings) -> Callable[[Workspace, Caller, Params, int], Document | Refusal]:
    """The reader of this document that uses what is known already of the open goals.

    Advice only: every goal of the agent that is not closed, with its verdict, the best first.
    """

    def plan(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
        ask = cast("slot_params.PlanQuota", asked)
        agent_id = MemberId(ask.agent_id or caller.member_id)
        member = registered(workspace, agent_id)
        if member is None or member.kind != "agent":
            return refuse(RunRefusal.ACTOR_NOT_REGISTERED, member_id=agent_id)
        mine = [read for read in readings.all(workspace, now_ms) if granted(member, read.goal.goal_id)]
        mine.sort(key=lambda read: _preference(read.goal, read.verdict(agent_id)))
        best = mine[0] if mine and mine[0].verdict(agent_id).decision is not QuotaDecision.SKIP else None
        return {
            "schema_version": "frontstage_quota_plan_v1",
            "agent_id": agent_id,
            "advisory": True,
            "next_goal_id": None if best is None else best.goal.goal_id,
            "goals": [
                read.of_member("quota.plan", agent_id, partial(_plan_row, read.goal, read.verdict(agent_id)))
                for read in mine[: ask.limit]
            ],
            "total": len(mine),
        }

    return plan


def _preference(goal: Goal, verdict: Verdict) -> tuple[int, str, str, int]:
    todo = verdict.todo
    return (_RANK[verdict.decision], goal.intent.priority, "" if todo is None else todo.priority, goal.created_seq)


def _plan_row(goal: Goal, verdict: Verdict) -> Document:
    return {
        "goal_id": goal.goal_id,
        "priority": goal.intent.priority,
        "decision": verdict.decision.value,
        "state": verdict.state.value,
        "reason": reason_of(verdict),
        "reason_codes": list(verdict.reason_codes),
        "todo_id": None if verdict.todo is None else verdict.todo.todo_id,
    }


def _runs(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("run_params.ListRuns", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    newest = (run for run in reversed(goal.runs.runs.values()) if ask.agent_id in {None, run.agent_id})
    return {
        "schema_version": "frontstage_run_list_v1",
        "goal_id": goal.goal_id,
        "runs": [_run(run) for run in islice(newest, ask.limit)],
        "total": len(goal.runs.runs),
    }


def _run(run: Run) -> Document:
    return {
        "run_id": run.run_id,
        "agent_id": run.agent_id,
        "todo_id": run.todo_id,
        "turn_instance_id": run.turn_instance_id,
        "classification": run.classification,
        "delivery_outcome": run.delivery_outcome,
        "summary": run.summary,
        "evidence": list(run.evidence),
        "at": rfc3339(run.at_ms),
        "seq": run.seq,
    }


def _usage(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("run_params.ShowUsage", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    runs = goal.runs
    reports = [_report(usage) for usage in islice(reversed(runs.usage.values()), ask.limit)]
    return {
        "schema_version": "frontstage_usage_v1",
        "goal_id": goal.goal_id,
        "tokens_known": runs.tokens,
        "tokens_unknown_reports": runs.tokens_unknown,
        "token_cap": goal.intent.token_cap,
        "cost_known_micros": runs.cost_micros,
        "cost_unknown_reports": runs.cost_unknown,
        "cost_cap_micros": goal.intent.cost_cap_micros,
        "measured_at": rfc3339_or_none(max((usage.measured_at_ms for usage in runs.usage.values()), default=None)),
        "reports": reports,
        "total": len(runs.usage),
    }


def _report(usage: Usage) -> Document:
    return {
        "usage_id": usage.usage_id,
        "agent_id": usage.agent_id,
        "run_id": usage.run_id,
        "source": usage.source,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost_micros": usage.cost_micros,
        "measured_at": rfc3339(usage.measured_at_ms),
        "seq": usage.seq,
    }


def changes_ms(goal: Goal, now_ms: int) -> list[int]:
    """When time alone next changes what is said: an admission ends, a spend leaves the window, a monitor is due."""
    moments = [due[at][0] for due in (goal.slots.due, goal.runs.due) if (at := _next(due, now_ms)) < len(due)]
    leaving_ms = goal.slots.next_leaving_ms(now_ms)
    return moments if leaving_ms is None else [*moments, leaving_ms]


def _next(due: list[tuple[int, TodoId]], now_ms: int) -> int:
    return bisect_right(due, now_ms, key=lambda entry: entry[0])


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {
    "quota.status": _status,
    "quota.plan": _plan,
    "run.list": _runs,
    "usage.show": _usage,
}
"""By the name of the action."""
