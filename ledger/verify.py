"""Proving a history: every hash is computed again from the bytes that are stored.

What is checked is what a reader relies on: that events are numbered without a gap and chained, that the
columns beside a body (by which rows are found) say what the body says, that words are the ones that were
recorded or were erased together with their salt, that every receipt names events that exist, and that the
refusals' own chain holds from where it was last pruned. Rows are taken one by one; nothing is kept but, where receipts
are held against the events that name them, twelve bytes for each event.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, Protocol

import msgspec

from ledger.chain import link, words_digest
from ledger.codec import CodecError, decode_body
from ledger.events import Body
from ledger.ports import GENESIS, EventRow, Head, ReceiptRow, RefusalRow
from ledger.receipts import receipt_id

_NAME_BYTES = 12
"""What of a receipt's name is hexadecimal."""
REDACTED_SEQS_MAX = 100
"""How many redacted events a report names; it counts them all."""


class _Place(msgspec.Struct, frozen=True):
    """What a refusal's body says about the columns beside it; the rest is not looked at."""

    number: int
    at_ms: int


_place_in = msgspec.json.Decoder(_Place, strict=True).decode


class Defect(StrEnum):
    """What is wrong with a row, in the order it is looked for: the first that applies is the answer."""

    NOT_CONTIGUOUS = "not_contiguous"
    HASH_BROKEN = "hash_broken"
    BODY_UNREADABLE = "body_unreadable"
    COLUMNS_DISAGREE = "columns_disagree"
    WORDS_UNCOVERED = "words_uncovered"
    WORDS_HALF_ERASED = "words_half_erased"
    WORDS_CHANGED = "words_changed"
    EVENTS_MISSING = "events_missing"
    RECEIPT_DISAGREES = "receipt_disagrees"
    RECEIPT_MISSING = "receipt_missing"


