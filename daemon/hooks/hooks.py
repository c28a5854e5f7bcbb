"""All hooks of a daemon: who follows, who is parked, and what can be said of them.

Without a hook in the settings nothing runs and nothing is loaded for it. A hook that is no longer in the settings keeps
its place in the ledger: put back, it goes on where it was, and what was committed meanwhile is delivered.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from daemon.hook_settings import HookSection
from daemon.hooks import course
from daemon.hooks.follower import Follower
from daemon.hooks.ledgered import Ledgered
from daemon.hooks.porter import Carrier, Porter
from daemon.paths import Home
from daemon.service import Service
from ledger.ports import HookRow, StoreFault, WriterFenced
from ledger.text.times import rfc3339

SCHEMA_VERSION = "frontstage_hooks_v0"
UNCONFIGURED = "unconfigured"

_log = logging.getLogger("frontstage.hooks")


class Lag(NamedTuple):
    """One hook in numbers."""

    name: str
    state: str
    behind_events: int
    behind_seconds: float
    delivered: int


class Hooks:
    """The hooks of one service."""

    def __init__(
        self,
        home: Home,
        service: Service,
        settings: Sequence[HookSection],
        make_carrier: Callable[[], Carrier] = Porter,
    ) -> None:
        self._service = service
        self._ledgered = Ledgered(service)
        self.followers: dict[str, Follower] = {}
        for one in settings:
            row = self._ledgered.known().get(one.name)
            if row is None:
                row = course.begun(one.name, one.begin, service.committed.seq, service.clock.now_ms())
                self._ledgered.keep(row)
            self.followers[one.name] = Follower(home, one, service, row, make_carrier(), self._ledgered.keep)

    async def run(self) -> None:
        """Have all of them follow until the service ends, or whoever runs this is told to stop."""
        if not self.followers:
            return
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._ledgered.run())
                for follower in self.followers.values():
                    group.create_task(follower.run())
        except* (StoreFault, WriterFenced):
            _log.info("the hooks end with the service")
        finally:
            if self._service.writable:
                await self._ledgered.flush()

    def release(self, name: str, *, skip: bool) -> bool | None:
        """Have one try again; whether that changed anything, or None where there is no such hook."""
        follower = self.followers.get(name)
        return None if follower is None else follower.release(skip=skip)

    def lags(self) -> Iterator[Lag]:
        """Each hook in numbers, for health and metrics."""
        now_ms = self._service.clock.now_ms()
        for name, follower in self.followers.items():
            yield Lag(
                name, follower.state, follower.behind_events, follower.behind_seconds(now_ms), follower.row.delivered
            )

    def summary(self) -> dict[str, object]:
        """All of them in a few numbers, which name nothing."""
        lags = list(self.lags())
        return {
            "following": sum(lag.state == "following" for lag in lags),
            "retrying": sum(lag.state == "retrying" for lag in lags),
            "parked": sum(lag.state == "parked" for lag in lags),
            "behind_events_max": max((lag.behind_events for lag in lags), default=0),
            "behind_seconds_max": max((lag.behind_seconds for lag in lags), default=0.0),
        }

    def document(self) -> dict[str, object]:
        """Each hook with its place and its trouble."""
        now_ms = self._service.clock.now_ms()
        rows = [self._row(follower, now_ms) for follower in self.followers.values()]
        rows += [_gone(row) for name, row in self._ledgered.known().items() if name not in self.followers]
        return {
            "schema_version": SCHEMA_VERSION,
            "ok": True,
            "hooks": sorted(rows, key=lambda row: str(row["name"])),
            "seq": self._service.committed.seq,
        }

    def _row(self, follower: Follower, now_ms: int) -> dict[str, object]:
        settings = follower.settings
        return {
            **_place(follower.row),
            "state": follower.state,
            "target": settings.target,
            "kinds": list(settings.kinds),
            "goals": list(settings.goals),
            "attempts_max": settings.attempts,
            "behind_events": follower.behind_events,
            "behind_seconds": follower.behind_seconds(now_ms),
            "before_seq": follower.before_seq,
        }


def _gone(row: HookRow) -> dict[str, object]:
    return {**_place(row), "state": UNCONFIGURED}


def _place(row: HookRow) -> dict[str, object]:
    return {
        "name": row.name,
        "cursor": row.seq,
        "attempts": row.attempts,
        "reason": row.reason,
        "delivered": row.delivered,
        "changed_at": rfc3339(row.changed_at_ms),
    }
