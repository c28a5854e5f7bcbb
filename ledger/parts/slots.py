"""The quota of a goal: its settings, admissions and spends."""

from ledger.parts.base import Part


class Slots(Part):
    """The quota of a goal: its settings, admissions and spends."""
