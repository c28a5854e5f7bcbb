"""The bodies of events and callbacks, in the platform's exact shapes."""

from bot.simulator.ids import Ids
from bot.simulator.model import App, Chat, Message, Person
from bot.simulator.wire import JsonObject, dump_text, object_at


def _header(app: App, ids: Ids, event_type: str, create_time: int) -> JsonObject:
    return {
        "event_id": ids.fresh(""),
        "event_type": event_type,
        "create_time": str(create_time),
        "token": app.verification_token,
        "app_id": app.app_id,
        "tenant_key": app.tenant_key,
    }


def _ids_of(person: Person, app: App) -> JsonObject:
    # `user_id` stays empty: the app does not hold the scope for it.
    return {"union_id": person.union_id, "user_id": "", "open_id": person.open_id(app.app_id)}


def mention_entries(message: Message, app: App, people: dict[str, Person], apps: dict[str, App]) -> list[JsonObject]:
    """The `mentions` list of a received text: `@_user_1` and so on, in the order of the text."""
    entries: list[JsonObject] = []
    for number, name in enumerate(message.mentioned, start=1):
        person, bot = people.get(name), apps.get(name)
        if person is not None:
            ids, kind, shown, tenant = _ids_of(person, app), "user", person.name, person.tenant_key
        elif bot is not None:
            ids = {"union_id": "", "user_id": "", "open_id": bot.bot_open_id}
            kind, shown, tenant = "bot", bot.name, bot.tenant_key
        else:
            raise ValueError(f"{name!r} is neither a person nor an app")
        entry: JsonObject = {"key": f"@_user_{number}", "id": ids, "mentioned_type": kind, "name": shown}
        entries.append({**entry, "tenant_key": tenant})
    return entries


def message_received(
    app: App, ids: Ids, message: Message, chat: Chat, sender: Person, *, mentions: list[JsonObject]
) -> JsonObject:
    """`im.message.receive_v1`: somebody wrote to the bot, or mentioned it in a group."""
    body: JsonObject = {
        "message_id": message.message_id,
        "create_time": str(message.created_ms),
        "update_time": str(message.updated_ms),
        "chat_id": chat.chat_id,
        "chat_type": chat.kind,
        "message_type": message.kind,
        "content": dump_text(message.content),
    }
    optional = {"root_id": message.root_id, "parent_id": message.parent_id, "thread_id": message.thread_id}
    body.update({key: value for key, value in optional.items() if value})
    if mentions:
        body["mentions"] = mentions
    language = "zh_CN" if sender.language == "zh_cn" else "en_US"
    body["user_agent"] = f"Mozilla/5.0 (Simulator) Lark/7.30.0 LarkLocale/{language}"
    return {
        "schema": "2.0",
        "header": _header(app, ids, "im.message.receive_v1", message.created_ms),
        "event": {
            "sender": {"sender_id": _ids_of(sender, app), "sender_type": "user", "tenant_key": sender.tenant_key},
            "message": body,
        },
    }


def message_recalled(app: App, ids: Ids, message: Message, now_ms: int, *, by: str = "message_owner") -> JsonObject:
    """`im.message.recalled_v1`: a message was taken back, by its sender or by who manages the chat."""
    return {
        "schema": "2.0",
        "header": _header(app, ids, "im.message.recalled_v1", now_ms),
        "event": {
            "message_id": message.message_id,
            "chat_id": message.chat_id,
            "recall_time": str(now_ms),
            "recall_type": by,
        },
    }


def bot_membership(app: App, ids: Ids, chat: Chat, operator: Person, *, now_ms: int, added: bool) -> JsonObject:
    """`im.chat.member.bot.added_v1` or `…deleted_v1`."""
    event_type = f"im.chat.member.bot.{'added' if added else 'deleted'}_v1"
    return _chat_event(app, ids, event_type, chat, operator, now_ms=now_ms)


