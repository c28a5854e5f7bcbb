"""Quota: may this agent do a turn now? One closed verdict, from which everything else is derived.

The order of the conditions is the decision: the first that holds is the answer. If it cannot be made, it is no.
"""

from enum import StrEnum
from typing import Annotated

import msgspec
from pydantic import Field

from ledger.ids import GoalId, MemberId
from ledger.params import GoalIdText, MemberIdText, Params
from ledger.parts.runs import MONITOR
from ledger.ports import StoreFault
from ledger.records import Member, Todo
from ledger.rules.amendments import held_back
from ledger.rules.common import granted, must_review, registered
from ledger.rules.gates import CODES, GATE_OVER, blocking, why_held
from ledger.rules.runs import replan_cause
from ledger.rules.selection import Selection, is_for, not_fit, select
from ledger.rules.slots import allowed_slots, reserved_slots
from ledger.rules.waits import held_by_request
from ledger.state import Goal, Workspace

WORKSPACE_GUARD_CODE = "write_scope_not_granted"


class QuotaState(StrEnum):
    """What the goal and its work are like for this agent, in order of precedence."""

    BLOCKED_HEALTH = "blocked_health"
    PAUSED = "paused"
    OPERATOR_GATE = "operator_gate"
    OBJECTIVE_REVIEW_REQUIRED = "objective_review_required"
    REPLAN_REQUIRED = "replan_required"
    CAPABILITY_MISSING = "capability_missing"
    WORKSPACE_GUARD = "workspace_guard"
    THROTTLED = "throttled"
    ELIGIBLE = "eligible"
    MONITOR_DUE = "monitor_due"
    WAITING = "waiting"
    TERMINAL_NO_FOLLOWUP = "terminal_no_followup"
    FOCUS_WAIT = "focus_wait"


class QuotaDecision(StrEnum):
    """What the agent is to do; every boolean of the answer is derived from it."""

    RUN = "run"
    SKIP = "skip"
    OBSERVE = "observe"
    ASK_USER = "ask_user"
    REPLAN = "replan"
    REPAIR = "repair"


class ShouldRun(Params):
    """Whether an agent may do a turn on a goal now, and on what."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    agent_id: Annotated[MemberIdText | None, Field(description="The agent; the caller when absent.")] = None


class ShowStatus(Params):
    """What is going on in the workspace, and what waits for whom."""

    limit: Annotated[int, Field(ge=1, le=200, description="How many goals at most.")] = 50


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The one answer; `gate_id` is the gate that holds up the agent's work, where that is the reason."""

    state: QuotaState
    decision: QuotaDecision
    reason_codes: tuple[str, ...]
    todo: Todo | None = None
    gate_id: str | None = None
    request_id: str | None = None
    """The open request that holds up the agent's work, where that is the reason."""


def decide_should_run(workspace: Workspace, goal_id: GoalId, agent_id: MemberId, now_ms: int) -> Verdict:
    """Decide in the order of the contract; first match wins. A goal that cannot be read is no reason to run."""
    try:
        goal = workspace.goals.get(goal_id)
    except StoreFault:
        return verdict_of(QuotaState.BLOCKED_HEALTH, QuotaDecision.SKIP, "goal_unreadable")
    member = registered(workspace, agent_id)
    if goal is None or member is None or member.kind != "agent" or not granted(member, goal_id):
        unknown = "goal_unknown" if goal is None else "agent_not_granted"
        return verdict_of(QuotaState.BLOCKED_HEALTH, QuotaDecision.SKIP, unknown)
    if (halted := verdict_of_state(goal)) is not None:
        return halted
    if must_review(goal, agent_id):
        return verdict_of(QuotaState.OBJECTIVE_REVIEW_REQUIRED, QuotaDecision.REPAIR, "revision_not_adopted")
    if (cause := replan_cause(goal, agent_id)) is not None:
        return verdict_of(QuotaState.REPLAN_REQUIRED, QuotaDecision.REPLAN, cause)
    found = select(workspace, goal, member, now_ms)
    if found.todo is not None:
        return _with_work(goal, agent_id, found.todo, now_ms)
    if found.lacking is not None:
        guarded = found.lacking == WORKSPACE_GUARD_CODE
        state = QuotaState.WORKSPACE_GUARD if guarded else QuotaState.CAPABILITY_MISSING
        return verdict_of(state, QuotaDecision.REPAIR, found.lacking)
    return _without_work(workspace, goal, member, found, now_ms)


def _with_work(goal: Goal, agent_id: MemberId, todo: Todo, now_ms: int) -> Verdict:
    """There is work: is there anything left to do it with? Unknown usage is said and is not taken for none."""
    capped = cap_reached(goal)
    unknown = usage_unknown(goal)
    spent, allowed = goal.slots.spent(now_ms), allowed_slots(goal)
    if spent >= allowed:
        capped = "slots_exhausted"
    elif capped is None and spent + reserved_slots(goal, agent_id, now_ms) >= allowed:
        capped = "slots_reserved"
    if capped is not None:
        return Verdict(state=QuotaState.THROTTLED, decision=QuotaDecision.SKIP, reason_codes=(capped, *unknown))
    codes = ("work_ready", *unknown)
    return Verdict(state=QuotaState.ELIGIBLE, decision=QuotaDecision.RUN, reason_codes=codes, todo=todo)


