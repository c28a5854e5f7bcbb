"""The way out: every call to the platform passes here, in its turn, if this bot leads, and not too often in vain.

A call is repeated only after a rate limit, whose wait is honoured, or when nobody knows whether it happened; the key
of a send and the nature of a patch make both harmless. Everything else is the caller's to decide.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from bot.dirty import Urgency
from bot.lark import Lark, LarkFault, LarkFaultKind
from bot.leader import Leadership
from bot.limits import Turnstile
from bot.routes import Route
from bot.steps import RETRIED

ATTEMPTS_MAX: Final = 4
WAIT_S_MIN: Final = 0.5
WAIT_S_MAX: Final = 8.0
RETRY_AFTER_S_MAX: Final = 60.0

_log = logging.getLogger("frontstage.bot.outbox")
_Result = TypeVar("_Result")


class NotLeadingError(Exception):
    """This bot may not send: another one does."""


class Outbox:
    """One per process."""

    def __init__(self, lark: Lark, leadership: Leadership, *, chance: Callable[[], float] = random.random) -> None:
        """`chance` spreads repeated calls (0 to 1)."""
        self.lark = lark
        self._leadership = leadership
        self._turnstile = Turnstile()
        self._chance = chance

    async def run(self) -> None:
        """Let calls through, until cancelled."""
        await self._turnstile.run()

    async def turn(self, place: str, urgency: Urgency) -> None:
        """Wait for the turn of one call about a chat or a message."""
        if not self._leadership.holds():
            raise NotLeadingError
        await self._turnstile.turn(place, urgency)

    async def once(self, place: str, call: Callable[[Lark], Awaitable[_Result]]) -> _Result:
        """Make one call whose turn has come."""
        if not self._leadership.holds():
            raise NotLeadingError
        try:
            return await call(self.lark)
        except LarkFault as fault:
            if fault.kind is LarkFaultKind.RATE_LIMITED:
                self._turnstile.hold(place, fault.retry_after_s or WAIT_S_MIN)
            raise

    async def repeated(self, work: Callable[[], Awaitable[_Result]]) -> _Result:
        """Do a piece of work that calls, again after a fault that allows it, a few times."""

        async def attempt() -> _Result:
            # Retrying awaits what is a coroutine function, and not what only returns a coroutine.
            return await work()

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, LarkFault) and error.kind in RETRIED),
            stop=stop_after_attempt(ATTEMPTS_MAX),
            wait=self._wait_s,
            sleep=asyncio.sleep,
            reraise=True,
        )
        return await retrying(attempt)

    async def say(self, route: Route, text: str, uuid: str) -> None:
        """Post a text, beside the question if that is still there."""
        try:
            await self._say(route, text, uuid)
        except LarkFault as fault:
            if fault.kind is not LarkFaultKind.GONE or route.reply_to is None:
                raise
            await self._say(route.without_reply(), text, uuid)

    async def _say(self, route: Route, text: str, uuid: str) -> None:
        async def work() -> None:
            await self.turn(route.chat_id, (0, 0))
            await self.once(route.chat_id, lambda lark: route.post_text(lark, text, uuid))

        await self.repeated(work)

    def _wait_s(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome is not None else None
        grown_s: float = min(WAIT_S_MAX, WAIT_S_MIN * 2.0 ** (state.attempt_number - 1)) * (0.5 + self._chance() / 2)
        if isinstance(fault, LarkFault):
            _log.info("a call to the platform is repeated: %s", fault.kind.value)
            if fault.retry_after_s is not None:
                return min(fault.retry_after_s, RETRY_AFTER_S_MAX)
        return grown_s
