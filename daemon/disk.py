"""The disk: what waits for it does so on a thread of its own, one thing after the other.

To hand a commit to another thread and to be woken by it costs as much as a quick disk takes to sync it, and that is
all that a lone client waits for besides. So while the disk is quick and nothing else is to be done meanwhile, whoever
has a commit may as well wait for it where they are. Was one of the last commits slow, the thread has them all: then a
disk that stalls holds up nobody but those who write.
"""

import queue
import threading
from collections.abc import Callable

QUICK_NS_MAX = 2_000_000
"""A commit that took longer was slow: two milliseconds are what deciding a full group takes the loop anyway."""
CHECKPOINT_EVERY = 64
"""Commits made in place after which the thread looks whether the log is to be folded back."""
QUICK_IN_A_ROW = 16
"""As many commits must have been quick before one is waited for in place."""


class Disk:
    """The thread, its queue, and how quick the disk was of late. All but the jobs belongs to the event loop."""

    def __init__(self, on_error: Callable[[Exception], None]) -> None:
        self._on_error = on_error
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._given = 0
        self._done = 0
        """Counted by the thread alone, as `_given` is by the loop: equal when the thread has nothing to do."""
        self._quick = 0
        self._in_place = 0

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def put(self, job: Callable[[], None]) -> None:
        """Have it done after all that was put before."""
        self._given += 1
        self._queue.put(job)

    def end(self) -> None:
        """Have nothing done after this, and wait for the end."""
        self._queue.put(None)
        self._thread.join()

    def took(self, elapsed_ns: int) -> None:
        """How long a commit took."""
        self._quick = self._quick + 1 if elapsed_ns <= QUICK_NS_MAX else 0

    def spared(self, checkpoint: Callable[[], None]) -> None:
        """A commit was made in place; what the thread does after its own is done now and then all the same."""
        self._in_place += 1
        if self._in_place % CHECKPOINT_EVERY == 0:
            self.put(checkpoint)

    @property
    def at_hand(self) -> bool:
        """Whether a commit may be waited for in place: nothing is under way, and the last ones were quick."""
        return self._quick >= QUICK_IN_A_ROW and self._given == self._done

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            try:
                job()
            except Exception as error:  # noqa: BLE001  (the top of the thread: were it to die, every command would wait for ever)
                self._on_error(error)
            self._done += 1