def cap_reached(goal: Goal) -> str | None:
    """The hard cap that what is known of the usage has reached."""
    tokens, cost = goal.intent.token_cap, goal.intent.cost_cap_micros
    if tokens is not None and goal.runs.tokens >= tokens:
        return "token_cap_reached"
    return "cost_cap_reached" if cost is not None and goal.runs.cost_micros >= cost else None


def usage_unknown(goal: Goal) -> tuple[str, ...]:
    """Said beside the reason where a cap is held against figures that are not all known."""
    tokens = goal.intent.token_cap is not None and goal.runs.tokens_unknown
    cost = goal.intent.cost_cap_micros is not None and goal.runs.cost_unknown
    return ("usage_unknown",) if tokens or cost else ()


def verdict_of_state(goal: Goal) -> Verdict | None:
    """The verdict that the goal's state alone gives, whoever asks. What was stopped is so whatever its quota is."""
    match goal.state:
        case "stopped" | "withdrawn" | "declined":
            return verdict_of(QuotaState.PAUSED, QuotaDecision.SKIP, f"goal_{goal.state}")
        case "paused":
            return verdict_of(QuotaState.PAUSED, QuotaDecision.SKIP, "goal_paused")
        case "accepted":
            return verdict_of(QuotaState.TERMINAL_NO_FOLLOWUP, QuotaDecision.SKIP, "goal_accepted")
        case _ if goal.slots.settings.compute_permille == 0:
            return verdict_of(QuotaState.PAUSED, QuotaDecision.SKIP, "compute_quota_zero")
        case "proposed" | "clarifying":
            return verdict_of(QuotaState.OPERATOR_GATE, QuotaDecision.ASK_USER, "goal_not_confirmed")
        case "delivered":
            return verdict_of(QuotaState.OPERATOR_GATE, QuotaDecision.ASK_USER, "delivery_waits")
        case _:
            return None


def _without_work(workspace: Workspace, goal: Goal, member: Member, found: Selection, now_ms: int) -> Verdict:
    if found.gate_id is not None:
        return _at_a_gate(workspace, goal, found.gate_id, now_ms)
    if (monitor := due_monitor(workspace, goal, member, now_ms)) is not None:
        codes = ("monitor_due",)
        return Verdict(state=QuotaState.MONITOR_DUE, decision=QuotaDecision.OBSERVE, reason_codes=codes, todo=monitor)
    if found.busy is not None:
        return Verdict(
            state=QuotaState.WAITING,
            decision=QuotaDecision.SKIP,
            reason_codes=(found.busy,),
            request_id=found.request_id,
        )
    if any(goal.todos[todo_id].status == "open" for todo_id in goal.unmet):
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "dependency_unmet")
    if any(goal.todos[todo_id].role == "user" for _, _, todo_id in goal.by_priority):
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "user_todo_open")
    if goal.handoffs.deferrals:
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "todo_deferred")
    if goal.runs.due:
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "monitor_not_due")
    if not goal.by_priority and _all_ended(goal):
        return verdict_of(QuotaState.TERMINAL_NO_FOLLOWUP, QuotaDecision.SKIP, "all_done")
    return verdict_of(QuotaState.FOCUS_WAIT, QuotaDecision.SKIP, "no_work_for_agent")


def _at_a_gate(workspace: Workspace, goal: Goal, found: str, now_ms: int) -> Verdict:
    """What holds up the work is a gate, or a code that says why none could let it through."""
    state, decision = QuotaState.OPERATOR_GATE, QuotaDecision.ASK_USER
    if found in CODES:
        return verdict_of(state, decision, found)
    code = why_held(workspace, goal.gates.by_id[found], now_ms)
    if code == GATE_OVER:
        decision = QuotaDecision.SKIP
    return Verdict(
        state=state, decision=decision, reason_codes=tuple(dict.fromkeys((code, "gate_blocks"))), gate_id=found
    )


def _all_ended(goal: Goal) -> bool:
    """Whether there was work and all of it is over; what was only proposed is no work."""
    proposed = len(goal.handoffs.proposals)
    if goal.done_total == len(goal.todos) - proposed:
        return goal.done_total > 0
    return all(todo.status in {"done", "cancelled", "proposed"} for todo in goal.todos.values())


def due_monitor(workspace: Workspace, goal: Goal, member: Member, now_ms: int) -> Todo | None:
    """The monitor that this agent is to look at first."""
    for due_ms, todo_id in goal.runs.due:
        if due_ms > now_ms:
            return None
        todo = goal.todos[todo_id]
        if (
            todo.task_class == MONITOR
            and is_for(workspace, goal, todo, member.member_id, now_ms)
            and not_fit(workspace, goal, todo, member, now_ms) is None
            and blocking(workspace, goal, todo, member.member_id, now_ms) is None
            and held_back(goal, todo_id) is None
            and held_by_request(goal, todo_id) is None
        ):
            return todo
    return None


def verdict_of(state: QuotaState, decision: QuotaDecision, reason: str) -> Verdict:
    """A verdict with one reason and no work."""
    return Verdict(state=state, decision=decision, reason_codes=(reason,))
