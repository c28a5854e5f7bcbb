"""Actions on amendments: numbers 110 to 119."""

from ledger.actions.base import Action

ROWS: tuple[Action, ...] = ()