@dataclass(frozen=True, kw_only=True)
class Break:
    """The first row that does not hold: an event's seq, a refusal's number, or the first seq of a receipt."""

    part: Literal["event", "receipt", "refusal"]
    number: int
    defect: Defect


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was proved, up to the first break if there is one."""

    head: Head = GENESIS
    refusals_head: Head = GENESIS
    events: int = 0
    receipts: int = 0
    refusals: int = 0
    redacted: int = 0
    redacted_seqs: tuple[int, ...] = ()
    first_break: Break | None = None

    @property
    def holds(self) -> bool:
        """Whether everything that was looked at is as it was recorded."""
        return self.first_break is None


class Named:
    """Which receipt each event names, from the first event on, until that receipt is met.

    The name is in what the chain covers. So a receipt cannot go, come from elsewhere or stand for other events unseen.
    """

    def __init__(self) -> None:
        self._names = bytearray()
        self._met = bytearray()

    def note(self, body: Body) -> bool:
        """The next event; False where what it names can be no receipt."""
        name = b""
        if body.cause is not None:
            try:
                name = bytes.fromhex(body.cause.removeprefix("r_"))
            except ValueError:
                return False
            if len(name) != _NAME_BYTES or body.cause != f"r_{name.hex()}":
                return False
        self._names += name.ljust(_NAME_BYTES, b"\0")
        self._met.append(not name)
        return True

    def take(self, row: ReceiptRow) -> bool:
        """A receipt; whether the events that name it are exactly those that it names, for the first time."""
        name = bytes.fromhex(receipt_id(row.key).removeprefix("r_"))
        first, last = row.first_seq - 1, row.last_seq
        if self._names[first * _NAME_BYTES : last * _NAME_BYTES] != name * (last - first):
            return False
        if any(self._met[first:last]) or self._name(first - 1) == name or self._name(last) == name:
            return False
        self._met[first:last] = b"\1" * (last - first)
        return True

    def end(self, seq: int) -> None:
        """Nothing is asked of events after this one: their receipts were not read."""
        self._met[seq:] = b"\1" * len(self._met[seq:])

    def missing(self) -> int | None:
        """The first event whose receipt was not met."""
        place = self._met.find(0)
        return None if place < 0 else place + 1

    def _name(self, place: int) -> bytes | None:
        return bytes(self._names[place * _NAME_BYTES : (place + 1) * _NAME_BYTES]) if place >= 0 else None


class Kept(Protocol):
    """What of a store is checked."""

    def events(self, after_seq: int, /) -> Iterator[EventRow]:
        """Events with `seq > after_seq` in order."""
        ...

    def receipts(self) -> Iterator[ReceiptRow]:
        """Every receipt, in the order of its key."""
        ...

    def refusals(self, after_number: int, /) -> Iterator[RefusalRow]:
        """Refusals with `number > after_number` in order."""
        ...

    def refusals_anchor(self) -> Head:
        """The number and hash that the kept refusals start after."""
        ...


def verify_store(store: Kept) -> Report:
    """Check everything a store holds, while somebody else may be writing.

    Receipts are read after the events and may name events that were committed in between; those receipts are held
    back until the events past the first reading are checked as well.
    """
    named = Named()
    report = verify_events(store.events(0), named=named)
    if report.holds and not report.events:
        # Whatever makes a ledger gives it its first event in the same step: one without was emptied, or never made.
        return replace(report, first_break=Break(part="event", number=1, defect=Defect.EVENTS_MISSING))
    if not report.holds:
        return report
    later: list[ReceiptRow] = []
    # Receipts are read in the order of their keys: one that comes meanwhile may be passed over.
    asked = report.head.seq
    report = verify_receipts(_up_to(store.receipts(), report.head, later), report, named)
    if later and report.holds:
        tail = verify_events(store.events(report.head.seq), after=report.head, named=named)
        report = replace(
            report,
            head=tail.head,
            events=report.events + tail.events,
            redacted=report.redacted + tail.redacted,
            redacted_seqs=report.redacted_seqs + tail.redacted_seqs,
            first_break=tail.first_break,
        )
        if report.holds:
            known = report.receipts
            report = verify_receipts(later, report, named)
            report = replace(report, receipts=known + report.receipts)
    named.end(asked)
    report = verify_named(named, report)
    if report.holds:
        report = verify_refusals(store.refusals(store.refusals_anchor().seq), report, after=store.refusals_anchor())
    return report


def _up_to(receipts: Iterator[ReceiptRow], head: Head, later: list[ReceiptRow]) -> Iterator[ReceiptRow]:
    for row in receipts:
        if row.last_seq > head.seq:
            later.append(row)
        else:
            yield row


def verify(
    events: Iterable[EventRow],
    *,
    receipts: Iterable[ReceiptRow] = (),
    refusals: Iterable[RefusalRow] = (),
    after: Head = GENESIS,
    refusals_after: Head = GENESIS,
) -> Report:
    """Check events after `after`, then receipts against them, then refusals after `refusals_after`."""
    report = verify_events(events, after=after)
    if report.holds:
        report = verify_receipts(receipts, report)
    if report.holds:
        report = verify_refusals(refusals, report, after=refusals_after)
    return report


def verify_events(events: Iterable[EventRow], *, after: Head = GENESIS, named: Named | None = None) -> Report:
    """Check the chain of events from `after`, which is trusted; `named` learns which receipts they name."""
    seq, last_hash = after
    count = redacted = 0
    redacted_seqs: list[int] = []
    first_break: Break | None = None
    for row in events:
        checked = _event_defect(row, seq + 1, last_hash)
        if named is not None and not isinstance(checked, Defect) and not named.note(checked):
            checked = Defect.BODY_UNREADABLE
        if isinstance(checked, Defect):
            first_break = Break(part="event", number=seq + 1, defect=checked)
            break
        seq, last_hash, count = row.seq, row.hash, count + 1
        if checked.words_digest is not None and row.words is None:
            redacted += 1
            if redacted <= REDACTED_SEQS_MAX:
                redacted_seqs.append(seq)
    return Report(
        head=Head(seq, last_hash),
        events=count,
        redacted=redacted,
        redacted_seqs=tuple(redacted_seqs),
        first_break=first_break,
    )


def verify_receipts(receipts: Iterable[ReceiptRow], report: Report, named: Named | None = None) -> Report:
    """Check that each receipt names events that the chain has, and with `named` that exactly those name it.

    Since the chain has no gap, a range is enough.
    """
    count = 0
    for row in receipts:
        defect = None
        if not 1 <= row.first_seq <= row.last_seq <= report.head.seq:
            defect = Defect.EVENTS_MISSING
        elif named is not None and not named.take(row):
            defect = Defect.RECEIPT_DISAGREES
        if defect is not None:
            broken = Break(part="receipt", number=row.first_seq, defect=defect)
            return replace(report, receipts=count, first_break=broken)
        count += 1
    return replace(report, receipts=count)


def verify_named(named: Named, report: Report) -> Report:
    """Check, when all receipts were met, that none is missing that an event names."""
    missing = named.missing() if report.holds else None
    if missing is None:
        return report
    return replace(report, first_break=Break(part="event", number=missing, defect=Defect.RECEIPT_MISSING))


def verify_refusals(refusals: Iterable[RefusalRow], report: Report, *, after: Head = GENESIS) -> Report:
    """Check the refusals' chain from the anchor that pruning left."""
    number, last_hash = after
    count = 0
    first_break: Break | None = None
    for row in refusals:
        defect = _refusal_defect(row, number + 1, last_hash)
        if defect is not None:
            first_break = Break(part="refusal", number=number + 1, defect=defect)
            break
        number, last_hash, count = row.number, row.hash, count + 1
    return replace(report, refusals=count, refusals_head=Head(number, last_hash), first_break=first_break)


def _link_defect(number: int, expected: int, row_hash: bytes, last_hash: bytes, body: bytes) -> Defect | None:
    if number != expected:
        return Defect.NOT_CONTIGUOUS
    return None if link(last_hash, body) == row_hash else Defect.HASH_BROKEN


def _refusal_defect(row: RefusalRow, expected_number: int, last_hash: bytes) -> Defect | None:
    defect = _link_defect(row.number, expected_number, row.hash, last_hash, row.body)
    if defect is not None:
        return defect
    try:
        place = _place_in(row.body)
    except msgspec.MsgspecError:
        return Defect.BODY_UNREADABLE
    return None if (place.number, place.at_ms) == (row.number, row.at_ms) else Defect.COLUMNS_DISAGREE


def _event_defect(row: EventRow, expected_seq: int, last_hash: bytes) -> Body | Defect:
    """What is wrong with an event, or its body."""
    defect = _link_defect(row.seq, expected_seq, row.hash, last_hash, row.body)
    if defect is not None:
        return defect
    try:
        body = decode_body(row.body)
    except CodecError:
        return Defect.BODY_UNREADABLE
    if (body.seq, body.kind, body.goal_id) != (row.seq, row.kind, row.goal_id):
        return Defect.COLUMNS_DISAGREE
    return _words_defect(row, body) or body


def _words_defect(row: EventRow, body: Body) -> Defect | None:
    if row.words is None and row.salt is None:
        return None  # There were none, or they were erased.
    if body.words_digest is None:
        return Defect.WORDS_UNCOVERED
    if row.words is None or row.salt is None:
        return Defect.WORDS_HALF_ERASED
    return None if words_digest(row.words, row.salt) == body.words_digest else Defect.WORDS_CHANGED
