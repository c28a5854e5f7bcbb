"""Pages of a long list.

`bounds(total, size, number)` gives where page `number`, counted from 1, begins and where it ends, the end excluded, in
a list of `total` items with `size` items a page. The last page may be shorter. A page past the last is empty and stands
at the list's end: [total, total]. Without items, without room on a page, and for a page before the first it is [0, 0].
"""


def bounds(total: int, size: int, number: int) -> list[int]:
    """Where a page begins and where it ends."""
    if total <= 0 or size <= 0 or number < 1:
        return [0, 0]
    first = (number - 1) * size
    if first >= total:
        return [total, total]
    return [first, min(first + size, total)]
