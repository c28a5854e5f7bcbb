"""The writer: one command, one transaction, many transactions to a commit.

`drain` takes what is waiting, decides each command against the state as it will be (`ahead`), and makes all of it
durable with one append before anybody is told. It is synchronous and knows no thread. The daemon calls its three parts
itself: it prepares on the event loop, appends on a thread of its own and settles on the loop again; a simulation calls
`drain`. Readers never see `ahead`; they fold the recorded events after the commit, so what may
still fail is never shown. After a failed commit `ahead` is made anew from what is committed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import msgspec

from ledger.audit import Attempt, Audit
from ledger.canonical import canonical
from ledger.catalogue import Action
from ledger.chain import link, words_digest
from ledger.codec import decode_event
from ledger.decide import decide
from ledger.events import Body, Draft, Proof, Recorded, Stamp, code_step_of
from ledger.ids import MemberId, ReceiptId
from ledger.outlines import put_away
from ledger.params import Params
from ledger.past import Refolded, named_events, refolded
from ledger.ports import (
    DeliveryRow,
    Erasure,
    EventRow,
    Group,
    HookRow,
    JournalRow,
    ReceiptRow,
    RefusalRow,
    SnapshotRow,
    Store,
    StoreFull,
    Term,
)
from ledger.receipts import RecentKeys, params_digest, receipt_id, receipt_key
from ledger.reduce import fold
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller, Held, refuse
from ledger.rules.erasures import WordsErased
from ledger.searching import index_words
from ledger.snapshot import rows as snapshot_rows
from ledger.state import Goal, Workspace
from ledger.wire import KIND_OF

SALT_BYTES = 16
SNAPSHOTS_AT_ONCE_MAX = 64
"""Snapshot rows in one transaction; commits wait for one at most."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One command by a proved caller. Without a request key it is the daemon's own and is never replayed."""

    action: Action
    params: Params
    caller: Caller
    proof: Proof
    request_key: str | None
    on_behalf_of: MemberId | None = None
    refused: Refusal | None = None
    """A refusal already reached at the edge, to be audited and nothing else."""


