"""Views and buttons of identities and chats, made from the state alone."""

from itertools import islice

import msgspec

from ledger.ids import GoalId, MemberId
from ledger.outlines import outline_of
from ledger.parts.identity import Invitation
from ledger.projections.causes import Cause
from ledger.projections.holds import name_of
from ledger.projections.identity_views import AwayView, ChannelView, InvitationState, InvitationView, ShownView
from ledger.projections.outlet import title_in_chat
from ledger.records import CLOSED, EventNote, Outline
from ledger.rules.common import decides, registered
from ledger.rules.invitations import inviter_stands
from ledger.state import Goal, Workspace

CHOICES_MAX = 49
"""One fewer than a choice on a card holds: the workspace itself is one of them."""
WORKSPACE = "*"


def invitation_view(workspace: Workspace, invitation: Invitation, now_ms: int) -> InvitationView:
    """An invitation as it stands at this moment."""
    return InvitationView(
        workspace=workspace.name,
        state=_state(workspace, invitation, now_ms),
        name=invitation.display_name,
        member_id=invitation.member_id,
        roles=invitation.roles,
        invited_by=name_of(workspace, invitation.invited_by),
        expires_at_ms=invitation.expires_at_ms,
        cause=_answered(workspace, invitation),
    )


def _answered(workspace: Workspace, invitation: Invitation) -> Cause:
    """The event that made it so; an answer is the invited person's own, whoever carried it here."""
    cause = _cause(workspace, invitation.note)
    if invitation.status not in {"accepted", "declined"}:
        return cause
    member = workspace.members.get(invitation.member_id)
    # Who declined has no other name here than the one that was offered.
    name = invitation.display_name if member is None else member.display_name
    return msgspec.structs.replace(cause, actor_id=invitation.member_id, actor_name=name)


def _state(workspace: Workspace, invitation: Invitation, now_ms: int) -> InvitationState:
    if invitation.status != "open":
        return invitation.status
    if now_ms >= invitation.expires_at_ms:
        return "expired"
    member = workspace.members.get(invitation.member_id)
    taken = member is not None and (invitation.joins or member.revoked or member.identity_digest is not None)
    return "void" if taken or not inviter_stands(workspace, invitation) else "open"


def is_waiting(workspace: Workspace, invitation: Invitation, now_ms: int) -> bool:
    """Whether the invited person may still accept."""
    return _state(workspace, invitation, now_ms) == "open"


def away_view(workspace: Workspace, member_id: MemberId, seq: int) -> AwayView:
    """An absence that began with this event; over once the member was heard of otherwise, or is bound no more."""
    away, name = workspace.identity.away.get(member_id), name_of(workspace, member_id)
    if away is not None and away.seq == seq:
        return AwayView(name=name, why=away.why, bound=True, cause=_of(workspace, member_id, away.note))
    member, back = workspace.members.get(member_id), workspace.identity.back.get(member_id)
    if member is None or member.revoked or member.identity_digest is None:
        return AwayView(name=name, why=None, bound=False, cause=None)
    return AwayView(name=name, why=None, bound=True, cause=None if back is None else _of(workspace, member_id, back))


def channel_view(workspace: Workspace, channel_id: str, asker: MemberId) -> ChannelView:
    """What a chat shows, and what of it is this person's to change."""
    owns = _owns_workspace(workspace, asker)
    held = [one for one in workspace.goals.held() if one.state not in CLOSED or channel_id in one.channels]
    here = [one for one in held if channel_id in one.channels]
    shown = [_of_goal(workspace, one) for one in reversed(here)]
    mine = [one for one in reversed(held) if _decides(workspace, one, asker)]
    may_bind = [one for one in mine if channel_id not in one.channels and one.state not in CLOSED]
    may_let_go = [_of_goal(workspace, one) for one in mine if channel_id in one.channels]
    offered = [_of_goal(workspace, one) for one in islice(may_bind, CHOICES_MAX)]
    of_workspace = ShownView(goal_id=WORKSPACE, title="")
    if channel_id in workspace.identity.channels:
        shown.insert(0, of_workspace)
        may_let_go = [of_workspace, *may_let_go] if owns else may_let_go
    elif owns:
        offered.append(of_workspace)
    return ChannelView(
        shown=tuple(shown),
        may_bind=tuple(offered),
        may_let_go=tuple(may_let_go[: CHOICES_MAX + 1]),
        more=max(0, len(may_bind) - CHOICES_MAX),
    )


def _owns_workspace(workspace: Workspace, member_id: MemberId) -> bool:
    member = registered(workspace, member_id)
    return member is not None and "owner" in member.roles


def _decides(workspace: Workspace, goal: Goal | Outline, member_id: MemberId) -> bool:
    return decides(outline_of(goal).owners, member_id, workspace)


def _of_goal(workspace: Workspace, goal: Goal | Outline) -> ShownView:
    return ShownView(goal_id=GoalId(goal.goal_id), title=title_in_chat(workspace, outline_of(goal)))


def _of(workspace: Workspace, member_id: MemberId, note: EventNote) -> Cause:
    """The event of somebody who left or is back: it is theirs, and the bot only saw it."""
    return msgspec.structs.replace(
        _cause(workspace, note), actor_id=member_id, actor_name=name_of(workspace, member_id)
    )


def _cause(workspace: Workspace, note: EventNote) -> Cause:
    return Cause(
        seq=note.seq,
        kind=note.kind,
        actor_id=note.actor,
        actor_name=name_of(workspace, note.actor),
        at_ms=note.at_ms,
        short_hash=note.short_hash,
    )
