"""A ledger from JSON lines: what `export` wrote becomes the same ledger again, to an equal head, or nothing does.

The lines are read once, in the only order an export has: `ledger`, events, receipts, refusals, `end`. Every hash is
computed again on the way, every event is folded as a start would fold it, and the end line must say what was read, with
a digest of all lines before it (an export of the first form has none, and is told to be less proved). All of it goes
into a file beside the ledger's place and takes that place in one step, so that a file that is damaged, cut short or of
another program leaves no trace.
"""

import base64
import binascii
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec

from daemon.local.export import FORMAT, Copied, Counts
from ledger.catalogue import ACTIONS
from ledger.codec import CodecError, decode_event
from ledger.ports import EventRow, Group, Head, ReceiptRow, RefusalRow, Store, Term
from ledger.receipts import DIGEST_BYTES
from ledger.reduce import fold
from ledger.rules.member_events import WorkspaceCreated
from ledger.state import Workspace
from ledger.store.sqlite import SqliteStore
from ledger.verify import Named, Report, verify_events, verify_refusals

FORMAT_WITHOUT_DIGEST = "frontstage_ledger_export_v1"
"""Earlier exports: what the chain of events does not prove of them nobody can."""
LINE_BYTES_MAX = 4 * 1024 * 1024
PAGE_ROWS = 1_000
"""Rows made durable together."""


