"""The status: a goal's own card once more, as the answer to whoever asked about it.

It carries what the goal's card carries, and is kept true like it. Its buttons are its own: a press is a press on this
message.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from daemon.relay.subjects import goal
from daemon.relay.subjects.base import Family, Target, goal_of
from ledger.projections.cards import Offer
from ledger.projections.views import CardPart
from ledger.state import Workspace

KIND: Final = "status"


def _find(workspace: Workspace, rest: str) -> Target | None:
    name, _, message_id = rest.rpartition(":")
    found = goal_of(workspace, name)
    if found is None or not message_id:
        return None
    return Target(kind=KIND, subject=f"{KIND}:{rest}", goal=found, key=message_id)


def _as_goal(target: Target) -> Target:
    assert target.goal is not None, "a status is of a goal"
    return replace(target, kind=goal.KIND, subject=f"{goal.KIND}:{target.goal.goal_id}")


def _view(workspace: Workspace, target: Target, now_ms: int) -> CardPart:
    return goal.FAMILY.view(workspace, _as_goal(target), now_ms)


def _offers(workspace: Workspace, target: Target, now_ms: int) -> Iterable[Offer]:
    for offer in goal.FAMILY.offers(workspace, _as_goal(target), now_ms):
        yield offer._replace(subject=target.subject)


FAMILY = Family(kind=KIND, find=_find, view=_view, offers=_offers)
