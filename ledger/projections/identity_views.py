"""What the cards of identities and chats are drawn from: invitations, pairing, absences, and what a chat shows."""

from typing import ClassVar, Literal, TypeAlias

import msgspec

from ledger.projections.causes import Cause

InvitationState = Literal["open", "accepted", "declined", "withdrawn", "expired", "void"]
PairingState = Literal["how", "paired", "already", "wrong", "expired", "wait", "elsewhere", "foreign"]


class InvitationView(msgspec.Struct, frozen=True, kw_only=True, tag="invitation"):
    """One invitation as the invited person sees it. `void`: whoever sent it may no longer invite."""

    workspace: str
    state: InvitationState
    name: str
    member_id: str
    roles: tuple[str, ...]
    invited_by: str
    expires_at_ms: int
    cause: Cause

    @property
    def open(self) -> bool:
        """Whether it may still be answered."""
        return self.state == "open"


class InviteView(msgspec.Struct, frozen=True, kw_only=True, tag="invite"):
    """The form by which somebody is invited, and what came of it once it was sent."""

    tells: ClassVar[bool] = True

    values: dict[str, str]
    problem_code: str | None
    problem_details: dict[str, str]
    sent: InvitationView | None

    @property
    def open(self) -> bool:
        """Whether it may still be sent, or waits for its answer."""
        return self.sent is None or self.sent.open


class PairingView(msgspec.Struct, frozen=True, kw_only=True, tag="pairing"):
    """Who somebody is here, and how they come to be known."""

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = False

    state: PairingState
    name: str = ""


class ShownView(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a chat can show: a goal, or the workspace, for which the id is a star."""

    goal_id: str
    title: str


class ChannelView(msgspec.Struct, frozen=True, kw_only=True, tag="channel"):
    """What a chat shows, and what the person who asked may have it show or let go."""

    tells: ClassVar[bool] = True
    open: ClassVar[bool] = True

    shown: tuple[ShownView, ...]
    may_bind: tuple[ShownView, ...]
    may_let_go: tuple[ShownView, ...]
    more: int
    """How many more there was no room for."""


class UnshownView(msgspec.Struct, frozen=True, kw_only=True, tag="unshown"):
    """A card of a goal in a chat that shows the goal no longer."""

    open: ClassVar[bool] = False

    title: str


class AwayView(msgspec.Struct, frozen=True, kw_only=True, tag="away"):
    """A member who left, as the owners see it."""

    name: str
    why: Literal["left_chat", "resigned"] | None
    """None once they are back, or bound no more."""
    bound: bool
    """Whether they can still be reached here at all."""
    cause: Cause | None

    @property
    def open(self) -> bool:
        """Whether they are still away."""
        return self.why is not None


IdentityView: TypeAlias = InvitationView | InviteView | PairingView | ChannelView | UnshownView | AwayView
