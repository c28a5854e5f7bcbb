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
from ledger.records import Member, Todo
from ledger.rules.common import granted, lacking, must_review, registered
from ledger.rules.leases import effective_claim, effective_lease
from ledger.state import Goal, Workspace

WINDOW_HOURS = 24
SLOT_MINUTES = 1


class QuotaState(StrEnum):
    """What the goal and its work are like for this agent, in order of precedence."""

    BLOCKED_HEALTH = "blocked_health"
    PAUSED = "paused"
    OPERATOR_GATE = "operator_gate"
    OBJECTIVE_REVIEW_REQUIRED = "objective_review_required"
    CAPABILITY_MISSING = "capability_missing"
    THROTTLED = "throttled"
    ELIGIBLE = "eligible"
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
    """The one answer."""

    state: QuotaState
    decision: QuotaDecision
    reason_codes: tuple[str, ...]
    todo: Todo | None = None


def allowed_slots(goal: Goal) -> int:
    """Slots in the rolling window."""
    slots = goal.intent.allowed_slots
    return WINDOW_HOURS * 60 // SLOT_MINUTES if slots is None else slots


def decide_should_run(workspace: Workspace, goal_id: GoalId, agent_id: MemberId, now_ms: int) -> Verdict:
    """Decide in the order of the contract; first match wins."""
    goal = workspace.goals.get(goal_id)
    member = registered(workspace, agent_id)
    if goal is None or member is None or member.kind != "agent" or not granted(member, goal_id):
        unknown = "goal_unknown" if goal is None else "agent_not_granted"
        return _verdict(QuotaState.BLOCKED_HEALTH, QuotaDecision.SKIP, unknown)
    if (halted := _halted(goal)) is not None:
        return halted
    if must_review(goal, agent_id):
        return _verdict(QuotaState.OBJECTIVE_REVIEW_REQUIRED, QuotaDecision.REPAIR, "revision_not_adopted")
    todo, passed_over = select(goal, member, now_ms)
    if todo is None and not passed_over and scopes_busy(goal, member, now_ms):
        return _verdict(QuotaState.WAITING, QuotaDecision.SKIP, "write_scope_busy")
    if todo is None and passed_over:
        return _verdict(QuotaState.CAPABILITY_MISSING, QuotaDecision.REPAIR, "capability_missing")
    if todo is not None and allowed_slots(goal) == 0:
        return _verdict(QuotaState.THROTTLED, QuotaDecision.SKIP, "slots_exhausted")
    if todo is not None:
        return Verdict(state=QuotaState.ELIGIBLE, decision=QuotaDecision.RUN, reason_codes=("work_ready",), todo=todo)
    return _without_work(goal)


def select(goal: Goal, member: Member, now_ms: int) -> tuple[Todo | None, bool]:
    """The todo this agent would do next, and whether work was passed over for want of a capability.

    Its own first, then the ready ones by priority and order of creation. All of them are looked at before the answer
    is none: work that fits must not be hidden by work that does not.
    """
    passed_over = False
    for todo in _candidates(goal, member.member_id, now_ms):
        if not _may_be_done(goal, todo, member, now_ms):
            continue
        if not lacking(goal, todo, member):
            return todo, passed_over
        passed_over = True
    return None, passed_over


def _may_be_done(goal: Goal, todo: Todo, member: Member, now_ms: int) -> bool:
    if todo.role != "agent" or todo.task_class != "advancement_task" or todo.status != "open":
        return False
    if goal.unmet.get(todo.todo_id) or member.member_id in todo.excluded_agents:
        return False
    if todo.bound_agent not in {None, member.member_id}:
        return False
    if effective_claim(goal, todo, now_ms) not in {None, member.member_id}:
        return False
    return not meets_a_lease(goal, todo, now_ms)


def meets_a_lease(goal: Goal, todo: Todo, now_ms: int) -> bool:
    """Whether what the todo must write is held under another todo's lease."""
    return any(
        effective_lease(goal, TodoId(other), now_ms) is not None
        for other, _, _ in goal.scopes.conflicts(todo.todo_id, todo.required_write_scopes)
    )


def scopes_busy(goal: Goal, member: Member, now_ms: int) -> bool:
    """Whether only leases of other work stand between the agent and something to do."""
    return any(
        meets_a_lease(goal, todo, now_ms) and not lacking(goal, todo, member)
        for todo in _candidates(goal, member.member_id, now_ms)
        if todo.role == "agent" and todo.status == "open" and not goal.unmet.get(todo.todo_id)
    )


def _candidates(goal: Goal, agent_id: MemberId, now_ms: int) -> Iterator[Todo]:
    mine = (goal.todos[todo_id] for todo_id in goal.mine.get(agent_id, ()))
    yield from sorted(mine, key=lambda todo: (todo.priority, todo.seq))
    # A lease that has passed its end and is not yet written off hides its todo from the ready ones.
    lapsed = sorted((goal.todos[todo_id].priority, goal.todos[todo_id].seq, todo_id) for todo_id in goal.lapsed(now_ms))
    yield from (goal.todos[todo_id] for _, _, todo_id in merge(lapsed, goal.ready))


def _halted(goal: Goal) -> Verdict | None:
    match goal.state:
        case "stopped" | "withdrawn" | "declined":
            return _verdict(QuotaState.PAUSED, QuotaDecision.SKIP, f"goal_{goal.state}")
        case "paused":
            return _verdict(QuotaState.PAUSED, QuotaDecision.SKIP, "goal_paused")
        case "accepted":
            return _verdict(QuotaState.TERMINAL_NO_FOLLOWUP, QuotaDecision.SKIP, "goal_accepted")
        case "proposed" | "clarifying":
            return _verdict(QuotaState.OPERATOR_GATE, QuotaDecision.ASK_USER, "goal_not_confirmed")
        case "delivered":
            return _verdict(QuotaState.OPERATOR_GATE, QuotaDecision.ASK_USER, "delivery_waits")
        case "active" | "changes_requested":
            return None


def _without_work(goal: Goal) -> Verdict:
    open_todos = [goal.todos[todo_id] for _, _, todo_id in goal.by_priority]
    if any(todo.todo_id in goal.unmet for todo in open_todos):
        return _verdict(QuotaState.WAITING, QuotaDecision.SKIP, "dependency_unmet")
    if any(todo.role == "user" for todo in open_todos):
        return _verdict(QuotaState.WAITING, QuotaDecision.SKIP, "user_todo_open")
    if goal.todos and all(todo.status in {"done", "cancelled"} for todo in goal.todos.values()):
        return _verdict(QuotaState.TERMINAL_NO_FOLLOWUP, QuotaDecision.SKIP, "all_done")
    return _verdict(QuotaState.FOCUS_WAIT, QuotaDecision.SKIP, "no_work_for_agent")


def _verdict(state: QuotaState, decision: QuotaDecision, reason: str) -> Verdict:
    return Verdict(state=state, decision=decision, reason_codes=(reason,))
