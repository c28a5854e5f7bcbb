"""Folds of standing grants that hold in the whole workspace."""

from collections.abc import Callable

from ledger.events import Facts, Recorded
from ledger.state import Workspace

FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {}
