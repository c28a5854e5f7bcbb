"""The store that fails on command fails as a real one does, or tests that use it prove nothing."""

import pytest

from ledger.ports import Group, StoreFault, StoreFull
from ledger.store.memory import MemoryStore, Records
from ledger.testing import FailingStore, Failure, event_rows


@pytest.fixture
def records():
    return Records()


@pytest.fixture
def store(records):
    return FailingStore(MemoryStore(records))


def test_a_full_store_keeps_nothing_and_recovers(store, records):
    term = store.open_term("life-1")
    store.fail(None, Failure(StoreFull("full")))
    store.append(term, Group(events=event_rows(1)))
    with pytest.raises(StoreFull):
        store.append(term, Group(events=event_rows(1, after=store.head())))
    assert (store.head().seq, store.reader().head().seq, len(records.events)) == (1, 1, 1)
    store.append(term, Group(events=event_rows(1, after=store.head())))
    assert store.head().seq == 2


@pytest.mark.parametrize("stored", [False, True])
def test_after_a_fault_the_group_is_there_or_not_and_nothing_more_is_taken(store, records, stored):
    term = store.open_term("life-1")
    store.fail(Failure(StoreFault("sync failed"), stored=stored))
    with pytest.raises(StoreFault):
        store.append(term, Group(events=event_rows(2)))
    assert len(records.events) == (2 if stored else 0)
    with pytest.raises(StoreFault):
        store.append(term, Group(events=event_rows(2, after=store.head())))
    assert len(records.events) == (2 if stored else 0)
    assert MemoryStore(records).open_term("life-1").epoch == 2
