"""Where something belongs in a sorted list.

`place(values, wanted)` gives the first index at which `wanted` can be put into the rising list `values` so that it
stays rising and `wanted` comes after all that are equal to it.
"""


def place(values: list[int], wanted: int) -> int:
    """The index at which it belongs."""
    low = 0
    high = len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= wanted:
            low = middle + 1
        else:
            high = middle
    return low
