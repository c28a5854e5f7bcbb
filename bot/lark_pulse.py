"""The gateway's vital signs, written where frames arrive and read by whoever asks for health."""

import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from bot.lark import LarkFault, LarkFaultKind, LarkHealth, Transport

_Answer = TypeVar("_Answer")


class Pulse:
    """Holds one `LarkHealth` and replaces it whole, so that a reader on another thread never sees half a change."""

    def __init__(self, now_ms: Callable[[], int], transport: Transport = "ws") -> None:
        """`now_ms` must not go backwards, or silence cannot be told from a clock that was set."""
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._health = LarkHealth(since_ms=now_ms(), transport=transport)
        self._has_been_up = False

    def health(self) -> LarkHealth:
        """Return the state of now."""
        return self._health

    def connected(self, ping_interval_ms: int) -> None:
        """Note a connection that stands; whatever was fatal no longer is."""
        with self._lock:
            self._health = replace(
                self._health,
                connected=True,
                since_ms=self._now_ms(),
                ping_interval_ms=ping_interval_ms,
                reconnects=self._health.reconnects + int(self._has_been_up),
                fatal=None,
            )
            self._has_been_up = True

    def disconnected(self) -> None:
        """Note that the connection ended."""
        with self._lock:
            if self._health.connected:
                self._health = replace(self._health, connected=False, since_ms=self._now_ms())
            self._health = replace(self._health, listening=False)

    def ping_interval(self, ping_interval_ms: int) -> None:
        """Note the interval the server asked for while connected."""
        with self._lock:
            self._health = replace(self._health, ping_interval_ms=ping_interval_ms)

    def fatal(self, text: str | None) -> None:
        """Note what an operator must act on; None takes it back."""
        with self._lock:
            self._health = replace(self._health, fatal=text)

    def frame(self) -> None:
        """Note any frame."""
        with self._lock:
            self._health = replace(self._health, last_frame_ms=self._now_ms())

    def pong(self) -> None:
        """Note the answer to a ping."""
        with self._lock:
            self._health = replace(self._health, last_pong_ms=self._now_ms())

    def event(self) -> None:
        """Note a frame that carries an event or a press."""
        with self._lock:
            self._health = replace(self._health, last_event_ms=self._now_ms())

    def callback(self) -> None:
        """Note a press: callbacks are proven to arrive."""
        with self._lock:
            self._health = replace(self._health, last_callback_ms=self._now_ms())

    def listening(self, *, on: bool) -> None:
        """Note that requests can arrive (a webhook's socket is open), or no longer; nothing is proved by that."""
        with self._lock:
            since_ms = self._health.since_ms if self._health.connected else self._now_ms()
            fatal = None if on else self._health.fatal
            self._health = replace(self._health, listening=on, since_ms=since_ms, fatal=fatal)

    def proved(self) -> None:
        """Note that the platform reached us and could show that it was the platform."""
        with self._lock:
            if not self._health.connected:
                self._health = replace(self._health, connected=True, since_ms=self._now_ms())

    def seen(self, event_type: str) -> None:
        """Note a kind of event that was asked for: its subscription is proved."""
        with self._lock:
            self._health = replace(self._health, events_seen=self._health.events_seen | {event_type})

    async def watched(self, call: Awaitable[_Answer]) -> _Answer:
        """Make a call and note whether the app may call at all: a refused token or app is told, and heals."""
        try:
            answer = await call
        except LarkFault as fault:
            if fault.kind in (LarkFaultKind.TOKEN, LarkFaultKind.FATAL):
                self._sending(f"{fault.reason or 'the platform refuses the token'} (code {fault.code})")
            raise
        if self._health.send_fault is not None:
            self._sending(None)
        return answer

    def _sending(self, fault: str | None) -> None:
        with self._lock:
            self._health = replace(self._health, send_fault=fault)

    def parked(self) -> None:
        """Note an event that was acknowledged and that nobody can act on."""
        with self._lock:
            self._health = replace(self._health, parked=self._health.parked + 1)

    def turned_away(self) -> None:
        """Note a request that could not show that it came from the platform."""
        with self._lock:
            self._health = replace(self._health, turned_away=self._health.turned_away + 1)
