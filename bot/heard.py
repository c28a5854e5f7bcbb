"""What the platform says of people and chats, besides messages and presses: who came, who left, who looked in.

These events carry no request of anybody's. The daemon decides what they mean; here they are only put into one shape.
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

HeardKind = Literal["left", "joined", "resigned", "removed", "added", "dissolved", "entered"]
PEOPLE_MAX: Final = 50
KINDS: Final[Mapping[str, HeardKind]] = {
    "im.chat.member.user.deleted_v1": "left",
    "im.chat.member.user.added_v1": "joined",
    "im.chat.member.bot.deleted_v1": "removed",
    "im.chat.member.bot.added_v1": "added",
    "im.chat.disbanded_v1": "dissolved",
    "im.chat.access_event.bot_p2p_chat_entered_v1": "entered",
}
"""The events that are read, and what they say."""


class HeardPerson(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody the event is about, as the platform names them."""

    open_id: str
    union_id: str = ""
    tenant_key: str = ""


class HeardEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One such event."""

    event_id: str
    kind: HeardKind
    app_id: str = ""
    tenant_key: str = ""
    chat_id: str = ""
    people: tuple[HeardPerson, ...] = ()
    slot: str = ""
    """The card that could not be sent, where that is how it was heard."""


def heard_in(event_type: str, event_id: str, body: Mapping[str, object]) -> HeardEvent | None:
    """What an event says, or None for one that is not read or lacks what it must have."""
    kind, chat_id = KINDS.get(event_type), body.get("chat_id")
    if kind is None or not event_id or not isinstance(chat_id, str) or not chat_id:
        return None
    named = body.get("users") if kind in {"left", "joined"} else [{"user_id": body.get("operator_id")}]
    people = [found for one in (named if isinstance(named, list) else []) if (found := _person(one)) is not None]
    if kind in {"removed", "added", "dissolved"}:
        people = []
    return HeardEvent(
        event_id=event_id,
        kind=kind,
        app_id=_text(body, "app_id"),
        tenant_key=_text(body, "tenant_key"),
        chat_id=chat_id,
        people=tuple(people[:PEOPLE_MAX]),
    )


def _person(one: object) -> HeardPerson | None:
    if not isinstance(one, Mapping) or not isinstance(ids := one.get("user_id"), Mapping):
        return None
    open_id = _text(ids, "open_id")
    if not open_id:
        return None
    return HeardPerson(open_id=open_id, union_id=_text(ids, "union_id"), tenant_key=_text(one, "tenant_key"))


def _text(body: Mapping[str, object], name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""
