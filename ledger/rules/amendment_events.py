"""What happened to amendments."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
