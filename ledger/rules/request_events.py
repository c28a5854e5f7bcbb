"""What happened to requests between peers."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
