"""Folds of the gates of a goal."""

from collections.abc import Callable

from ledger.events import Facts, Recorded
from ledger.state import Goal

FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {}
