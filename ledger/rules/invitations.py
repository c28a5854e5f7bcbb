"""Invitations: an owner picks a person of the platform, and that very person accepts.

To be in a chat, or to hold a forwarded card, grants nothing: what counts is that the platform names whoever answers by
the identity that was invited. By accepting, the member is made (where there is none yet) and bound in one transaction.
An invitation has an end, one identity has one at a time, and nobody becomes a second member by one.
"""

from bisect import bisect_right
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ledger.events import Draft
from ledger.ids import OPERATOR, PRONOUNS, RESERVED_MEMBER_IDS, MemberId
from ledger.params import MemberIdText, Params, Title
from ledger.parts.identity import Invitation
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, next_seq, refuse, registered
from ledger.rules.identities import home_address, identity_digest, member_at, open_digest
from ledger.rules.identity_events import InvitationAccepted, InvitationEnded, InvitationOffered, InvitationWords
from ledger.rules.member_events import IdentityWords, MemberAdded, MemberWords
from ledger.rules.members import Role
from ledger.state import Workspace

INVITATION_TTL_SECONDS_DEFAULT = 3 * 86_400
INVITATION_TTL_SECONDS_MAX = 14 * 86_400
PLATFORM_ID_CHARS_MAX = 160

InvitationIdText = Annotated[str, Field(pattern=r"^inv_[0-9]{1,16}$")]
PlatformId = Annotated[str, Field(min_length=1, max_length=PLATFORM_ID_CHARS_MAX)]
OpenId = Annotated[str, Field(pattern=r"^ou_[A-Za-z0-9_-]{1,157}$")]
"""A person as one app names them; nobody can be reached under anything else, and the place would be taken for days."""
OptionalPlatformId = Annotated[str, Field(max_length=PLATFORM_ID_CHARS_MAX)]


class InvitationRefusal(StrEnum):
    """Why nobody is invited, or an answer does not count, in order of precedence."""

    INVITATION_NOT_FOUND = "invitation_not_found"
    INVITATION_NOT_YOURS = "invitation_not_yours"
    INVITATION_CLOSED = "invitation_closed"
    INVITATION_EXPIRED = "invitation_expired"
    INVITER_GONE = "inviter_gone"
    MEMBER_ID_RESERVED = "member_id_reserved"
    ORGANISATION_UNKNOWN = "organisation_unknown"
    ORGANISATION_FOREIGN = "organisation_foreign"
    MEMBER_REVOKED = "member_revoked"
    NOT_A_PERSON = "not_a_person"
    MEMBER_ALREADY_BOUND = "member_already_bound"
    MEMBER_HAS_ROLES = "member_has_roles"
    DISPLAY_NAME_REQUIRED = "display_name_required"
    IDENTITY_BOUND_TO_ANOTHER = "identity_bound_to_another"
    INVITATION_OPEN = "invitation_open"


class InviteMember(Params):
    """Invite a person of Lark; they accept with a card of their own."""

    member_id: Annotated[MemberIdText, Field(description="Member id they will have, or have already.")]
    display_name: Annotated[
        Title | None, Field(description="What they will be called; as before for a member who is there.")
    ] = None
    role: Annotated[tuple[Role, ...], Field(max_length=3, description="Roles they will have in the workspace.")] = ()
    open_id: Annotated[OpenId, Field(description="Who is invited, as the Lark app names them (`ou_…`).")]
    app_id: Annotated[OptionalPlatformId, Field(description="Which Lark app; the workspace's own when absent.")] = ""
    tenant_key: Annotated[
        OptionalPlatformId, Field(description="Which organisation in Lark; the workspace's own when absent.")
    ] = ""
    ttl_seconds: Annotated[
        int,
        Field(ge=300, le=INVITATION_TTL_SECONDS_MAX, description="How long the invitation is good, in seconds."),
    ] = INVITATION_TTL_SECONDS_DEFAULT


class AnswerInvitation(Params):
    """Say yes or no to an invitation; relayed by the bot alone."""

    invitation_id: InvitationIdText
    answer: Literal["accept", "decline"]
    tenant_key: PlatformId
    app_id: PlatformId
    open_id: PlatformId
    union_id: OptionalPlatformId


class WithdrawInvitation(Params):
    """Take an invitation back that was not accepted yet."""

    invitation_id: Annotated[InvitationIdText, Field(description="Which invitation.")]


