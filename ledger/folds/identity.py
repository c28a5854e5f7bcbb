"""Folds of identities and chats: invitations, bindings, absences, and which chat is shown what."""

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import Literal, cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.folds.goals import note_of
from ledger.ids import MemberId
from ledger.parts.identity import Away, Binding, Invitation, InvitationStatus
from ledger.records import Address
from ledger.rules import goal_events, identity_events, member_events
from ledger.state import Goal, Workspace


def bind(workspace: Workspace, event: Recorded, digest: str, how: Literal["code", "invitation"], by: MemberId) -> None:
    """Know the member of this event by an identity, and by no other any more."""
    member_id = cast("MemberId", getattr(event.facts, "member_id", ""))
    _rename(workspace, event, member_id, digest)
    workspace.identity.bindings[member_id] = Binding(
        member_id=member_id, digest=digest, how=how, by=by, seq=event.seq, at_ms=event.at_ms
    )
    workspace.identity.away.pop(member_id, None)
    workspace.identity.back.pop(member_id, None)


def unbind(workspace: Workspace, member_id: MemberId) -> None:
    """Know a member by no identity any more."""
    member = workspace.members[member_id]
    if member.identity_digest is not None:
        workspace.identities.pop(member.identity_digest, None)
    workspace.members[member_id] = replace(member, identity_digest=None)
    workspace.addresses.pop(member_id, None)
    for kept in (workspace.identity.bindings, workspace.identity.away, workspace.identity.back):
        kept.pop(member_id, None)


def _rename(workspace: Workspace, event: Recorded, member_id: MemberId, digest: str) -> None:
    member = workspace.members[member_id]
    if member.identity_digest is not None:
        workspace.identities.pop(member.identity_digest, None)
    workspace.members[member_id] = replace(member, identity_digest=digest)
    workspace.identities[digest] = member_id
    # Where the words were erased, an older address would be somebody else's by now.
    workspace.addresses.pop(member_id, None)
    if isinstance(event.words, member_events.IdentityWords):
        words = event.words
        workspace.addresses[member_id] = Address(
            member_id=member_id,
            tenant_key=words.tenant_key,
            app_id=words.app_id,
            open_id=words.open_id,
            union_id=words.union_id,
        )


def _offered(workspace: Workspace, event: Recorded) -> None:
    facts, words = cast("identity_events.InvitationOffered", event.facts), event.words
    name, address = ERASED, None
    if isinstance(words, identity_events.InvitationWords):
        name = words.display_name
        address = Address(
            member_id=facts.member_id,
            tenant_key=words.tenant_key,
            app_id=words.app_id,
            open_id=words.open_id,
            union_id="",
        )
    workspace.identity.invitations[facts.invitation_id] = Invitation(
        invitation_id=facts.invitation_id,
        member_id=facts.member_id,
        joins=facts.joins,
        roles=facts.roles,
        open_digest=facts.open_digest,
        expires_at_ms=facts.expires_at_ms,
        invited_by=event.actor,
        seq=event.seq,
        status="open",
        display_name=name,
        address=address,
        note=note_of(event),
    )
    workspace.identity.open_for[facts.open_digest] = facts.invitation_id
    insort(workspace.identity.until, (facts.expires_at_ms, facts.invitation_id))


def _accepted(workspace: Workspace, event: Recorded) -> None:
    facts = cast("identity_events.InvitationAccepted", event.facts)
    invitation = _close(workspace, event, facts.invitation_id, "accepted")
    bind(workspace, event, facts.identity_digest, "invitation", invitation.invited_by)


def _ended(workspace: Workspace, event: Recorded) -> None:
    facts = cast("identity_events.InvitationEnded", event.facts)
    _close(workspace, event, facts.invitation_id, facts.because)


