"""What happened to plans."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
