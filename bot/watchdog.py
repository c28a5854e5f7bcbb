"""An outside watchdog for the gateway: it believes nothing but what arrived, and when.

A long connection fails in ways that it does not notice itself. It can be *down* and not come up again; *deaf*, when
pings go out and no answer comes; or a *zombie*, which answers every ping and is pushed nothing. The first two show
in the health of the gateway. The third cannot be told from a quiet evening, so a connection that was pushed nothing
for long is replaced by a fresh one: that costs one handshake, and events that were pushed meanwhile are pushed
again.

The watchdog owns the run: it cancels `Lark.run` and starts it anew, which drops the thread, the sockets and
whatever they were stuck in. A fatal refusal is left alone, because the gateway itself asks again rarely and an
operator must act.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.lark import Handlers, Lark, LarkHealth

# Pings are two minutes apart by default: two may get lost, and then some.
PONGS_MISSED_MAX: Final = 2
_MARGIN_MS: Final = 30_000


class Verdict(StrEnum):
    """What one look at the gateway's health says."""

    FINE = "fine"
    FATAL = "fatal"
    """An operator must act; restarting would only ask again."""
    DOWN = "down"
    DEAF = "deaf"
    QUIET = "quiet"
    """Nothing was pushed for so long that the connection might be a zombie."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WatchdogLimits:
    """How long each state may last."""

    down_ms_max: int = 180_000
    """Longer than the gateway's own longest wait between two attempts, and an attempt."""
    quiet_ms_max: int = 30 * 60_000
    look_every_ms: int = 10_000


def judge(health: LarkHealth, started_ms: int, now_ms: int, limits: WatchdogLimits) -> Verdict:
    """Judge the run that started at `started_ms`; what was seen before that is not evidence about it."""
    if health.fatal is not None:
        return Verdict.FATAL
    since_ms = max(health.since_ms, started_ms)
    if health.transport == "webhook":
        # Nothing can be renewed but the socket: whether requests reach it is decided elsewhere, and health tells.
        return Verdict.DOWN if not health.listening and now_ms - since_ms > limits.down_ms_max else Verdict.FINE
    if not health.connected:
        return Verdict.DOWN if now_ms - since_ms > limits.down_ms_max else Verdict.FINE
    if now_ms - max(since_ms, health.last_pong_ms or 0) > PONGS_MISSED_MAX * health.ping_interval_ms + _MARGIN_MS:
        return Verdict.DEAF
    if now_ms - max(since_ms, health.last_event_ms or 0) > limits.quiet_ms_max:
        return Verdict.QUIET
    return Verdict.FINE


class Watchdog:
    """Runs the gateway for as long as it is itself run, and replaces a run that has gone bad."""

    def __init__(
        self,
        lark: Lark,
        *,
        now_ms: Callable[[], int],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        limits: WatchdogLimits | None = None,
    ) -> None:
        """`now_ms` is the clock of the gateway's health; `sleep` waits on the same clock."""
        self._lark = lark
        self._now_ms = now_ms
        self._sleep = sleep
        self._limits = limits or WatchdogLimits()
        self._log = logging.getLogger("frontstage.watchdog")
        self.restarts: dict[Verdict, int] = {}
        """How often a run was replaced, by reason."""

    async def run(self, handlers: Handlers) -> None:
        """Keep a good run of the gateway until cancelled; a fault of the gateway's own code ends this too."""
        while True:
            verdict = await self._one_run(handlers)
            self.restarts[verdict] = self.restarts.get(verdict, 0) + 1
            if verdict is Verdict.QUIET:
                self._log.info("nothing was pushed for a long time: the long connection is renewed")
            else:
                self._log.error("the gateway is %s: it is started anew", verdict.value)

    async def _one_run(self, handlers: Handlers) -> Verdict:
        started_ms = self._now_ms()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self._lark.run(handlers))
            verdict = await self._look(running, started_ms)
            running.cancel()
        return verdict

    async def _look(self, running: "asyncio.Task[None]", started_ms: int) -> Verdict:
        while True:
            await self._sleep(self._limits.look_every_ms / 1_000)
            if running.done():
                # It is meant to run for ever; an error of it has already ended the group around us.
                return Verdict.DOWN
            verdict = judge(self._lark.health(), started_ms, self._now_ms(), self._limits)
            if verdict not in (Verdict.FINE, Verdict.FATAL):
                return verdict
