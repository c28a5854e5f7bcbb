"""Folds of erasures: that words are gone changes nothing that is true, only what can be read of it.

The words themselves are taken out of a state by folding it from the log again (`ledger.past.refolded`).
"""

from ledger.events import Recorded
from ledger.state import Goal, Workspace


def of_goal(_goal: Goal, _event: Recorded) -> None:
    """Nothing of the goal's facts changes."""


def of_workspace(_workspace: Workspace, _event: Recorded) -> None:
    """Nothing of the workspace's facts changes."""
