"""Rate limits as sliding windows: exactly N calls in any span, and the (N+1)th is told how long to wait."""

from collections import OrderedDict, deque
from dataclasses import dataclass

WINDOWS_MAX = 10_000


@dataclass(frozen=True)
class Limit:
    """So many calls in so many milliseconds, for everything that shares a key."""

    key: str
    calls_max: int
    span_ms: int


class RateLimits:
    """The windows of all keys; the least used are forgotten when there are too many."""

    def __init__(self) -> None:
        self._windows: OrderedDict[tuple[str, int], deque[int]] = OrderedDict()

    def take(self, limits: list[Limit], now_ms: int) -> tuple[Limit, int] | None:
        """Count one call against all limits; if one is full, charge none and give it with the wait in ms."""
        windows = [self._window(limit, now_ms) for limit in limits]
        for limit, window in zip(limits, windows, strict=True):
            if len(window) >= limit.calls_max:
                return limit, max(1, window[0] + limit.span_ms - now_ms)
        for window in windows:
            window.append(now_ms)
        return None

    def _window(self, limit: Limit, now_ms: int) -> deque[int]:
        slot = (limit.key, limit.span_ms)
        window = self._windows.setdefault(slot, deque())
        self._windows.move_to_end(slot)
        while window and window[0] <= now_ms - limit.span_ms:
            window.popleft()
        while len(self._windows) > WINDOWS_MAX:
            self._windows.popitem(last=False)
        return window
