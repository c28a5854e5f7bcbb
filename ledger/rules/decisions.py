"""Decisions asked for as work: a `user_gate` is a person's todo that ends with a yes, a no, or by being called off.

What it unblocks waits for the yes: a no leaves it waiting, and so does a decision that was called off. A person's
todo that is no decision (`user_action`) blocks nothing but what depends on it.
"""

from enum import StrEnum

from ledger.ids import TodoId
from ledger.refusals import Refusal
from ledger.rules.common import refuse, todo_ids
from ledger.rules.todo_params import AddTodo
from ledger.rules.waits import waited_for
from ledger.state import Goal

GATE = "user_gate"


class DecisionRefusal(StrEnum):
    """Why a decision cannot be asked for, in order of precedence."""

    UNBLOCKED_NOT_FOUND = "unblocked_not_found"
    UNBLOCKED_COMES_FIRST = "unblocked_comes_first"


def cannot_unblock(goal: Goal, ask: AddTodo) -> Refusal | None:
    """What is unblocked must be work to come, and the decision may not wait for that very work."""
    if ask.unblocks_todo_id is None:
        return None
    unblocked = goal.todos.get(TodoId(ask.unblocks_todo_id))
    if unblocked is None or unblocked.status in {"done", "cancelled"}:
        return refuse(DecisionRefusal.UNBLOCKED_NOT_FOUND, todo_id=ask.unblocks_todo_id)
    if unblocked.todo_id in waited_for(goal, todo_ids(ask.depends_on)):
        return refuse(DecisionRefusal.UNBLOCKED_COMES_FIRST, todo_id=unblocked.todo_id)
    return None
