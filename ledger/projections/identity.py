"""Reads about identities and chats: who was invited, who is bound since when, which chat shows what.

No id of the platform is told: a person goes by their member id, a chat by its short name, and a binding by the first
signs of its digest, by which two can be told apart and nobody can be found.
"""

from collections.abc import Callable, Iterator
from typing import cast

from ledger.events import Surface
from ledger.ids import GoalId
from ledger.params import Params
from ledger.parts.identity import Binding, Invitation
from ledger.parts.summaries import Schedule
from ledger.refusals import Refusal
from ledger.rules import bindings, channels, invitations
from ledger.rules.common import Caller, refuse
from ledger.rules.goals import GoalRefusal
from ledger.state import Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

DIGEST_SIGNS = 12

Document = dict[str, object]


def _list_invitations(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    wanted = cast("invitations.ListInvitations", asked)
    rows = [_invitation(one, now_ms) for one in workspace.identity.invitations.values()]
    found = [row for row in rows if not wanted.open or row["status"] == "open"]
    return {"schema_version": "frontstage_invitation_list_v1", "invitations": found, "total": len(found)}


def _invitation(one: Invitation, now_ms: int) -> Document:
    over = one.status == "open" and now_ms >= one.expires_at_ms
    return {
        "invitation_id": one.invitation_id,
        "member_id": one.member_id,
        "display_name": one.display_name,
        "roles": list(one.roles),
        "joins": one.joins,
        "status": "expired" if over else one.status,
        "invited_by": one.invited_by,
        "expires_at": rfc3339(one.expires_at_ms),
        "seq": one.seq,
    }


def _list_bindings(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    wanted = cast("bindings.ListBindings", asked).member_id
    if wanted is not None and wanted not in workspace.members:
        return refuse(bindings.BindingRefusal.MEMBER_NOT_FOUND, member_id=wanted)
    found = [
        _binding(workspace, one) for one in workspace.identity.bindings.values() if wanted in {None, one.member_id}
    ]
    return {"schema_version": "frontstage_binding_list_v1", "bindings": found, "total": len(found)}


def _binding(workspace: Workspace, one: Binding) -> Document:
    away = workspace.identity.away.get(one.member_id)
    return {
        "member_id": one.member_id,
        "surface": "lark",
        "identity": one.digest[:DIGEST_SIGNS],
        "how": one.how,
        "bound_by": one.by,
        "since": rfc3339(one.at_ms),
        "away": None if away is None else away.why,
        "away_since": rfc3339_or_none(None if away is None else away.at_ms),
        "seq": one.seq,
    }


def _list_channels(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    wanted = cast("channels.ListChannels", asked).goal_id
    if wanted is not None and GoalId(wanted) not in workspace.goals:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=wanted)
    found = [row for row in _channels(workspace) if wanted in {None, row["goal_id"]}]
    return {"schema_version": "frontstage_channel_list_v1", "channels": found, "total": len(found)}


def _channels(workspace: Workspace) -> Iterator[Document]:
    for channel_id, surface in workspace.identity.channels.items():
        yield _channel(workspace, channel_id, None, cast("Surface", surface))
    for held in workspace.goals.held():
        for channel_id, surface in held.channels.items():
            yield _channel(workspace, channel_id, held.goal_id, cast("Surface", surface))


def _channel(workspace: Workspace, channel_id: str, goal_id: GoalId | None, surface: Surface) -> Document:
    return {
        "channel": channels.channel_name(channel_id),
        "shows": "workspace" if goal_id is None else "goal",
        "goal_id": goal_id,
        "bound_from": surface,
        "reachable": channel_id not in workspace.identity.lost,
        "digest": _schedule(workspace.summaries.schedules.get(channel_id)),
    }


def _schedule(one: Schedule | None) -> Document | None:
    """When a chat gets its digest, and what came of the last time."""
    if one is None:
        return None
    return {
        "cron": one.cron,
        "time_zone": one.time_zone,
        "quiet_from": _clock(one.quiet_from),
        "quiet_until": _clock(one.quiet_until),
        "set_by": one.set_by,
        "last_due_at": rfc3339_or_none(one.due_at_ms),
        "last_outcome": one.outcome,
        "seq": one.seq,
    }


def _clock(minute: int | None) -> str | None:
    return None if minute is None else f"{minute // 60:02d}:{minute % 60:02d}"


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {
    "member.invitations": _list_invitations,
    "member.bindings": _list_bindings,
    "channel.list": _list_channels,
}
"""By the name of the action."""
