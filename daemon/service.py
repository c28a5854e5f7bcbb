"""The service: one commit at a time, and readers who see only what is committed.

Everything that is computed runs on the event loop; a thread of its own makes each group durable and does nothing else.
While it waits for the disk the loop goes on reading and answering, and what arrives meanwhile is the next group. A
thread that also decided would fight the loop for the interpreter: that was measured at half the rate. A command that
comes alone while the disk is quick is made durable in place (`daemon.disk`). `committed` is
folded after the commit and before the reply, so no reader sees what may still fail. Commands wait in one bounded queue;
when it is full the answer is `busy`, at once, with advice, and nothing waits in the dark.
"""

import asyncio
import logging
import operator
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from daemon import calendars
from daemon.clock import LedgerClock, stopwatch_ns
from daemon.codes import Codes
from daemon.disk import Disk
from daemon.tally import Tally
from daemon.waiters import Patient, Waiter
from ledger.events import Recorded
from ledger.ids import GoalId
from ledger.outlines import put_away
from ledger.past import Refolded, forget_words
from ledger.ports import SnapshotRow, Store, StoreFault, StoreFull, Term, WriterFenced
from ledger.projections.ordinary import forget_texts
from ledger.reduce import fold
from ledger.refusals import GeneralRefusal, class_of
from ledger.replay import fold_proved
from ledger.rules.common import refuse
from ledger.snapshot import CLOSED_RESIDENT_MAX, goal_reader, goal_row, is_kept
from ledger.state import Workspace
from ledger.writer import Answer, Entropy, Keep, Prepared, Request, Writer

QUEUE_MAX = 2_048
BATCH_MAX = 256
LET_GO_MAX = 16
"""Goals that leave memory at once; the rest follow a second later."""
SNAPSHOT_EVERY = 100_000
"""Events after which the state is kept; folding that many again takes less than a second."""
RECENT_MAX = 4_096
"""Events kept in memory for readers of the feed; older ones are read from the store."""
BUSY_RETRY_AFTER_S = 1

_log = logging.getLogger("frontstage.service")


_Job = tuple[Request | Keep, Waiter]


class Snapshot(NamedTuple):
    """The snapshot that is kept: after which event it was taken, and when that was."""

    seq: int
    at_ms: int


@dataclass
class Counters:
    """What happened since the start, for health and metrics; attempts that are too cheap to audit are only counted."""

    committed: int = 0
    refused: int = 0
    busy: int = 0
    malformed: int = 0
    unauthenticated: int = 0


def replay(store: Store) -> Workspace:
    """The state that the store's events make."""
    workspace = Workspace()
    fold_proved(workspace, store.events(0))
    return workspace


