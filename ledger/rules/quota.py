"""Quota: may this agent do a turn now? One closed verdict, from which everything else is derived.

The order of the conditions is the decision: the first that holds is the answer. If it cannot be made, it is no.
"""

from collections.abc import Iterator
from enum import StrEnum
from heapq import merge
from typing import Annotated

import msgspec
from pydantic import Field

from ledger.ids import GoalId, MemberId, TodoId
from ledger.params import GoalIdText, MemberIdText, Params
from ledger.parts.runs import MONITOR
from ledger.records import Member, Todo
from ledger.rules.amendments import held_back
from ledger.rules.authority import forbids
from ledger.rules.common import granted, lacking, must_review, registered
from ledger.rules.gates import blocking
from ledger.rules.leases import effective_claim, effective_lease
from ledger.rules.runs import replan_cause
from ledger.rules.slots import allowed_slots, reserved_by_another, reserved_slots
from ledger.state import Goal, Workspace

WORKSPACE_GUARD_CODE = "write_scope_not_granted"
GATE_CODES = frozenset({"decision_scope_unapproved", "projection_repair_required"})
"""What stands where a gate's id would, and is itself the reason."""


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


class Selection(msgspec.Struct, kw_only=True):
    """What was found on the way to the work this agent would do next, and the work, if there is any."""

    todo: Todo | None = None
    lacking: str | None = None
    gate_id: str | None = None
    busy: str | None = None


def decide_should_run(workspace: Workspace, goal_id: GoalId, agent_id: MemberId, now_ms: int) -> Verdict:
    """Decide in the order of the contract; first match wins."""
    goal = workspace.goals.get(goal_id)
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


def select(workspace: Workspace, goal: Goal, member: Member, now_ms: int) -> Selection:
    """The todo this agent would do next, and why other work was passed over.

    Its own first, then the ready ones by priority and order of creation. All of them are looked at before the answer
    is none: work that fits must not be hidden by work that does not.
    """
    found = Selection()
    found.gate_id = blocking(workspace, goal, None, member.member_id, now_ms)
    if found.gate_id is not None:
        return found
    for todo in _candidates(goal, member.member_id, now_ms):
        if not _is_for(goal, todo, member.member_id, now_ms) or todo.task_class != "advancement_task":
            continue
        if (busy := _held_up(goal, todo, member.member_id, now_ms)) is not None:
            found.busy = found.busy or (busy if not lacking(goal, todo, member) else None)
        elif (gate_id := blocking(workspace, goal, todo, member.member_id, now_ms)) is not None:
            found.gate_id = found.gate_id or gate_id
        elif (missing := _not_fit(workspace, goal, todo, member, now_ms)) is not None:
            found.lacking = found.lacking or missing
        else:
            found.todo = todo
            return found
    return found


def _is_for(goal: Goal, todo: Todo, agent_id: MemberId, now_ms: int) -> bool:
    """Whether the todo is open to this agent as the graph and the claims stand."""
    return (
        todo.role == "agent"
        and todo.status == "open"
        and not goal.unmet.get(todo.todo_id)
        and agent_id not in todo.excluded_agents
        and todo.bound_agent in {None, agent_id}
        and effective_claim(goal, todo, now_ms) in {None, agent_id}
    )


def _held_up(goal: Goal, todo: Todo, agent_id: MemberId, now_ms: int) -> str | None:
    """Why work that this agent could do must wait for somebody else's."""
    if meets_a_lease(goal, todo, now_ms):
        return "write_scope_busy"
    if reserved_by_another(goal, todo.todo_id, agent_id, now_ms) is not None:
        return "todo_reserved"
    return "amendment_holds" if held_back(goal, todo.todo_id) is not None else None


def _not_fit(workspace: Workspace, goal: Goal, todo: Todo, member: Member, now_ms: int) -> str | None:
    if lacking(goal, todo, member):
        return "capability_missing"
    return forbids(workspace, member.member_id, goal.goal_id, todo, now_ms)


def meets_a_lease(goal: Goal, todo: Todo, now_ms: int) -> bool:
    """Whether what the todo must write is held under another todo's lease."""
    return any(
        effective_lease(goal, TodoId(other), now_ms) is not None
        for other, _, _ in goal.scopes.conflicts(todo.todo_id, todo.required_write_scopes)
    )


def _candidates(goal: Goal, agent_id: MemberId, now_ms: int) -> Iterator[Todo]:
    mine = (goal.todos[todo_id] for todo_id in goal.mine.get(agent_id, ()))
    yield from sorted(mine, key=lambda todo: (todo.priority, todo.seq))
    # A lease that has passed its end and is not yet written off hides its todo from the ready ones.
    lapsed = sorted((goal.todos[todo_id].priority, goal.todos[todo_id].seq, todo_id) for todo_id in goal.lapsed(now_ms))
    yield from (goal.todos[todo_id] for _, _, todo_id in merge(lapsed, goal.ready))


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
        code = found.gate_id if found.gate_id in GATE_CODES else "gate_blocks"
        gate_id = None if found.gate_id in GATE_CODES else found.gate_id
        return Verdict(
            state=QuotaState.OPERATOR_GATE, decision=QuotaDecision.ASK_USER, reason_codes=(code,), gate_id=gate_id
        )
    if (monitor := due_monitor(workspace, goal, member, now_ms)) is not None:
        codes = ("monitor_due",)
        return Verdict(state=QuotaState.MONITOR_DUE, decision=QuotaDecision.OBSERVE, reason_codes=codes, todo=monitor)
    if found.busy is not None:
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, found.busy)
    if any(goal.todos[todo_id].status == "open" for todo_id in goal.unmet):
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "dependency_unmet")
    if any(goal.todos[todo_id].role == "user" for _, _, todo_id in goal.by_priority):
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "user_todo_open")
    if goal.handoffs.deferrals:
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "todo_deferred")
    if goal.runs.due:
        return verdict_of(QuotaState.WAITING, QuotaDecision.SKIP, "monitor_not_due")
    if goal.todos and not goal.by_priority and _all_ended(goal):
        return verdict_of(QuotaState.TERMINAL_NO_FOLLOWUP, QuotaDecision.SKIP, "all_done")
    return verdict_of(QuotaState.FOCUS_WAIT, QuotaDecision.SKIP, "no_work_for_agent")


def _all_ended(goal: Goal) -> bool:
    return goal.done_total == len(goal.todos) or all(
        todo.status in {"done", "cancelled"} for todo in goal.todos.values()
    )


def due_monitor(workspace: Workspace, goal: Goal, member: Member, now_ms: int) -> Todo | None:
    """The monitor that this agent is to look at first."""
    for due_ms, todo_id in goal.runs.due:
        if due_ms > now_ms:
            return None
        todo = goal.todos[todo_id]
        if (
            todo.task_class == MONITOR
            and _is_for(goal, todo, member.member_id, now_ms)
            and _not_fit(workspace, goal, todo, member, now_ms) is None
            and blocking(workspace, goal, todo, member.member_id, now_ms) is None
            and held_back(goal, todo_id) is None
        ):
            return todo
    return None


def verdict_of(state: QuotaState, decision: QuotaDecision, reason: str) -> Verdict:
    """A verdict with one reason and no work."""
    return Verdict(state=state, decision=decision, reason_codes=(reason,))
