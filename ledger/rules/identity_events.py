"""What happened to identities and chats: invitations, bindings that end, absences, chats that are shown or lost."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import MemberId
from ledger.parts.identity import AwayReason, LossReason
from ledger.rules.member_events import IdentityWords


class InvitationOffered(Facts, frozen=True, kw_only=True):
    """One person of the platform was invited to become this member."""

    invitation_id: str
    member_id: MemberId
    joins: bool
    roles: tuple[str, ...]
    open_digest: str
    expires_at_ms: int


class InvitationWords(Words, frozen=True, kw_only=True):
    """What the invited person will be called, and where they are reached."""

    display_name: str
    tenant_key: str
    app_id: str
    open_id: str


class InvitationAccepted(Facts, frozen=True, kw_only=True):
    """The invited person said yes, and is bound by that; the identity itself is in the words."""

    invitation_id: str
    member_id: MemberId
    identity_digest: str


class InvitationEnded(Facts, frozen=True, kw_only=True):
    """An invitation came to nothing."""

    invitation_id: str
    member_id: MemberId
    because: Literal["declined", "withdrawn", "expired"]


class MemberUnbound(Facts, frozen=True, kw_only=True):
    """A member is no longer known by this platform identity."""

    member_id: MemberId
    identity_digest: str


class IdentityUpgraded(Facts, frozen=True, kw_only=True):
    """The platform named a person by more than before: the same member is now known by that."""

    member_id: MemberId
    identity_digest: str
    replaces: str


class MemberAway(Facts, frozen=True, kw_only=True):
    """The platform said that a member left; no right ends by it."""

    member_id: MemberId
    because: AwayReason


class MemberBack(Facts, frozen=True, kw_only=True):
    """A member who had left is there again."""

    member_id: MemberId


class ChannelUnbound(Facts, frozen=True, kw_only=True):
    """A chat is no longer shown a goal, or what concerns the workspace."""

    channel_id: str


class ChannelLost(Facts, frozen=True, kw_only=True):
    """The bot cannot reach a chat any more."""

    channel_id: str
    because: LossReason


class ChannelFound(Facts, frozen=True, kw_only=True):
    """The bot is in a chat again."""

    channel_id: str


KINDS = (
    Kind("invitation.offered", 1, InvitationOffered, InvitationWords),
    Kind("invitation.accepted", 1, InvitationAccepted, IdentityWords),
    Kind("invitation.ended", 1, InvitationEnded),
    Kind("member.unbound", 1, MemberUnbound),
    Kind("member.identity_upgraded", 1, IdentityUpgraded, IdentityWords),
    Kind("member.away", 1, MemberAway),
    Kind("member.back", 1, MemberBack),
    Kind("channel.unbound", 1, ChannelUnbound),
    Kind("channel.lost", 1, ChannelLost),
    Kind("channel.found", 1, ChannelFound),
)
