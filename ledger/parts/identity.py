"""Identity: who was invited, whose platform identity is bound, who is away, and which chats are shown what."""

from typing import Literal

import msgspec

from ledger.ids import MemberId
from ledger.parts.base import Part
from ledger.records import Address, EventNote

InvitationStatus = Literal["open", "accepted", "declined", "withdrawn", "expired"]
AwayReason = Literal["left_chat", "resigned"]
LossReason = Literal["removed", "dissolved"]


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A place that was offered to one person of the platform. `display_name` and `address` are words."""

    invitation_id: str
    member_id: MemberId
    joins: bool
    """Whether the member is made by accepting; otherwise it is there and gets its identity."""
    roles: tuple[str, ...]
    open_digest: str
    expires_at_ms: int
    invited_by: MemberId
    seq: int
    status: InvitationStatus
    display_name: str
    address: Address | None
    note: EventNote
    """The event that last changed it: what its card names as the cause."""


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """Since when a member is known by a platform identity, by whose word, and how it came about."""

    member_id: MemberId
    digest: str
    how: Literal["code", "invitation"]
    by: MemberId
    seq: int
    at_ms: int


class Away(msgspec.Struct, frozen=True, kw_only=True):
    """A member whom the platform said to have left: their rights stay, and their own cards wait."""

    member_id: MemberId
    why: AwayReason
    seq: int
    at_ms: int
    note: EventNote


class Identity(Part):
    """What is known of identities and chats of the whole workspace."""

    invitations: dict[str, Invitation] = msgspec.field(default_factory=dict)
    open_for: dict[str, str] = msgspec.field(default_factory=dict)
    """By the digest of who was invited: the one invitation that is not answered."""
    until: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """The ends of invitations that are not answered, in their order."""
    bindings: dict[MemberId, Binding] = msgspec.field(default_factory=dict)
    offered_by: dict[str, MemberId] = msgspec.field(default_factory=dict)
    """By the digest of a code that is not spent: who gave it out."""
    away: dict[MemberId, Away] = msgspec.field(default_factory=dict)
    back: dict[MemberId, EventNote] = msgspec.field(default_factory=dict)
    """Who came back last, by which event: what the owners' card of an absence ends with."""
    channels: dict[str, str] = msgspec.field(default_factory=dict)
    """Chats that are shown what concerns the whole workspace, and the surface they were bound from."""
    left: dict[str, int] = msgspec.field(default_factory=dict)
    """Chats that were shown it once, and the event that ended it: the cards of goals there say so."""
    lost: dict[str, int] = msgspec.field(default_factory=dict)
    """Chats that the bot was removed from, and the event that said so."""
    loss: dict[str, LossReason] = msgspec.field(default_factory=dict)
    """The same chats, and what was heard of each."""


class LeftChats(Part):
    """Chats that a goal was shown in once: their cards say so, and their buttons do nothing."""

    since: dict[str, int] = msgspec.field(default_factory=dict)
