"""The turnstile in front of the platform: who may call next, and when.

A call waits until the app, and the chat or the message it is about, have room; among those that have room the most
urgent goes first. The rates stay below the platform's (50 a second and 1,000 a minute for one app, 5 a second for one
chat, shared with every other bot in it, and for one message). A leaky bucket lets a burst through and then its steady
rate, so burst plus steady rate together stay within what the platform allows in its window.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from aiolimiter import AsyncLimiter

APP_PER_S: Final = 40
APP_PER_MINUTE: Final = 900
PLACE_PER_S: Final = 4
# One second in steady flow, and at most this share of it at once.
_APP_BURST_S: Final = 0.2
_MINUTE_BURST_S: Final = 6.0
_PLACE_BURST_S: Final = 0.25
PLACES_MAX: Final = 4_096
WAITING_MAX: Final = 1_024
TICK_S: Final = 0.02
HOLD_S_MAX: Final = 60.0


@dataclass(order=True, slots=True)
class _Waiting:
    urgency: tuple[int, int]
    number: int
    place: str = field(compare=False)
    turn: "asyncio.Future[None]" = field(compare=False)


class Turnstile:
    """Grants turns while `run` runs; a wait that is cancelled leaves the queue."""

    def __init__(self) -> None:
        self._app = AsyncLimiter(APP_PER_S * _APP_BURST_S, _APP_BURST_S)
        self._minute = AsyncLimiter(APP_PER_MINUTE * _MINUTE_BURST_S / 60, _MINUTE_BURST_S)
        self._places: OrderedDict[str, AsyncLimiter] = OrderedDict()
        self._held_until_s: dict[str, float] = {}
        self._waiting: list[_Waiting] = []
        self._some = asyncio.Event()
        self._numbers = 0

    async def turn(self, place: str, urgency: tuple[int, int]) -> None:
        """Wait for the turn to make one call about `place`: a chat that is posted to, or a message that is changed."""
        if len(self._waiting) >= WAITING_MAX:
            raise AssertionError("more calls wait than there are lanes")
        self._numbers += 1
        waiting = _Waiting(urgency, self._numbers, place, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._some.set()
        try:
            await waiting.turn
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)

    def hold(self, place: str, seconds: float) -> None:
        """Let nothing about this place through for a while: the platform said so."""
        now_s = asyncio.get_running_loop().time()
        if len(self._held_until_s) >= PLACES_MAX:
            self._held_until_s = {key: until for key, until in self._held_until_s.items() if until > now_s}
        until_s = now_s + min(seconds, HOLD_S_MAX)
        self._held_until_s[place] = max(until_s, self._held_until_s.get(place, 0.0))

    async def run(self) -> None:
        """Grant turns until cancelled. Nothing ticks while nobody waits."""
        while True:
            await self._some.wait()
            if not self._waiting:
                self._some.clear()
                continue
            await self._grant()

    async def _grant(self) -> None:
        if not (self._app.has_capacity() and self._minute.has_capacity()):
            await asyncio.sleep(TICK_S)
            return
        now_s = asyncio.get_running_loop().time()
        for waiting in sorted(self._waiting):
            limiter = self._limiter(waiting.place)
            if self._held_until_s.get(waiting.place, 0.0) > now_s or not limiter.has_capacity():
                continue
            self._held_until_s.pop(waiting.place, None)
            self._waiting.remove(waiting)
            # There is room in all three, so none of these waits.
            await self._app.acquire()
            await self._minute.acquire()
            await limiter.acquire()
            if not waiting.turn.done():
                waiting.turn.set_result(None)
            return
        await asyncio.sleep(TICK_S)

    def _limiter(self, place: str) -> AsyncLimiter:
        limiter = self._places.get(place)
        if limiter is None:
            limiter = self._places[place] = AsyncLimiter(PLACE_PER_S * _PLACE_BURST_S, _PLACE_BURST_S)
            if len(self._places) > PLACES_MAX:
                self._places.popitem(last=False)
        self._places.move_to_end(place)
        return limiter
