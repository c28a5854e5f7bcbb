"""Actions on gates and standing grants: numbers 90 to 99 and 170 to 179."""

from ledger.actions.base import Action

ROWS: tuple[Action, ...] = ()
