"""The whole chain proved while the daemon works: every hash computed again from what is stored, once somebody asks.

It is what `frontstage ledger verify` does, in a thread of its own with a reader of its own. The thread works in slices
that are shorter than the interpreter's turns and rests for longer after each, so that commands and reads hardly feel
it. There is one at a time for the whole daemon, and what it found stands until somebody asks for a later event than
it reached: a page that follows, or a hundred of them, do not have it begin again.
"""

import asyncio
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from daemon.api.resting import SLICE_ROWS, rest_s
from daemon.clock import stopwatch_ns
from daemon.service import Service
from ledger.ports import GENESIS, EventRow, Head, ReceiptRow, RefusalRow, Store, StoreFault
from ledger.verify import Break, Defect, Report, verify_store

END_S_MAX = 2.0
SETTLED_S_MAX = 0.4
"""How long whoever asks waits for a short history to be proved; a long one is looked at again."""
Part = Literal["event", "receipt", "refusal"]
_Row = TypeVar("_Row")
_log = logging.getLogger("frontstage.page")


class _Ended(Exception):
    """Nobody waits for the answer any longer: the daemon ends, or the page is closed."""


@dataclass(frozen=True, kw_only=True)
class UnderWay:
    """How far it is: rows of this part that were checked."""

    part: Part = "event"
    checked: int = 0


@dataclass(frozen=True, kw_only=True)
class Proved:
    """What was found, when, and how long it took. No report where the store could not be read."""

    report: Report | None
    at_ms: int
    took_ms: int
    number: int
    """The first one of a daemon has 1, the next one 2."""


class Proving:
    """All proofs of one daemon: the one that is under way, and what the last one found."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._ended = threading.Event()
        self._settled = threading.Event()
        self._thread: threading.Thread | None = None
        self.under_way: UnderWay | None = None
        self.found: Proved | None = None

    def ask(self, through_seq: int, *, instead_of: int | None = None) -> None:
        """Have the chain proved, unless that is being done, or was done as far as that event.

        Whoever doubts the result that they see names its number: then it is proved once again, however many ask so.
        """
        if self.under_way is not None or self._ended.is_set() or self._reaches(through_seq, instead_of):
            return
        self.under_way = UnderWay()
        self._settled.clear()
        known = Head(self._service.committed.seq, self._service.committed.hash)
        self._thread = threading.Thread(target=self._run, args=(known,), name="frontstage-proof", daemon=True)
        self._thread.start()

    async def settled(self) -> None:
        """Wait a moment for what is under way."""
        if self.under_way is not None:
            await asyncio.to_thread(self._settled.wait, SETTLED_S_MAX)

    def close(self) -> None:
        """Whatever is under way ends."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(END_S_MAX)

    def tell(self, under_way: UnderWay) -> None:
        """Take note of how far it is."""
        self.under_way = under_way

    def _reaches(self, through_seq: int, instead_of: int | None) -> bool:
        """Whether what was found says something of that event. A break says something of all that come after it."""
        found = self.found
        if found is None or found.report is None:
            return False
        return not found.report.holds or (found.report.head.seq >= through_seq and found.number != instead_of)

    def _run(self, known: Head) -> None:
        began_ns = stopwatch_ns()
        try:
            report = self._report(known)
        except _Ended:
            return
        except StoreFault as error:
            _log.error("the ledger could not be read to be proved", exc_info=error)
            report = None
        except Exception as error:  # noqa: BLE001  (the top of a thread: a bug of ours ends one proof, not the daemon)
            _log.error("a proof failed", exc_info=error)
            report = None
        took_ms = (stopwatch_ns() - began_ns) // 1_000_000
        number = 1 if self.found is None else self.found.number + 1
        self.found = Proved(report=report, at_ms=self._service.clock.now_ms(), took_ms=took_ms, number=number)
        self.under_way = None
        self._settled.set()

    def _report(self, known: Head) -> Report:
        """What the file says, held against the last event that was committed when somebody asked."""
        reader = self._service.store.reader()
        try:
            paced = _Paced(reader, self, self._ended, known)
            report = verify_store(paced)
        finally:
            reader.close()
        if not report.holds or paced.met == known.hash:
            return report
        # A chain may hold and yet not be ours: its end was cut off, or all of it was written anew.
        defect = Defect.NOT_CONTIGUOUS if paced.met is None else Defect.HASH_BROKEN
        broken = Break(part="event", number=paced.before.seq + 1, defect=defect)
        return replace(report, head=paced.before, first_break=broken)


class _Paced:
    """A store that is read with rests between, and tells how far the reading is."""

    def __init__(self, store: Store, proving: Proving, ended: threading.Event, known: Head) -> None:
        self._store = store
        self._proving = proving
        self._ended = ended
        self._known = known
        self.before = GENESIS
        """The last event that was met before the known one."""
        self.met: bytes | None = None
        """The hash of the event in whose place the known one should be."""

    def events(self, after_seq: int, /) -> Iterator[EventRow]:
        """As the store has them."""
        return self._paced("event", after_seq, self._looked_for(self._store.events(after_seq)))

    def receipts(self) -> Iterator[ReceiptRow]:
        """As the store has them."""
        return self._paced("receipt", 0, self._store.receipts())

    def refusals(self, after_number: int, /) -> Iterator[RefusalRow]:
        """As the store has them."""
        return self._paced("refusal", after_number, self._store.refusals(after_number))

    def refusals_anchor(self) -> Head:
        """As the store has it."""
        return self._store.refusals_anchor()

    def _looked_for(self, rows: Iterator[EventRow]) -> Iterator[EventRow]:
        for row in rows:
            if row.seq < self._known.seq:
                self.before = Head(row.seq, row.hash)
            elif row.seq == self._known.seq:
                self.met = row.hash
            yield row

    def _paced(self, part: Part, before: int, rows: Iterator[_Row]) -> Iterator[_Row]:
        began_ns = stopwatch_ns()
        for count, row in enumerate(rows, 1):
            yield row
            if count % SLICE_ROWS == 0:
                self._proving.tell(UnderWay(part=part, checked=before + count))
                if self._ended.wait(rest_s(stopwatch_ns() - began_ns)):
                    raise _Ended
                began_ns = stopwatch_ns()
