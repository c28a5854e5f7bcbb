"""What happened to the rights of members: profiles, grants, token scopes."""

from ledger.events import Kind

KINDS: tuple[Kind, ...] = ()
