"""Snapshots on every store: kept together or not at all, one for each scope."""

import pytest

from ledger.ports import SnapshotRow, WriterFenced
from tests.contract.stores import LIFE


def test_snapshots_are_kept_together_and_the_newest_of_a_scope_counts(opener):
    store = opener()
    stale = store.open_term(LIFE)
    term = store.open_term(LIFE)
    first, other = SnapshotRow("goal:a", 1, bytes(32), "r", b"first"), SnapshotRow("goal:b", 1, bytes(32), "r", b"b")
    store.save_snapshots(term, [])
    store.save_snapshots(term, [first, other, first._replace(seq=2, body=b"second")])
    assert store.snapshot("goal:a") == first._replace(seq=2, body=b"second")
    assert store.snapshot("goal:b") == other
    with pytest.raises(WriterFenced):
        store.save_snapshots(stale, [SnapshotRow("goal:c", 1, bytes(32), "r", b"c"), first])
    assert (store.snapshot("goal:a").seq, store.snapshot("goal:c")) == (2, None)
