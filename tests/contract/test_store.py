"""What every store promises, asked of each one: the memory store is a fake only if it passes all of this."""

import threading

import pytest

from ledger.ports import (
    GENESIS,
    DeliveryRow,
    EventRow,
    Group,
    Head,
    HookRow,
    JournalRow,
    SnapshotRow,
    Store,
    StoreFault,
    Term,
    WriterFenced,
)
from ledger.store.sqlite_read import PAGE_ROWS_MAX
from ledger.testing import event_row, event_rows, receipt_row, refusal_rows
from ledger.verify import verify
from tests.contract.stores import LIFE


def contents(store: Store) -> dict[str, object]:
    """All that a reader can see, to tell whether anything changed."""
    return {
        "head": store.head(),
        "refusals_head": store.refusals_head(),
        "anchor": store.refusals_anchor(),
        "incarnation": store.incarnation(),
        "events": list(store.events(0)),
        "refusals": list(store.refusals(0)),
        "receipts": list(store.receipts()),
        "deliveries": store.deliveries(),
        "hooks": store.hooks(),
    }


def a_full_group(after: Head = GENESIS) -> Group:
    """A group with something of everything."""
    events = event_rows(3, after=after, goal_id="goal-1", text="walk the dog")
    return Group(
        events=events,
        receipts=[receipt_row(events[0].seq, events[1].seq), receipt_row(events[2].seq)],
        refusals=refusal_rows(2),
        journal=[JournalRow("cli_app", "event-1", 5, None)],
        deliveries=[DeliveryRow("goal:goal-1@oc_x", "oc_x", "om_1", "d1", 1, 7, "sent")],
        hooks=[HookRow("build", 3, 0, 0, "", 2, 7)],
    )


def test_a_new_store_is_empty_and_has_no_life_yet(store):
    assert contents(store) == {
        "head": GENESIS,
        "refusals_head": GENESIS,
        "anchor": GENESIS,
        "incarnation": None,
        "events": [],
        "refusals": [],
        "receipts": [],
        "deliveries": [],
        "hooks": [],
    }
    assert (store.receipt(b"k"), store.snapshot("goal-1"), store.journal_entry("a", "e")) == (None, None, None)
    assert store.newest_receipt_key() is None


def test_each_term_has_the_next_epoch_and_the_first_ones_incarnation(opener):
    store = opener()
    assert [store.open_term(LIFE), store.open_term("life-2")] == [Term(LIFE, 1), Term(LIFE, 2)]
    store.close()
    again = opener()
    assert again.incarnation() == LIFE
    assert again.open_term("life-3") == Term(LIFE, 3)


def test_events_of_no_goal_are_read_by_themselves(store, term):
    rows: list[EventRow] = []
    for goal_id in (None, "docs", None, "site", *([None, "docs"] * PAGE_ROWS_MAX)):
        rows.append(event_row(Head(rows[-1].seq, rows[-1].hash) if rows else GENESIS, goal_id=goal_id))
    store.append(term, Group(events=rows))
    own = [row for row in rows if row.goal_id is None]
    assert list(store.reader().workspace_events(0)) == own
    assert list(store.workspace_events(own[1].seq)) == own[2:]
    assert list(store.workspace_events(own[0].seq, limit=2)) == own[1:3]
    assert list(store.workspace_events(own[-1].seq)) == []


@pytest.mark.parametrize("goal_id", [None, "docs"])
def test_events_are_read_backwards_too(store, term, goal_id):
    rows: list[EventRow] = []
    for owner in (None, "docs", "site", *(["docs", None] * PAGE_ROWS_MAX)):
        rows.append(event_row(Head(rows[-1].seq, rows[-1].hash) if rows else GENESIS, goal_id=owner))
    store.append(term, Group(events=rows))
    own = [row for row in reversed(rows) if goal_id in {None, row.goal_id}]
    assert list(store.reader().events_before(rows[-1].seq + 1, goal_id=goal_id)) == own
    assert list(store.events_before(own[0].seq, goal_id=goal_id)) == own[1:]
    assert list(store.events_before(own[0].seq, goal_id=goal_id, limit=3)) == own[1:4]
    assert list(store.events_before(1, goal_id=goal_id)) == list(store.events_before(0, goal_id=goal_id)) == []


