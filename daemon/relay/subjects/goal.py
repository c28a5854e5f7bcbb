"""The goal's own card, the one that lives as long as the goal does."""

from collections.abc import Iterator
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, goal_of
from ledger.projections.cards import Offer, goal_view, offers
from ledger.projections.views import GoalView
from ledger.state import Goal, Workspace

KIND: Final = "goal"


def _wanted(_workspace: Workspace, goal: Goal, _now_ms: int) -> Iterator[Wanted]:
    if goal.confirmed:
        yield Wanted(subject=f"{KIND}:{goal.goal_id}", open=True, urgent=False)
    elif goal.question is not None:
        yield Wanted(subject=f"{KIND}:{goal.goal_id}", open=True, urgent=True)


def _find(workspace: Workspace, rest: str) -> Target | None:
    goal = goal_of(workspace, rest)
    return None if goal is None else Target(kind=KIND, subject=f"{KIND}:{rest}", goal=goal)


def _view(workspace: Workspace, target: Target, now_ms: int) -> GoalView:
    assert target.goal is not None, "it is a goal's own card"
    return goal_view(workspace, target.goal, now_ms)


def _offers(workspace: Workspace, target: Target, _now_ms: int) -> tuple[Offer, ...]:
    assert target.goal is not None, "it is a goal's own card"
    return offers(workspace, target.goal, KIND)


FAMILY = Family(kind=KIND, of_goal=_wanted, find=_find, view=_view, offers=_offers)
