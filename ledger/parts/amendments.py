"""The amendments of a goal."""

from ledger.parts.base import Part


class Amendments(Part):
    """The amendments of a goal."""
