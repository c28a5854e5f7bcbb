"""What happened to gates and standing grants."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
