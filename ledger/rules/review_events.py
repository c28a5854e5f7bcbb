"""What happened to artifacts after they were handed in: reviews, checks, invalidations."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