def test_a_group_is_read_back_as_it_was_written_and_again_after_reopening(opener):
    store = opener()
    group = a_full_group()
    store.append(store.open_term(LIFE), group)

    def check(store: Store) -> None:
        assert list(store.events(0)) == group.events
        assert store.head() == Head(3, group.events[-1].hash)
        assert [store.receipt(row.key) for row in group.receipts] == group.receipts
        assert list(store.receipts()) == group.receipts
        assert store.newest_receipt_key() == group.receipts[-1].key
        assert list(store.refusals(0)) == group.refusals
        assert store.refusals_head() == Head(2, group.refusals[-1].hash)
        assert store.journal_entry("cli_app", "event-1") == group.journal[0]
        assert store.deliveries() == group.deliveries

    check(store)
    check(store.reader())
    store.close()
    again = opener()
    check(again)
    assert verify(again.events(0), receipts=again.receipts(), refusals=again.refusals(0)).holds


@pytest.mark.parametrize(
    "stale",
    [Term(LIFE, 1), Term("another-life", 2), Term(LIFE, 3), Term(LIFE, 0)],
    ids=["an earlier epoch", "another life", "an epoch nobody opened", "no epoch"],
)
def test_only_the_current_term_writes(store, stale):
    first = store.open_term(LIFE)
    store.append(first, a_full_group())
    current = store.open_term(LIFE)
    before = contents(store)
    group = Group(events=event_rows(1, after=store.head()), refusals=refusal_rows(1, after=store.refusals_head()))
    with pytest.raises(WriterFenced):
        store.append(stale, group)
    with pytest.raises(WriterFenced):
        store.append(stale, Group())
    with pytest.raises(WriterFenced):
        store.prune_refusals(stale, 1)
    with pytest.raises(WriterFenced):
        store.save_snapshots(stale, [SnapshotRow("goal-1", 1, bytes(32), "r", b"s")])
    assert contents(store) == before
    assert store.snapshot("goal-1") is None
    store.append(current, group)
    assert store.head().seq == 4


def test_nobody_writes_before_a_term_was_opened(store):
    with pytest.raises(WriterFenced):
        store.append(Term(LIFE, 0), Group(events=event_rows(1)))
    assert store.head() == GENESIS


def test_a_second_writer_fences_the_first(opener):
    first, second = opener(), opener()
    early = first.open_term(LIFE)
    first.append(early, Group(events=event_rows(2)))
    late = second.open_term(LIFE)
    second.append(late, Group(events=event_rows(1, after=second.head())))
    with pytest.raises(WriterFenced):
        first.append(early, Group(events=event_rows(1, after=first.head())))
    assert first.head().seq == second.head().seq == 3


BAD_GROUPS = {
    "an event is left out": lambda head: Group(events=event_rows(3, after=head)[1:]),
    "an event comes again": lambda head: Group(events=event_rows(2)[1:]),
    "a gap inside the group": lambda head: Group(events=[row for row in event_rows(4, after=head) if row.seq != 5]),
    "out of order": lambda head: Group(events=event_rows(3, after=head)[::-1]),
    "a short hash": lambda head: Group(events=[event_row(head)._replace(hash=b"short")]),
    "words without salt": lambda head: Group(events=[event_row(head, text="x")._replace(salt=None)]),
    "salt without words": lambda head: Group(events=[event_row(head, text="x")._replace(words=None)]),
    "a refusal is left out": lambda head: Group(refusals=refusal_rows(4)[3:]),
    "a refusal's short hash": lambda head: Group(refusals=[refusal_rows(3)[2]._replace(hash=b"")]),
    "a key used before": lambda head: Group(events=event_rows(1, after=head), receipts=[receipt_row(1)]),
    "a key used twice": lambda head: Group(
        events=event_rows(1, after=head), receipts=[receipt_row(4, key=b"k"), receipt_row(4, key=b"k")]
    ),
    "a receipt of later events": lambda head: Group(events=event_rows(1, after=head), receipts=[receipt_row(4, 5)]),
    "a receipt of nothing": lambda head: Group(receipts=[receipt_row(3, 2, key=b"k")]),
    "a receipt of event 0": lambda head: Group(receipts=[receipt_row(0, 1, key=b"k")]),
}


