"""What happened when work was handed over, put off or delegated."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
