"""The members: who has a part in the goals of a chat, and what each of them holds until when.

It answers whoever asks, beside the question, and says how things were when it was last drawn. In a chat it is about the
goals that are shown there, and about nothing where none is; between the bot and one person it is about all that go on
and are not private.
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
_EVERYWHERE: Final = "all:"
ASKED_IN_PRIVATE: Final = f"members:{_EVERYWHERE}{{message_id}}"
"""The subject that answers one person: about all goals."""


def _find(_workspace: Workspace, rest: str) -> Target | None:
    if not rest:
        return None
    return Target(kind=KIND, subject=f"{KIND}:{rest}", key=rest)


def _view(workspace: Workspace, target: Target, now_ms: int) -> MembersView:
    if target.key.startswith(_EVERYWHERE):
        goals = [one for one in workspace.goals.live() if not one.intent.private]
        return members_view(workspace, goals, now_ms, everywhere=True)
    named = goal_of(workspace, target.key)
    goals = [named] if named is not None and named.state not in CLOSED else goals_of_place(workspace, target.place)
    return members_view(workspace, goals, now_ms, everywhere=False)


def _offers(_workspace: Workspace, _target: Target, _now_ms: int) -> tuple[Offer, ...]:
    return ()


FAMILY = Family(kind=KIND, find=_find, view=_view, offers=_offers)