@pytest.mark.parametrize("bad", BAD_GROUPS.values(), ids=BAD_GROUPS)
def test_a_group_that_breaks_a_promise_leaves_nothing_and_stops_the_store(opener, bad):
    store = opener()
    term = store.open_term(LIFE)
    store.append(term, a_full_group())
    before = contents(store)
    broken = bad(store.head())
    # Its operational rows would be fine; they fall with the rest.
    broken = broken._replace(
        journal=[JournalRow("cli_app", "event-2", 5, b"{}")],
        deliveries=[DeliveryRow("goal:goal-2@oc_x", "oc_x", "om_1", "d1", 1, 7, "sent")],
        hooks=[HookRow("build", 9, 0, 0, "", 3, 8)],
    )
    with pytest.raises(StoreFault):
        store.append(term, broken)
    assert contents(store) == before
    assert store.journal_entry("cli_app", "event-2") is None
    with pytest.raises(StoreFault):
        store.append(term, Group(events=event_rows(1, after=store.head())))
    assert contents(store) == before
    again = opener()
    again.append(again.open_term(LIFE), Group(events=event_rows(1, after=again.head())))
    assert again.head().seq == 4


def test_groups_of_every_size_are_kept_whole(store, term):
    head = GENESIS
    for size in (*range(20), 31, 32, 33, 127, 128, 129, 255, 256, 257, 300):
        events = event_rows(size, after=head, text="x")
        receipts = [receipt_row(row.seq) for row in events]
        refusals = refusal_rows(size, after=store.refusals_head())
        store.append(term, Group(events=events, receipts=receipts, refusals=refusals))
        assert list(store.events(head.seq)) == events
        head = Head(head.seq + size, events[-1].hash) if events else head
        assert store.head() == head
    assert len(list(store.receipts())) == head.seq == store.refusals_head().seq
    report = verify(store.events(0), receipts=store.receipts(), refusals=store.refusals(0))
    assert report.holds
    assert (report.events, report.receipts, report.refusals) == (head.seq, head.seq, head.seq)


def test_events_are_read_after_a_seq_by_goal_and_up_to_a_limit(store, term):
    pages = 2 * PAGE_ROWS_MAX + 7
    rows = []
    for seq in range(pages):
        after = Head(rows[-1].seq, rows[-1].hash) if rows else GENESIS
        rows.append(event_row(after, goal_id=(None, "goal-1", "goal-2")[seq % 3]))
    store.append(term, Group(events=rows))
    ones = [row for row in rows if row.goal_id == "goal-1"]
    assert list(store.events(0)) == rows
    assert list(store.events(PAGE_ROWS_MAX)) == rows[PAGE_ROWS_MAX:]
    assert list(store.events(pages)) == []
    assert list(store.events(3, limit=PAGE_ROWS_MAX + 1)) == rows[3 : PAGE_ROWS_MAX + 4]
    assert list(store.events(0, limit=0)) == []
    assert list(store.events(0, goal_id="goal-1")) == ones
    assert list(store.events(ones[5].seq, goal_id="goal-1", limit=2)) == ones[6:8]
    assert list(store.events(0, goal_id="goal-9")) == []


def test_an_iterator_goes_on_while_the_writer_writes(store, term):
    rows = event_rows(PAGE_ROWS_MAX + 1)
    store.append(term, Group(events=rows))
    reading = store.reader().events(0)
    first = next(reading)
    store.append(term, Group(events=event_rows(1, after=store.head())))
    store.checkpoint()
    assert [first, *reading][: len(rows)] == rows


def test_pruned_refusals_leave_their_last_hash_as_the_anchor(opener):
    store = opener()
    term = store.open_term(LIFE)
    rows = refusal_rows(5)
    store.append(term, Group(refusals=rows))
    assert store.prune_refusals(term, 0) == 0
    assert store.refusals_anchor() == GENESIS
    assert store.prune_refusals(term, 3) == 3
    assert store.prune_refusals(term, 3) == 0
    assert store.refusals_anchor() == Head(3, rows[2].hash)
    assert list(store.refusals(0)) == rows[3:]
    assert list(store.refusals(4, limit=1)) == rows[4:]
    assert list(store.refusals_before(6)) == rows[:2:-1]
    assert list(store.refusals_before(5, limit=1)) == [rows[3]]
    assert verify((), refusals=store.refusals(0), refusals_after=store.refusals_anchor()).holds
    assert not verify((), refusals=store.refusals(0)).holds
    assert store.prune_refusals(term, 99) == 2
    assert list(store.refusals(0)) == []
    assert store.refusals_head() == store.refusals_anchor() == Head(5, rows[4].hash)
    store.append(term, Group(refusals=refusal_rows(1, after=store.refusals_head())))
    store.close()
    again = opener()
    assert again.refusals_head().seq == 6
    assert verify((), refusals=again.refusals(0), refusals_after=again.refusals_anchor()).holds


