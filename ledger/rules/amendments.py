"""Amendments: a change of what was agreed, on the basis it was made for, and what becomes of leased work."""

from ledger.ids import TodoId
from ledger.state import Goal


def held_back(goal: Goal, todo_id: TodoId) -> str | None:
    """The id of the amendment that stopped this todo or wants it rebased first."""
    del goal, todo_id
    return None
