"""Runs: what a turn came to, and when the plan itself must be looked at."""

from ledger.ids import MemberId
from ledger.state import Goal


def replan_due(goal: Goal, agent_id: MemberId) -> bool:
    """Whether the agent had two turns in a row without progress and has not replanned since."""
    del goal, agent_id
    return False
