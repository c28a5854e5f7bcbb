"""What every store promises of erasing: words go with their salt, for good, and the chain still holds."""

import pytest

from ledger.ports import Erasure, Group, Head, JournalRow, SnapshotRow, StoreFault, WriterFenced
from ledger.testing import event_row, event_rows
from ledger.verify import verify
from tests.contract.stores import LIFE


def _worded(store, term):
    first = event_rows(2, goal_id="docs", text="private")
    after = Head(first[-1].seq, first[-1].hash)
    rows = [
        *first,
        *event_rows(2, after=after, text="private"),
    ]
    store.append(term, Group(events=rows))
    return rows


@pytest.mark.parametrize(
    ("erasure", "gone"),
    [
        (Erasure(4, seqs=(1, 4)), {1, 4}),
        (Erasure(3, seqs=(1, 4)), {1}),
        (Erasure(4, goal_id="docs"), {1, 2}),
        (Erasure(1, goal_id="docs"), {1}),
        (Erasure(4, member_id="ann"), {1, 2, 3, 4}),
        (Erasure(3, member_id="ann"), {1, 2, 3}),
        (Erasure(4, member_id="bob"), set()),
        (Erasure(4, goal_id="site"), set()),
        (Erasure(4), set()),
    ],
)
def test_words_go_with_their_salt_and_nothing_else_changes(store, term, erasure, gone):
    rows = _worded(store, term)
    last = event_row(Head(rows[-1].seq, rows[-1].hash), text="later")
    store.append(term, Group(events=[last], erasures=[erasure]))
    kept = list(store.reader().events(0))
    assert kept == [row._replace(words=None, salt=None) if row.seq in gone else row for row in [*rows, last]]
    report = verify(kept)
    assert (report.holds, set(report.redacted_seqs)) == (True, gone)


def test_erasing_again_is_nothing_new(store, term):
    rows = _worded(store, term)
    for _ in range(2):
        store.append(term, Group(erasures=[Erasure(4, goal_id="docs")]))
    assert [row.words is None for row in store.events(0)] == [True, True, False, False]
    assert store.head() == Head(rows[-1].seq, rows[-1].hash)


def test_what_is_erased_leaves_no_snapshot_that_could_hold_it(store, term):
    _worded(store, term)
    for scope in ("workspace", "goal:docs"):
        store.save_snapshots(term, [SnapshotRow(scope, 4, bytes(32), "r", b"private")])
    store.append(term, Group(erasures=[Erasure(4, seqs=(1,))]))
    assert store.snapshot("workspace") is store.snapshot("goal:docs") is None


def test_answers_that_could_quote_the_words_go_with_them(store, term):
    _worded(store, term)
    entry = JournalRow("cli_app", "event-1", 5, b'{"reply":"private"}')
    store.append(term, Group(journal=[entry, entry._replace(event_key="event-2", answer=None)]))
    store.append(term, Group(erasures=[Erasure(4, seqs=(1,))]))
    assert store.reader().journal_entry("cli_app", "event-1") == entry._replace(answer=None)
    store.append(term, Group(journal=[entry._replace(answer=b"again")]))
    assert store.journal_entry("cli_app", "event-1") == entry._replace(answer=b"again")


def test_a_group_that_fails_erases_nothing(store, term):
    rows = _worded(store, term)
    store.save_snapshots(term, [SnapshotRow("workspace", 4, bytes(32), "r", b"kept")])
    with pytest.raises(StoreFault):
        store.append(term, Group(events=rows[:1], erasures=[Erasure(4, goal_id="docs")]))
    reader = store.reader()
    assert list(reader.events(0)) == rows
    assert reader.snapshot("workspace") is not None


def test_a_fenced_writer_erases_nothing(opener, store, term):
    rows = _worded(store, term)
    opener().open_term(LIFE)
    with pytest.raises(WriterFenced):
        store.append(term, Group(erasures=[Erasure(4, goal_id="docs")]))
    assert list(store.reader().events(0)) == rows
