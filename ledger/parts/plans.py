"""The plans of a goal."""

from ledger.parts.base import Part


class Plans(Part):
    """The plans of a goal."""
