"""The review: one revision of the intent as it is put before its owners."""

from collections.abc import Iterator
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, numbered
from ledger.ids import MemberId
from ledger.projections.cards import Offer, offers, review_view
from ledger.projections.views import ReviewView
from ledger.state import Goal, Workspace

KIND: Final = "review"
CLOSED_SHOWN_MAX = 3
"""How many past revisions of a goal keep a live card."""


def _wanted(_workspace: Workspace, goal: Goal, _now_ms: int) -> Iterator[Wanted]:
    for intent in goal.intents[-CLOSED_SHOWN_MAX:]:
        yield Wanted(subject=f"{KIND}:{goal.goal_id}:{intent.number}", open=intent.status == "open", urgent=True)


def _view(workspace: Workspace, target: Target, _now_ms: int) -> ReviewView:
    assert target.goal is not None, "a review is of a goal"
    return review_view(workspace, target.goal, target.number)


def _offers(workspace: Workspace, target: Target, now_ms: int) -> tuple[Offer, ...]:
    assert target.goal is not None, "a review is of a goal"
    return offers(workspace, target.goal, KIND, target.number, now_ms)


def _now(target: Target) -> str | None:
    assert target.goal is not None, "a review is of a goal"
    return f"{KIND}:{target.goal.goal_id}:{target.goal.pending}" if target.goal.pending else None


def _may_press(target: Target, action: str, member_id: MemberId) -> bool:
    """Only who proposed a revision takes it back."""
    assert target.goal is not None, "a review is of a goal"
    return action != "goal.withdraw" or target.goal.intents[target.number - 1].proposed_by == member_id


FAMILY = Family(
    kind=KIND,
    of_goal=_wanted,
    find=numbered(KIND, lambda goal: len(goal.intents)),
    view=_view,
    offers=_offers,
    may_press=_may_press,
    now=_now,
)
