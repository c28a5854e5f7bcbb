"""The disk fails under the real store: nothing half-written, nothing wrongly promised, and a clear answer."""

import shutil
from pathlib import Path

import apsw
import pytest

from ledger.ports import GENESIS, Group, StoreFault, StoreFull, WriterFenced
from ledger.store.sqlite import Tuning, _open, open_sqlite
from ledger.testing import event_rows, receipt_row, refusal_rows
from ledger.verify import verify
from tests.faults.disks import BreakingDisk, mounted

LEDGER = "ledger.sqlite3"
LOG = "-wal"
ACKNOWLEDGED = 10


@pytest.fixture
def disk():
    with mounted(BreakingDisk, "breaking") as mounted_disk:
        yield mounted_disk


@pytest.fixture
def path(tmp_path):
    return tmp_path / LEDGER


@pytest.fixture
def store(disk, path):
    opened = _open(path, Tuning(vfs=disk.name, checkpoint_frames_min=1, lock_wait_ms=0))
    yield opened
    disk.mend()
    opened.close()


@pytest.fixture
def term(store):
    current = store.open_term("life-1")
    store.append(current, next_group(store, ACKNOWLEDGED))
    return current


def next_group(store, count: int) -> Group:
    events = event_rows(count, after=store.head(), goal_id="goal-1", text="some words " * 40)
    return Group(
        events=events,
        receipts=[receipt_row(row.seq) for row in events],
        refusals=refusal_rows(1, after=store.refusals_head()),
    )


def after_a_crash(path: Path, folder: Path):
    """What the next process finds: the files as they are now, without the index in shared memory."""
    folder.mkdir()
    for suffix in ("", LOG):
        file = path.with_name(path.name + suffix)
        if file.exists():
            shutil.copy(file, folder / file.name)
    return open_sqlite(folder / LEDGER)


def check_chain(store) -> int:
    """The events of a ledger that verifies and whose receipts are exactly those of its events."""
    report = verify(store.events(0), receipts=store.receipts(), refusals=store.refusals(0))
    assert report.holds
    assert report.receipts == report.events
    assert store.head() == report.head
    return report.events


@pytest.mark.parametrize("passes", range(0, 60, 3))
def test_a_disk_that_fills_up_during_a_commit_takes_nothing_and_recovers(disk, store, term, path, tmp_path, passes):
    reader = store.reader()
    refused = next_group(store, 200)
    disk.fail("write", LOG, apsw.FullError, passes=passes)
    with pytest.raises(StoreFull):
        store.append(term, refused)
    assert disk.broken == 1
    assert check_chain(store) == check_chain(reader) == ACKNOWLEDGED
    with pytest.raises(StoreFull):
        store.append(term, next_group(store, 1))
    crashed = after_a_crash(path, tmp_path / "crashed")
    assert check_chain(crashed) == ACKNOWLEDGED
    crashed.close()
    disk.mend()
    store.append(term, refused)
    assert check_chain(store) == check_chain(reader) == ACKNOWLEDGED + 200
    reader.close()
    store.close()
    again = open_sqlite(path)
    assert check_chain(again) == ACKNOWLEDGED + 200
    again.close()


def test_the_librarys_own_full_in_the_middle_of_a_group_leaves_nothing(store, term):
    pages = store._connection.pragma("page_count")
    store._connection.pragma("max_page_count", pages + 2)
    with pytest.raises(StoreFull):
        store.append(term, next_group(store, 200))
    assert check_chain(store) == ACKNOWLEDGED
    store._connection.pragma("max_page_count", 1_000_000)
    store.append(term, next_group(store, 200))
    assert check_chain(store) == ACKNOWLEDGED + 200


def test_a_full_disk_refuses_every_kind_of_write_and_no_read(disk, store, term):
    disk.fail("write", LOG, apsw.FullError)
    before = list(store.refusals(0))
    for write in (
        lambda: store.open_term("life-1"),
        lambda: store.append(term, next_group(store, 1)),
        lambda: store.prune_refusals(term, 1),
    ):
        with pytest.raises(StoreFull):
            write()
    assert check_chain(store) == ACKNOWLEDGED
    assert list(store.refusals(0)) == before
    assert store.refusals_anchor() == GENESIS
    disk.mend()
    assert store.prune_refusals(term, 1) == 1


def test_a_checkpoint_that_finds_the_disk_full_is_put_off(disk, store, term, path):
    disk.fail("write", LEDGER, apsw.FullError)
    store.checkpoint()
    assert disk.broken == 1
    store.append(term, next_group(store, 5))
    assert check_chain(store) == ACKNOWLEDGED + 5
    disk.mend()
    store.checkpoint()
    assert path.stat().st_size > 4 * 4096
    assert check_chain(store) == ACKNOWLEDGED + 5


@pytest.mark.parametrize(
    ("operation", "suffix"), [("sync", LOG), ("write", LEDGER), ("sync", LEDGER)], ids=["log", "write", "sync"]
)
def test_a_checkpoint_that_meets_an_io_error_stops_the_store(disk, store, term, path, tmp_path, operation, suffix):
    disk.fail(operation, suffix, apsw.IOError)
    with pytest.raises(StoreFault):
        store.checkpoint()
    disk.mend()
    with pytest.raises(StoreFault):
        store.append(term, next_group(store, 1))
    crashed = after_a_crash(path, tmp_path / "crashed")
    assert check_chain(crashed) == ACKNOWLEDGED
    crashed.close()


