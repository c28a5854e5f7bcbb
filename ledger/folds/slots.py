"""Folds of the quota of a goal: its settings, admissions and spends."""

from collections.abc import Callable

from ledger.events import Facts, Recorded
from ledger.state import Goal

FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {}
