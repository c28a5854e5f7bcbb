"""From the bytes of an event to the values of the port, or to what is left when it cannot be read.

Public bots lost events here: SDK models that expect an object where a client sends text, form fields that were
dropped, ids that are empty without a scope. So it is read by hand and leniently: what is missing and not needed is
empty; what is missing and needed makes the event an `OtherEvent`, which is acknowledged and kept, because an event
that keeps failing may hold up all that follow it. Nothing in a text is trusted or interpreted here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from bot.lark import InboundMessage, InboundPress, LarkUser, Locale

MESSAGE_EVENT: Final = "im.message.receive_v1"
PRESS_EVENT: Final = "card.action.trigger"
UNREADABLE_EVENT: Final = "unreadable"

_LOCALE: Final = re.compile(r"LarkLocale/([A-Za-z]{2})")
_LEFT_OVER_KEY: Final = r"@_(?:user_\d+|all)(?![0-9A-Za-z_])"
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
"""Who writes these reads Chinese, where the client does not say."""
_SPACES: Final = re.compile(r"[ \t]{2,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class StrayPress:
    """A press of a control that carries no token of ours: it is answered politely and changes nothing."""

    event_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherEvent:
    """An event of a type we do not read, or that could not be read."""

    event_type: str
    event_id: str
    body: Mapping[str, object] = field(default_factory=dict)
    """The event's own content, with the app and tenant of its envelope; what came, if it has none."""


Event = InboundMessage | InboundPress | StrayPress | OtherEvent


class _Missing(Exception):
    """A needed field is absent or of the wrong type."""


def read_event(payload: bytes, *, bot_open_id: str, locale: Locale) -> Event:
    """Read one event; never raises. `locale` is what to assume where the event does not say."""
    try:
        body = orjson.loads(payload)
    except orjson.JSONDecodeError:
        return OtherEvent(event_type=UNREADABLE_EVENT, event_id="")
    if not isinstance(body, dict):
        return OtherEvent(event_type=UNREADABLE_EVENT, event_id="")
    header, event = _mapping(body, "header"), _mapping(body, "event")
    # Version 1 events have no header; they name their type in the event.
    event_type = _text(header, "event_type") or _text(event, "type") or UNREADABLE_EVENT
    event_id = _text(header, "event_id") or _text(body, "uuid")
    try:
        if event_type == MESSAGE_EVENT and _text(_mapping(event, "sender"), "sender_type") in ("user", ""):
            return _read_message(header, event, bot_open_id=bot_open_id, locale=locale)
        if event_type == PRESS_EVENT:
            return _read_press(header, event, locale=locale)
    except _Missing:
        pass
    # Messages of other bots end here too: two bots that answer each other never stop.
    envelope = {"app_id": _text(header, "app_id"), "tenant_key": _text(header, "tenant_key")}
    return OtherEvent(event_type=event_type, event_id=event_id, body={**envelope, **event} if event else body)


def _read_message(
    header: Mapping[str, Any], event: Mapping[str, Any], *, bot_open_id: str, locale: Locale
) -> InboundMessage:
    sender, message = _mapping(event, "sender"), _mapping(event, "message")
    kind = _needed(message, "message_type")
    mentions = [entry for entry in _sequence(message, "mentions") if isinstance(entry, dict)]
    create_time = _needed(message, "create_time")
    if not (create_time.isascii() and create_time.isdigit()):
        raise _Missing
    text = _said(message, mentions, bot_open_id, rich=kind == "post") if kind in ("text", "post") else ""
    return InboundMessage(
        event_id=_needed(header, "event_id"),
        message_id=_needed(message, "message_id"),
        app_id=_needed(header, "app_id"),
        # The sender's tenant, which is another one than the app's when they are external members of a group.
        tenant_key=_text(sender, "tenant_key") or _needed(header, "tenant_key"),
        sender=_user(_mapping(sender, "sender_id")),
        chat_id=_needed(message, "chat_id"),
        chat_type="p2p" if _needed(message, "chat_type") == "p2p" else "group",
        thread_id=_text(message, "thread_id") or None,
        # Rich text without a word in it, such as a picture alone, is not text.
        kind="text" if kind == "post" and text else kind,
        text=text,
        mentioned=any(_is_bot(entry, bot_open_id) for entry in mentions),
        create_time_ms=int(create_time),
        locale=_locale(_text(message, "user_agent"), "zh" if _HAN.search(text) else locale),
    )


