"""Order: what must come before what, or that it cannot be said because something waits for itself."""

from collections.abc import Mapping


def in_order(waits_for: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The names with each after all it waits for, otherwise as they were given; None where there is a cycle.

    What is waited for and is not among the names counts as there.
    """
    placed: dict[str, None] = {}
    left = dict(waits_for)
    while left:
        free = [name for name, others in left.items() if not any(other in left for other in others)]
        if not free:
            return None
        for name in free:
            placed[name] = None
            del left[name]
    return tuple(placed)
