"""What a revision changes: read against the promise that was last in force before it, or against the one before."""

from collections.abc import Callable

from ledger.projections.causes import DecisionView
from ledger.projections.promise_views import BeforeView, RevisedView
from ledger.records import Intent
from ledger.state import Goal

Items = Callable[[Intent, str], tuple[str, ...]]
_IN_FORCE = frozenset({"confirmed", "superseded"})
"""What became of a revision that an owner said yes to."""


def before(
    goal: Goal, intent: Intent, names: tuple[str, ...], items: Items, made: Callable[[Intent], DecisionView | None]
) -> BeforeView | None:
    """What stood before this revision; None for the first. The same however the goal goes on."""
    if intent.number == 1:
        return None
    earlier = goal.intents[: intent.number - 1]
    in_force = (one for one in reversed(earlier) if one.decided_by is not None and one.status in _IN_FORCE)
    base = next(in_force, earlier[-1])
    changes = (RevisedView(name=name, was=items(base, name), becomes=items(intent, name)) for name in names)
    last = earlier[-1]
    return BeforeView(
        revision=base.number,
        changes=tuple(one for one in changes if one.was != one.becomes),
        turned_down=made(last) if last.status in {"declined", "withdrawn"} else None,
    )
