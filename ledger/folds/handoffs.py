"""Folds of work of a goal that was handed over, put off or delegated."""

from collections.abc import Callable

from ledger.events import Facts, Recorded
from ledger.state import Goal

FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {}
