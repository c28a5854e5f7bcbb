"""Identities and chats: invitations, what a chat shows, and who left. Each is about no goal.

    identity:invitation:<id>   identity:channel:<member>:<message>   identity:away:<member>:<seq>

An invitation is in a place of its own, between the bot and whoever was invited, who is no member yet. The two cards
that only a conversation asks for (how one is paired, the form of an invitation) are kept in `daemon/relay/asked.py`.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from daemon.relay.subjects.base import DIRECT, Family, Target, Wanted
from ledger.ids import MemberId
from ledger.parts.identity import Invitation
from ledger.projections.cards import Offer
from ledger.projections.identity_cards import WORKSPACE, away_view, channel_view, invitation_view, is_waiting
from ledger.projections.identity_views import AwayView, ChannelView, InvitationView
from ledger.records import Address
from ledger.state import Workspace

KIND: Final = "identity"
INVITED: Final = f"{DIRECT}%invited:"
"""Begins the place of one invitation; no member's name begins so."""
ANSWERS: Final = ("accept", "decline")
SHOWS: Final = ("shows", "shows_no_more")
"""The inputs in which a goal, or the workspace, is chosen."""


def invited_place(invitation_id: str) -> str:
    """The place between the bot and whoever got this invitation."""
    return INVITED + invitation_id


def channel_subject(member_id: MemberId, message_id: str) -> str:
    """The card by which this person says what the chat of a message shows."""
    return f"{KIND}:channel:{member_id.replace('@', '%40')}:{message_id}"


def invitations_to_show(workspace: Workspace, now_ms: int) -> Iterator[tuple[str, str, Address]]:
    """The subject, place and address of every invitation that waits for its answer."""
    for invitation_id in workspace.identity.open_for.values():
        invitation = workspace.identity.invitations[invitation_id]
        if invitation.address is not None and is_waiting(workspace, invitation, now_ms):
            yield f"{KIND}:invitation:{invitation_id}", invited_place(invitation_id), invitation.address


def _wanted(workspace: Workspace, _now_ms: int) -> Iterator[Wanted]:
    for away in workspace.identity.away.values():
        owners = tuple(
            one.member_id
            for one in workspace.members.values()
            if "owner" in one.roles and not one.revoked and one.member_id != away.member_id
        )
        subject = f"{KIND}:away:{away.member_id.replace('@', '%40')}:{away.seq}"
        yield Wanted(subject=subject, open=True, urgent=False, people=owners, chats=False)


def _find(workspace: Workspace, rest: str) -> Target | None:
    sort, _, about = rest.partition(":")
    subject = f"{KIND}:{rest}"
    if sort == "invitation":
        known = about in workspace.identity.invitations
        return Target(kind=KIND, subject=subject, key=about) if known else None
    name, _, last = about.rpartition(":")
    member_id = MemberId(name.replace("%40", "@"))
    if member_id not in workspace.members:
        return None
    if sort == "channel" and last:
        return Target(kind=KIND, subject=subject, key=member_id)
    if sort == "away" and last.isascii() and last.isdigit() and len(last) <= 15:
        return Target(kind=KIND, subject=subject, key=member_id, number=int(last))
    return None


def _sort(target: Target) -> str:
    return target.subject.split(":", 2)[1]


def _view(workspace: Workspace, target: Target, now_ms: int) -> InvitationView | ChannelView | AwayView:
    if _sort(target) == "invitation":
        return invitation_view(workspace, _invitation(workspace, target), now_ms)
    if _sort(target) == "away":
        return away_view(workspace, MemberId(target.key), target.number)
    return channel_view(workspace, target.place, MemberId(target.key))


def _offers(workspace: Workspace, target: Target, now_ms: int) -> tuple[Offer, ...]:
    if _sort(target) == "invitation" and target.place == invited_place(target.key):
        if not is_waiting(workspace, _invitation(workspace, target), now_ms):
            return ()
        return tuple(
            Offer("member.answer-invitation", f"{target.subject}:{answer}", None, name=f"invitation.{answer}")
            for answer in ANSWERS
        )
    if _sort(target) == "channel":
        view = channel_view(workspace, target.place, MemberId(target.key))
        # After each change it is another choice, so that the same goal can be bound and let go again.
        turn = workspace.seq
        offers = ((view.may_bind, "channel.bind"), (view.may_let_go, "channel.unbind"))
        return tuple(Offer(action, target.subject, None, turn=turn) for found, action in offers if found)
    return ()


def _invitation(workspace: Workspace, target: Target) -> Invitation:
    return workspace.identity.invitations[target.key]


def _chosen(form: Mapping[str, str]) -> Mapping[str, object]:
    shows = next((form[name].strip() for name in SHOWS if form.get(name, "").strip()), "")
    if not shows:
        return {}
    return {"workspace": True} if shows == WORKSPACE else {"goal_id": shows}


FAMILY = Family(kind=KIND, of_workspace=_wanted, find=_find, view=_view, offers=_offers, chosen=_chosen)
