"""The decision, told: whoever asked hears directly what others decided, for a patched card notifies nobody.

    told:<goal>:r<revision>   told:<goal>:d<delivery>

It is told once, soon after the decision; nobody is told what they decided themselves.
"""

from collections.abc import Iterator
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, goal_of, number_of
from ledger.ids import MemberId
from ledger.projections.cards import Offer
from ledger.projections.decided import told_view
from ledger.projections.told_views import ToldView
from ledger.records import Delivery, Intent
from ledger.state import Goal, Workspace

KIND: Final = "told"
TOLD_MAX: Final = 3
"""How many of a goal's last revisions and deliveries are told of."""
FRESH_MS_MAX: Final = 86_400_000
"""A decision older than this is no news: after a long silence nobody is told of all that happened meanwhile."""


def _wanted(workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Wanted]:
    for intent in goal.intents[-TOLD_MAX:]:
        yield from _told(workspace, f"{KIND}:{goal.goal_id}:r{intent.number}", intent, (intent.proposed_by,), now_ms)
    for delivery in goal.deliveries[-TOLD_MAX:]:
        asked = (goal.proposed_by, delivery.delivered_by)
        yield from _told(workspace, f"{KIND}:{goal.goal_id}:d{delivery.number}", delivery, asked, now_ms)


def _told(
    workspace: Workspace, subject: str, decided: Intent | Delivery, asked: tuple[MemberId, ...], now_ms: int
) -> Iterator[Wanted]:
    if decided.decided_by is None or decided.decided_at_ms is None or decided.status == "withdrawn":
        return
    if now_ms - decided.decided_at_ms > FRESH_MS_MAX:
        return
    people = tuple(
        dict.fromkeys(one for one in asked if one != decided.decided_by and workspace.members[one].kind == "person")
    )
    if people:
        yield Wanted(subject=subject, open=False, urgent=False, people=people, chats=False)


def _find(workspace: Workspace, rest: str) -> Target | None:
    name, _, part = rest.rpartition(":")
    goal, number = goal_of(workspace, name), number_of(part[1:])
    if goal is None or number is None or part[:1] not in {"r", "d"}:
        return None
    decided = goal.intents if part[0] == "r" else goal.deliveries
    if not 1 <= number <= len(decided) or decided[number - 1].decided_by is None:
        return None
    return Target(kind=KIND, subject=f"{KIND}:{rest}", goal=goal, number=number, key=part[0])


def _view(workspace: Workspace, target: Target, _now_ms: int) -> ToldView:
    assert target.goal is not None, "a decision is on a goal"
    decided = target.goal.intents if target.key == "r" else target.goal.deliveries
    return told_view(workspace, decided[target.number - 1])


def _offers(_workspace: Workspace, _target: Target, _now_ms: int) -> tuple[Offer, ...]:
    return ()


FAMILY = Family(kind=KIND, of_goal=_wanted, find=_find, view=_view, offers=_offers)
