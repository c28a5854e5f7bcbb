"""Folds of the runs of a goal, its monitors and what they used."""

from collections.abc import Callable

from ledger.events import Facts, Recorded
from ledger.state import Goal

FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {}
