"""Waking: when work that was put off is open again by itself.

Whether it is follows from the state and the moment. The event that says so is written when a command first relies on
it, or by the daemon's sweep, whichever comes first.
"""

from collections.abc import Iterator

from ledger.events import Draft
from ledger.ids import TodoId
from ledger.records import Todo
from ledger.rules.common import granted
from ledger.rules.handoff_events import TodoResumed
from ledger.state import Goal, Workspace


def is_open(workspace: Workspace, goal: Goal, todo: Todo, now_ms: int) -> bool:
    """Whether the todo is open now, written or not."""
    return todo.status == "open" or (todo.status == "deferred" and _condition_holds(workspace, goal, todo, now_ms))


def woken(goal: Goal, todo: Todo) -> tuple[Draft, ...]:
    """The resumption that a command relies on, to be written before what the command does."""
    if todo.status != "deferred":
        return ()
    return (Draft(facts=TodoResumed(todo_id=todo.todo_id, by_itself=True), goal_id=goal.goal_id),)


def to_wake(workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[TodoId]:
    """Every todo of the goal whose deferral is over and is not written as such."""
    yield from goal.handoffs.over(now_ms)
    if goal.handoffs.wanting:
        there = {name for name in set(goal.handoffs.wanting.values()) if _available(workspace, goal, name)}
        yield from (todo_id for todo_id, name in goal.handoffs.wanting.items() if name in there)


def _condition_holds(workspace: Workspace, goal: Goal, todo: Todo, now_ms: int) -> bool:
    wanted = goal.handoffs.wanting.get(todo.todo_id)
    if wanted is not None:
        return _available(workspace, goal, wanted)
    return goal.handoffs.has_ripened(todo.todo_id, now_ms)


def _available(workspace: Workspace, goal: Goal, capability: str) -> bool:
    return any(
        member.kind == "agent"
        and not member.revoked
        and capability in member.capabilities
        and granted(member, goal.goal_id)
        for member in workspace.members.values()
    )
