"""How long a client asks again, and when: by the daemon's own advice, else after pauses that grow and are spread.

Asking again is safe because a write carries its request key: what was done is answered from its receipt. So it is the
caller's to say for how long an answer is worth waiting for, and nobody's to say what happened meanwhile.
"""

import os
import time

PAUSE_S_FIRST, PAUSE_S_MAX = 0.1, 5.0


class Patience:
    """One request's: from its first try on."""

    def __init__(self, seconds: float) -> None:
        self._until_s = time.monotonic() + seconds
        self._next_s = PAUSE_S_FIRST

    def pause_s(self, advised_s: float | None = None) -> float | None:
        """How long to wait before the next try; None where it would come too late to be worth it."""
        spread_s = self._next_s * (0.5 + os.urandom(1)[0] / 512)
        self._next_s = min(2 * self._next_s, PAUSE_S_MAX)
        wait_s = spread_s if advised_s is None else max(advised_s, spread_s)
        return wait_s if time.monotonic() + wait_s <= self._until_s else None
