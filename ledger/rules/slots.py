"""Slots: who was admitted to what, what was spent, and what the rolling window still allows."""

from ledger.ids import MemberId, TodoId
from ledger.state import Goal


def reserved_by_another(goal: Goal, todo_id: TodoId, agent_id: MemberId, now_ms: int) -> MemberId | None:
    """Who else was admitted to this todo, while the admission lasts."""
    del goal, todo_id, agent_id, now_ms
    return None
