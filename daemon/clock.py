"""Clocks: the only place where the daemon reads one.

Ledger time goes forward only. It is the time of the last event plus what the boot-time clock counted since (that one
runs on through sleep and cannot be set), drawn gently towards the wall clock. A wall clock that jumps beyond a bound
is not believed until it says the same again a while later; until then ledger time runs on by the boot clock, so that
a wrong clock neither revives nor kills a lease.
"""

import threading
import time
from dataclasses import dataclass
from typing import Protocol

JUMP_MS_MAX = 120_000
"""A larger difference between wall and ledger time is a jump, not drift."""
CONFIRM_AFTER_MS = 30_000
"""How long a jumped wall clock must keep its story before it is believed."""
DOWNTIME_MS_MAX = 400 * 86_400_000
"""A daemon may be off for this long; a wall clock further ahead at the start is a jump."""
SLEW_DIVISOR = 20
"""Ledger time is drawn to the wall by at most a twentieth of the time that passed."""
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
stopwatch_ns = time.perf_counter_ns
"""For how long something takes, and for nothing that anything rests on."""


class Clock(Protocol):
    """What time it is: by the wall, and by a counter that never goes back."""

    def wall_ms(self) -> int:
        """Milliseconds since the epoch, as the machine believes."""
        ...

    def boot_ms(self) -> int:
        """Milliseconds since some fixed moment; counts through sleep, cannot be set."""
        ...


class SystemClock:
    """The machine's clocks."""

    def wall_ms(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def boot_ms(self) -> int:
        """Milliseconds since boot."""
        return time.clock_gettime_ns(_BOOT_CLOCK) // 1_000_000


@dataclass
class _Jump:
    seen_at_boot_ms: int
    offset_ms: int


class LedgerClock:
    """Ledger time for one daemon; the writer and the readers may ask at once."""

    def __init__(self, clock: Clock, last_event_ms: int) -> None:
        self._clock = clock
        wall = clock.wall_ms()
        self._boot_ms = clock.boot_ms()
        ahead = wall - last_event_ms
        believable = last_event_ms == 0 or 0 <= ahead <= DOWNTIME_MS_MAX
        self._now_ms = wall if believable else last_event_ms
        self._jump: _Jump | None = None
        self._credit_ms = 0
        self._lock = threading.Lock()

    def now_ms(self) -> int:
        """Ledger time, in milliseconds since the epoch."""
        with self._lock:
            boot = self._clock.boot_ms()
            passed = max(0, boot - self._boot_ms)
            self._boot_ms = boot
            self._now_ms += passed
            self._draw_to_wall(boot, passed)
            return self._now_ms

    @property
    def skew_ms(self) -> int:
        """How far the wall clock is ahead of ledger time, in milliseconds."""
        return self._clock.wall_ms() - self._now_ms

    @property
    def jumped(self) -> bool:
        """Whether the wall clock has jumped and is not yet believed."""
        return self._jump is not None

    def _draw_to_wall(self, boot_ms: int, passed_ms: int) -> None:
        offset = self._clock.wall_ms() - self._now_ms
        if abs(offset) <= JUMP_MS_MAX:
            self._jump = None
            # Credit gathers over calls that are closer together than a step, so that frequent readers slew too; drawn
            # back, time still never goes backward, for a step is never more than what has passed.
            self._credit_ms = min(self._credit_ms + passed_ms, 1_000 * SLEW_DIVISOR)
            step = min(self._credit_ms // SLEW_DIVISOR, passed_ms)
            self._credit_ms -= step * SLEW_DIVISOR
            self._now_ms += max(-step, min(step, offset))
            return
        jump = self._jump
        if jump is None or abs(offset - jump.offset_ms) > JUMP_MS_MAX:
            self._jump = _Jump(boot_ms, offset)
        elif boot_ms - jump.seen_at_boot_ms >= CONFIRM_AFTER_MS and offset > 0:
            self._now_ms += offset
            self._jump = None
