"""Work of a goal that was handed over, put off or delegated."""

from ledger.parts.base import Part


class Handoffs(Part):
    """Work of a goal that was handed over, put off or delegated."""
