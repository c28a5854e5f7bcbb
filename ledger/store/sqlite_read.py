# ruff: noqa: ARG002  (a reader has the port's signatures and uses none of the writer's arguments)
"""Reading a ledger kept in SQLite.

Rows are fetched in pages and no statement stays open between them: an open read would keep the write-ahead log
from being folded back for as long as somebody takes to consume an iterator. Since events are only ever
appended, pages read one after another are as good as one snapshot.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn, TypeVar

import apsw

from ledger.ports import (
    GENESIS,
    DeliveryRow,
    EventRow,
    Group,
    Head,
    HookRow,
    JournalRow,
    ReceiptRow,
    RefusalRow,
    SearchRow,
    SearchState,
    SnapshotRow,
    StoreFault,
    Term,
)
from ledger.store import sqlite_search, statements
from ledger.store.sqlite_guard import told

_Found = TypeVar("_Found")
PAGE_ROWS_MAX = 512
"""How many rows one read fetches; bounds what an iterator holds in memory."""

Row = tuple[int | float | str | bytes | None, ...]
_SQL = statements.named("read.sql")


class SqliteReads:
    """The reading half of the port, on one connection."""

    def __init__(self, connection: apsw.Connection, open_reader: "Callable[[], SqliteReader]") -> None:
        self._connection = connection
        self._open_reader = open_reader

    def head(self) -> Head:
        """The last event, or GENESIS."""
        rows = self._rows("head")
        return Head._make(rows[0]) if rows else GENESIS

    def refusals_head(self) -> Head:
        """The last refusal; if all were pruned, the anchor."""
        rows = self._rows("refusals_head")
        return Head._make(rows[0]) if rows else self.refusals_anchor()

    def refusals_anchor(self) -> Head:
        """What the kept refusals start after."""
        return Head._make(self._rows("refusals_anchor")[0])

    def incarnation(self) -> str | None:
        """Which life of the ledger this is; None before the first term."""
        value = self._rows("incarnation")[0][0]
        return value if isinstance(value, str) else None

    def events(self, after_seq: int, *, goal_id: str | None = None, limit: int | None = None) -> Iterator[EventRow]:
        """Events with `seq > after_seq` in order."""
        if goal_id is None:
            return map(EventRow._make, self._pages("events", (), after_seq, limit))
        return map(EventRow._make, self._pages("goal_events", (goal_id,), after_seq, limit))

    def events_before(
        self, before_seq: int, *, goal_id: str | None = None, limit: int | None = None
    ) -> Iterator[EventRow]:
        """Events with `seq < before_seq`, the newest first."""
        if goal_id is None:
            return map(EventRow._make, self._pages("events_before", (), before_seq, limit))
        return map(EventRow._make, self._pages("goal_events_before", (goal_id,), before_seq, limit))

    def workspace_events(self, after_seq: int, *, limit: int | None = None) -> Iterator[EventRow]:
        """Events of no goal with `seq > after_seq` in order."""
        return map(EventRow._make, self._pages("workspace_events", (), after_seq, limit))

    def refusals(self, after_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """Refusals with `number > after_number` in order."""
        return map(RefusalRow._make, self._pages("refusals", (), after_number, limit))

    def refusals_before(self, before_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """Refusals with `number < before_number`, the newest first."""
        return map(RefusalRow._make, self._pages("refusals_before", (), before_number, limit))

    def receipts(self) -> Iterator[ReceiptRow]:
        """All receipts in the order of their keys."""
        return map(ReceiptRow._make, self._pages("receipts", (), b"", None))

    def newest_receipt_key(self) -> bytes | None:
        """The last of all receipt keys, or None."""
        key = self._rows("newest_receipt_key")[0][0]
        return key if isinstance(key, bytes) else None

    def receipt(self, key: bytes) -> ReceiptRow | None:
        """The receipt of a request key."""
        rows = self._rows("receipt", (key,))
        return ReceiptRow._make(rows[0]) if rows else None

    def snapshot(self, scope: str) -> SnapshotRow | None:
        """The snapshot of a scope."""
        rows = self._rows("snapshot", (scope,))
        return SnapshotRow._make(rows[0]) if rows else None

    def journal_entry(self, app_id: str, event_key: str) -> JournalRow | None:
        """What is known of an inbound event."""
        rows = self._rows("journal_entry", (app_id, event_key))
        return JournalRow._make(rows[0]) if rows else None

    def deliveries(self) -> list[DeliveryRow]:
        """All delivery slots."""
        return [DeliveryRow._make(row) for row in self._rows("deliveries")]

    def hooks(self) -> list[HookRow]:
        """How far each after-commit hook has come, by name."""
        return [HookRow._make(row) for row in self._rows("hooks")]

    def search_state(self) -> SearchState:
        """How far the texts that can be searched have come."""
        return self._searched(lambda: sqlite_search.state(self._connection))

    def find_words(self, terms: Sequence[str], after_seq: int, before_seq: int, limit: int) -> list[SearchRow]:
        """Texts of these events that contain every term, the newest first."""
        return self._searched(lambda: sqlite_search.find(self._connection, terms, after_seq, before_seq, limit))

    def reader(self) -> "SqliteReader":
        """A connection of its own that only reads, for one other thread."""
        return self._open_reader()

    def close(self) -> None:
        """Release the files; a second call does nothing."""
        try:
            self._connection.close()
        except apsw.Error as error:
            raise StoreFault(told(error)) from error

    def _searched(self, read: Callable[[], _Found]) -> _Found:
        try:
            return read()
        except apsw.Error as error:
            raise self._broken_by(error) from error

    def _rows(self, name: str, values: Row = ()) -> list[Row]:
        try:
            return self._connection.execute(_SQL[name], values).fetchall()
        except apsw.Error as error:
            raise self._broken_by(error) from error

    def _pages(self, name: str, fixed: Row, after: int | bytes, limit: int | None) -> Iterator[Row]:
        """Rows whose first column, which orders them one way or the other, is beyond `after`."""
        left = limit
        while left is None or left > 0:
            asked = PAGE_ROWS_MAX if left is None else min(left, PAGE_ROWS_MAX)
            page = self._rows(name, (*fixed, after, asked))
            yield from page
            if len(page) < asked:
                return
            last = page[-1][0]
            assert isinstance(last, int | bytes), "a page is ordered by its first column"
            after = last
            left = None if left is None else left - asked

    def _broken_by(self, error: apsw.Error) -> StoreFault:
        """What an error met while reading means: the data cannot be trusted."""
        return StoreFault(told(error))


class SqliteReader(SqliteReads):
    """A read-only handle; writing through it is a bug."""

    def open_term(self, incarnation_if_new: str) -> Term:
        """Not for a reader."""
        self._cannot_write()

    def append(self, term: Term, group: Group) -> None:
        """Not for a reader."""
        self._cannot_write()

    def checkpoint(self) -> None:
        """Not for a reader."""
        self._cannot_write()

    def prune_refusals(self, term: Term, through_number: int) -> int:
        """Not for a reader."""
        self._cannot_write()

    def begin_refusals(self, term: Term, anchor: Head) -> None:
        """Not for a reader."""
        self._cannot_write()

    def save_snapshots(self, term: Term, rows: Sequence[SnapshotRow]) -> None:
        """Not for a reader."""
        self._cannot_write()

    def keep_searched(self, term: Term, state: SearchState, rows: Sequence[SearchRow]) -> None:
        """Not for a reader."""
        self._cannot_write()

    def _cannot_write(self) -> NoReturn:
        raise AssertionError("a reader does not write")
