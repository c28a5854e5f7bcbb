"""Decisions asked for as work: a `user_gate` is a person's todo that ends with a yes, a no, or by being called off.

What it unblocks waits for the yes: a no leaves it waiting, and so does a decision that was called off. A person's
todo that is no decision (`user_action`) blocks nothing but what depends on it.
"""

from enum import StrEnum

from ledger.ids import TodoId
from ledger.refusals import Refusal
from ledger.rules.common import refuse, todo_ids
from ledger.rules.waits import waited_for
from ledger.state import Goal

GATE = "user_gate"


class DecisionRefusal(StrEnum):
    """Why a decision cannot be asked for, in order of precedence."""

    UNBLOCKED_NOT_FOUND = "unblocked_not_found"
    UNBLOCKED_COMES_FIRST = "unblocked_comes_first"


def not_there(goal: Goal, depends_on: tuple[str, ...], *, proposed: bool) -> list[str]:
    """What work cannot depend on: what is unknown or was taken out, and, unless it is one itself, a proposal."""
    gone = {"cancelled"} if proposed else {"cancelled", "proposed"}
    wanted = {other: goal.todos.get(TodoId(other)) for other in depends_on}
    return [other for other, todo in wanted.items() if todo is None or todo.status in gone]


def cannot_unblock(goal: Goal, unblocks_todo_id: str | None, depends_on: tuple[str, ...]) -> Refusal | None:
    """What is unblocked must be work to come, and the decision may not wait for that very work."""
    if unblocks_todo_id is None:
        return None
    unblocked = goal.todos.get(TodoId(unblocks_todo_id))
    if unblocked is None or unblocked.status in {"done", "cancelled", "proposed"}:
        return refuse(DecisionRefusal.UNBLOCKED_NOT_FOUND, todo_id=unblocks_todo_id)
    if unblocked.todo_id in waited_for(goal, todo_ids(depends_on)):
        return refuse(DecisionRefusal.UNBLOCKED_COMES_FIRST, todo_id=unblocked.todo_id)
    return None