def test_a_snapshot_replaces_the_one_of_its_scope_only(opener):
    store = opener()
    term = store.open_term(LIFE)
    old = SnapshotRow("goal-1", 1, bytes(32), "reducer-1", b"old")
    new = SnapshotRow("goal-1", 9, bytes([7] * 32), "reducer-2", b"new")
    other = SnapshotRow("goal-2", 4, bytes(32), "reducer-1", b"other")
    for row in (old, other, new):
        store.save_snapshots(term, [row])
    store.close()
    again = opener()
    assert [again.snapshot("goal-1"), again.snapshot("goal-2"), again.snapshot("goal-3")] == [new, other, None]


def test_the_journal_keeps_the_first_arrival_and_the_last_answer(store, term):
    def put(received_at_ms: int, answer: bytes | None) -> JournalRow | None:
        store.append(term, Group(journal=[JournalRow("cli_app", "event-1", received_at_ms, answer)]))
        return store.journal_entry("cli_app", "event-1")

    assert put(5, None) == JournalRow("cli_app", "event-1", 5, None)
    assert put(6, b"") == JournalRow("cli_app", "event-1", 5, b"")
    assert put(7, None) == JournalRow("cli_app", "event-1", 5, b"")
    assert put(8, b"later") == JournalRow("cli_app", "event-1", 5, b"later")
    assert store.journal_entry("cli_other", "event-1") is None


def test_a_delivery_is_replaced_unless_the_newcomer_is_older(store, term):
    def put(version: int, message_id: str) -> list[DeliveryRow]:
        row = DeliveryRow("goal:goal-1@oc_x", "oc_x", message_id, f"d{version}", version, 7, "sent")
        store.append(term, Group(deliveries=[row]))
        return [(row.version, row.message_id) for row in store.deliveries()]

    assert put(2, "om_2") == [(2, "om_2")]
    assert put(1, "om_1") == [(2, "om_2")]
    assert put(2, "om_2b") == [(2, "om_2b")]
    assert put(3, "om_3") == [(3, "om_3")]
    store.append(term, Group(deliveries=[DeliveryRow("a", "oc_x", "om_4", "d", 1, 7, "sent")]))
    assert [row.slot for row in store.deliveries()] == ["a", "goal:goal-1@oc_x"]


def test_a_checkpoint_changes_nothing_that_can_be_read(store, term):
    store.append(term, a_full_group())
    before = contents(store)
    store.checkpoint()
    assert contents(store) == before


def test_a_reader_only_reads(store, term):
    store.append(term, a_full_group())
    reader = store.reader()
    before = contents(reader)
    for write in (
        lambda: reader.open_term(LIFE),
        lambda: reader.append(term, Group(events=event_rows(1, after=reader.head()))),
        lambda: reader.prune_refusals(term, 1),
        lambda: reader.save_snapshots(term, [SnapshotRow("goal-1", 1, bytes(32), "r", b"s")]),
        reader.checkpoint,
    ):
        with pytest.raises(AssertionError):
            write()
    assert contents(reader) == contents(reader.reader()) == before
    reader.close()
    assert contents(store) == before


def test_a_closed_store_writes_no_more(store, term):
    store.close()
    store.close()
    with pytest.raises(StoreFault):
        store.append(term, Group(events=event_rows(1)))
    with pytest.raises(StoreFault):
        store.open_term(LIFE)


def test_another_thread_sees_groups_whole_and_never_backwards(store, term):
    groups, size = 40, 5
    reader = store.reader()
    done = threading.Event()
    seen: list[int] = []

    def read_until_done() -> None:
        while not done.is_set():
            seen.append(reader.head().seq)
        seen.append(sum(1 for _ in reader.events(0)))

    thread = threading.Thread(target=read_until_done)
    thread.start()
    try:
        for _ in range(groups):
            store.append(term, Group(events=event_rows(size, after=store.head())))
    finally:
        done.set()
        thread.join()
    assert seen == sorted(seen)
    assert {seq % size for seq in seen} == {0}
    assert seen[-1] == groups * size


def test_refusals_begin_where_those_of_another_ledger_do(store, term):
    anchor = Head(7, bytes([7]) * 32)
    store.begin_refusals(term, anchor)
    assert store.refusals_anchor() == store.refusals_head() == anchor
    rows = refusal_rows(2, after=anchor)
    store.append(term, Group(refusals=rows))
    assert list(store.refusals(7)) == rows


def test_refusals_that_are_there_keep_their_beginning(store, term):
    store.append(term, Group(refusals=refusal_rows(1)))
    store.begin_refusals(term, Head(7, bytes(32)))
    assert store.refusals_anchor() == GENESIS
