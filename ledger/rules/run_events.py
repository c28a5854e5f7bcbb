"""What happened in runs: reports, monitors, usage."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
