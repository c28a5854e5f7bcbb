"""Reads that need more than the present state: they are answered from the store, by whoever can open a reader."""

from ledger.projections.explained import explain_history
from ledger.projections.history import StoredReader, list_history
from ledger.projections.refused import list_refusals
from ledger.projections.search import find_words

STORED_READERS: dict[str, StoredReader] = {
    "history.list": list_history,
    "history.explain": explain_history,
    "search.find": find_words,
    "refusal.list": list_refusals,
}
"""By the name of the action."""
