"""What became of the artifacts of a goal: reviews, checks, invalidations."""

from ledger.parts.base import Part


class Reviews(Part):
    """What became of the artifacts of a goal: reviews, checks, invalidations."""