@pytest.mark.parametrize(
    "operation",
    ["sync", "write"],
)
def test_after_an_unknown_outcome_the_store_says_no_more_and_the_receipt_settles_it(
    disk, store, term, path, tmp_path, operation
):
    unknown = next_group(store, 3)
    disk.fail(operation, LOG, apsw.IOError)
    with pytest.raises(StoreFault):
        store.append(term, unknown)
    disk.mend()
    for write in (
        lambda: store.append(term, next_group(store, 1)),
        lambda: store.open_term("life-1"),
        lambda: store.prune_refusals(term, 1),
        store.checkpoint,
    ):
        with pytest.raises(StoreFault):
            write()
    log_as_left = path.with_name(LEDGER + LOG).read_bytes()
    store.close()
    # The log is left to the next start; folding it back now could decide what nobody knows.
    assert path.with_name(LEDGER + LOG).read_bytes() == log_as_left
    again = after_a_crash(path, tmp_path / "crashed")
    stored = check_chain(again)
    assert stored in (ACKNOWLEDGED, ACKNOWLEDGED + 3)
    assert (again.receipt(unknown.receipts[-1].key) is not None) == (stored == ACKNOWLEDGED + 3)
    again.append(again.open_term("life-1"), next_group(again, 1))
    again.close()


def test_a_failed_sync_can_leave_the_group_behind(disk, store, term, path, tmp_path):
    """Why the outcome is unknown: the live connection shows nothing, the next start shows the group."""
    disk.fail("sync", LOG, apsw.IOError)
    with pytest.raises(StoreFault):
        store.append(term, next_group(store, 3))
    assert check_chain(store) == ACKNOWLEDGED
    again = after_a_crash(path, tmp_path / "crashed")
    assert check_chain(again) == ACKNOWLEDGED + 3
    again.close()


def test_a_read_error_is_a_fault_and_not_an_empty_answer(disk, store, path):
    term = store.open_term("life-1")
    store.append(term, next_group(store, 400))
    store.close()
    again = _open(path, Tuning(vfs=disk.name))
    term = again.open_term("life-1")
    disk.fail("read", LEDGER, apsw.IOError)
    with pytest.raises(StoreFault):
        list(again.events(0))
    disk.mend()
    with pytest.raises(StoreFault):
        again.append(term, Group())
    again.close()


def test_damaged_pages_are_a_fault_and_not_a_shorter_history(store, term, path):
    store.append(term, next_group(store, 400))
    store.close()
    with path.open("r+b") as file:
        # Beyond the pages of the schema, without which nothing opens at all.
        for page in range(24, path.stat().st_size // 4096, 3):
            file.seek(page * 4096)
            file.write(b"\xff" * 200)
    again = open_sqlite(path)
    with pytest.raises(StoreFault):
        list(again.events(0))
    again.close()


def test_a_read_only_database_is_read_and_refuses_to_be_written(disk, store, term, path):
    store.close()
    disk.read_only = True
    again = _open(path, Tuning(vfs=disk.name))
    assert check_chain(again) == ACKNOWLEDGED
    for write in (
        lambda: again.open_term("life-1"),
        lambda: again.append(term, next_group(again, 1)),
        lambda: again.prune_refusals(term, 1),
    ):
        with pytest.raises(StoreFull):
            write()
    assert check_chain(again) == ACKNOWLEDGED
    again.close()


def test_another_program_that_holds_the_write_lock_delays_and_then_refuses_but_breaks_nothing(store, term, path):
    shell = apsw.Connection(str(path))
    shell.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFull):
        store.append(term, next_group(store, 1))
    assert check_chain(store) == ACKNOWLEDGED
    shell.execute("ROLLBACK")
    store.append(term, next_group(store, 1))
    shell.close()
    assert check_chain(store) == ACKNOWLEDGED + 1


def test_a_fenced_writer_is_refused_in_the_very_transaction_that_would_have_written(store, term, path):
    newer = open_sqlite(path)
    current = newer.open_term("life-2")
    assert current.incarnation == "life-1"
    for _ in range(3):
        with pytest.raises(WriterFenced):
            store.append(term, next_group(store, 1))
        newer.append(current, next_group(newer, 1))
    assert check_chain(store) == ACKNOWLEDGED + 3
    newer.close()


def test_a_half_read_iterator_does_not_keep_the_log_from_being_folded(store, term):
    store.append(term, next_group(store, 1_000))
    reading = store.reader().events(0)
    assert next(reading).seq == 1
    store.checkpoint()
    in_log, folded = store._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    assert in_log == folded
    assert store._log_frames == 0


@pytest.mark.parametrize("name", ["ledger.sqlite3", "ledger.sqlite3-wal"])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_ledger_whose_file_is_taken_away_acknowledges_nothing_more(tmp_path, name, replaced):
    store = open_sqlite(tmp_path / "ledger.sqlite3")
    term = store.open_term("one")
    store.append(term, Group(events=event_rows(1)))
    head = store.head()
    taken = tmp_path / name
    if replaced:
        (tmp_path / "copy").write_bytes(taken.read_bytes())
        (tmp_path / "copy").rename(taken)
    else:
        taken.unlink()
    with pytest.raises(StoreFault, match=name):
        store.append(term, Group(events=event_rows(1, after=head)))
    with pytest.raises(StoreFault):
        store.append(term, Group(events=event_rows(1, after=head)))