class Keep(msgspec.Struct, frozen=True, kw_only=True):
    """Operational rows that are not truth: inbound events, delivered cards, and how far hooks have come."""

    journal: tuple[JournalRow, ...] = ()
    deliveries: tuple[DeliveryRow, ...] = ()
    hooks: tuple[HookRow, ...] = ()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one request; durable by the time anybody holds it."""

    events: tuple[Recorded, ...] = ()
    receipt_id: ReceiptId | None = None
    replayed: bool = False
    held: Held | None = None
    refusal: Refusal | None = None
    seq: int = 0


class Entropy(Protocol):
    """Where salts come from."""

    def __call__(self, size: int, /) -> bytes:
        """Random bytes."""
        ...


@dataclass
class _Pending:
    events: list[EventRow] = field(default_factory=list)
    receipts: list[ReceiptRow] = field(default_factory=list)
    refusals: list[RefusalRow] = field(default_factory=list)
    journal: list[JournalRow] = field(default_factory=list)
    deliveries: list[DeliveryRow] = field(default_factory=list)
    hooks: list[HookRow] = field(default_factory=list)
    erasures: list[Erasure] = field(default_factory=list)
    by_key: dict[bytes, tuple[bytes, Answer]] = field(default_factory=dict)

    def group(self) -> Group:
        kept = (self.journal, self.deliveries, self.hooks)
        return Group(self.events, self.receipts, self.refusals, *kept, self.erasures)


class Prepared(NamedTuple):
    """A decided batch and the rows that will make it true."""

    batch: Sequence[Request | Keep]
    answers: list[Answer]
    group: Group

    @property
    def writes(self) -> bool:
        """Whether there is anything to make durable."""
        return any(self.group)


class Writer:
    """The one writer of a ledger, for one term."""

    def __init__(
        self,
        store: Store,
        term: Term,
        ahead: Workspace,
        entropy: Entropy,
        rebuild: Callable[[], Workspace],
        reader: Store | None = None,
        snapshot_seq: int = 0,
    ) -> None:
        self._store = store
        self._reads = reader or store
        self._term = term
        self._ahead = ahead
        self._entropy = entropy
        self._rebuild = rebuild
        self._audit = Audit(store.refusals_head())
        self._keys = RecentKeys(store.newest_receipt_key())
        self._snapshot_seq = snapshot_seq
        self.full = False
        self.refolded: Refolded | None = None
        """What lost words in the group that was appended last, folded anew; None where nothing did."""
        self._check_head()

    def drain(self, batch: Sequence[Request | Keep], now_ms: int) -> list[Answer]:
        """Answer everything in `batch`, in order, after one durable commit.

        Raises StoreFault or WriterFenced when the outcome is unknown or the right to write is gone: the process must
        then stop, and the request keys settle what was written. A full disk is an answer, not an error.
        """
        prepared = self.prepare(batch, now_ms)
        if not prepared.writes:
            return prepared.answers
        try:
            self.append(prepared)
        except StoreFull:
            return self.undo(prepared)
        return self.settle(prepared)

    def prepare(self, batch: Sequence[Request | Keep], now_ms: int) -> Prepared:
        """Decide everything in `batch` and make the rows that would make it durable; nothing is yet.

        What follows must be `append`, then `settle` or `undo`, before the next `prepare`.
        """
        self.refolded = None
        at_ms = max(now_ms, self._ahead.at_ms)
        pending = _Pending(refusals=self._audit.flush(at_ms))
        try:
            answers = [self._one(job, pending, at_ms) for job in batch]
        except Exception:
            # A bug: nothing of this batch was written, so nothing may be built upon what it folded.
            self._take_back()
            raise
        return Prepared(batch, answers, pending.group())

    def append(self, prepared: Prepared) -> None:
        """Make it durable: the one part that waits for a disk, and the only one that may run beside readers.

        Raises StoreFull when nothing was written, StoreFault or WriterFenced when the process must stop.
        """
        self._store.append(self._term, prepared.group)
        if prepared.group.erasures:
            self.refolded = refolded(self._store, prepared.group.events, prepared.group.erasures)

    def settle(self, prepared: Prepared) -> list[Answer]:
        """It is durable: the answers may be told."""
        self._audit.settle(written=True)
        self.full = False
        if self.refolded is not None:
            self.refolded.swap_into(self._ahead)
            self._snapshot_seq = 0  # Every snapshot went with the words.
        return prepared.answers

    def undo(self, prepared: Prepared) -> list[Answer]:
        """Nothing of it is true: keep only what rests on older commits or on the edge alone."""
        self.full = True
        self._take_back()
        full = Answer(refusal=refuse(GeneralRefusal.STORAGE_FULL), seq=self._ahead.seq)
        return [
            msgspec.structs.replace(answer, seq=self._ahead.seq) if self._stands(job, answer) else full
            for job, answer in zip(prepared.batch, prepared.answers, strict=True)
        ]

    def snapshot_rows(self, reducer_digest: str) -> list[SnapshotRow]:
        """The state as it is, to be kept so that the next start folds only what follows."""
        rows = list(snapshot_rows(self._ahead, reducer_digest, self._snapshot_seq))
        self._snapshot_seq = self._ahead.seq
        return rows

    def keep_snapshot(self, rows: Sequence[SnapshotRow]) -> None:
        """Write snapshot rows, the workspace's last; like `append`, this waits for a disk."""
        for start in range(0, len(rows), SNAPSHOTS_AT_ONCE_MAX):
            self._store.save_snapshots(self._term, rows[start : start + SNAPSHOTS_AT_ONCE_MAX])

    def let_go(self, closed_max: int, through_seq: int, count_max: int) -> list[Goal]:
        """Let goals that are over leave memory, and return them; `through_seq` is the last event that is durable."""
        return put_away(self._ahead, closed_max, through_seq, count_max)

    def index_words(self, count_max: int) -> int:
        """Make the words of the next events searchable; returns how far they are now. Runs where `append` does."""
        return index_words(self._store, self._term, count_max)

    def prune_refusals(self, keep_max: int) -> int:
        """Drop the oldest refusals beyond `keep_max`; the chain goes on from its anchor. Returns how many went."""
        last = self._store.refusals_head().seq
        if last - self._store.refusals_anchor().seq <= keep_max:
            return 0
        return self._store.prune_refusals(self._term, last - keep_max)

    @property
    def loads(self) -> int:
        """How many goals were read back to decide on them."""
        return self._ahead.goals.loads

    @property
    def since_snapshot(self) -> int:
        """Events since the last snapshot."""
        return self._ahead.seq - self._snapshot_seq

    def flush_audit(self) -> None:
        """Write the repeats that are still only counted, as at a graceful stop; a full disk keeps them counted."""
        rows = self._audit.flush()
        if not rows:
            return
        try:
            self._store.append(self._term, Group(refusals=rows))
        except StoreFull:
            self.full = True
            self._audit.settle(written=False)
        else:
            self._audit.settle(written=True)

    def _take_back(self) -> None:
        self._audit.settle(written=False)
        self._ahead = self._rebuild()
        self._check_head()

    def _check_head(self) -> None:
        """A state that is not the store's own would have its next event refused by the store, or chained to nothing."""
        assert (self._ahead.seq, self._ahead.hash) == self._store.head(), "the state is not the one that is stored"

    def _stands(self, job: Request | Keep, answer: Answer) -> bool:
        if isinstance(job, Keep):
            return False
        return job.refused is not None or (answer.replayed and answer.events[-1].seq <= self._ahead.seq)

    def _one(self, job: Request | Keep, pending: _Pending, at_ms: int) -> Answer:
        if isinstance(job, Keep):
            pending.journal.extend(job.journal)
            pending.deliveries.extend(job.deliveries)
            pending.hooks.extend(job.hooks)
            return Answer(seq=self._ahead.seq)
        if job.refused is not None:
            return self._refused(job, job.refused, pending, at_ms)
        key = digest = None
        if job.request_key is not None:
            key, digest = receipt_key(job.caller.member_id, job.request_key), params_digest(job.action.name, job.params)
            if (known := self._known(key, digest, pending)) is not None:
                return known if known.refusal is None else self._refused(job, known.refusal, pending, at_ms)
        named = named_events(self._reads, job.params, pending.group()) if job.action.names_events else None
        decision = decide(self._ahead, job.action, job.caller, job.params, at_ms, named)
        if isinstance(decision, Refusal):
            return self._refused(job, decision, pending, at_ms)
        if isinstance(decision, Held):
            pending.refusals.extend(self._audit.note(_attempt(job, "noop", "held"), at_ms))
            return Answer(held=decision, seq=self._ahead.seq)
        return self._commit(job, decision, key, digest, pending, at_ms)

    def _refused(self, job: Request, refusal: Refusal, pending: _Pending, at_ms: int) -> Answer:
        pending.refusals.extend(self._audit.note(_attempt(job, refusal.status.outcome, refusal.code.value), at_ms))
        return Answer(refusal=refusal, seq=self._ahead.seq)

    def _known(self, key: bytes, digest: bytes, pending: _Pending) -> Answer | None:
        if (again := pending.by_key.get(key)) is not None:
            first_digest, answer = again
            return (
                _again(answer)
                if first_digest == digest
                else Answer(refusal=refuse(GeneralRefusal.IDEMPOTENCY_CONFLICT))
            )
        row = self._reads.receipt(key) if self._keys.may_include(key) else None
        if row is None:
            return None
        if row.params_digest != digest:
            return Answer(refusal=refuse(GeneralRefusal.IDEMPOTENCY_CONFLICT, receipt_id=receipt_id(key)))
        rows = self._reads.events(row.first_seq - 1, limit=row.last_seq - row.first_seq + 1)
        events = tuple(decode_event(event.body, event.words, event.hash) for event in rows)
        return Answer(events=events, receipt_id=receipt_id(key), replayed=True, seq=self._ahead.seq)

    def _commit(
        self,
        job: Request,
        drafts: tuple[Draft, ...],
        key: bytes | None,
        digest: bytes | None,
        pending: _Pending,
        at_ms: int,
    ) -> Answer:
        name = None if key is None else receipt_id(key)
        stamp = Stamp(
            actor=job.caller.member_id,
            proof=job.proof,
            surface=job.caller.surface,
            on_behalf_of=job.on_behalf_of,
            cause=name,
        )
        events = tuple(self._record(draft, stamp, pending, at_ms) for draft in drafts)
        answer = Answer(events=events, receipt_id=name, seq=self._ahead.seq)
        if key is not None and digest is not None:
            pending.receipts.append(ReceiptRow(key, digest, job.action.name, events[0].seq, events[-1].seq))
            pending.by_key[key] = (digest, answer)
            self._keys.add(key)
        return answer

    def _record(self, draft: Draft, stamp: Stamp, pending: _Pending, at_ms: int) -> Recorded:
        kind = KIND_OF[type(draft.facts)]
        words = salt = None
        if draft.words is not None:
            words, salt = canonical(draft.words), self._entropy(SALT_BYTES)
        seq = self._ahead.seq + 1
        body = canonical(
            Body(
                seq=seq,
                at_ms=at_ms,
                kind=kind.name,
                version=kind.version,
                goal_id=draft.goal_id,
                actor=stamp.actor,
                proof=stamp.proof,
                surface=stamp.surface,
                on_behalf_of=stamp.on_behalf_of,
                cause=stamp.cause,
                facts=draft.facts,
                words_digest=None if words is None or salt is None else words_digest(words, salt),
            )
        )
        chained = link(self._ahead.hash, body)
        recorded = Recorded(
            seq=seq,
            at_ms=at_ms,
            kind=kind.name,
            goal_id=draft.goal_id,
            actor=stamp.actor,
            surface=stamp.surface,
            facts=draft.facts,
            words=draft.words,
            hash=chained,
            proof=code_step_of(stamp.proof),
        )
        fold(self._ahead, recorded)
        if isinstance(draft.facts, WordsErased):
            pending.erasures.append(Erasure(seq, draft.facts.seqs))
        pending.events.append(EventRow(seq, draft.goal_id, kind.name, body, words, salt, chained))
        return recorded


def _again(answer: Answer) -> Answer:
    return Answer(events=answer.events, receipt_id=answer.receipt_id, replayed=True, seq=answer.seq)


def _attempt(job: Request, outcome: str, code: str) -> Attempt:
    goal_id = getattr(job.params, "goal_id", None)
    return Attempt(
        actor=job.caller.member_id,
        proof=job.proof,
        surface=job.caller.surface,
        on_behalf_of=job.on_behalf_of,
        action=job.action.name,
        goal_id=goal_id if isinstance(goal_id, str) else None,
        basis=getattr(job.params, "basis", None),
        outcome=outcome,
        code=code,
    )