def _close(workspace: Workspace, event: Recorded, invitation_id: str, status: InvitationStatus) -> Invitation:
    identity = workspace.identity
    invitation = identity.invitations[invitation_id]
    identity.invitations[invitation_id] = replace(invitation, status=status, note=note_of(event))
    if identity.open_for.get(invitation.open_digest) == invitation_id:
        del identity.open_for[invitation.open_digest]
    entry = (invitation.expires_at_ms, invitation_id)
    at = bisect_left(identity.until, entry)
    if at < len(identity.until) and identity.until[at] == entry:
        del identity.until[at]
    return invitation


def _unbound(workspace: Workspace, event: Recorded) -> None:
    unbind(workspace, cast("identity_events.MemberUnbound", event.facts).member_id)


def _upgraded(workspace: Workspace, event: Recorded) -> None:
    facts = cast("identity_events.IdentityUpgraded", event.facts)
    _rename(workspace, event, facts.member_id, facts.identity_digest)
    before = workspace.identity.bindings[facts.member_id]
    workspace.identity.bindings[facts.member_id] = replace(before, digest=facts.identity_digest)


def _away(workspace: Workspace, event: Recorded) -> None:
    facts = cast("identity_events.MemberAway", event.facts)
    workspace.identity.back.pop(facts.member_id, None)
    workspace.identity.away[facts.member_id] = Away(
        member_id=facts.member_id, why=facts.because, seq=event.seq, at_ms=event.at_ms, note=note_of(event)
    )


def _back(workspace: Workspace, event: Recorded) -> None:
    member_id = cast("identity_events.MemberBack", event.facts).member_id
    workspace.identity.away.pop(member_id, None)
    workspace.identity.back[member_id] = note_of(event)


def _bound_to_workspace(workspace: Workspace, event: Recorded) -> None:
    channel_id = cast("goal_events.ChannelBound", event.facts).channel_id
    workspace.identity.channels[channel_id] = event.surface
    workspace.identity.left.pop(channel_id, None)


def _let_go_by_workspace(workspace: Workspace, event: Recorded) -> None:
    channel_id = cast("identity_events.ChannelUnbound", event.facts).channel_id
    workspace.identity.channels.pop(channel_id, None)
    workspace.identity.left[channel_id] = event.seq


def _lost(workspace: Workspace, event: Recorded) -> None:
    facts = cast("identity_events.ChannelLost", event.facts)
    workspace.identity.lost[facts.channel_id] = event.seq
    workspace.identity.loss[facts.channel_id] = facts.because


def _found(workspace: Workspace, event: Recorded) -> None:
    channel_id = cast("identity_events.ChannelFound", event.facts).channel_id
    workspace.identity.lost.pop(channel_id, None)
    workspace.identity.loss.pop(channel_id, None)


def _bound_to_goal(goal: Goal, event: Recorded) -> None:
    channel_id = cast("goal_events.ChannelBound", event.facts).channel_id
    goal.channels[channel_id] = event.surface
    goal.left_chats.since.pop(channel_id, None)


def _let_go_by_goal(goal: Goal, event: Recorded) -> None:
    channel_id = cast("identity_events.ChannelUnbound", event.facts).channel_id
    goal.channels.pop(channel_id, None)
    goal.left_chats.since[channel_id] = event.seq


FOLDS: dict[type[Facts], Callable[[Workspace, Recorded], None]] = {
    identity_events.InvitationOffered: _offered,
    identity_events.InvitationAccepted: _accepted,
    identity_events.InvitationEnded: _ended,
    identity_events.MemberUnbound: _unbound,
    identity_events.IdentityUpgraded: _upgraded,
    identity_events.MemberAway: _away,
    identity_events.MemberBack: _back,
    goal_events.ChannelBound: _bound_to_workspace,
    identity_events.ChannelUnbound: _let_go_by_workspace,
    identity_events.ChannelLost: _lost,
    identity_events.ChannelFound: _found,
}
GOAL_FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    goal_events.ChannelBound: _bound_to_goal,
    identity_events.ChannelUnbound: _let_go_by_goal,
}