class ImportRefused(Exception):
    """The file is no whole export; nothing was kept. `line` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        self.line = line
        super().__init__(f"line {line}: {problem}")


class _Ledger(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="record", tag="ledger"):
    """A line of an export."""

    format: str
    incarnation: str
    refusals_after: str


class _Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="record", tag="event"):
    """A line of an export."""

    seq: int
    goal_id: str | None
    kind: str
    body: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    body_base64: str | msgspec.UnsetType = msgspec.UNSET
    words: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    words_base64: str | msgspec.UnsetType = msgspec.UNSET
    salt: str | None
    hash: str


class _Receipt(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="record", tag="receipt"
):
    """A line of an export."""

    key: str
    params_digest: str
    action: str
    first_seq: int
    last_seq: int


class _Refusal(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="record", tag="refusal"
):
    """A line of an export."""

    number: int
    at_ms: int
    body: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    body_base64: str | msgspec.UnsetType = msgspec.UNSET
    hash: str


class _End(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="record", tag="end"):
    """A line of an export."""

    events: int
    receipts: int
    refusals: int
    head: str
    refusals_head: str
    lines_digest: str | msgspec.UnsetType = msgspec.UNSET


_Record = _Ledger | _Event | _Receipt | _Refusal | _End
_decode: Callable[[bytes], _Record] = msgspec.json.Decoder(_Record, strict=True).decode
_ORDER: tuple[type[_Record], ...] = (_Ledger, _Event, _Receipt, _Refusal, _End)


@dataclass
class _Page:
    events: list[EventRow] = field(default_factory=list)
    receipts: list[ReceiptRow] = field(default_factory=list)
    refusals: list[RefusalRow] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.events) + len(self.receipts) + len(self.refusals)


class _Reading:
    """How far the file has been read, and proved."""

    def __init__(self, store: Store, term: Term, refusals_after: Head, lines: "_Lines") -> None:
        self._store = store
        self._lines = lines
        self._term = term
        self._page = _Page()
        self._state = Workspace()
        self._named = Named()
        self._last_key = b""
        self._place = 0
        self._proved = 0
        self._refusals_head = refusals_after
        self.counts = Counts()

    def take(self, record: _Record) -> None:
        """One more line. Raises ImportRefused."""
        place = _ORDER.index(type(record))
        if place < self._place or place == 0 or self._ended():
            raise ValueError("this line is out of order")
        page, self._place = self._page, place
        match record:
            case _Event():
                page.events.append(_event_row(record))
            case _Receipt():
                page.receipts.append(self._receipt(record))
            case _Refusal():
                body = _stored(record.body, record.body_base64)
                if body is None:
                    raise ValueError("a refusal without a body")
                page.refusals.append(RefusalRow(record.number, record.at_ms, body, _hash(record.hash)))
            case _End():
                self._end(record)
        if len(page) >= PAGE_ROWS:
            self.flush()

    def _receipt(self, record: _Receipt) -> ReceiptRow:
        self._prove_events()
        key = bytes.fromhex(record.key)
        if key <= self._last_key:
            raise ValueError("receipts are out of order, or one is there twice")
        if not 1 <= record.first_seq <= record.last_seq <= self._state.seq:
            raise ValueError("this receipt names events that are not there")
        self._last_key = key
        digest = bytes.fromhex(record.params_digest)
        row = ReceiptRow(key, digest, record.action, record.first_seq, record.last_seq)
        action = ACTIONS.get(record.action)
        if len(digest) != DIGEST_BYTES or action is None or not action.writes:
            raise ValueError("this receipt is of nothing that can be asked")
        if not self._named.take(row):
            raise ValueError("this receipt is not the one that its events name")
        return row

    def flush(self) -> None:
        """Prove what was read since, and keep it."""
        self._prove_events()
        page, self._page, self._proved = self._page, _Page(), 0
        if page.refusals:
            report = verify_refusals(page.refusals, Report(), after=self._refusals_head)
            _require(report)
            self._refusals_head = report.refusals_head
        if len(page):
            self._store.append(self._term, Group(events=page.events, receipts=page.receipts, refusals=page.refusals))
        self.counts.events += len(page.events)
        self.counts.receipts += len(page.receipts)
        self.counts.refusals += len(page.refusals)

    def _prove_events(self) -> None:
        unproved = self._page.events[self._proved :]
        _require(verify_events(unproved, after=Head(self._state.seq, self._state.hash), named=self._named))
        self._proved = len(self._page.events)
        for row in unproved:
            try:
                event = decode_event(row.body, row.words, row.hash)
                fold(self._state, event)
                if isinstance(event.facts, WorkspaceCreated) and event.facts.incarnation != self._term.incarnation:
                    raise ValueError("the first line names another ledger than the first event")
            except (CodecError, LookupError, TypeError, AttributeError) as error:
                raise ValueError(f"event {row.seq} makes no sense to this program: {error}") from error

    def _end(self, record: _End) -> None:
        """The last line must say what was read. Raises ValueError."""
        self.flush()
        if (missing := self._named.missing()) is not None:
            raise ValueError(f"the receipt that event {missing} names is not there")
        said = (record.events, record.receipts, record.refusals)
        if said != (self.counts.events, self.counts.receipts, self.counts.refusals):
            raise ValueError("the end line counts other rows than there are: some are missing")
        if record.head != _shown(Head(self._state.seq, self._state.hash)):
            raise ValueError("the end line names another head")
        if record.refusals_head != _shown(self._refusals_head):
            raise ValueError("the end line names another head of the refusals")
        if not self._state.created:
            raise ValueError("there is no event in it")
        if record.lines_digest != (self._lines.digest_before if self._lines.is_proved else msgspec.UNSET):
            raise ValueError(
                "the end line has another digest of the lines before it: one of them was changed or left out"
            )

    def _ended(self) -> bool:
        return self._place == _ORDER.index(_End)

    def require_end(self) -> None:
        """There must have been an end line. Raises ValueError."""
        if not self._ended():
            raise ValueError("the file ends before its end line: it is not whole")


def copy_in(
    source: BinaryIO, target: Path, open_store: Callable[[Path], SqliteStore], digest: str | None = None
) -> Copied:
    """Read a whole export into a new ledger at `target`, with `digest` only if the file has that one.

    Raises ImportRefused, FileExistsError and OSError.
    """
    beside = target.with_name(target.name + ".importing")
    _remove(beside)
    try:
        store = open_store(beside)
        try:
            copied = _read(source, store)
        finally:
            store.close()
        if digest is not None and digest != copied.digest:
            raise ImportRefused(
                f"its sha256 is {copied.digest}, which is not the one it was held against", _rows_of(copied)
            )
        log = beside.with_name(beside.name + "-wal")
        assert not log.exists() or not log.stat().st_size, "the last handle folds the log back"
        # A link, not a rename: it replaces nothing.
        os.link(beside, target)
        _sync(target.parent)
    finally:
        _remove(beside)
    return copied


def _rows_of(copied: Counts) -> int:
    """How many lines a file has that holds these rows."""
    return copied.events + copied.receipts + copied.refusals + 2


def _read(source: BinaryIO, store: SqliteStore) -> Copied:
    lines = _Lines(source)
    number, first = next(lines, (1, None))
    if not isinstance(first, _Ledger) or first.format not in {FORMAT, FORMAT_WITHOUT_DIGEST}:
        raise ImportRefused(f"this is no {FORMAT}", number)
    lines.is_proved = first.format == FORMAT
    try:
        after = _head_of(first.refusals_after)
        term = store.open_term(first.incarnation)
        store.begin_refusals(term, after)
        reading = _Reading(store, term, after, lines)
        for number, record in lines:  # noqa: B007  (it is told below)
            reading.take(record)
        reading.require_end()
    except (ValueError, binascii.Error) as error:
        raise ImportRefused(str(error), number) from error
    return Copied(**vars(reading.counts), digest=lines.digest, is_proved=lines.is_proved)


class _Lines:
    """The lines of a file with their numbers, and the digest of what was read of it."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._number = 0
        self._read = hashlib.sha256()
        self.digest_before = ""
        """Of all lines before the last one read that may be the end."""
        self.is_proved = True
        """Whether the end line must have this digest."""

    @property
    def digest(self) -> str:
        """Of all that was read."""
        return self._read.hexdigest()

    def __iter__(self) -> Iterator[tuple[int, _Record]]:
        """Itself."""
        return self

    def __next__(self) -> tuple[int, _Record]:
        """One more line. Raises ImportRefused."""
        data = self._source.readline(LINE_BYTES_MAX + 1)
        if not data:
            raise StopIteration
        self._number += 1
        if not data.endswith(b"\n"):
            raise ImportRefused("cut short, or longer than a line may be", self._number)
        try:
            record = _decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ImportRefused("this is no line of an export", self._number) from error
        if isinstance(record, _End):
            self.digest_before = self.digest
        self._read.update(data)
        return self._number, record


