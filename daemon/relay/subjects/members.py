"""The members: who has a part in the goals of a chat, and what each of them holds until when.

It answers whoever asks, beside the question, and says how things were when it was last drawn. In a chat it is about the
goals that are shown there; between the bot and one person, and in a chat that shows none, about all that go on.
"""

from typing import Final

from daemon.relay.subjects.base import Family, Target, goal_of
from ledger.projections.cards import Offer
from ledger.projections.member_cards import goals_of_place, members_view
from ledger.projections.member_views import MembersView
from ledger.records import CLOSED
from ledger.state import Workspace

KIND: Final = "members"
ASKED: Final = "members:{message_id}"
"""The subject that answers a question: about the goals of the chat in which it was asked."""


def _find(_workspace: Workspace, rest: str) -> Target | None:
    if not rest:
        return None
    return Target(kind=KIND, subject=f"{KIND}:{rest}", key=rest)


def _view(workspace: Workspace, target: Target, now_ms: int) -> MembersView:
    named = goal_of(workspace, target.key)
    goals = [named] if named is not None and named.state not in CLOSED else goals_of_place(workspace, target.place)
    if goals:
        return members_view(workspace, goals, now_ms, everywhere=False)
    return members_view(workspace, workspace.goals.live(), now_ms, everywhere=True)


def _offers(_workspace: Workspace, _target: Target, _now_ms: int) -> tuple[Offer, ...]:
    return ()


FAMILY = Family(kind=KIND, find=_find, view=_view, offers=_offers)
