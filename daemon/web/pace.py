"""How much of the daemon's time the pages that follow may have: one part in so many, however many they are.

Two things cost. To make a page anew costs most: after one was made for pages that follow, none is made for them until
so many times as long has passed, and until then they get what is kept and come back. To answer with what is kept costs
a little: so those who wait are told one after another, each as many times later as the answer to one of them takes.
A ledger in which little happens owes nobody anything, and everybody is told at once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

SHARE = 20
"""One part in this many of the daemon's time is for making pages that follow, and as much again for sending them."""
ANSWER_S, BYTE_S = 0.000_5, 2e-9
"""What an answer with a kept page costs, and each byte of it: somewhat more than on a machine of today."""
SMOOTHING = 8


class Pace:
    """What was spent, and when there is something to spend again."""

    def __init__(self) -> None:
        self._answer_s = ANSWER_S
        self._tell_at_s = 0.0
        self._make_at_s = 0.0
        self._making = False

    def may_make(self, now_s: float) -> bool:
        """Whether a page that follows may be made anew now; one is made at a time."""
        return not self._making and now_s >= self._make_at_s

    @contextmanager
    def making(self, now_s: float) -> Iterator[None]:
        """One is made: what this takes of the loop's time puts the next one off."""
        self._making, began_s = True, time.thread_time()
        try:
            yield
        finally:
            self._making = False
            self._make_at_s = max(now_s, self._make_at_s) + (time.thread_time() - began_s) * SHARE

    def answered(self, size: int) -> None:
        """A page that follows was answered with so many bytes."""
        self._answer_s += (ANSWER_S + size * BYTE_S - self._answer_s) / SMOOTHING

    def turn_s(self, now_s: float) -> float:
        """How long to wait for a turn to be told; taking it puts the next one off."""
        begins_s = max(now_s, self._tell_at_s)
        self._tell_at_s = begins_s + self._answer_s * SHARE
        return begins_s - now_s