def _event_row(record: _Event) -> EventRow:
    body = _stored(record.body, record.body_base64)
    if body is None:
        raise ValueError("an event without a body")
    words = _stored(record.words, record.words_base64)
    salt = None if record.salt is None else bytes.fromhex(record.salt)
    if (words is None) != (salt is None):
        raise ValueError("words and their salt come together")
    return EventRow(record.seq, record.goal_id, record.kind, body, words, salt, _hash(record.hash))


def _stored(raw: msgspec.Raw | msgspec.UnsetType, packed: str | msgspec.UnsetType) -> bytes | None:
    """The bytes that were stored, from either way of writing them."""
    if isinstance(packed, str):
        return base64.b64decode(packed, validate=True)
    if isinstance(raw, msgspec.UnsetType) or bytes(raw) == b"null":
        return None
    return bytes(raw)


def _hash(text: str) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != len(Head(0, bytes(32)).hash):
        raise ValueError("a hash has 32 bytes")
    return data


def _head_of(text: str) -> Head:
    seq, _, digest = text.partition(":")
    return Head(int(seq), _hash(digest))


def _shown(head: Head) -> str:
    return f"{head.seq}:{head.hash.hex()}"


def _require(report: Report) -> None:
    if report.first_break is not None:
        broken = report.first_break
        raise ValueError(f"{broken.part} {broken.number}: {broken.defect.value.replace('_', ' ')}")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
