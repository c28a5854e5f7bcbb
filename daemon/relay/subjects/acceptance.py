"""The acceptance: one delivery as it is put before its owners."""

from collections.abc import Iterator
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, numbered
from ledger.projections.cards import Offer, acceptance_view, offers
from ledger.projections.views import AcceptanceView
from ledger.state import Goal, Workspace

KIND: Final = "acceptance"
CLOSED_SHOWN_MAX = 3
"""How many past deliveries of a goal keep a live card."""


def _wanted(_workspace: Workspace, goal: Goal, _now_ms: int) -> Iterator[Wanted]:
    for delivery in goal.deliveries[-CLOSED_SHOWN_MAX:]:
        subject = f"{KIND}:{goal.goal_id}:{delivery.number}"
        yield Wanted(subject=subject, open=delivery.status == "open", urgent=True)


def _view(workspace: Workspace, target: Target, _now_ms: int) -> AcceptanceView:
    assert target.goal is not None, "an acceptance is of a goal"
    return acceptance_view(workspace, target.goal, target.number)


def _offers(workspace: Workspace, target: Target, _now_ms: int) -> tuple[Offer, ...]:
    assert target.goal is not None, "an acceptance is of a goal"
    return offers(workspace, target.goal, KIND, target.number)


def _now(target: Target) -> str | None:
    assert target.goal is not None, "an acceptance is of a goal"
    delivery = target.goal.delivery
    return None if delivery is None else f"{KIND}:{target.goal.goal_id}:{delivery.number}"


FAMILY = Family(
    kind=KIND,
    of_goal=_wanted,
    find=numbered(KIND, lambda goal: len(goal.deliveries)),
    view=_view,
    offers=_offers,
    now=_now,
)
