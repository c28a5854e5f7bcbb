"""Streaks.

`longest(values)` gives how long the longest stretch of neighbouring values is in which each is greater than the one
before. One value alone is a stretch of 1, and where there is no value there is none: 0.
"""


def longest(values: list[int]) -> int:
    """The length of the longest rising stretch."""
    best = 0
    length = 0
    for place in range(len(values)):
        length = length + 1
        if place == 0 or values[place] <= values[place - 1]:
            length = 1
        best = max(best, length)
    return best
