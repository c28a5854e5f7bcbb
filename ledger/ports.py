"""The store port: what the ledger asks of the place where it is kept.

One contract suite runs against every store. A store keeps rows and knows no rule: the
chain, the receipts' meaning and the refusals' coalescing are made above it. Everything that must stand or
fall together arrives in one `Group` and becomes durable in one transaction before `append` returns.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol


class EventRow(NamedTuple):
    """An event as stored: canonical body, erasable words with their salt, and the chained hash."""

    seq: int
    goal_id: str | None
    kind: str
    body: bytes
    words: bytes | None
    salt: bytes | None
    hash: bytes


class ReceiptRow(NamedTuple):
    """The durable answer to one request key; the reply is derived from the events it names.

    `key` is ordered like the request keys of our own clients (time first), so that new ones land together.
    """

    key: bytes
    params_digest: bytes
    action: str
    first_seq: int
    last_seq: int


class RefusalRow(NamedTuple):
    """One audited attempt that changed nothing, in a chain of its own; `count` coalesces repeats."""

    number: int
    at_ms: int
    body: bytes
    hash: bytes


class JournalRow(NamedTuple):
    """One inbound Lark event, recorded before it is evaluated; `answer` is None until it was."""

    app_id: str
    event_key: str
    received_at_ms: int
    answer: bytes | None


class DeliveryRow(NamedTuple):
    """What one card slot last delivered; losing it costs one repeated card."""

    slot: str
    chat_id: str
    message_id: str
    digest: str
    version: int
    sent_at_ms: int
    state: str


class HookRow(NamedTuple):
    """How far one after-commit hook has come; losing it costs deliveries that are made again."""

    name: str
    seq: int
    """All events up to here were delivered, or are none that the hook asks for."""
    attempts: int
    """How often the next delivery was tried in vain."""
    parked: int
    """1 where it is tried no more until somebody says so."""
    reason: str
    delivered: int
    changed_at_ms: int


class Erasure(NamedTuple):
    """Whose words go, with their salt: of named events, of a goal, or of a member, up to an event."""

    through_seq: int
    seqs: tuple[int, ...] = ()
    goal_id: str | None = None
    member_id: str | None = None
    """Words that the member wrote, and words of events that are about the member."""


class Group(NamedTuple):
    """What one commit makes durable, all of it or none."""

    events: Sequence[EventRow] = ()
    receipts: Sequence[ReceiptRow] = ()
    refusals: Sequence[RefusalRow] = ()
    journal: Sequence[JournalRow] = ()
    deliveries: Sequence[DeliveryRow] = ()
    hooks: Sequence[HookRow] = ()
    erasures: Sequence[Erasure] = ()
    """Done after all else of the group is in. Every snapshot goes with the words, for it may hold them, and so do the
    answers to inbound events: one that is delivered again is evaluated again."""


class SearchRow(NamedTuple):
    """The words of one event as folded text, and what they were said about."""

    seq: int
    folded: str
    kind: str
    subject_id: str
    goal_id: str | None


class SearchState(NamedTuple):
    """How far the texts that can be searched have been made, and by which way of making them."""

    version: int
    through_seq: int


class Head(NamedTuple):
    """Where a chain ends: the last number and its hash."""

    seq: int
    hash: bytes


class Term(NamedTuple):
    """The right to write: a ledger's incarnation and the epoch this writer opened."""

    incarnation: str
    epoch: int


class SnapshotRow(NamedTuple):
    """A folded state at `seq`, usable only with the very reducer that made it."""

    scope: str
    seq: int
    hash: bytes
    reducer_digest: str
    body: bytes


GENESIS = Head(0, bytes(32))
"""Before the first event."""


class StoreFull(Exception):
    """Nothing was written: the disk is full or read-only. Reads go on; a later append may succeed."""


class StoreFault(Exception):
    """The outcome is unknown or the data is damaged: the process must stop; the request key settles it."""


class WriterFenced(Exception):
    """Another writer opened a later epoch: nothing was written and this one must stop."""


