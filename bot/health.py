"""How the bot is, as three facts that are told apart: it runs, its stream is ready, its callbacks are proven.

A bot that runs may hear nothing; a stream that is ready proves nothing about presses, which are configured elsewhere on
the platform: only a press that arrived does. The facts go to the daemon, for `status` and `doctor`, and into a small
file beside the ledger, for when the daemon is the one that is missing. Nothing is sent to the platform for it.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from bot.backend import Backend, BackendFault, BotHealth, Qualification
from bot.clock import Clock
from bot.lark import LarkHealth

LOOK_EVERY_S: Final = 1.0
TELL_EVERY_MS: Final = 20_000
FATAL_CHARS_MAX: Final = 300
FILE_NAME: Final = "bot.health.json"

_log = logging.getLogger("frontstage.bot.health")


DOWN: Final = BotHealth(
    process_up=False, stream_ready=False, callback_proven=False, last_callback_at_ms=None, fatal=None
)


def health_of(lark: LarkHealth, clock: Clock) -> BotHealth:
    """The three facts. The gateway counts on the steady clock; what leaves here is the wall's time."""
    ahead_ms = clock.now_ms() - clock.steady_ms()

    def wall(steady_ms: int | None) -> int | None:
        return None if steady_ms is None else max(0, steady_ms + ahead_ms)

    return BotHealth(
        process_up=True,
        stream_ready=lark.connected,
        callback_proven=lark.last_callback_ms is not None,
        last_callback_at_ms=wall(lark.last_callback_ms),
        fatal=None if lark.fatal is None else lark.fatal[:FATAL_CHARS_MAX],
        qualification=qualification_of(lark),
        transport=lark.transport,
        last_frame_at_ms=wall(lark.last_frame_ms),
        last_pong_at_ms=wall(lark.last_pong_ms),
        last_event_at_ms=wall(lark.last_event_ms),
        reconnects=lark.reconnects,
        events_seen=tuple(sorted(lark.events_seen)),
        parked=lark.parked,
        turned_away=lark.turned_away,
        send_fault=None if lark.send_fault is None else lark.send_fault[:FATAL_CHARS_MAX],
    )


def qualification_of(lark: LarkHealth) -> Qualification:
    """What the facts come to. A card that was delivered and a stream that stands prove nothing about presses."""
    if lark.fatal is not None:
        return "fatal"
    if not lark.connected:
        return "not_ready"
    return "unqualified" if lark.last_callback_ms is None else "qualified"


class HealthReport:
    """Tells the daemon and the file whenever something changed, and the daemon now and then in between."""

    def __init__(self, look: Callable[[], LarkHealth], backend: Backend, clock: Clock, *, home: Path | None) -> None:
        """`look` gives the gateway's health; without a `home` no file is written."""
        self._look = look
        self._backend = backend
        self._clock = clock
        self._home = home
        self._told: tuple[bool, bool, str | None, str | None, tuple[str, ...]] | None = None
        self._told_at_ms = 0

    async def run(self) -> None:
        """Look and tell, until cancelled; then say that the process is down."""
        try:
            while True:
                await self._tell_if_due()
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            self._write(DOWN)

    async def _tell_if_due(self) -> None:
        health = health_of(self._look(), self._clock)
        facts = (health.stream_ready, health.callback_proven, health.fatal, health.send_fault, health.events_seen)
        now_ms = self._clock.steady_ms()
        if facts != self._told:
            self._write(health)
        elif now_ms - self._told_at_ms < TELL_EVERY_MS:
            return
        self._told, self._told_at_ms = facts, now_ms
        try:
            await self._backend.put_health(health)
        except BackendFault as fault:
            _log.info("the daemon was not told: %s", fault)

    def _write(self, health: BotHealth) -> None:
        if self._home is None:
            return
        document = {"schema_version": "bot_health_v1", "at_ms": self._clock.now_ms(), **msgspec.structs.asdict(health)}
        path, draft = self._home / FILE_NAME, self._home / f"{FILE_NAME}.new"
        try:
            draft.write_bytes(msgspec.json.encode(document) + b"\n")
            draft.chmod(0o600)
            draft.replace(path)
        except OSError as error:
            # A full disk must not stop the bot; the daemon is told as well.
            _log.warning("the health file was not written: %s", error.strerror)
