"""Amounts that are shared out.

`shared(amount, people)` shares an amount of whole cents out among people so that nobody has more than one cent more
than another; whoever comes first has the odd cents. Among nobody nothing is shared out: an empty list.
"""


def shared(amount: int, people: int) -> list[int]:
    """What each has."""
    parts: list[int] = []
    if people <= 0:
        return parts
    each = amount // people
    odd = amount % people
    for number in range(people):
        if number < odd:
            parts.append(each + 1)
        else:
            parts.append(each)
    return parts
