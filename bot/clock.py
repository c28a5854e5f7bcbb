"""The bot's clock: the wall's time for ages and records. Waiting is done on the event loop's own time.

Everything that waits does so by `asyncio.sleep` and `asyncio.timeout`, so a test that runs on a loop with virtual
time needs nothing more than a `now_ms` that reads the same loop.
"""

import time
from typing import Protocol

NS_PER_MS = 1_000_000


class Clock(Protocol):
    """Two readings, both in integer milliseconds."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, as the wall says."""
        ...

    def steady_ms(self) -> int:
        """Milliseconds since some moment, never going backwards."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // NS_PER_MS

    def steady_ms(self) -> int:
        """Milliseconds of the monotonic clock."""
        return time.monotonic_ns() // NS_PER_MS
