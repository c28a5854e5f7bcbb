"""The runs of a goal, its monitors and what they used."""

from ledger.parts.base import Part


class Runs(Part):
    """The runs of a goal, its monitors and what they used."""
