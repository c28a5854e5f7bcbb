"""The requests between those who work on a goal."""

from ledger.parts.base import Part


class Requests(Part):
    """The requests between those who work on a goal."""
