"""Actions on runs, monitors and usage: numbers 120 to 129."""

from ledger.actions.base import Action

ROWS: tuple[Action, ...] = ()
