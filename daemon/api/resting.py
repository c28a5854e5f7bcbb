"""A log that is read beside the work: whoever folds it rests while others write.

A fold of a long log computes for a second and more, in a thread that takes turns with the one that answers. Where
something was committed since the last slice it rests for longer than it worked, so that commands hardly feel it; where
nobody writes it goes on at once.
"""

import time
from collections.abc import Iterator

from daemon.clock import stopwatch_ns
from daemon.service import Service
from ledger.past import Log
from ledger.ports import EventRow, Store

SLICE_ROWS = 64
"""Events that are folded without a look at whether others write: about a millisecond."""
REST = 3
"""How many times as long as it worked the thread then rests."""
REST_S_MAX = 0.25
"""A slice that seems to have taken for ever was not work: the whole process had stood still."""


def rest_s(worked_ns: int) -> float:
    """How long to rest after a slice, in seconds."""
    return min(worked_ns * REST / 1e9, REST_S_MAX)


class Resting(Log):
    """The events of a store, handed out in slices."""

    def __init__(self, store: Store, service: Service) -> None:
        self._store = store
        self._service = service

    def events(self, after_seq: int, *, goal_id: str | None = None, limit: int | None = None) -> Iterator[EventRow]:
        """As the store has them."""
        return self._in_slices(self._store.events(after_seq, goal_id=goal_id, limit=limit))

    def workspace_events(self, after_seq: int, *, limit: int | None = None) -> Iterator[EventRow]:
        """As the store has them."""
        return self._in_slices(self._store.workspace_events(after_seq, limit=limit))

    def _in_slices(self, rows: Iterator[EventRow]) -> Iterator[EventRow]:
        began_ns, seen = stopwatch_ns(), self._service.committed.seq
        for count, row in enumerate(rows, 1):
            yield row
            if count % SLICE_ROWS == 0:
                if self._service.committed.seq != seen:
                    time.sleep(rest_s(stopwatch_ns() - began_ns))
                began_ns, seen = stopwatch_ns(), self._service.committed.seq
