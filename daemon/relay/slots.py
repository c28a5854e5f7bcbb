"""Card slots: one live card for each subject in each place.

Which subjects there are is told by the families in `daemon/relay/subjects/`; here they are put into places.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from daemon.relay.subjects import (
    acceptance,
    amendment,
    gate,
    goal,
    identity,
    members,
    plan,
    request,
    review,
    revise,
    status,
    summary,
    told,
)
from daemon.relay.subjects.base import DIRECT, Family, Target, Wanted
from ledger.ids import GoalId, MemberId
from ledger.outlines import is_over
from ledger.records import Outline
from ledger.state import Goal, Workspace

_FAMILIES = (
    review.FAMILY,
    goal.FAMILY,
    acceptance.FAMILY,
    gate.FAMILY,
    plan.FAMILY,
    amendment.FAMILY,
    request.FAMILY,
    members.FAMILY,
    revise.FAMILY,
    status.FAMILY,
    identity.FAMILY,
    told.FAMILY,
    summary.FAMILY,
)
FAMILIES: dict[str, Family] = {one.kind: one for one in _FAMILIES}
"""By kind, in the order in which a goal's cards are posted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place where a card belongs. `place` names it in the slot's own name, `receive_id` on the platform."""

    subject: str
    place: str
    receive_id: str
    receive_id_type: Literal["chat_id", "open_id"] = "chat_id"
    open: bool
    urgent: bool

    @property
    def name(self) -> str:
        """The slot's own name."""
        return f"{self.subject}@{self.place}"

    def document(self) -> dict[str, object]:
        """As the bot gets it."""
        return {
            "slot": self.name,
            "chat_id": self.place,
            "receive_id": self.receive_id,
            "receive_id_type": self.receive_id_type,
            "open": self.open,
            "priority": 0 if self.urgent else 1,
        }


def desired(workspace: Workspace, now_ms: int, goal_id: str | None = None) -> Iterator[Slot]:
    """Every slot of one goal, or of the workspace and of all goals that are not over.

    What belongs to no goal may change with any. Nobody waits for the cards of a goal that is over, and those that were
    delivered are known by name: only who asks about it hears of them.
    """
    held = workspace.goals.resident() if goal_id is None else [workspace.goals.peek(GoalId(goal_id))]
    for one in held:
        if one is None or (goal_id is None and not isinstance(one, Outline) and is_over(one)):
            continue
        goal = workspace.goals.whole(one)
        for family in FAMILIES.values():
            for wanted in family.of_goal(workspace, goal, now_ms) if family.of_goal is not None else ():
                yield from _places(workspace, goal, wanted)
    for subject, place, address in identity.invitations_to_show(workspace, now_ms):
        yield Slot(
            subject=subject, place=place, receive_id=address.open_id, receive_id_type="open_id", open=True, urgent=True
        )
    for family in FAMILIES.values():
        for wanted in family.of_workspace(workspace, now_ms) if family.of_workspace is not None else ():
            yield from _places(workspace, None, wanted)


def _places(workspace: Workspace, about: Goal | None, wanted: Wanted) -> Iterator[Slot]:
    chats = workspace.identity.channels if about is None else about.channels
    for chat_id in (chats if wanted.only is None else wanted.only) if wanted.chats else ():
        if chat_id in workspace.identity.lost:
            continue
        yield Slot(subject=wanted.subject, place=chat_id, receive_id=chat_id, open=wanted.open, urgent=wanted.urgent)
    for member_id in wanted.people:
        address = workspace.addresses.get(member_id)
        # Whoever is away gets nothing until they are back.
        is_here = member_id not in workspace.identity.away
        if address is not None and is_here and not workspace.members[member_id].revoked:
            yield Slot(
                subject=wanted.subject,
                place=place_of(member_id),
                receive_id=address.open_id,
                receive_id_type="open_id",
                open=wanted.open,
                urgent=wanted.urgent,
            )


def is_let_go(workspace: Workspace, target: Target, place: str) -> bool:
    """Whether a card of a goal is in a chat that shows the goal no longer, by itself or with the workspace."""
    goal = target.goal
    if goal is None or place in goal.channels:
        return False
    return place in goal.left_chats.since or place in workspace.identity.left


def split(slot: str) -> tuple[str, str]:
    """Subject and place of a slot's name."""
    subject, _, place = slot.rpartition("@")
    return subject, place


def place_of(member_id: MemberId) -> str:
    """The place between the bot and one person; the sign that parts a slot's name is written otherwise in it."""
    return DIRECT + member_id.replace("@", "%40")


def addressee(place: str) -> MemberId | None:
    """The one person whose place this is, or None for a chat."""
    return MemberId(place[len(DIRECT) :].replace("%40", "@")) if place.startswith(DIRECT) else None


def parse(workspace: Workspace, subject: str) -> Target | None:
    """What a subject names, or None if there is no such thing."""
    kind, _, rest = subject.partition(":")
    family = FAMILIES.get(kind)
    return None if family is None else family.find(workspace, rest)
