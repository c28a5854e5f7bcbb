"""One hook at work: it follows what is committed, and nothing waits for it.

It reads the same pages as a reader of the feed, so a slow hook costs a commit nothing and misses nothing. One delivery
is under way at a time, in the order of the ledger. How far it has come is handed to `Ledgered`, which writes it down.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal

from daemon.api.feed import page_of
from daemon.hook_settings import HookSection
from daemon.hooks import course
from daemon.hooks.porter import Carrier, Order
from daemon.hooks.telling import body, told
from daemon.paths import Home
from daemon.service import Service
from ledger.events import Recorded
from ledger.ports import HookRow

State = Literal["following", "retrying", "parked"]
Kept = Callable[[HookRow], None]
REST_S = 60.0
"""A carrier that had nothing to carry for so long is let go; the next delivery begins another."""


class Follower:
    """A hook of the settings with its place in the ledger."""

    def __init__(
        self, home: Home, settings: HookSection, service: Service, row: HookRow, carrier: Carrier, kept: Kept
    ) -> None:
        self.settings = settings
        self.row = row
        self._home = home
        self._service = service
        self._carrier = carrier
        self._kept = kept
        self._woken = asyncio.Event()
        self._before: Recorded | None = None
        """The event that it stands before, where it was tried already."""

    @property
    def state(self) -> State:
        """What it is doing."""
        return "parked" if self.row.parked else "retrying" if self.row.attempts else "following"

    @property
    def behind_events(self) -> int:
        """Events that it has not looked at."""
        return max(0, self._service.committed.seq - self.row.seq)

    def behind_seconds(self, now_ms: int) -> float:
        """How old the event is that it stands before; 0 where it waits for none."""
        return 0.0 if self._before is None else max(0, now_ms - self._before.at_ms) / 1000

    @property
    def before_seq(self) -> int | None:
        """The event that it stands before."""
        return None if self._before is None else self._before.seq

    def release(self, *, skip: bool) -> bool:
        """Try again at once; with `skip`, past the event it is parked before. Whether that changed anything."""
        row, now_ms = self.row, self._service.clock.now_ms()
        if not row.attempts and not row.parked:
            return False
        if skip and row.parked and self._before is not None:
            self._keep(course.skipped(row, self._before.seq, now_ms))
            self._before = None
        else:
            self._keep(course.released(row, now_ms))
        self._woken.set()
        return True

    async def run(self) -> None:
        """Follow until the service ends."""
        try:
            while not self._service.ended:
                page = await page_of(self._service, self.row.seq)
                if not page:
                    await self._wait_for_more()
                elif not await self._came_through(page):
                    await self._pause()
        finally:
            await self._carrier.end()

    async def _came_through(self, page: Sequence[Recorded]) -> bool:
        """Deliver what is asked for of these events, and pass the others; whether none of them is in the way."""
        for event in page:
            if not self.settings.asks_for(event.kind, event.goal_id):
                self._keep(course.passed(self.row, event.seq))
                continue
            self._before = event
            if self.row.parked or not await self._deliver(event):
                return False
            self._before = None
        return True

    async def _wait_for_more(self) -> None:
        try:
            async with asyncio.timeout(REST_S):
                await self._service.changed(self.row.seq)
        except TimeoutError:
            await self._carrier.end()

    async def _deliver(self, event: Recorded) -> bool:
        service, settings = self._service, self.settings
        document = told(service.committed, settings.name, event, self.row.attempts + 1)
        outcome = await self._carrier.carry(self._order(body(document).decode(), str(document["delivery_id"]), event))
        now_ms = service.clock.now_ms()
        if outcome.reason is None:
            self._keep(course.delivered(self.row, event.seq, now_ms))
            return True
        self._keep(course.failed(self.row, outcome.said, settings, now_ms))
        return False

    def _order(self, text: str, delivery_id: str, event: Recorded) -> Order:
        settings, home = self.settings, self._home
        return Order(
            body=text,
            folder=f"{home.hooks}/{settings.name}",
            hook=settings.name,
            delivery_id=delivery_id,
            seq=event.seq,
            timeout_s=settings.timeout_seconds,
            command=settings.command or (),
            variables=settings.env,
            url=settings.url or "",
            headers=settings.headers,
            secret_file=_inside(home, settings.secret_file),
            authorization_file=_inside(home, settings.authorization_file),
            ca_file=_inside(home, settings.ca_file),
        )

    async def _pause(self) -> None:
        """Until it is time to try again, or somebody says so; parked, only somebody does."""
        self._woken.clear()
        if self.row.parked:
            await self._woken.wait()
        elif self.row.attempts:
            with suppress(TimeoutError):
                async with asyncio.timeout(course.pause_s(self.row.attempts, self.settings)):
                    await self._woken.wait()

    def _keep(self, row: HookRow) -> None:
        self.row = row
        self._kept(row)


def _inside(home: Home, name: str | None) -> str:
    """A file's path; a relative one is inside the home, and `~` is the user's."""
    return "" if name is None else os.path.join(home.path, os.path.expanduser(name))  # noqa: PTH111, PTH118
