"""Who sends: one bot at a time, by a lease that the daemon grants for seconds.

A bot believes itself the leader only until the lease it was last granted may have ended, counted on its own steady
clock from before it asked, and some way short of it: a call that has begun should be over by then. Whoever cannot
reach the daemon stops sending by itself.

With the lease the daemon names the cards that presses touched, whichever bot relayed them.
"""

import asyncio
import logging
from typing import Final

from bot.backend import Backend, BackendFault, Lease, Touched
from bot.clock import Clock

LEASE_TTL_MS: Final = 10_000
RENEW_EVERY_S: Final = 3.0
RETRY_EVERY_S: Final = 1.0
# No call is begun in the lease's last moments.
MARGIN_MS: Final = 2_000
# The shortest lease there is.
RELEASE_TTL_MS: Final = 1_000
RELEASE_S_MAX: Final = 1.0

_log = logging.getLogger("frontstage.bot.leader")


class Leadership:
    """This bot's standing. `holder` is a name that no other bot has."""

    def __init__(self, backend: Backend, clock: Clock, *, holder: str) -> None:
        """Nobody leads until `run` has asked."""
        self.holder = holder
        self._backend = backend
        self._clock = clock
        self._until_ms = 0
        self._gained = asyncio.Event()
        self._lost = asyncio.Event()
        self._lost.set()
        self._named: frozenset[Touched] = frozenset()
        self._touched: set[str] = set()
        self._some_touched = asyncio.Event()

    def holds(self) -> bool:
        """Whether this bot may send now."""
        return self._clock.steady_ms() < self._until_ms

    async def gained(self) -> None:
        """Wait until this bot leads."""
        await self._gained.wait()

    async def lost(self) -> None:
        """Wait until it does not."""
        await self._lost.wait()

    async def touched(self) -> list[str]:
        """Wait until the daemon names cards that were touched, and take them."""
        await self._some_touched.wait()
        self._some_touched.clear()
        touched, self._touched = self._touched, set()
        return sorted(touched)

    async def run(self) -> None:
        """Ask, and go on asking, until cancelled; then give the lease up so that another need not wait it out."""
        try:
            while True:
                delay_s = await self._ask()
                await asyncio.sleep(delay_s)
        finally:
            was_leader, self._until_ms = self.holds(), 0
            self._show()
            if was_leader:
                await self._release()

    async def _ask(self) -> float:
        """Ask once; returns how long to wait before the next time."""
        asked_ms = self._clock.steady_ms()
        try:
            async with asyncio.timeout(RENEW_EVERY_S):
                lease = await self._backend.leader(self.holder, LEASE_TTL_MS)
        except (BackendFault, TimeoutError) as fault:
            _log.warning("the lease to send could not be asked for: %s", type(fault).__name__)
            # Nothing was learnt: what was granted before runs out by itself, and that moment is not slept through.
            self._show()
            left_s = (self._until_ms - self._clock.steady_ms()) / 1_000
            return max(0.05, min(RETRY_EVERY_S, left_s)) if left_s > 0 else RETRY_EVERY_S
        # What was granted before may have run out meanwhile, and another bot may have sent: that is not passed over.
        self._show()
        self._until_ms = asked_ms + LEASE_TTL_MS - MARGIN_MS if lease.leader else 0
        self._show()
        self._hear(lease)
        return RENEW_EVERY_S

    def _hear(self, lease: Lease) -> None:
        """The daemon repeats what it says, for an answer may be lost; what was heard last time is not news."""
        named = frozenset(lease.touched)
        if news := named - self._named:
            self._touched.update(one.slot for one in news)
            self._some_touched.set()
        self._named = named

    def _show(self) -> None:
        if self.holds() == self._gained.is_set():
            return
        if self.holds():
            _log.info("this bot sends now")
            self._lost.clear()
            self._gained.set()
        else:
            _log.warning("this bot sends no longer")
            self._gained.clear()
            self._lost.set()

    async def _release(self) -> None:
        try:
            async with asyncio.timeout(RELEASE_S_MAX):
                await self._backend.leader(self.holder, RELEASE_TTL_MS)
        except (BackendFault, TimeoutError):
            _log.info("the lease to send was not given back; it ends by itself")
