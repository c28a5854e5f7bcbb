"""One bot, put together on a daemon and a platform that may be the real ones or not."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.backend import Backend
from bot.clock import Clock
from bot.health import HealthReport
from bot.holds import PressHolds
from bot.inbound import Inbound
from bot.lark import Lark
from bot.leader import Leadership
from bot.outbox import Outbox
from bot.sync import Sync
from bot.watchdog import Watchdog
from ledger.text.say import Locale


@dataclass(frozen=True, kw_only=True, slots=True)
class Bot:
    """The parts of one bot. They share no state but what they were given."""

    leadership: Leadership
    sync: Sync
    inbound: Inbound
    health: HealthReport
    watchdog: Watchdog

    async def run(self) -> None:
        """Run all parts until cancelled; if one breaks, all of it ends."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.leadership.run())
            group.create_task(self.sync.run())
            group.create_task(self.health.run())
            group.create_task(self.watchdog.run(self.inbound))


def assemble(lark: Lark, backend: Backend, clock: Clock, *, holder: str, locale: Locale, home: Path | None) -> Bot:
    """Put a bot together. `holder` is a name no other bot has; `home` is where the health file goes, if anywhere."""
    leadership = Leadership(backend, clock, holder=holder)
    outbox = Outbox(lark, leadership)
    holds = PressHolds()
    sync = Sync(backend, outbox, leadership, clock, holds=holds, locale=locale)
    return Bot(
        leadership=leadership,
        sync=sync,
        inbound=Inbound(backend, outbox, sync, leadership, clock, holds=holds),
        health=HealthReport(lark.health, backend, clock, home=home),
        watchdog=Watchdog(lark, now_ms=clock.steady_ms),
    )
