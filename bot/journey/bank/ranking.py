"""Places in a contest.

`ranks(scores)` gives each score's place, the highest score being first. Equal scores share the better place, and the
places that they use up are left out after them: 9, 7, 7, 3 are first, second, second and fourth.
"""


def ranks(scores: list[int]) -> list[int]:
    """The place of each score, in the order in which the scores were given."""
    places: list[int] = []
    for score in scores:
        better = 0
        for other in scores:
            if other > score:
                better = better + 1
        places.append(better + 1)
    return places
