"""Folds of what became of the artifacts of a goal: reviews, checks, invalidations."""

from collections.abc import Callable

from ledger.events import Facts, Recorded
from ledger.state import Goal

FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {}