def card_pressed(
    app: App, ids: Ids, message: Message, person: Person, *, action: JsonObject, now_ms: int
) -> JsonObject:
    """`card.action.trigger`: a person used something on a card. Its create_time is in microseconds, as documented."""
    return {
        "schema": "2.0",
        "header": _header(app, ids, "card.action.trigger", now_ms * 1000),
        "event": {
            "operator": {"tenant_key": person.tenant_key, **_ids_of(person, app)},
            "token": ids.fresh("c-"),
            "action": {**action, "timezone": person.timezone},
            "host": "im_message",
            "context": {"open_message_id": message.message_id, "open_chat_id": message.chat_id},
        },
    }


def _chat_event(app: App, ids: Ids, event_type: str, chat: Chat, operator: Person, *, now_ms: int) -> JsonObject:
    return {
        "schema": "2.0",
        "header": _header(app, ids, event_type, now_ms),
        "event": {
            "chat_id": chat.chat_id,
            "operator_id": _ids_of(operator, app),
            "external": chat.external,
            "operator_tenant_key": operator.tenant_key,
            "name": chat.name,
            "i18n_names": {"zh_cn": chat.name, "en_us": chat.name, "ja_jp": ""},
        },
    }


def user_membership(
    app: App, ids: Ids, chat: Chat, operator: Person, *, users: list[Person], now_ms: int, added: bool
) -> JsonObject:
    """`im.chat.member.user.added_v1` or `…deleted_v1`: people came into a group or left it."""
    event_type = f"im.chat.member.user.{'added' if added else 'deleted'}_v1"
    body = _chat_event(app, ids, event_type, chat, operator, now_ms=now_ms)
    listed = [{"name": one.name, "tenant_key": one.tenant_key, "user_id": _ids_of(one, app)} for one in users]
    return {**body, "event": {**object_at(body, "event"), "users": listed}}


def chat_disbanded(app: App, ids: Ids, chat: Chat, operator: Person, *, now_ms: int) -> JsonObject:
    """`im.chat.disbanded_v1`: the group is no more."""
    return _chat_event(app, ids, "im.chat.disbanded_v1", chat, operator, now_ms=now_ms)


def direct_chat_entered(
    app: App, ids: Ids, chat: Chat, person: Person, *, last: Message | None, now_ms: int
) -> JsonObject:
    """`im.chat.access_event.bot_p2p_chat_entered_v1`: somebody opened their direct chat with the bot."""
    event: JsonObject = {"chat_id": chat.chat_id, "operator_id": _ids_of(person, app)}
    if last is not None:
        event |= {"last_message_id": last.message_id, "last_message_create_time": str(last.created_ms)}
    header = _header(app, ids, "im.chat.access_event.bot_p2p_chat_entered_v1", now_ms)
    return {"schema": "2.0", "header": header, "event": event}


def messages_read(app: App, ids: Ids, reader: Person, message_ids: list[str], *, now_ms: int) -> JsonObject:
    """`im.message.message_read_v1`: somebody read the bot's messages in their direct chat."""
    return {
        "schema": "2.0",
        "header": _header(app, ids, "im.message.message_read_v1", now_ms),
        "event": {
            "reader": {
                "reader_id": _ids_of(reader, app),
                "read_time": str(now_ms),
                "tenant_key": reader.tenant_key,
            },
            "message_id_list": message_ids,
        },
    }


def menu_pressed(app: App, ids: Ids, person: Person, event_key: str, *, now_ms: int) -> JsonObject:
    """`application.bot.menu_v6`: an entry of the bot's menu was chosen. Its timestamp is in seconds, as documented."""
    return {
        "schema": "2.0",
        "header": _header(app, ids, "application.bot.menu_v6", now_ms),
        "event": {
            "operator": {"operator_name": person.name, "operator_id": _ids_of(person, app)},
            "event_key": event_key,
            "timestamp": now_ms // 1000,
        },
    }
