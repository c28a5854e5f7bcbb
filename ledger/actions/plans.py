"""Actions on plans: numbers 100 to 109."""

from ledger.actions.base import Action

ROWS: tuple[Action, ...] = ()
