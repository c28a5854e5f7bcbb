"""The gates of a goal."""

from ledger.parts.base import Part


class Gates(Part):
    """The gates of a goal."""