class ListInvitations(Params):
    """Who was invited, by whom, and what came of it."""

    open: Annotated[bool, Field(description="Only those that wait for an answer.")] = False


class EndInvitation(Params):
    """Write that an invitation's time is over; the daemon's own."""

    invitation_id: InvitationIdText


def decide_invite(workspace: Workspace, _caller: Caller, ask: InviteMember, now_ms: int) -> Decision:
    """Offer the place; what is offered is what accepting makes, and nothing else."""
    member_id = MemberId(ask.member_id)
    if member_id in RESERVED_MEMBER_IDS | PRONOUNS:
        return refuse(InvitationRefusal.MEMBER_ID_RESERVED, member_id=member_id)
    home = home_address(workspace)
    tenant_key = ask.tenant_key or ("" if home is None else home.tenant_key)
    app_id = ask.app_id or ("" if home is None else home.app_id)
    if not (tenant_key and app_id):
        return refuse(InvitationRefusal.ORGANISATION_UNKNOWN)
    if home is not None and tenant_key != home.tenant_key:
        return refuse(InvitationRefusal.ORGANISATION_FOREIGN)
    member = workspace.members.get(member_id)
    if (broken := _place_taken(workspace, ask)) is not None:
        return broken
    bound = member_at(workspace, tenant_key, app_id, ask.open_id)
    if bound is not None:
        return refuse(InvitationRefusal.IDENTITY_BOUND_TO_ANOTHER, member_id=bound)
    digest = open_digest(tenant_key, app_id, ask.open_id)
    before = _in_the_way(workspace, digest, member_id)
    waiting = [one for one in before if now_ms < one.expires_at_ms]
    if waiting:
        return refuse(
            InvitationRefusal.INVITATION_OPEN,
            invitation_id=waiting[0].invitation_id,
            member_id=waiting[0].member_id,
            expires_at_ms=waiting[0].expires_at_ms,
        )
    ended = tuple(_ended(one, "expired") for one in before)
    facts = InvitationOffered(
        invitation_id=f"inv_{next_seq(workspace, len(ended))}",
        member_id=member_id,
        joins=member is None,
        roles=tuple(dict.fromkeys(ask.role)),
        open_digest=digest,
        expires_at_ms=now_ms + ask.ttl_seconds * 1000,
    )
    name = ask.display_name or ("" if member is None else member.display_name)
    words = InvitationWords(display_name=name, tenant_key=tenant_key, app_id=app_id, open_id=ask.open_id)
    return (*ended, Draft(facts=facts, words=words))


def decide_answer(workspace: Workspace, _caller: Caller, ask: AnswerInvitation, now_ms: int) -> Decision:
    """Only the invited person answers, in time; a yes makes and binds the member at once."""
    invitation = workspace.identity.invitations.get(ask.invitation_id)
    if invitation is None:
        return refuse(InvitationRefusal.INVITATION_NOT_FOUND, invitation_id=ask.invitation_id)
    if open_digest(ask.tenant_key, ask.app_id, ask.open_id) != invitation.open_digest:
        return refuse(InvitationRefusal.INVITATION_NOT_YOURS)
    if (broken := _over(invitation, now_ms)) is not None:
        return broken
    if ask.answer == "decline":
        return (_ended(invitation, "declined"),)
    if not inviter_stands(workspace, invitation):
        return refuse(InvitationRefusal.INVITER_GONE)
    digest = identity_digest(ask.tenant_key, ask.app_id, ask.open_id, ask.union_id)
    if (broken := _cannot_join(workspace, invitation, digest, ask)) is not None:
        return broken
    return (*_joined(invitation), _accepted(invitation, digest, ask))


def decide_withdraw(workspace: Workspace, _caller: Caller, ask: WithdrawInvitation, now_ms: int) -> Decision:
    """End an invitation before it is answered."""
    invitation = workspace.identity.invitations.get(ask.invitation_id)
    if invitation is None:
        return refuse(InvitationRefusal.INVITATION_NOT_FOUND, invitation_id=ask.invitation_id)
    if (broken := _over(invitation, now_ms)) is not None:
        return broken
    return (_ended(invitation, "withdrawn"),)


def decide_end(workspace: Workspace, _caller: Caller, ask: EndInvitation, now_ms: int) -> Decision:
    """Write off an invitation whose time is over."""
    invitation = workspace.identity.invitations.get(ask.invitation_id)
    if invitation is None or invitation.status != "open" or now_ms < invitation.expires_at_ms:
        return Held(seq=workspace.seq, facts={"invitation_id": ask.invitation_id})
    return (_ended(invitation, "expired"),)


