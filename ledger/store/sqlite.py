"""A ledger in one SQLite file, written by one connection.

Theory of operation. The database is in write-ahead-log mode with synchronous=FULL: a commit is one sync of the
log, and readers never wait for it. Everything a group holds is written in one transaction that first reads the
term back, so a writer that was superseded writes nothing, whatever it believes. The log is folded into the
database only when `checkpoint` is called, between commits, because SQLite's own moment for it is inside one.

A step into SQLite lets go of the interpreter's lock and must win it back; with a busy event loop beside the
writer that costs more than the step. So a group's rows go in as one statement, its VALUES padded to a power of
two with rows of NULL that the statement itself leaves out: eight prepared statements serve every group size.

After an error whose outcome is unknown (a failed sync above all: the transaction looks absent now and may be
there after a crash) the store refuses everything further. The process ends, and request keys settle the rest.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import apsw

from ledger.ports import (
    Erasure,
    Group,
    Head,
    SearchRow,
    SearchState,
    SnapshotRow,
    StoreFault,
    StoreUnusable,
    Term,
    WriterFenced,
)
from ledger.store import sqlite_search, statements
from ledger.store.migrate import bring_up_to_date, identify, migrations, require_schema
from ledger.store.sqlite_guard import (
    Place,
    closed_if_unusable,
    no_ledger,
    open_connection,
    outcome,
    prepare_file,
    require_content,
    require_safe_library,
)
from ledger.store.sqlite_read import Row, SqliteReader, SqliteReads

CHECKPOINT_FRAMES_MIN = 1_000
"""Pages the log holds before folding it back is worth two syncs; about four megabytes."""

ROWS_PER_STATEMENT_MAX = 128
"""The largest padded statement; a larger group uses several."""

LOCK_WAIT_MS_MAX = 5_000
"""How long a commit waits for another program that holds the write lock, a shell or a backup tool."""

LOG_BYTES_MAX = 64 * 1024 * 1024
"""What the log file is cut back to after it grew under a long read."""

_SQL = statements.named("write.sql")
_COLUMNS = {"insert_event": 7, "insert_receipt": 5, "insert_refusal": 4}
_T = TypeVar("_T")


def _padded(name: str, size: int) -> str:
    """An INSERT of up to `size` rows; rows of NULL are padding. A single row needs none."""
    row = "(" + ", ".join("?" * _COLUMNS[name]) + ")"
    if size == 1:
        return f"{_SQL[name]} VALUES {row}"
    values = ", ".join([row] * size)
    return f"{_SQL[name]} SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"  # noqa: S608  (no value in it)


_INSERTS = {
    (name, 1 << power): _padded(name, 1 << power)
    for name in _COLUMNS
    for power in range(ROWS_PER_STATEMENT_MAX.bit_length())
}


class Tuning(NamedTuple):
    """How a store is opened; tests alone choose anything but the defaults."""

    synchronous: Literal["FULL", "NORMAL"] = "FULL"
    vfs: str | None = None
    checkpoint_frames_min: int = CHECKPOINT_FRAMES_MIN
    lock_wait_ms: int = LOCK_WAIT_MS_MAX
    library_version: str | None = None


class Heads(NamedTuple):
    """Where both chains end, as read in the transaction that writes."""

    seq: int
    refusal_number: int


def open_sqlite(path: Path) -> "SqliteStore":
    """Open the ledger at `path` for writing, making or migrating it first. Raises StoreUnusable."""
    return _open(path, Tuning())


def open_existing_sqlite(path: Path) -> "SqliteStore":
    """Open the ledger at `path` for writing, migrating it first; what is no ledger stays as it is.

    Raises StoreUnusable.
    """
    require_content(path)
    return _open(path, Tuning(), makes=False)


def open_sqlite_reader(path: Path) -> SqliteReader:
    """Open an existing ledger for reading only, beside whoever writes it. Raises StoreUnusable."""
    return _open_reader(path, Tuning())


def _open(path: Path, tuning: Tuning, *, makes: bool = True) -> "SqliteStore":
    require_safe_library(tuning.library_version or apsw.sqlite_lib_version())
    prepare_file(path)
    connection = open_connection(path, vfs=tuning.vfs, read_only=False)
    with closed_if_unusable(connection, path):
        if not makes and identify(connection, len(migrations())) == 0:
            raise no_ledger(path)
        _make_ready(connection, tuning)
    return SqliteStore(connection, lambda: _open_reader(path, tuning), tuning, Place(path))


def _open_reader(path: Path, tuning: Tuning) -> SqliteReader:
    require_safe_library(tuning.library_version or apsw.sqlite_lib_version())
    connection = open_connection(path, vfs=tuning.vfs, read_only=True)
    with closed_if_unusable(connection, path):
        _harden(connection, tuning)
        require_schema(connection, len(migrations()))
    return SqliteReader(connection, lambda: _open_reader(path, tuning))


def _harden(connection: apsw.Connection, tuning: Tuning) -> None:
    connection.set_busy_timeout(tuning.lock_wait_ms)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.pragma("cell_size_check", 1)


def _make_ready(connection: apsw.Connection, tuning: Tuning) -> None:
    _harden(connection, tuning)
    steps = migrations()
    if connection.readonly("main"):
        require_schema(connection, len(steps))
        # There is nothing to fold back, and the lock that folding needs cannot be had.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        return
    identify(connection, len(steps))
    if connection.pragma("journal_mode", "wal") != "wal":
        raise StoreUnusable("the file system cannot keep a write-ahead log")
    connection.pragma("synchronous", tuning.synchronous)
    # Without these a Mac's sync stops at the drive's own cache; elsewhere they change nothing.
    connection.pragma("fullfsync", 1)
    connection.pragma("checkpoint_fullfsync", 1)
    connection.pragma("wal_autocheckpoint", 0)
    # What is erased is overwritten, and not only given free.
    connection.pragma("secure_delete", 1)
    connection.pragma("journal_size_limit", LOG_BYTES_MAX)
    bring_up_to_date(connection, steps, statements.script("schema.sql"))


class SqliteStore(SqliteReads):
    """The one writing handle."""

    def __init__(
        self, connection: apsw.Connection, open_reader: Callable[[], SqliteReader], tuning: Tuning, place: Place
    ) -> None:
        super().__init__(connection, open_reader)
        self._place = place
        self._cursor = connection.cursor()
        self._checkpoint_frames_min = tuning.checkpoint_frames_min
        self._log_frames = 0
        self._owes_scrub = False
        self._lock_wait_ms = tuning.lock_wait_ms
        self._broken: str | None = None
        connection.set_wal_hook(self._note_log_frames)

    def open_term(self, incarnation_if_new: str) -> Term:
        """Begin a new epoch and fence every earlier writer."""
        return self._transaction(lambda: self._next_term(incarnation_if_new))

    def append(self, term: Term, group: Group) -> None:
        """Make the group durable in one transaction."""
        self._transaction(lambda: self._write(group, self._heads_under(term)))
        if group.erasures:
            self._scrub()

    def prune_refusals(self, term: Term, through_number: int) -> int:
        """Drop refusals up to a number and keep the last one's hash as the anchor."""
        return self._transaction(lambda: self._prune(term, through_number))

    def begin_refusals(self, term: Term, anchor: Head) -> None:
        """Have the refusals of a ledger that has none yet start after `anchor`."""
        self._transaction(lambda: self._begin_refusals(term, anchor))

    def save_snapshots(self, term: Term, rows: Sequence[SnapshotRow]) -> None:
        """Keep each snapshot for its scope."""
        self._transaction(lambda: self._put_snapshots(term, rows))

    def keep_searched(self, term: Term, state: SearchState, rows: Sequence[SearchRow]) -> None:
        """Enter texts that can be searched, and how far they have come."""
        self._transaction(lambda: self._keep_searched(term, state, rows))

    def checkpoint(self) -> None:
        """Fold the log back once it is long enough to be worth it.

        A full disk or another checkpoint puts it off: the log holds everything, and the next call tries again.
        """
        self._refuse_if_broken()
        if self._owes_scrub:
            self._scrub()
            return
        if self._log_frames < self._checkpoint_frames_min:
            return
        try:
            in_log, folded = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except (apsw.BusyError, apsw.FullError, apsw.ReadOnlyError):
            return
        except apsw.Error as error:
            raise self._broken_by(error) from error
        self._log_frames = in_log - folded

    def close(self) -> None:
        """Release the files; the last handle to close folds the log back, unless the store has stopped."""
        if self._broken is None:
            self._broken = "it was closed"
        super().close()

    def _transaction(self, work: Callable[[], _T]) -> _T:
        self._refuse_if_broken()
        try:
            self._cursor.execute(_SQL["begin"])
            result = work()
            self._cursor.execute(_SQL["commit"])
            self._place.require()
        except apsw.Error as error:
            self._roll_back()
            answer = outcome(error)
            if isinstance(answer, StoreFault):
                answer = self._broken_by(error)
            raise answer from error
        except StoreFault as fault:
            self._roll_back()
            self._stop(str(fault))
            raise
        except BaseException:
            self._roll_back()
            raise
        return result

    def _roll_back(self) -> None:
        if not self._connection.in_transaction:
            return  # A failed COMMIT has rolled back already.
        try:
            self._cursor.execute(_SQL["rollback"])
        except apsw.Error as error:
            raise self._broken_by(error) from error

    def _next_term(self, incarnation_if_new: str) -> Term:
        return Term._make(self._cursor.execute(_SQL["open_term"], (incarnation_if_new,)).fetchall()[0])

    def _heads_under(self, term: Term) -> Heads:
        """Where the chains end, provided that `term` is still the right to write."""
        rows = self._cursor.execute(_SQL["term_and_heads"]).fetchall()
        incarnation, epoch, seq, refusal_number = rows[0]
        if (incarnation, epoch) != term:
            raise WriterFenced(f"epoch {term.epoch} has ended; epoch {epoch} writes now")
        return Heads._make((seq, refusal_number))

    def _write(self, group: Group, heads: Heads) -> None:
        last_seq = _contiguous("event", heads.seq, [row.seq for row in group.events])
        self._insert("insert_event", group.events)
        if group.receipts:
            if any(row.last_seq > last_seq for row in group.receipts):
                raise StoreFault(f"a receipt names events after {last_seq}, the last there is")
            self._insert("insert_receipt", group.receipts)
        if group.refusals:
            _contiguous("refusal", heads.refusal_number, [row.number for row in group.refusals])
            self._insert("insert_refusal", group.refusals)
        if group.journal:
            self._cursor.executemany(_SQL["put_journal"], group.journal)
        if group.deliveries:
            self._cursor.executemany(_SQL["put_delivery"], group.deliveries)
        if group.hooks:
            self._cursor.executemany(_SQL["put_hook"], group.hooks)
        if group.erasures:
            self._erase(group.erasures)

    def _erase(self, erasures: Sequence[Erasure]) -> None:
        for erasure in erasures:
            for seq in erasure.seqs:
                self._cursor.execute(_SQL["erase_event"], (seq, erasure.through_seq))
            if erasure.goal_id is not None:
                self._cursor.execute(_SQL["erase_goal"], (erasure.goal_id, erasure.through_seq))
            if erasure.member_id is not None:
                self._cursor.execute(_SQL["erase_member"], (erasure.member_id, erasure.through_seq))
        sqlite_search.forget(self._cursor, erasures)
        self._cursor.execute(_SQL["forget_snapshots"])
        self._cursor.execute(_SQL["forget_answers"])

    def _scrub(self) -> None:
        """Fold the log back whole and cut it, for it still has the words; a reader in the way puts it off."""
        self._owes_scrub = True
        # Nobody waits for a reader here: the next checkpoint tries again.
        self._connection.set_busy_timeout(0)
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except (apsw.BusyError, apsw.FullError, apsw.ReadOnlyError):
            return
        except apsw.Error as error:
            raise self._broken_by(error) from error
        finally:
            self._connection.set_busy_timeout(self._lock_wait_ms)
        self._owes_scrub = False
        self._log_frames = 0

    def _begin_refusals(self, term: Term, anchor: Head) -> None:
        self._heads_under(term)
        self._cursor.execute(_SQL["begin_refusals"], anchor)

    def _insert(self, name: str, rows: Sequence[Row]) -> None:
        for start in range(0, len(rows), ROWS_PER_STATEMENT_MAX):
            page = rows[start : start + ROWS_PER_STATEMENT_MAX]
            size = 1 << (len(page) - 1).bit_length()
            padding = (None,) * (_COLUMNS[name] * (size - len(page)))
            values = page[0] if size == 1 else (*chain.from_iterable(page), *padding)
            self._cursor.execute(_INSERTS[name, size], values)
            if self._connection.changes() != len(page):
                raise StoreFault(f"{name}: {self._connection.changes()} rows of {len(page)} were taken")

    def _prune(self, term: Term, through_number: int) -> int:
        self._heads_under(term)
        count = self._cursor.execute(_SQL["count_refusals"], (through_number,)).fetchall()[0][0]
        assert isinstance(count, int), "count(*) is an integer"
        if count:
            self._cursor.execute(_SQL["move_refusals_anchor"], (through_number,))
            self._cursor.execute(_SQL["delete_refusals"], (through_number,))
        return count

    def _put_snapshots(self, term: Term, rows: Sequence[SnapshotRow]) -> None:
        self._heads_under(term)
        self._cursor.executemany(_SQL["put_snapshot"], rows)

    def _keep_searched(self, term: Term, state: SearchState, rows: Sequence[SearchRow]) -> None:
        self._heads_under(term)
        sqlite_search.keep(self._cursor, state, rows)

    def _note_log_frames(self, _connection: apsw.Connection, _database: str, frames: int) -> int:
        self._log_frames = frames
        return apsw.SQLITE_OK

    def _refuse_if_broken(self) -> None:
        if self._broken is not None:
            raise StoreFault(f"the store stopped after: {self._broken}")

    def _broken_by(self, error: apsw.Error) -> StoreFault:
        fault = super()._broken_by(error)
        self._stop(str(fault))
        return fault

    def _stop(self, why: str) -> None:
        """Refuse everything further, and leave the log for the next start to recover."""
        if self._broken is None:
            self._broken = why
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def _contiguous(what: str, last: int, numbers: Sequence[int]) -> int:
    """The new last number, provided that `numbers` go on from `last` one by one."""
    for expected, number in enumerate(numbers, last + 1):
        if number != expected:
            raise StoreFault(f"{what} {numbers[0]} does not go on from {last} one by one")
    return last + len(numbers)
