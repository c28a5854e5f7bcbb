"""How the platform describes a message to a bot that sent or reads it."""

from bot.simulator.model import Message
from bot.simulator.wire import JsonObject, dump_text, object_at, text_at
from bot.simulator.world import World


def message_view(world: World, message: Message, *, raw_card: bool = True) -> JsonObject:
    """The message as JSON; without `raw_card` a card is given in its simplified form, as by default there."""
    return {
        "message_id": message.message_id,
        "root_id": message.root_id,
        "parent_id": message.parent_id,
        "thread_id": message.thread_id,
        "msg_type": message.kind,
        "create_time": str(message.created_ms),
        "update_time": str(message.updated_ms),
        "deleted": message.recalled,
        "updated": len(message.versions) > 1,
        "chat_id": message.chat_id,
        "sender": _sender(world, message),
        "body": {"content": dump_text(_content(message, raw_card=raw_card))},
        "mentions": [],
        "upper_message_id": "",
    }


def _sender(world: World, message: Message) -> JsonObject:
    app = world.apps.get(message.sender)
    if app is not None:
        return {"id": app.app_id, "id_type": "app_id", "sender_type": "app", "tenant_key": app.tenant_key}
    person = world.people[message.sender]
    apps = sorted(world.chats[message.chat_id].apps)
    return {
        "id": person.open_id(apps[0]) if apps else person.union_id,
        "id_type": "open_id" if apps else "union_id",
        "sender_type": "user",
        "tenant_key": person.tenant_key,
    }


def _content(message: Message, *, raw_card: bool) -> JsonObject:
    if message.recalled:
        return {"text": "This message was recalled"}
    if message.kind == "interactive" and not raw_card:
        title = object_at(object_at(message.content, "header"), "title")
        return {"title": text_at(title, "content"), "elements": [[]]}
    return message.content
