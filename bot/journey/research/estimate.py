"""How large a difference is, and how sure one can be of it.

The effect is the difference between the means of two groups in standard deviations of the outcome. Functions of one
file are written by the same hands, so files, not functions, are what is drawn again for the interval: it says how far
the effect would move had other files been drawn. Each file is kept as sums, so that a resample costs little.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bot.journey.research.functions import Function

DIGITS = 6
LEVEL = 0.95

Sums = tuple[float, float, float, float, float, float]
"""Of a file: how many functions, their sum and sum of squares, where the hypothesis holds; then the same elsewhere."""


class NoEstimate(Exception):
    """The data cannot say anything; says why."""


@dataclass(frozen=True)
class Estimate:
    """An effect with its interval; rounded, so that whoever measures again can compare to the digit."""

    effect: float
    low: float
    high: float
    holds: int
    others: int

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return round(self.high - self.low, DIGITS)


def sums_of(
    functions: Iterable[Function], outcome: Callable[[Function], float], holds: Callable[[Function], bool]
) -> Sums:
    """One file as sums."""
    sums = [0.0] * 6
    for one in functions:
        value, at = outcome(one), 0 if holds(one) else 3
        sums[at] += 1
        sums[at + 1] += value
        sums[at + 2] += value * value
    return (sums[0], sums[1], sums[2], sums[3], sums[4], sums[5])


def effect_of(files: Iterable[Sums]) -> float | None:
    """The standardised difference; none where a group has fewer than two, or nothing varies."""
    count, total, squares, other_count, other_total, other_squares = (
        math.fsum(one) for one in zip(*files, strict=True)
    )
    if min(count, other_count) < 2:
        return None
    within = squares - total * total / count + other_squares - other_total * other_total / other_count
    variance = within / (count + other_count - 2)
    if variance <= 0:
        return None
    return (total / count - other_total / other_count) / math.sqrt(variance)


def estimate(files: Sequence[Sums], *, resamples: int, seed: str) -> Estimate:
    """The effect in these files, with a percentile interval over resampled files. Raises NoEstimate."""
    effect = effect_of(files) if files else None
    if effect is None:
        raise NoEstimate("a group is empty, or the outcome never varies")
    dice = random.Random(seed)  # noqa: S311  (a resample, no secret)
    again = (effect_of(dice.choices(files, k=len(files))) for _ in range(resamples))
    effects = sorted(one for one in again if one is not None)
    # A resample that says nothing would make the interval look narrower than it is.
    if len(effects) < resamples * LEVEL:
        raise NoEstimate("too few files have functions of both groups")
    outside = (1 - LEVEL) / 2
    low, high = (effects[min(len(effects) - 1, int(part * len(effects)))] for part in (outside, 1 - outside))
    holds, others = (int(sum(one[at] for one in files)) for at in (0, 3))
    return Estimate(round(effect, DIGITS), round(low, DIGITS), round(high, DIGITS), holds, others)
