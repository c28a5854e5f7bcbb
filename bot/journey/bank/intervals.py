"""Closed spans of whole numbers.

`merged(spans)` takes spans as pairs of first and last number, in any order, and gives the fewest spans, in rising
order, that hold the same points of the line. Spans that only touch, as [1, 2] and [2, 5] do, are one span; [1, 2] and
[3, 5] are two, for the points between them are in neither.
"""


def merged(spans: list[list[int]]) -> list[list[int]]:
    """The same points in the fewest spans."""
    result: list[list[int]] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([start, end])
    return result
