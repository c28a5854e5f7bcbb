"""What the app must be allowed, subscribed to and able to do on the platform: one table, from which all else follows.

The checklist of `frontstage lark setup`, the request that a registration carries, the checks of `frontstage lark
doctor`, the list in `docs/lark.md` and what counts as a known event all come from here. Each line names the part of the
code that would fail without it, and a test looks for it there, because lists of permissions that are kept by hand rot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

NeedKind = Literal["scope", "event", "callback"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """One thing to be granted or subscribed to. `why` is the key of a sentence; `used_in` the module that needs it."""

    kind: NeedKind
    name: str
    why: str
    used_in: str
    used_as: str
    """What to look for there."""
    optional: bool = False


NEEDS: Final = (
    Need(
        kind="scope",
        name="im:message:send_as_bot",
        why="lark.need.send",
        used_in="bot.lark_api",
        used_as="CreateMessageRequest",
    ),
    Need(
        kind="scope",
        name="im:message.p2p_msg:readonly",
        why="lark.need.direct",
        used_in="bot.lark_events",
        used_as='"p2p"',
    ),
    Need(
        kind="scope",
        name="im:message.group_at_msg:readonly",
        why="lark.need.mentions",
        used_in="bot.lark_events",
        used_as="mentions",
    ),
    Need(
        kind="scope",
        name="im:chat:readonly",
        why="lark.need.chats",
        used_in="bot.lark_asking",
        used_as="is_in_chat",
    ),
    Need(
        kind="scope",
        name="application:application:self_manage",
        why="lark.need.scopes",
        used_in="bot.lark_asking",
        used_as="application/v6/scopes",
        optional=True,
    ),
    Need(
        kind="event",
        name="im.message.receive_v1",
        why="lark.need.receive",
        used_in="bot.lark_events",
        used_as="im.message.receive_v1",
    ),
    Need(
        kind="event",
        name="im.chat.member.bot.added_v1",
        why="lark.need.added",
        used_in="bot.inbound",
        used_as="im.chat.member.bot.added_v1",
    ),
    Need(
        kind="event",
        name="im.chat.member.bot.deleted_v1",
        why="lark.need.removed",
        used_in="bot.heard",
        used_as="im.chat.member.bot.deleted_v1",
        optional=True,
    ),
    Need(
        kind="event",
        name="im.chat.member.user.added_v1",
        why="lark.need.people",
        used_in="bot.heard",
        used_as="im.chat.member.user.added_v1",
        optional=True,
    ),
    Need(
        kind="event",
        name="im.chat.member.user.deleted_v1",
        why="lark.need.people",
        used_in="bot.heard",
        used_as="im.chat.member.user.deleted_v1",
        optional=True,
    ),
    Need(
        kind="event",
        name="im.chat.disbanded_v1",
        why="lark.need.removed",
        used_in="bot.heard",
        used_as="im.chat.disbanded_v1",
        optional=True,
    ),
    Need(
        kind="event",
        name="im.chat.access_event.bot_p2p_chat_entered_v1",
        why="lark.need.entered",
        used_in="bot.heard",
        used_as="im.chat.access_event.bot_p2p_chat_entered_v1",
        optional=True,
    ),
    Need(
        kind="event",
        name="im.message.recalled_v1",
        why="lark.need.recalled",
        used_in="bot.inbound",
        used_as="im.message.recalled_v1",
        optional=True,
    ),
    Need(
        kind="callback",
        name="card.action.trigger",
        why="lark.need.presses",
        used_in="bot.lark_events",
        used_as="card.action.trigger",
    ),
)

EVENT_TYPES: Final = frozenset(need.name for need in NEEDS if need.kind == "event")

DOMAINS: Final[Mapping[str, str]] = MappingProxyType(
    {"feishu": "https://open.feishu.cn", "lark": "https://open.larksuite.com"}
)
"""The two worlds. An app of one does not exist in the other."""


def names(kind: NeedKind, *, optional: bool = True) -> tuple[str, ...]:
    """The names of one kind, in the table's order; without the optional ones if asked."""
    return tuple(need.name for need in NEEDS if need.kind == kind and (optional or not need.optional))


def console_url(domain: str, app_id: str = "") -> str:
    """Where the operator looks after the app: the developer console of this domain, at this app if it is known."""
    return f"{domain}/app/{app_id}" if app_id else f"{domain}/app"


def accounts_url(domain: str) -> str:
    """Where apps are registered for this domain; a simulator on this machine does both."""
    return domain.replace("https://open.", "https://accounts.", 1)
