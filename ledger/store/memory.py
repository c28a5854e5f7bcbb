"""A ledger in memory: for tests, and for a daemon whose ledger need not outlive it.

`Records` stand for the disk: they outlive the store, so that reopening, a second writer and a reader of another
thread mean here what they mean on disk. One lock makes a group appear whole or not at all.
"""

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import NoReturn

import msgspec

from ledger.ports import (
    GENESIS,
    DeliveryRow,
    Erasure,
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
    WriterFenced,
)


class _SaidOfWhom(msgspec.Struct):
    member_id: object = None


class _Said(msgspec.Struct):
    actor: str
    facts: _SaidOfWhom


_said = msgspec.json.Decoder(_Said).decode


_NOTHING_SEARCHED = SearchState(0, 0)


@dataclass(kw_only=True)
class Records:
    """What a ledger keeps, in place of a file."""

    term: Term | None = None
    events: list[EventRow] = field(default_factory=list)
    receipts: dict[bytes, ReceiptRow] = field(default_factory=dict)
    receipt_keys: list[bytes] = field(default_factory=list)
    refusals: list[RefusalRow] = field(default_factory=list)
    refusals_anchor: Head = GENESIS
    snapshots: dict[str, SnapshotRow] = field(default_factory=dict)
    journal: dict[tuple[str, str], JournalRow] = field(default_factory=dict)
    deliveries: dict[str, DeliveryRow] = field(default_factory=dict)
    hooks: dict[str, HookRow] = field(default_factory=dict)
    searched: dict[int, SearchRow] = field(default_factory=dict)
    search_state: SearchState = _NOTHING_SEARCHED
    lock: Lock = field(default_factory=Lock)


