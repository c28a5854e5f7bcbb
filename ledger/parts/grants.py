"""Standing grants that hold in the whole workspace."""

from ledger.parts.base import Part


class Grants(Part):
    """Standing grants that hold in the whole workspace."""
