"""Actions on the handing over of work: numbers 160 to 169."""

from ledger.actions.base import Action

ROWS: tuple[Action, ...] = ()
