"""How long to wait before trying again: longer after each failure, never for ever."""

from typing import Final

KEYS_MAX: Final = 100_000


class Patience:
    """Growing waits by key; success forgets them."""

    def __init__(self, *, first_s: float, most_s: float) -> None:
        """The wait doubles from `first_s` to `most_s`."""
        self._first_s = first_s
        self._most_s = most_s
        self._failures: dict[str, int] = {}

    def failed(self, key: str = "") -> float:
        """Note a failure; returns how long to wait now."""
        failures = self._failures.get(key, 0)
        if key in self._failures or len(self._failures) < KEYS_MAX:
            self._failures[key] = failures + 1
        return min(self._most_s, self._first_s * 2.0 ** min(failures, 30))

    def succeeded(self, key: str = "") -> None:
        """Start over."""
        self._failures.pop(key, None)
