"""Deferrals: work that was put off until something holds, and what takes it up again.

A time and another todo's completion take it up by themselves, and so does an agent that brings what was missing.
Anything outside of the ledger needs somebody's word. What was put off is nobody's: a claim or a lease on it ends.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import GoalId, TodoId
from ledger.records import Todo
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, refuse
from ledger.rules.handoff_events import TodoDeferred, TodoResumed
from ledger.rules.holdings import end_lease
from ledger.rules.todo_events import ReasonWords
from ledger.rules.todo_params import DeferTodo, ResumeTodo, WakeTodo, resume_condition
from ledger.rules.todos import fenced_out, may_touch
from ledger.rules.waits import waited_for
from ledger.rules.waking import is_open, woken
from ledger.state import Goal, Workspace


class DeferralRefusal(StrEnum):
    """Why work is not put off or taken up, in order of precedence; `todo_not_open` and the fences come before these."""

    TODO_NOT_OPEN = "todo_not_open"
    TODO_NOT_DEFERRED = "todo_not_deferred"
    RESUME_TIME_PAST = "resume_time_past"
    RESUME_TODO_NOT_FOUND = "resume_todo_not_found"
    RESUME_TODO_ENDED = "resume_todo_ended"
    RESUME_WOULD_CYCLE = "resume_would_cycle"


def decide_defer(workspace: Workspace, caller: Caller, ask: DeferTodo, now_ms: int) -> Decision:
    """Put work off; whatever holds it ends."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if (broken := may_touch(workspace, goal, todo, caller, ask.todo_id, now_ms)) is not None:
        return broken
    assert todo is not None, "may_touch refuses an unknown todo"
    if todo.status not in {"open", "blocked"}:
        return refuse(DeferralRefusal.TODO_NOT_OPEN, status=todo.status)
    if (broken := fenced_out(workspace, goal, todo, caller, ask, now_ms)) is not None:
        return broken
    condition, reference, due_ms = resume_condition(ask.resume_when)
    if due_ms is not None and due_ms <= now_ms:
        return refuse(DeferralRefusal.RESUME_TIME_PAST, resume_when=ask.resume_when)
    if condition == "todo_done" and (broken := _awaits(goal, todo, TodoId(reference))) is not None:
        return broken
    facts = TodoDeferred(todo_id=todo.todo_id, condition=condition, reference=reference, due_ms=due_ms)
    words = ReasonWords(reason=ask.reason) if ask.reason else None
    return (*end_lease(goal, todo.todo_id, now_ms), Draft(facts=facts, words=words, goal_id=goal.goal_id))


def decide_resume(workspace: Workspace, caller: Caller, ask: ResumeTodo, now_ms: int) -> Decision:
    """Take work up again, because it is time or because somebody says so."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if (broken := may_touch(workspace, goal, todo, caller, ask.todo_id, now_ms)) is not None:
        return broken
    assert todo is not None, "may_touch refuses an unknown todo"
    if todo.status != "deferred":
        return refuse(DeferralRefusal.TODO_NOT_DEFERRED, todo_id=todo.todo_id, status=todo.status)
    facts = TodoResumed(todo_id=todo.todo_id, by_itself=False)
    words = ReasonWords(reason=ask.reason) if ask.reason else None
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id),)


def decide_wake(workspace: Workspace, _caller: Caller, ask: WakeTodo, now_ms: int) -> Decision:
    """Write that a deferral is over; one that is not, or is no more, needs nothing."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if todo is not None and todo.status == "deferred" and is_open(workspace, goal, todo, now_ms):
        return woken(goal, todo)
    return Held(seq=goal.last_seq, facts={"todo_id": ask.todo_id})


def _awaits(goal: Goal, todo: Todo, other_id: TodoId) -> Refusal | None:
    """Waiting for another todo must be able to end: it exists, is not over, and does not wait for this one."""
    other = goal.todos.get(other_id)
    if other is None or other.status == "proposed":
        return refuse(DeferralRefusal.RESUME_TODO_NOT_FOUND, todo_id=other_id)
    if other.status in {"done", "cancelled"}:
        return refuse(DeferralRefusal.RESUME_TODO_ENDED, todo_id=other_id, status=other.status)
    if todo.todo_id in waited_for(goal, (other_id,)):
        return refuse(DeferralRefusal.RESUME_WOULD_CYCLE, todo_id=todo.todo_id, resume_todo_id=other_id)
    return None
