"""What was done since the start, counted by a few bounded names: actions, surfaces and classes of refusal.

Nothing here is an id or a text, so that what is counted stays as small as the table of actions, whatever people write.
Counting is on the write path and therefore plain arithmetic; how it is shown to a scraper is another module's matter.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

GROUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
COMMIT_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
NANOSECONDS = 1_000_000_000


class Histogram:
    """How many observations were at most as large as each bound."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def cumulative(self) -> list[tuple[float, int]]:
        """Each bound with all observations up to it; the last bound is infinite."""
        seen, found = 0, []
        for bound, count in zip((*self.bounds, float("inf")), self.counts, strict=True):
            seen += count
            found.append((bound, seen))
        return found


@dataclass
class Tally:
    """Commands by what they were and how they ended, and the groups that made them durable."""

    commits: dict[tuple[str, str], int] = field(default_factory=dict)
    """By action and surface."""
    refusals: dict[tuple[str, str], int] = field(default_factory=dict)
    """By class and surface."""
    group_sizes: Histogram = field(default_factory=lambda: Histogram(GROUP_SIZES))
    commit_seconds: Histogram = field(default_factory=lambda: Histogram(COMMIT_SECONDS))

    def committed(self, action: str, surface: str) -> None:
        """One command became events."""
        key = (action, surface)
        self.commits[key] = self.commits.get(key, 0) + 1

    def refused(self, refusal_class: str, surface: str) -> None:
        """One command was refused."""
        key = (refusal_class, surface)
        self.refusals[key] = self.refusals.get(key, 0) + 1

    def grouped(self, size: int, took_ns: int) -> None:
        """A group became durable."""
        self.group_sizes.observe(size)
        self.commit_seconds.observe(took_ns / NANOSECONDS)
