"""Version numbers.

`compared(left, right)` says whether the left version is older (-1), the same (0) or newer (1). Versions are lists of
numbers, the most important first. What one of them does not say is 0 there: 1.2 and 1.2.0 are the same.
"""


def compared(left: list[int], right: list[int]) -> int:
    """Which is newer."""
    for place in range(max(len(left), len(right))):
        mine = left[place] if place < len(left) else 0
        other = right[place] if place < len(right) else 0
        if mine < other:
            return -1
        if mine > other:
            return 1
    return 0
