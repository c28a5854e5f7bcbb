"""Actions on requests between peers: numbers 130 to 139."""

from ledger.actions.base import Action

ROWS: tuple[Action, ...] = ()
