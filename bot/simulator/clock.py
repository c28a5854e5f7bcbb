"""The simulator's clock: the wall clock by default, moved or frozen by whoever drives the simulation.

Fourteen days of a card's life, six hours of re-pushes and two hours of a token pass in one call to `advance`. Frozen,
the clock moves by `advance` alone, so a test decides when the three seconds of a callback are over.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from bot.simulator.changes import Changes

_T = TypeVar("_T")


class SimClock:
    """Milliseconds since 1970, with an offset that only grows and sleepers that wake when it passes them."""

    def __init__(self, *, frozen_at_ms: int | None = None, wall_ns: Callable[[], int] = time.time_ns) -> None:
        self._wall_ns = wall_ns
        self._offset_ms = 0
        self._frozen_at_ms = frozen_at_ms
        self._sleepers: dict[asyncio.Future[None], int] = {}
        self.changes = Changes()

    @property
    def sleeping(self) -> int:
        """How many wait for a moment to come."""
        return len(self._sleepers)

    @property
    def frozen(self) -> bool:
        """Whether only `advance` moves this clock."""
        return self._frozen_at_ms is not None

    def now_ms(self) -> int:
        """The simulated moment."""
        if self._frozen_at_ms is not None:
            return self._frozen_at_ms
        return self._wall_ns() // 1_000_000 + self._offset_ms

    def freeze(self) -> None:
        """Stop the clock where it is."""
        self._frozen_at_ms = self.now_ms()

    def thaw(self) -> None:
        """Let it run on from where it stands."""
        if self._frozen_at_ms is not None:
            self._offset_ms = self._frozen_at_ms - self._wall_ns() // 1_000_000
            self._frozen_at_ms = None
            for sleeper, due_ms in self._sleepers.items():
                self._arm(sleeper, due_ms)

    def advance(self, by_ms: int) -> int:
        """Move forward and wake whoever slept until then; time never goes back."""
        if by_ms < 0:
            raise ValueError("the clock only goes forward")
        if self._frozen_at_ms is not None:
            self._frozen_at_ms += by_ms
        else:
            self._offset_ms += by_ms
        now_ms = self.now_ms()
        for sleeper, due_ms in self._sleepers.items():
            if due_ms <= now_ms and not sleeper.done():
                sleeper.set_result(None)
        return now_ms

    async def sleep_until(self, due_ms: int) -> None:
        """Return when the clock has reached the moment."""
        while self.now_ms() < due_ms:
            sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._sleepers[sleeper] = due_ms
            self._arm(sleeper, due_ms)
            self.changes.bump()
            try:
                await sleeper
            finally:
                del self._sleepers[sleeper]

    async def within(self, awaited: asyncio.Future[_T], limit_ms: int) -> bool:
        """Wait for a future no longer than the limit on this clock; say whether it was done in time."""
        alarm = asyncio.ensure_future(self.sleep_until(self.now_ms() + limit_ms))
        try:
            await asyncio.wait((awaited, alarm), return_when=asyncio.FIRST_COMPLETED)
        finally:
            alarm.cancel()
        # What is done in the moment the time is up comes too late, however the two were woken.
        return awaited.done() and not alarm.done()

    def _arm(self, sleeper: asyncio.Future[None], due_ms: int) -> None:
        if self.frozen:
            return
        delay_s = max(0, due_ms - self.now_ms()) / 1000

        def ring() -> None:
            if not sleeper.done():
                sleeper.set_result(None)

        asyncio.get_running_loop().call_later(delay_s, ring)