class Service:
    """A ledger in service: submit commands, read the committed state, follow the events."""

    def __init__(
        self,
        store: Store,
        term: Term,
        committed: Workspace,
        clock: LedgerClock,
        entropy: Entropy,
        reducer_digest: str,
        on_fatal: Callable[[BaseException], None],
        snapshot: Snapshot | None = None,
    ) -> None:
        self.store = store
        self.reader = store.reader()
        self.committed = committed
        self.clock = clock
        self.counters = Counters()
        self.tally = Tally()
        self.snapshot_at_ms = None if snapshot is None else snapshot.at_ms
        self.registry_seq = committed.seq
        self.erasures = 0
        self.recent: deque[Recorded] = deque(maxlen=RECENT_MAX)
        self.fatal: BaseException | None = None
        self.codes: Codes | None = None
        self._on_fatal = on_fatal
        self._reducer_digest = reducer_digest
        committed.goals.loader = goal_reader(self.reader, reducer_digest)
        self._writer = Writer(
            store, term, committed.copy(), entropy, self.committed.copy, self.reader, snapshot.seq if snapshot else 0
        )
        self._jobs: deque[_Job] = deque()
        self._under_way = 0
        self._pumping = False
        self._closing = False
        self._loop = asyncio.get_running_loop()
        self._tick: asyncio.Future[None] = self._loop.create_future()
        self._idle = asyncio.Event()
        self._idle.set()
        self._disk = Disk(lambda error: self._broken(error, []))
        self.heard: Callable[[], int] = lambda: 0
        """How often anybody was heard so far; who listens says."""
        self._heard = 0

    def start(self) -> None:
        """Begin to write."""
        self._disk.start()

    async def finish(self) -> None:
        """Answer what waits, write the last audit rows and the snapshot, and end the writer; readers see the end."""
        self._closing = True
        await self._idle.wait()
        if not self._tick.done():
            self._tick.set_result(None)
        if self.fatal is None:
            rows = self._writer.snapshot_rows(self._reducer_digest) if self._writer.since_snapshot else []
            self._disk.put(lambda: self._last_words(rows))
        await asyncio.to_thread(self._disk.end)

    def close(self) -> None:
        """Release the store, when nobody reads any more."""
        self.reader.close()
        self.store.close()

    @property
    def writable(self) -> bool:
        """Whether the last commit was possible."""
        return self.fatal is None and not self._writer.full and not self._closing

    @property
    def ended(self) -> bool:
        """Whether nothing more will be committed in this service's life."""
        return self.fatal is not None or self._closing

    @property
    def full(self) -> bool:
        """Whether the last commit found the disk full or read-only."""
        return self._writer.full

    @property
    def loads(self) -> int:
        """How many goals were read back into memory."""
        return self.committed.goals.loads + self._writer.loads

    @property
    def since_snapshot(self) -> int:
        """Events that the kept snapshot does not have."""
        return self._writer.since_snapshot

    @property
    def waiting(self) -> int:
        """Commands in the queue or being written."""
        return len(self._jobs) + self._under_way

    async def submit(self, request: Request | Keep) -> Answer:
        """Have a command decided and made durable. A full queue is an answer, at once."""
        future: asyncio.Future[Answer] = self._loop.create_future()
        self.enqueue(request, Patient(future))
        return await future

    def enqueue(self, request: Request | Keep, waiter: Waiter) -> None:
        """The same for one who is told instead of waiting, at once where the command is turned away."""
        if self._closing or self.fatal is not None:
            waiter.tell(self._turned_away(GeneralRefusal.SHUTTING_DOWN))
        elif self.waiting >= QUEUE_MAX:
            self.counters.busy += 1
            waiter.tell(self._turned_away(GeneralRefusal.BUSY))
        else:
            request = calendars.checked(request)
            self._jobs.append((request if self.codes is None else self.codes.checked(request, self.committed), waiter))
            self._wake()

    def _turned_away(self, why: GeneralRefusal) -> Answer:
        return Answer(refusal=refuse(why, retry_after_s=BUSY_RETRY_AFTER_S), seq=self.committed.seq)

    async def changed(self, seq: int) -> None:
        """Wait until the committed state is past `seq`."""
        while self.committed.seq <= seq and not self._closing:
            await asyncio.shield(self._tick)

    def goal_seq(self, goal_id: GoalId) -> int:
        """The last event of a goal, or 0."""
        return self.committed.goals.last_seq(goal_id)

    async def prune_refusals(self, keep_max: int) -> int:
        """Drop the oldest audited refusals beyond `keep_max`; returns how many went."""
        return await self.beside_commits(lambda writer: writer.prune_refusals(keep_max))

    async def beside_commits(self, work: Callable[[Writer], int]) -> int:
        """What the writer's thread does between two commits; 0 where the disk has no room: nothing is lost by it."""
        done: asyncio.Future[int] = self._loop.create_future()

        def run() -> None:
            count = 0
            try:
                count = work(self._writer)
            except StoreFull as error:
                _log.warning("what can be made again could not be kept", exc_info=error)
            except (StoreFault, WriterFenced) as error:
                self._broken(error, [])
            # Whoever asked may have been told to end meanwhile.
            self._later(lambda: None if done.done() else done.set_result(count))

        self._disk.put(run)
        return await done

    async def let_go(self) -> int:
        """Have goals that are over leave memory, beyond those that were asked for last; returns how many went."""
        if self._closing or self.fatal is not None or self._under_way:
            return 0  # What is being written may take words out of the goals that would be kept.
        durable = self.committed.seq
        gone = {
            goal.goal_id: goal
            for goal in (
                *put_away(self.committed, CLOSED_RESIDENT_MAX, durable, LET_GO_MAX),
                *self._writer.let_go(CLOSED_RESIDENT_MAX, durable, LET_GO_MAX),
            )
        }
        new = [goal for goal in gone.values() if not is_kept(self.reader, goal, self._reducer_digest)]
        self._save([goal_row(goal, self._reducer_digest) for goal in new])
        return len(gone)

    def _save(self, rows: list[SnapshotRow]) -> None:
        if rows:
            self._disk.put(lambda: self._keep_snapshot(rows))

    def _wake(self) -> None:
        """Begin a group at the end of this turn of the loop, so that all that has arrived by then is in it."""
        if not self._pumping and not self._under_way:
            self._pumping = True
            self._idle.clear()
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._pumping = False
        batch = [self._jobs.popleft() for _ in range(min(len(self._jobs), BATCH_MAX))]
        if not batch:
            self._idle.set()
            return
        self._under_way = len(batch)
        try:
            prepared = self._writer.prepare([request for request, _ in batch], self.clock.now_ms())
        except Exception as error:  # noqa: BLE001  (a bug in a rule: nothing was written, and nothing more may be)
            self._fail(error, batch)
            return
        if not prepared.writes:
            self._deliver(batch, lambda: prepared.answers)
        elif self._nobody_waits(batch) and self._disk.at_hand and not prepared.group.erasures:
            self._append(prepared, batch, in_place=True)
            self._disk.spared(self.store.checkpoint)
        else:
            self._disk.put(lambda: self._append(prepared, batch))

    def _nobody_waits(self, batch: list[_Job]) -> bool:
        """Whether one command came alone, and nothing else was asked since the one before: then nobody is held up."""
        before, self._heard = self._heard, self.heard()
        return len(batch) == 1 and self._heard - before <= 1

    def _later(self, act: Callable[[], None]) -> None:
        """On the loop. A function of nothing: the loop's log would show arguments, and these are people's words."""
        self._loop.call_soon_threadsafe(act)

    def _broken(self, error: BaseException, batch: list[_Job]) -> None:
        self._later(lambda: self._fail(error, batch))

    def _append(self, prepared: Prepared, batch: list[_Job], *, in_place: bool = False) -> None:
        """Make it durable and have it told: on the thread, or in place by the loop itself."""
        later = operator.call if in_place else self._later
        began_ns = stopwatch_ns()
        try:
            self._writer.append(prepared)
        except StoreFull:
            later(lambda: self._deliver(batch, lambda: self._writer.undo(prepared)))
        except Exception as error:  # noqa: BLE001  (a fault, a fence, or a bug: the outcome is unknown all the same)
            fault = error
            later(lambda: self._fail(fault, batch))
        else:
            took_ns = stopwatch_ns() - began_ns
            later(lambda: self._deliver(batch, lambda: self._settle(prepared, took_ns)))
            if not in_place:
                self.store.checkpoint()

    def _settle(self, prepared: Prepared, took_ns: int) -> list[Answer]:
        self._disk.took(took_ns)
        self.tally.grouped(len(prepared.batch), took_ns)
        return self._writer.settle(prepared)

    def _keep_snapshot(self, rows: list[SnapshotRow]) -> None:
        try:
            self._writer.keep_snapshot(rows)
        except StoreFull as error:
            # It is a cache: what was not kept is folded from the log.
            _log.warning("the snapshot could not be kept", exc_info=error)

    def _last_words(self, rows: list[SnapshotRow]) -> None:
        try:
            self._writer.flush_audit()
            self._writer.keep_snapshot(rows)
        except (StoreFull, StoreFault, WriterFenced) as error:
            # Nothing that was acknowledged rests on these rows: the next start folds the log instead.
            _log.warning("the last audit rows or the snapshot could not be kept", exc_info=error)

    def _deliver(self, batch: list[_Job], settle: Callable[[], list[Answer]]) -> None:
        try:
            answers = settle()
            for answer in answers:
                if answer.events and not answer.replayed:
                    self._fold(answer.events)
            if self._writer.refolded is not None:
                self._forget(self._writer.refolded)
        except Exception as error:  # noqa: BLE001  (a bug: readers may no longer be told what is true)
            self._fail(error, batch)
            return
        self._under_way = 0
        for (job, waiter), answer in zip(batch, answers, strict=True):
            if isinstance(job, Request):
                self._count(job, answer)
            waiter.tell(answer)
        tick, self._tick = self._tick, self._loop.create_future()
        if not tick.done():
            tick.set_result(None)
        if self._writer.since_snapshot >= SNAPSHOT_EVERY:
            rows = self._writer.snapshot_rows(self._reducer_digest)
            self.snapshot_at_ms = self.committed.at_ms
            self._save(rows)
        if self._jobs:
            self._wake()
        else:
            self._idle.set()

    def _count(self, job: Request, answer: Answer) -> None:
        if answer.refusal is not None:
            self.counters.refused += 1
            self.tally.refused(class_of(answer.refusal.code.value).value, job.caller.surface)
        elif answer.events and not answer.replayed:
            self.tally.committed(job.action.name, job.caller.surface)

    def _fold(self, events: tuple[Recorded, ...]) -> None:
        for event in events:
            fold(self.committed, event)
            self.recent.append(event)
            if event.goal_id is None:
                self.registry_seq = event.seq
        self.counters.committed += 1

    def _forget(self, gone: Refolded) -> None:
        gone.swap_into(self.committed)
        forget_words(self.recent, gone.seqs)
        forget_texts()
        self.erasures += 1

    def _fail(self, error: BaseException, batch: list[_Job]) -> None:
        """The outcome of the last commit is unknown: say nothing of it, and stop."""
        self.fatal = error
        _log.critical("the ledger can no longer be written", exc_info=error)
        waiting, self._under_way = [*batch, *self._jobs], 0
        self._jobs.clear()
        self._idle.set()
        for _, waiter in waiting:
            waiter.fail(error)
        self._on_fatal(error)
