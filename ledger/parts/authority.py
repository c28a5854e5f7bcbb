"""The rights of members beyond their registration: profiles, grants, the scopes of tokens."""

from ledger.parts.base import Part


class Authority(Part):
    """The rights of members beyond their registration: profiles, grants, the scopes of tokens."""