def _said(message: Mapping[str, Any], mentions: Sequence[Mapping[str, Any]], bot_open_id: str, *, rich: bool) -> str:
    """Take the text out of its content; the bot's mention goes away, other people's become `@name`."""
    try:
        content = orjson.loads(_text(message, "content"))
    except orjson.JSONDecodeError:
        raise _Missing from None
    if not isinstance(content, dict):
        raise _Missing
    text = _rich_text(content) if rich else content.get("text")
    if not isinstance(text, str):
        raise _Missing
    names = {
        _text(entry, "key"): "" if _is_bot(entry, bot_open_id) else "@" + _text(entry, "name")
        for entry in mentions
        if _text(entry, "key")
    }
    # In one pass, the longest key first: a name may itself look like a key, and one key may begin another. A key that
    # nobody is listed for (`@_all` comes without a mention) goes away.
    known = (re.escape(key) + r"(?![0-9])" for key in sorted(names, key=len, reverse=True))
    text = re.sub("|".join((*known, _LEFT_OVER_KEY)), lambda found: names.get(found[0], ""), text)
    return _SPACES.sub(" ", text).strip()


def _rich_text(content: Mapping[str, Any]) -> str:
    """The words of a rich text, a paragraph a line; pictures and the like have none. Lenient, as clients differ."""
    if not isinstance(content.get("content"), list):
        # Some put each language's own version under its name.
        content = next((one for one in content.values() if isinstance(one, dict)), {})
    lines = [_text(content, "title")]
    for paragraph in _sequence(content, "content"):
        runs = paragraph if isinstance(paragraph, list) else []
        lines.append("".join(_run(one) for one in runs if isinstance(one, dict)))
    return "\n".join(line for line in lines if line.strip())


def _run(run: Mapping[str, Any]) -> str:
    """One run of a rich text. Whom it mentions is told by the key, which is looked up like in any other text."""
    if _text(run, "tag") != "at":
        return _text(run, "text")
    key, name = _text(run, "user_id"), _text(run, "user_name")
    return key if key.startswith("@_") else f"@{name}" if name else ""


def _read_press(header: Mapping[str, Any], event: Mapping[str, Any], *, locale: Locale) -> InboundPress | StrayPress:
    operator, action, context = _mapping(event, "operator"), _mapping(event, "action"), _mapping(event, "context")
    event_id = _needed(header, "event_id")
    option = _optional(action, "option")
    token = _text(_mapping(action, "value"), "t") or (option if action.get("tag") == "overflow" and option else "")
    if not token:
        return StrayPress(event_id=event_id)
    return InboundPress(
        event_id=event_id,
        app_id=_needed(header, "app_id"),
        tenant_key=_text(operator, "tenant_key") or _needed(header, "tenant_key"),
        operator=_user(operator),
        chat_id=_needed(context, "open_chat_id"),
        message_id=_needed(context, "open_message_id"),
        token=token,
        locale=locale,
        form=dict(_mapping(action, "form_value")),
        name=_text(action, "name"),
        option=option,
        input_value=_optional(action, "input_value"),
    )


def _user(ids: Mapping[str, Any]) -> LarkUser:
    return LarkUser(open_id=_needed(ids, "open_id"), union_id=_text(ids, "union_id"))


def _is_bot(mention: Mapping[str, Any], bot_open_id: str) -> bool:
    return bool(bot_open_id) and _text(_mapping(mention, "id"), "open_id") == bot_open_id


def _locale(user_agent: str, default: Locale) -> Locale:
    found = _LOCALE.search(user_agent)
    if found is None:
        return default
    return "zh" if found[1].lower() == "zh" else "en"


def _mapping(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def _sequence(parent: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = parent.get(name)
    return value if isinstance(value, list) else ()


def _text(parent: Mapping[str, Any], name: str) -> str:
    value = parent.get(name)
    return value if isinstance(value, str) else ""


def _optional(parent: Mapping[str, Any], name: str) -> str | None:
    value = parent.get(name)
    return value if isinstance(value, str) else None


def _needed(parent: Mapping[str, Any], name: str) -> str:
    value = _text(parent, name)
    if not value:
        raise _Missing
    return value
