"""What tests of this ledger share: honest rows, and a store that fails on command.

Rows made here are chained and coded as the program does it, so that a store, a reducer or `verify` cannot tell
them from real ones.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ledger.canonical import canonical
from ledger.chain import link, words_digest
from ledger.events import Body, Proof
from ledger.ids import GoalId, MemberId
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
    Store,
    StoreFault,
    StoreFull,
    Term,
)

KIND = "test.noted"
"""The kind of the events made here; no table of wire names has it, and no store or chain minds."""

_ACTOR = MemberId("ann")
_PROOF = Proof(kind="peer", reference="uid-501")


def event_row(after: Head, *, goal_id: str | None = None, text: str | None = None) -> EventRow:
    """The event that follows `after`; with `text` it has words, under a salt that depends on its seq alone."""
    seq = after.seq + 1
    words = None if text is None else canonical({"text": text})
    salt = None if text is None else seq.to_bytes(16, "big")
    body = canonical(
        Body(
            seq=seq,
            at_ms=1_000 * seq,
            kind=KIND,
            version=1,
            goal_id=None if goal_id is None else GoalId(goal_id),
            actor=_ACTOR,
            proof=_PROOF,
            surface="cli",
            on_behalf_of=None,
            cause=None,
            facts={},
            words_digest=None if words is None or salt is None else words_digest(words, salt),
        ),
    )
    return EventRow(seq, goal_id, KIND, body, words, salt, link(after.hash, body))


def event_rows(
    count: int, *, after: Head = GENESIS, goal_id: str | None = None, text: str | None = None
) -> list[EventRow]:
    """A chain of `count` events."""
    rows: list[EventRow] = []
    for _ in range(count):
        rows.append(event_row(after, goal_id=goal_id, text=text))
        after = Head(rows[-1].seq, rows[-1].hash)
    return rows


def refusal_rows(count: int, *, after: Head = GENESIS) -> list[RefusalRow]:
    """A chain of `count` refusals."""
    rows: list[RefusalRow] = []
    for number in range(after.seq + 1, after.seq + 1 + count):
        body = canonical({"number": number, "at_ms": 1_000 * number, "code": "test_refused"})
        last_hash = rows[-1].hash if rows else after.hash
        rows.append(RefusalRow(number, 1_000 * number, body, link(last_hash, body)))
    return rows


def receipt_row(first_seq: int, last_seq: int | None = None, *, key: bytes | None = None) -> ReceiptRow:
    """A receipt for events that exist, under a key that is ordered like its events."""
    named = first_seq.to_bytes(16, "big") if key is None else key
    return ReceiptRow(named, bytes(32), "test.note", first_seq, first_seq if last_seq is None else last_seq)


@dataclass(frozen=True)
class Failure:
    """One append that fails; with `stored` the group was kept and only the answer is lost."""

    error: StoreFull | StoreFault
    stored: bool = False


class FailingStore:
    """Any store, with failures queued for its next appends.

    After a `StoreFault` it refuses to write, as a real store does.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._failures: deque[Failure | None] = deque()
        self._stopped = False

    def fail(self, *failures: Failure | None) -> None:
        """Queue what becomes of the next appends; None lets one pass."""
        self._failures.extend(failures)

    def append(self, term: Term, group: Group) -> None:
        """Fail as queued, or append."""
        if self._stopped:
            raise StoreFault("the store stopped after a fault")
        failure = self._failures.popleft() if self._failures else None
        if failure is None or failure.stored:
            self._store.append(term, group)
        if failure is not None:
            self._stopped = isinstance(failure.error, StoreFault)
            raise failure.error

    def open_term(self, incarnation_if_new: str) -> Term:
        """As the store does."""
        return self._store.open_term(incarnation_if_new)

    def checkpoint(self) -> None:
        """As the store does."""
        self._store.checkpoint()

    def head(self) -> Head:
        """As the store does."""
        return self._store.head()

    def refusals_head(self) -> Head:
        """As the store does."""
        return self._store.refusals_head()

    def incarnation(self) -> str | None:
        """As the store does."""
        return self._store.incarnation()

    def events(self, after_seq: int, *, goal_id: str | None = None, limit: int | None = None) -> Iterator[EventRow]:
        """As the store does."""
        return self._store.events(after_seq, goal_id=goal_id, limit=limit)

    def events_before(
        self, before_seq: int, *, goal_id: str | None = None, limit: int | None = None
    ) -> Iterator[EventRow]:
        """As the store does."""
        return self._store.events_before(before_seq, goal_id=goal_id, limit=limit)

    def workspace_events(self, after_seq: int, *, limit: int | None = None) -> Iterator[EventRow]:
        """As the store does."""
        return self._store.workspace_events(after_seq, limit=limit)

    def refusals(self, after_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """As the store does."""
        return self._store.refusals(after_number, limit=limit)

    def refusals_before(self, before_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """As the store does."""
        return self._store.refusals_before(before_number, limit=limit)

    def prune_refusals(self, term: Term, through_number: int) -> int:
        """As the store does."""
        return self._store.prune_refusals(term, through_number)

    def refusals_anchor(self) -> Head:
        """As the store does."""
        return self._store.refusals_anchor()

    def newest_receipt_key(self) -> bytes | None:
        """As the store answers."""
        return self._store.newest_receipt_key()

    def receipt(self, key: bytes) -> ReceiptRow | None:
        """As the store does."""
        return self._store.receipt(key)

    def begin_refusals(self, term: Term, anchor: Head) -> None:
        """Let through."""
        self._store.begin_refusals(term, anchor)

    def save_snapshots(self, term: Term, rows: Sequence[SnapshotRow]) -> None:
        """As the store does."""
        self._store.save_snapshots(term, rows)

    def snapshot(self, scope: str) -> SnapshotRow | None:
        """As the store does."""
        return self._store.snapshot(scope)

    def journal_entry(self, app_id: str, event_key: str) -> JournalRow | None:
        """As the store does."""
        return self._store.journal_entry(app_id, event_key)

    def deliveries(self) -> list[DeliveryRow]:
        """As the store does."""
        return self._store.deliveries()

    def hooks(self) -> list[HookRow]:
        """As the store does."""
        return self._store.hooks()

    def search_state(self) -> SearchState:
        """As the store does."""
        return self._store.search_state()

    def keep_searched(self, term: Term, state: SearchState, rows: Sequence[SearchRow]) -> None:
        """As the store does."""
        self._store.keep_searched(term, state, rows)

    def find_words(self, terms: Sequence[str], after_seq: int, before_seq: int, limit: int) -> list[SearchRow]:
        """As the store does."""
        return self._store.find_words(terms, after_seq, before_seq, limit)

    def reader(self) -> Store:
        """A reader of the store itself, which does not fail."""
        return self._store.reader()

    def close(self) -> None:
        """As the store does."""
        self._store.close()