class StoreUnusable(Exception):
    """The store cannot be opened: unsafe library, newer schema, held by another, not a ledger."""


class Store(Protocol):
    """Where a ledger is kept. One thread writes; `reader` gives other threads their own view."""

    def open_term(self, incarnation_if_new: str) -> Term:
        """Begin a new epoch of writing and fence every earlier one; a new store takes the incarnation given."""
        ...

    def append(self, term: Term, group: Group) -> None:
        """Make the group durable in one transaction. Raises StoreFull, StoreFault or WriterFenced."""
        ...

    def checkpoint(self) -> None:
        """Fold the write-ahead log back, without waiting for readers; a no-op where there is none."""
        ...

    def head(self) -> Head:
        """The last event, or GENESIS."""
        ...

    def refusals_head(self) -> Head:
        """The last refusal, or GENESIS."""
        ...

    def incarnation(self) -> str | None:
        """Which life of the ledger this is; None before the first term."""
        ...

    def events(self, after_seq: int, *, goal_id: str | None = None, limit: int | None = None) -> Iterator[EventRow]:
        """Events with `seq > after_seq` in order."""
        ...

    def events_before(
        self, before_seq: int, *, goal_id: str | None = None, limit: int | None = None
    ) -> Iterator[EventRow]:
        """Events with `seq < before_seq`, the newest first."""
        ...

    def workspace_events(self, after_seq: int, *, limit: int | None = None) -> Iterator[EventRow]:
        """Events of no goal with `seq > after_seq` in order."""
        ...

    def refusals(self, after_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """Refusals with `number > after_number` in order."""
        ...

    def refusals_before(self, before_number: int, *, limit: int | None = None) -> Iterator[RefusalRow]:
        """Refusals with `number < before_number`, the newest first."""
        ...

    def prune_refusals(self, term: Term, through_number: int) -> int:
        """Drop refusals up to a number, keep that row's hash as the chain's anchor; returns how many went."""
        ...

    def begin_refusals(self, term: Term, anchor: Head) -> None:
        """Have the refusals of a ledger that has none yet start after `anchor`, as in the ledger they come from."""
        ...

    def refusals_anchor(self) -> Head:
        """The number and hash the kept refusals start after; GENESIS if none was pruned."""
        ...

    def receipts(self) -> Iterator[ReceiptRow]:
        """Every receipt, in the order of its key."""
        ...

    def newest_receipt_key(self) -> bytes | None:
        """The last of all receipt keys in their order, or None where there is no receipt."""
        ...

    def receipt(self, key: bytes) -> ReceiptRow | None:
        """The receipt of a request key."""
        ...

    def save_snapshots(self, term: Term, rows: Sequence[SnapshotRow]) -> None:
        """Keep each snapshot for its scope, replacing the older, in one transaction."""
        ...

    def snapshot(self, scope: str) -> SnapshotRow | None:
        """The snapshot of a scope."""
        ...

    def journal_entry(self, app_id: str, event_key: str) -> JournalRow | None:
        """What is known of an inbound event."""
        ...

    def deliveries(self) -> list[DeliveryRow]:
        """All delivery slots."""
        ...

    def hooks(self) -> list[HookRow]:
        """How far each after-commit hook has come, by name."""
        ...

    def search_state(self) -> SearchState:
        """How far the texts that can be searched have come; version 0 where there are none."""
        ...

    def keep_searched(self, term: Term, state: SearchState, rows: Sequence[SearchRow]) -> None:
        """Enter texts that can be searched, and how far they have come; another version begins with none.

        They are derived. Erasing words takes them out in the same transaction.
        """
        ...

    def find_words(self, terms: Sequence[str], after_seq: int, before_seq: int, limit: int) -> list[SearchRow]:
        """Texts with `after_seq < seq < before_seq` that contain every term literally, the newest first."""
        ...

    def reader(self) -> "Store":
        """A second handle for another thread that only reads."""
        ...

    def close(self) -> None:
        """Release the files."""
        ...
