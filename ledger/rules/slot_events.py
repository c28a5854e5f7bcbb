"""What happened to the quota: admissions, spends, voids, settings."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
