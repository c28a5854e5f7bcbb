"""The service: one writer thread, and readers who see only what is committed.

The event loop owns `committed` and folds every recorded event into it before the reply goes out; the writer thread
owns what will be. Commands wait in one bounded queue; when it is full the answer is `busy`, at once, with advice, and
nothing waits in the dark.
"""

import asyncio
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from daemon.clock import LedgerClock
from ledger.codec import decode_event
from ledger.events import Recorded
from ledger.ids import GoalId
from ledger.ports import Store, StoreFault, StoreFull, Term, WriterFenced
from ledger.reduce import fold
from ledger.refusals import GeneralRefusal
from ledger.rules.common import refuse
from ledger.state import Workspace
from ledger.writer import Answer, Entropy, Keep, Request, Writer

QUEUE_MAX = 2_048
BATCH_MAX = 256
SNAPSHOT_EVERY = 100_000
"""Events after which the state is kept; folding that many again takes less than a second."""
RECENT_MAX = 4_096
"""Events kept in memory for readers of the feed; older ones are read from the store."""
BUSY_RETRY_AFTER_S = 1

_log = logging.getLogger("frontstage.service")
_Job = tuple[Request | Keep, "asyncio.Future[Answer]"]


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
    for row in store.events(0):
        fold(workspace, decode_event(row.body, row.words, row.hash))
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
    ) -> None:
        self.store = store
        self.reader = store.reader()
        self.committed = committed
        self.clock = clock
        self.counters = Counters()
        self.registry_seq = committed.seq
        self.recent: deque[Recorded] = deque(maxlen=RECENT_MAX)
        self.fatal: BaseException | None = None
        self._on_fatal = on_fatal
        self._reducer_digest = reducer_digest
        self._writer = Writer(store, term, committed.copy(), entropy, self._rebuild)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._waiting = 0
        self._closing = False
        self._loop = asyncio.get_running_loop()
        self._tick: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    async def finish(self) -> None:
        """Answer what waits, write the last audit rows and the snapshot, and end the writer; readers see the end."""
        self._closing = True
        self._jobs.put(None)
        self._tick.set_result(None)
        await asyncio.to_thread(self._thread.join)

    def close(self) -> None:
        """Release the store, when nobody reads any more."""
        self.reader.close()
        self.store.close()

    @property
    def writable(self) -> bool:
        """Whether the last commit was possible."""
        return self.fatal is None and not self._writer.full and not self._closing

    @property
    def waiting(self) -> int:
        """Commands in the queue or being written."""
        return self._waiting

    async def submit(self, request: Request | Keep) -> Answer:
        """Have a command decided and made durable. A full queue is an answer, at once."""
        if self._closing or self.fatal is not None:
            return Answer(
                refusal=refuse(GeneralRefusal.SHUTTING_DOWN, retry_after_s=BUSY_RETRY_AFTER_S), seq=self.committed.seq
            )
        if self._waiting >= QUEUE_MAX:
            self.counters.busy += 1
            return Answer(refusal=refuse(GeneralRefusal.BUSY, retry_after_s=BUSY_RETRY_AFTER_S), seq=self.committed.seq)
        self._waiting += 1
        future: asyncio.Future[Answer] = self._loop.create_future()
        self._jobs.put((request, future))
        return await future

    async def changed(self, seq: int) -> None:
        """Wait until the committed state is past `seq`."""
        while self.committed.seq <= seq and not self._closing:
            await asyncio.shield(self._tick)

    def goal_seq(self, goal_id: GoalId) -> int:
        """The last event of a goal, or 0."""
        goal = self.committed.goals.get(goal_id)
        return 0 if goal is None else goal.last_seq

    def _run(self) -> None:
        closing = False
        while not closing:
            batch, closing = self._take()
            if not batch:
                continue
            try:
                answers = self._writer.drain([request for request, _ in batch], self.clock.now_ms())
            except (StoreFault, WriterFenced, AssertionError) as error:
                self._loop.call_soon_threadsafe(self._fail, error, batch)
                return
            self._loop.call_soon_threadsafe(self._deliver, batch, answers)
            self.store.checkpoint()
            if self._writer.since_snapshot >= SNAPSHOT_EVERY:
                self._writer.snapshot(self._reducer_digest)
        try:
            self._writer.flush_audit()
            if self._writer.since_snapshot:
                self._writer.snapshot(self._reducer_digest)
        except (StoreFull, StoreFault, WriterFenced) as error:
            # Nothing that was acknowledged rests on these rows: the next start folds the log instead.
            _log.warning("the last audit rows or the snapshot could not be kept", exc_info=error)

    def _take(self) -> tuple[list[_Job], bool]:
        first = self._jobs.get()
        if first is None:
            return [], True
        batch = [first]
        while len(batch) < BATCH_MAX:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False

    def _deliver(self, batch: list[_Job], answers: list[Answer]) -> None:
        for answer in answers:
            if answer.events and not answer.replayed:
                self._fold(answer.events)
        self._waiting -= len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)
        tick, self._tick = self._tick, self._loop.create_future()
        if not tick.done():
            tick.set_result(None)

    def _fold(self, events: tuple[Recorded, ...]) -> None:
        for event in events:
            fold(self.committed, event)
            self.recent.append(event)
            if event.goal_id is None:
                self.registry_seq = event.seq
        self.counters.committed += 1

    def _rebuild(self) -> Workspace:
        """The committed state in containers of its own, made by the thread that owns it."""
        result: Future[Workspace] = Future()
        self._loop.call_soon_threadsafe(lambda: result.set_result(self.committed.copy()))
        return result.result()

    def _fail(self, error: BaseException, batch: list[_Job]) -> None:
        """The outcome of the last commit is unknown: say nothing of it, and stop."""
        self.fatal = error
        _log.critical("the ledger can no longer be written", exc_info=error)
        while not self._jobs.empty():
            if (job := self._jobs.get_nowait()) is not None:
                batch.append(job)
        for _, future in batch:
            if not future.done():
                future.set_exception(error)
        self._on_fatal(error)