def lapsed_invitations(workspace: Workspace, now_ms: int) -> tuple[str, ...]:
    """The invitations whose time is over and not yet written off."""
    until = workspace.identity.until
    return tuple(name for _, name in until[: bisect_right(until, now_ms, key=lambda entry: entry[0])])


def inviter_stands(workspace: Workspace, invitation: Invitation) -> bool:
    """Whether whoever invited could still do so: the place was theirs to give only as long as they could."""
    if invitation.invited_by == OPERATOR:
        return True
    inviter = registered(workspace, invitation.invited_by)
    return inviter is not None and "owner" in inviter.roles


def _over(invitation: Invitation, now_ms: int) -> Refusal | None:
    if invitation.status == "expired" or (invitation.status == "open" and now_ms >= invitation.expires_at_ms):
        return refuse(InvitationRefusal.INVITATION_EXPIRED, invitation_id=invitation.invitation_id)
    if invitation.status != "open":
        return refuse(
            InvitationRefusal.INVITATION_CLOSED, invitation_id=invitation.invitation_id, status=invitation.status
        )
    return None


def _place_taken(workspace: Workspace, ask: InviteMember) -> Refusal | None:
    """Why this member cannot be anybody's by an invitation: revoked ones stay revoked, bound ones stay bound."""
    member = workspace.members.get(MemberId(ask.member_id))
    if member is None:
        return None if ask.display_name else refuse(InvitationRefusal.DISPLAY_NAME_REQUIRED, member_id=ask.member_id)
    if member.revoked:
        return refuse(InvitationRefusal.MEMBER_REVOKED, member_id=member.member_id)
    if member.kind != "person":
        return refuse(InvitationRefusal.NOT_A_PERSON, member_id=member.member_id)
    if member.identity_digest is not None:
        return refuse(InvitationRefusal.MEMBER_ALREADY_BOUND, member_id=member.member_id)
    if ask.role:
        return refuse(InvitationRefusal.MEMBER_HAS_ROLES, member_id=member.member_id)
    return None


def _in_the_way(workspace: Workspace, digest: str, member_id: MemberId) -> tuple[Invitation, ...]:
    """What is open for the same person or for the same place."""
    found = (workspace.identity.invitations[name] for name in workspace.identity.open_for.values())
    return tuple(one for one in found if one.open_digest == digest or one.member_id == member_id)


def _cannot_join(workspace: Workspace, invitation: Invitation, digest: str, ask: AnswerInvitation) -> Refusal | None:
    """Whether the place is still as it was offered, and the person is nobody else here."""
    member = workspace.members.get(invitation.member_id)
    if member is not None and member.revoked:
        return refuse(InvitationRefusal.MEMBER_REVOKED, member_id=member.member_id)
    if (member is None) != invitation.joins or (member is not None and member.identity_digest is not None):
        return refuse(InvitationRefusal.MEMBER_ALREADY_BOUND, member_id=invitation.member_id)
    bound = workspace.identities.get(digest) or member_at(workspace, ask.tenant_key, ask.app_id, ask.open_id)
    if bound is not None:
        return refuse(InvitationRefusal.IDENTITY_BOUND_TO_ANOTHER, member_id=bound)
    return None


def _joined(invitation: Invitation) -> tuple[Draft, ...]:
    if not invitation.joins:
        return ()
    facts = MemberAdded(
        member_id=invitation.member_id,
        member_kind="person",
        roles=invitation.roles,
        profile_role=None,
        capabilities=(),
        goals=("*",),
    )
    return (Draft(facts=facts, words=MemberWords(display_name=invitation.display_name)),)


def _accepted(invitation: Invitation, digest: str, ask: AnswerInvitation) -> Draft:
    facts = InvitationAccepted(
        invitation_id=invitation.invitation_id, member_id=invitation.member_id, identity_digest=digest
    )
    words = IdentityWords(tenant_key=ask.tenant_key, app_id=ask.app_id, open_id=ask.open_id, union_id=ask.union_id)
    return Draft(facts=facts, words=words)


def _ended(invitation: Invitation, because: Literal["declined", "withdrawn", "expired"]) -> Draft:
    facts = InvitationEnded(invitation_id=invitation.invitation_id, member_id=invitation.member_id, because=because)
    return Draft(facts=facts)