class MemoryReader:
    """The reading half of the port."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def head(self) -> Head:
        """The last event, or GENESIS."""
        with self._records.lock:
            return _events_head(self._records)

    def refusals_head(self) -> Head:
        """The last refusal; if all were pruned, the anchor."""
        with self._records.lock:
            return _refusals_head(self._records)

    def refusals_anchor(self) -> Head:
        """What the kept refusals start after."""
        return self._records.refusals_anchor

    def incarnation(self) -> str | None:
        """Which life of the ledger this is; None before the first term."""
        term = self._records.term
        return None if term is None else term.incarnation

    def events(self, after_seq: int, *, goal_id: str | None = None, limit: int | None = None) -> Iterator[EventRow]:
        """Events with `seq > after_seq` in order."""
        with self._records.lock:
            # An event's place in the list is its seq less one.
            rows = self._records.events[max(after_seq, 0) :]
        return islice((row for row in rows if goal_id is None or row.goal_id == goal_id), limit)

    def events_before(
        self, before_seq: int, *, goal_id: str | None = None, limit: int | None = None
    ) -> Iterator[EventRow]:
        """Events with `seq < before_seq`, the newest first."""
        with self._records.lock:
            rows = self._records.events[: max(before_seq - 1, 0)]
        return islice((row for row in reversed(rows) if goal_id is None or row.goal_id == goal_id), limit)

    def workspace_events(self, after_seq: int, *, limit: int | None = None) -> Iterator[EventRow]:
        """Events of no goal with `seq > after_seq` in order."""
        return islice((row for row in self.events(after_seq) if row.goal_id is None), limit)

    def refusals(self, after_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """Refusals with `number > after_number` in order."""
        with self._records.lock:
            rows = [row for row in self._records.refusals if row.number > after_number]
        return islice(iter(rows), limit)

    def refusals_before(self, before_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """Refusals with `number < before_number`, the newest first."""
        with self._records.lock:
            rows = [row for row in reversed(self._records.refusals) if row.number < before_number]
        return islice(iter(rows), limit)

    def receipts(self) -> Iterator[ReceiptRow]:
        """All receipts in the order of their keys."""
        with self._records.lock:
            return iter([self._records.receipts[key] for key in self._records.receipt_keys])

    def newest_receipt_key(self) -> bytes | None:
        """The last of all receipt keys, or None."""
        with self._records.lock:
            return self._records.receipt_keys[-1] if self._records.receipt_keys else None

    def receipt(self, key: bytes) -> ReceiptRow | None:
        """The receipt of a request key."""
        return self._records.receipts.get(key)

    def snapshot(self, scope: str) -> SnapshotRow | None:
        """The snapshot of a scope."""
        return self._records.snapshots.get(scope)

    def journal_entry(self, app_id: str, event_key: str) -> JournalRow | None:
        """What is known of an inbound event."""
        return self._records.journal.get((app_id, event_key))

    def deliveries(self) -> list[DeliveryRow]:
        """All delivery slots."""
        with self._records.lock:
            return [self._records.deliveries[slot] for slot in sorted(self._records.deliveries)]

    def hooks(self) -> list[HookRow]:
        """How far each after-commit hook has come, by name."""
        with self._records.lock:
            return [self._records.hooks[name] for name in sorted(self._records.hooks)]

    def search_state(self) -> SearchState:
        """How far the texts that can be searched have come."""
        return self._records.search_state

    def find_words(self, terms: Sequence[str], after_seq: int, before_seq: int, limit: int) -> list[SearchRow]:
        """Texts of these events that contain every term, the newest first."""
        with self._records.lock:
            rows = [self._records.searched[seq] for seq in sorted(self._records.searched, reverse=True)]
        within = (row for row in rows if after_seq < row.seq < before_seq)
        return list(islice((row for row in within if all(term in row.folded for term in terms)), limit))

    def reader(self) -> "MemoryReader":
        """A handle that only reads."""
        return MemoryReader(self._records)

    def close(self) -> None:
        """Nothing to release."""

    def open_term(self, incarnation_if_new: str) -> Term:
        """Not for a reader."""
        self._cannot_write(incarnation_if_new)

    def append(self, term: Term, group: Group) -> None:
        """Not for a reader."""
        self._cannot_write(term, group)

    def checkpoint(self) -> None:
        """Not for a reader."""
        self._cannot_write()

    def prune_refusals(self, term: Term, through_number: int) -> int:
        """Not for a reader."""
        self._cannot_write(term, through_number)

    def begin_refusals(self, term: Term, anchor: Head) -> None:
        """Not for a reader."""
        self._cannot_write(term, anchor)

    def save_snapshots(self, term: Term, rows: Sequence[SnapshotRow]) -> None:
        """Not for a reader."""
        self._cannot_write(term, rows)

    def keep_searched(self, term: Term, state: SearchState, rows: Sequence[SearchRow]) -> None:
        """Not for a reader."""
        self._cannot_write(term, state, rows)

    def _cannot_write(self, *_arguments: object) -> NoReturn:
        raise AssertionError("a reader does not write")


class MemoryStore(MemoryReader):
    """The writing handle; give it the same records again to reopen a ledger."""

    def __init__(self, records: Records | None = None) -> None:
        super().__init__(records or Records())
        self._stopped: str | None = None

    def open_term(self, incarnation_if_new: str) -> Term:
        """Begin a new epoch and fence every earlier writer."""
        self._refuse_if_stopped()
        with self._records.lock:
            last = self._records.term
            opened = Term(incarnation_if_new, 1) if last is None else last._replace(epoch=last.epoch + 1)
            self._records.term = opened
            return opened

    def append(self, term: Term, group: Group) -> None:
        """Keep the group, all of it or none."""
        self._refuse_if_stopped()
        with self._records.lock:
            self._check_term(term)
            defect = _defect(self._records, group)
            if defect is not None:
                self._stopped = defect
                raise StoreFault(defect)
            _keep(self._records, group)

    def checkpoint(self) -> None:
        """Nothing to fold."""
        self._refuse_if_stopped()

    def prune_refusals(self, term: Term, through_number: int) -> int:
        """Drop refusals up to a number and keep the last one's hash as the anchor."""
        self._refuse_if_stopped()
        with self._records.lock:
            self._check_term(term)
            gone = bisect_right(self._records.refusals, through_number, key=lambda row: row.number)
            if gone:
                last = self._records.refusals[gone - 1]
                self._records.refusals_anchor = Head(last.number, last.hash)
                del self._records.refusals[:gone]
            return gone

    def begin_refusals(self, term: Term, anchor: Head) -> None:
        """Have the refusals of a ledger that has none yet start after `anchor`."""
        self._refuse_if_stopped()
        with self._records.lock:
            self._check_term(term)
            if not self._records.refusals:
                self._records.refusals_anchor = anchor

    def save_snapshots(self, term: Term, rows: Sequence[SnapshotRow]) -> None:
        """Keep each snapshot for its scope."""
        self._refuse_if_stopped()
        with self._records.lock:
            self._check_term(term)
            self._records.snapshots.update((row.scope, row) for row in rows)

    def keep_searched(self, term: Term, state: SearchState, rows: Sequence[SearchRow]) -> None:
        """Enter texts that can be searched, and how far they have come."""
        self._refuse_if_stopped()
        with self._records.lock:
            self._check_term(term)
            if self._records.search_state.version != state.version:
                self._records.searched.clear()
            self._records.searched.update((row.seq, row) for row in rows)
            self._records.search_state = state

    def close(self) -> None:
        """Refuse writing from now on."""
        self._stopped = self._stopped or "it was closed"

    def _check_term(self, term: Term) -> None:
        current = self._records.term
        if current != term:
            epoch = "none" if current is None else current.epoch
            raise WriterFenced(f"epoch {term.epoch} has ended; epoch {epoch} writes now")

    def _refuse_if_stopped(self) -> None:
        if self._stopped is not None:
            raise StoreFault(f"the store stopped after: {self._stopped}")


