"""The long connection's vital signs, written where frames arrive and read by whoever asks for health."""

import threading
from collections.abc import Callable
from dataclasses import replace

from bot.lark import LarkHealth


class Pulse:
    """Holds one `LarkHealth` and replaces it whole, so that a reader on another thread never sees half a change."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        """`now_ms` must not go backwards, or silence cannot be told from a clock that was set."""
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._health = LarkHealth(since_ms=now_ms())
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
