"""The request: what one asks of another, and the result, which is put before whoever asked for it.

Whoever is asked gets a copy directly, and so does the sender once a result is there: each in a message that is new to
them. What agents ask of each other is shown in the goal's chats alone, and has no buttons.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, keyed
from ledger.ids import MemberId
from ledger.parts.requests import Request
from ledger.projections.cards import Offer
from ledger.projections.request_cards import (
    between_agents,
    is_person,
    may_press,
    request_offers,
    request_view,
    shown_requests,
    waits_for,
)
from ledger.projections.request_views import RequestView
from ledger.state import Goal, Workspace

KIND: Final = "request"


def _wanted(workspace: Workspace, goal: Goal, _now_ms: int) -> Iterator[Wanted]:
    for request in shown_requests(workspace, goal):
        people = _asked(workspace, goal, request)
        yield Wanted(
            subject=f"{KIND}:{goal.goal_id}:{request.request_id}",
            open=waits_for(goal, request) is not None,
            urgent=bool(people),
            people=people,
        )


def _asked(workspace: Workspace, goal: Goal, request: Request) -> tuple[MemberId, ...]:
    """The person whose move it is."""
    next_one = waits_for(goal, request)
    return (next_one,) if next_one is not None and is_person(workspace, next_one) else ()


def _of(target: Target) -> tuple[Goal, Request]:
    assert target.goal is not None, "a request is of a goal"
    return target.goal, target.goal.requests.by_id[target.key]


def _view(workspace: Workspace, target: Target, _now_ms: int) -> RequestView:
    return request_view(workspace, *_of(target))


def _offers(workspace: Workspace, target: Target, _now_ms: int) -> tuple[Offer, ...]:
    goal, request = _of(target)
    return () if between_agents(workspace, request) else request_offers(workspace, goal, request)


def _fixed(target: Target, _action: str) -> Mapping[str, object]:
    return {"request_id": target.key}


def _mentions(workspace: Workspace, target: Target) -> tuple[MemberId, ...]:
    return _asked(workspace, *_of(target))


def _may_press(target: Target, action: str, member_id: MemberId) -> bool:
    return may_press(_of(target)[1], action, member_id)


FAMILY = Family(
    kind=KIND,
    of_goal=_wanted,
    find=keyed(KIND, lambda goal: goal.requests.by_id),
    view=_view,
    offers=_offers,
    fixed=_fixed,
    mentions=_mentions,
    may_press=_may_press,
)
