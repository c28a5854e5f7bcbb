"""Channels: which chat is shown which goal, or what concerns the whole workspace.

A binding is an owner's word and is in the ledger; no program keeps a list of chats of its own, so that a chat which is
bound now is shown its cards now. One chat may show several goals, and one more never replaces another. To be in a chat
grants nothing. A chat is named by the platform's id where it is bound, and by a short name made of its digest wherever
it is told of.
"""

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ledger.events import Draft
from ledger.ids import GoalId
from ledger.params import GoalIdText, Params
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, is_owner, refuse, registered
from ledger.rules.goal_events import ChannelBound
from ledger.rules.identity_events import ChannelFound, ChannelLost, ChannelUnbound
from ledger.state import Goal, Workspace

CHANNELS_MAX = 50
"""Chats of one goal, or of the workspace."""
NAME_DIGITS = 12
CHANNEL_PATTERN = r"^(oc_[A-Za-z0-9_-]{1,64}|chat_[0-9a-f]{12})$"

ChannelText = Annotated[str, Field(pattern=CHANNEL_PATTERN)]
_PlatformChat = Annotated[str, Field(min_length=1, max_length=200)]


class ChannelRefusal(StrEnum):
    """Why no chat is bound or let go, in order of precedence."""

    CHANNEL_TARGET_REQUIRED = "channel_target_required"
    CHANNEL_REQUIRED = "channel_required"
    GOAL_NOT_FOUND = "goal_not_found"
    NOT_AN_OWNER = "not_an_owner"
    CHANNEL_UNKNOWN = "channel_unknown"
    CHANNEL_NOT_BOUND = "channel_not_bound"
    TOO_MANY_CHANNELS = "too_many_channels"


class _About(Params):
    """What a chat shows, and which chat."""

    goal_id: Annotated[GoalIdText | None, Field(description="The goal that the chat shows.")] = None
    workspace: Annotated[bool, Field(description="What concerns the whole workspace, in place of a goal.")] = False
    channel_id: Annotated[
        ChannelText | None,
        Field(description="Which chat, by its id in Lark or the name that the list gives it; the one asked from."),
    ] = None


class BindChannel(_About):
    """Show a goal, or what concerns the workspace, in a chat."""


class UnbindChannel(_About):
    """Show it there no longer: its cards say so, and their buttons do nothing."""


class ListChannels(Params):
    """Which chats show what, and which of them cannot be reached."""

    goal_id: Annotated[GoalIdText | None, Field(description="Only this goal's.")] = None


class ReportChannel(Params):
    """What the platform says of a chat that the bot was removed from or added to; relayed by the bot alone."""

    channel_id: _PlatformChat
    change: Literal["removed", "dissolved", "added"]


def channel_name(channel_id: str) -> str:
    """What a chat is called wherever it is told of: nobody can find it by that."""
    return "chat_" + hashlib.sha256(channel_id.encode()).hexdigest()[:NAME_DIGITS]


def known_channels(workspace: Workspace) -> Iterator[str]:
    """Every chat that shows anything; one that shows two things comes twice."""
    yield from workspace.identity.channels
    for held in workspace.goals.held():
        yield from held.channels


def is_known(workspace: Workspace, channel_id: str) -> bool:
    """Whether this chat shows anything."""
    return any(one == channel_id for one in known_channels(workspace))


def decide_bind(workspace: Workspace, caller: Caller, ask: BindChannel, _now_ms: int) -> Decision:
    """Bind a chat, unless it is bound already; nothing else that it shows is touched."""
    found = _found(workspace, caller, ask)
    if isinstance(found, Refusal):
        return found
    goal, channel_id = found
    shown = workspace.identity.channels if goal is None else goal.channels
    if channel_id in shown:
        return Held(seq=workspace.seq, facts={"channel": channel_name(channel_id)})
    if len(shown) >= CHANNELS_MAX:
        return refuse(ChannelRefusal.TOO_MANY_CHANNELS, limit=CHANNELS_MAX)
    return (Draft(facts=ChannelBound(channel_id=channel_id), goal_id=None if goal is None else goal.goal_id),)


def decide_unbind(workspace: Workspace, caller: Caller, ask: UnbindChannel, _now_ms: int) -> Decision:
    """Let a chat go; whatever else it shows stays."""
    found = _found(workspace, caller, ask)
    if isinstance(found, Refusal):
        return found
    goal, channel_id = found
    shown = workspace.identity.channels if goal is None else goal.channels
    if channel_id not in shown:
        return refuse(ChannelRefusal.CHANNEL_NOT_BOUND, channel=channel_name(channel_id), goal_id=ask.goal_id)
    return (Draft(facts=ChannelUnbound(channel_id=channel_id), goal_id=None if goal is None else goal.goal_id),)


def decide_report(workspace: Workspace, _caller: Caller, ask: ReportChannel, _now_ms: int) -> Decision:
    """Write down once that a chat is lost, and once that it is found."""
    if not is_known(workspace, ask.channel_id):
        return refuse(ChannelRefusal.CHANNEL_UNKNOWN)
    lost = workspace.identity.lost.get(ask.channel_id)
    if (ask.change == "added") == (lost is None):
        return Held(seq=lost or workspace.seq, facts={"channel": channel_name(ask.channel_id)})
    if ask.change == "added":
        return (Draft(facts=ChannelFound(channel_id=ask.channel_id)),)
    return (Draft(facts=ChannelLost(channel_id=ask.channel_id, because=ask.change)),)


def _found(workspace: Workspace, caller: Caller, ask: _About) -> tuple[Goal | None, str] | Refusal:
    """What is shown (None for the workspace) and where, if this caller may say so."""
    if (ask.goal_id is None) != ask.workspace:
        return refuse(ChannelRefusal.CHANNEL_TARGET_REQUIRED)
    named = ask.channel_id or caller.channel_id
    if named is None:
        return refuse(ChannelRefusal.CHANNEL_REQUIRED)
    goal = None if ask.goal_id is None else workspace.goals.get(GoalId(ask.goal_id))
    if ask.goal_id is not None and goal is None:
        return refuse(ChannelRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    if not _owns(workspace, caller, goal):
        return refuse(ChannelRefusal.NOT_AN_OWNER)
    channel_id = resolved(workspace, named)
    if channel_id is None:
        return refuse(ChannelRefusal.CHANNEL_UNKNOWN, channel=named)
    return goal, channel_id


def _owns(workspace: Workspace, caller: Caller, goal: Goal | None) -> bool:
    if goal is not None:
        return is_owner(goal, caller.member_id, workspace)
    member = registered(workspace, caller.member_id)
    return member is not None and "owner" in member.roles


def resolved(workspace: Workspace, named: str) -> str | None:
    """The platform's id of a chat; a short name stands for a chat that is bound already."""
    if not named.startswith("chat_"):
        return named
    return next((one for one in known_channels(workspace) if channel_name(one) == named), None)