def _events_head(records: Records) -> Head:
    return Head(records.events[-1].seq, records.events[-1].hash) if records.events else GENESIS


def _refusals_head(records: Records) -> Head:
    last = records.refusals[-1] if records.refusals else None
    return records.refusals_anchor if last is None else Head(last.number, last.hash)


def _defect(records: Records, group: Group) -> str | None:
    """Why this group cannot be kept: what the constraints of a database would say."""
    seq = _events_head(records).seq
    if not _goes_on(seq, [row.seq for row in group.events]):
        return f"event {group.events[0].seq} does not go on from {seq} one by one"
    number = _refusals_head(records).seq
    if not _goes_on(number, [row.number for row in group.refusals]):
        return f"refusal {group.refusals[0].number} does not go on from {number} one by one"
    hashes = [row.hash for row in group.events] + [row.hash for row in group.refusals]
    if any(len(event_hash) != len(GENESIS.hash) for event_hash in hashes):
        return "a hash has not 32 bytes"
    if any((row.words is None) != (row.salt is None) for row in group.events):
        return "words and their salt come together"
    return _receipts_defect(records, group, seq + len(group.events))


def _receipts_defect(records: Records, group: Group, last_seq: int) -> str | None:
    keys = [row.key for row in group.receipts]
    if len(set(keys)) < len(keys) or any(key in records.receipts for key in keys):
        return "a request key has a receipt already"
    if any(not 1 <= row.first_seq <= row.last_seq <= last_seq for row in group.receipts):
        return f"a receipt names other events than 1 to {last_seq}"
    return None


def _goes_on(last: int, numbers: list[int]) -> bool:
    return numbers == list(range(last + 1, last + 1 + len(numbers)))


def _keep(records: Records, group: Group) -> None:
    records.events.extend(group.events)
    records.refusals.extend(group.refusals)
    for receipt in group.receipts:
        records.receipts[receipt.key] = receipt
        insort(records.receipt_keys, receipt.key)
    for entry in group.journal:
        key = (entry.app_id, entry.event_key)
        known = records.journal.get(key)
        # The first arrival stays, and so does an answer once given, unless a later one replaces it.
        if known is None or entry.answer is not None:
            records.journal[key] = entry if known is None else known._replace(answer=entry.answer)
    for delivery in group.deliveries:
        older = records.deliveries.get(delivery.slot)
        if older is None or delivery.version >= older.version:
            records.deliveries[delivery.slot] = delivery
    records.hooks.update((hook.name, hook) for hook in group.hooks)
    for erasure in group.erasures:
        records.events[:] = [
            row._replace(words=None, salt=None) if _is_meant(row, erasure) else row for row in records.events
        ]
        records.snapshots.clear()
    if group.erasures:
        for key, entry in records.journal.items():
            records.journal[key] = entry._replace(answer=None)
        for row in records.events:
            if row.words is None:
                records.searched.pop(row.seq, None)


def _is_meant(row: EventRow, erasure: Erasure) -> bool:
    if row.words is None or row.seq > erasure.through_seq:
        return False
    if row.seq in erasure.seqs or (row.goal_id is not None and row.goal_id == erasure.goal_id):
        return True
    if erasure.member_id is None:
        return False
    said = _said(row.body)
    return erasure.member_id in (said.actor, said.facts.member_id)
