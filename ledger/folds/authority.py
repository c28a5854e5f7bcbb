"""Folds of the rights of members beyond their registration: profiles, grants, the scopes of tokens."""

from collections.abc import Callable

from ledger.events import Facts, Recorded
from ledger.state import Workspace

FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {}
