"""What a bot may do with messages: send, reply, patch, recall and read, with the platform's rules and codes."""

from collections import OrderedDict
from dataclasses import dataclass

from bot.simulator import mentions
from bot.simulator.cardcheck import check_card, check_update
from bot.simulator.documented import (
    CARD_BYTES_MAX,
    MESSAGES_PAGE_MAX,
    PATCH_LIFE_MS,
    RECALL_LIFE_MS,
    TEXT_BYTES_MAX,
    UUID_CHARS_MAX,
    UUID_LIFE_MS,
)
from bot.simulator.errors import CardRefusedError, PlatformError
from bot.simulator.messageview import message_view
from bot.simulator.model import App, Chat, Mention, Message, Version
from bot.simulator.wire import JsonObject, flag_at, parse_object, text_at
from bot.simulator.world import World

UUIDS_MAX = 20_000

UNREACHABLE = {
    230013: "Bot has NO availability to this user.",
    230029: "The user has resigned.",
    230053: "The user has stopped the bot from sending messages.",
}

_RECEIVE_ID_TYPES = ("open_id", "union_id", "user_id", "email", "chat_id")


@dataclass(frozen=True)
class Draft:
    """What a bot wants to say, checked."""

    kind: str
    content: JsonObject
    mentions: list[Mention]


class Messages:
    """The message calls of the platform on one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._uuids: OrderedDict[tuple[str, str], tuple[int, str]] = OrderedDict()

    def create(self, app: App, id_type: str, body: JsonObject, body_bytes: int) -> JsonObject:
        """Send to a chat or a person; the same uuid within an hour gives the first message again."""
        if id_type not in _RECEIVE_ID_TYPES:
            raise PlatformError(99992402, f"field validation failed: receive_id_type must be {_RECEIVE_ID_TYPES}")
        receive_id = _field(body, "receive_id")
        first = self._sent_before(app, body)
        if first is not None:
            return message_view(self._world, first)
        chat = self._world.receiver(app, id_type, receive_id)
        return self._send(app, chat, body, body_bytes, parent=None)

    def reply(self, app: App, message_id: str, body: JsonObject, body_bytes: int) -> JsonObject:
        """Answer a message, in its thread if asked."""
        parent = self._find(message_id, missing=231003)
        first = self._sent_before(app, body)
        if first is not None:
            return message_view(self._world, first)
        if parent.recalled:
            raise PlatformError(230011, "The message has been recalled.")
        return self._send(app, self._chat(parent), body, body_bytes, parent=parent)

    def chat_of_receiver(self, app: App, id_type: str, receive_id: str) -> Chat | None:
        """The chat a send would go to, for the rate limit; an invalid receiver has none."""
        try:
            return self._world.receiver(app, id_type, receive_id)
        except PlatformError:
            return None

    def patch(self, app: App, message_id: str, body: JsonObject, body_bytes: int) -> JsonObject:
        """Replace a card: the bot's own, shared, not recalled and not older than fourteen days."""
        message = self._find(message_id, missing=230110)
        if not message.from_app or message.sender != app.app_id:
            raise PlatformError(230027, "Lack of necessary permissions, ext=the message is not this bot's.")
        self._require_member(app, self._chat(message))
        if message.recalled:
            raise PlatformError(230011, "The message has been recalled.")
        if message.kind != "interactive":
            raise PlatformError(230001, "Your request contains an invalid request parameter, ext=not a card.")
        if self._world.clock.now_ms() - message.created_ms > PATCH_LIFE_MS:
            raise PlatformError(230031, "The message was sent more than 14 days ago and cannot be updated.")
        draft = self._draft(app, "interactive", _field(body, "content"), body_bytes, replaces=message.content)
        version = Version(at_ms=self._world.clock.now_ms(), content=draft.content, by="patch")
        message.mentions = draft.mentions
        message.sent_bytes = body_bytes
        self._world.revise(message, version)
        return {}

    def recall(self, app: App, message_id: str) -> JsonObject:
        """Take back the bot's own message, within a day."""
        message = self._find(message_id, missing=230110)
        if message.sender != app.app_id:
            raise PlatformError(230026, "No permission to recall this message.")
        if message.recalled:
            raise PlatformError(230011, "The message has been recalled.")
        if self._world.clock.now_ms() - message.created_ms > RECALL_LIFE_MS:
            raise PlatformError(230009, "This message can no longer be recalled: the time for it has passed.")
        self._world.recall(message)
        return {}

    def read(self, app: App, message_id: str, *, raw_card: bool) -> JsonObject:
        """One message as a list of one, the way the platform gives it."""
        message = self._find(message_id, missing=230110)
        self._require_member(app, self._chat(message))
        return {"items": [message_view(self._world, message, raw_card=raw_card)]}

    def read_chat(self, app: App, chat_id: str, page_size: int, page_token: str) -> JsonObject:
        """A chat's messages, oldest first, in pages of at most fifty."""
        chat = self._world.chats.get(chat_id)
        if chat is None:
            raise PlatformError(230001, "Your request contains an invalid request parameter, ext=invalid container_id.")
        self._require_member(app, chat)
        size = min(max(page_size, 1), MESSAGES_PAGE_MAX)
        start = int(page_token) if page_token.isdigit() else 0
        found = self._world.of_chat(chat_id)
        more = start + size < len(found)
        page = found[start : start + size]
        items: list[object] = [message_view(self._world, message, raw_card=False) for message in page]
        return {"items": items, "has_more": more, "page_token": str(start + size) if more else ""}

    def _send(self, app: App, chat: Chat, body: JsonObject, body_bytes: int, *, parent: Message | None) -> JsonObject:
        self._require_member(app, chat)
        draft = self._draft(app, _field(body, "msg_type"), _field(body, "content"), body_bytes)
        message = self._world.add_message(
            chat,
            "interactive" if draft.kind == "interactive" else "text",
            app.app_id,
            draft.content,
            from_app=True,
            parent_id=parent.message_id if parent else "",
        )
        message.sent_bytes = body_bytes
        message.mentions = draft.mentions
        if parent is not None and flag_at(body, "reply_in_thread"):
            self._world.in_thread(message)
        uuid = text_at(body, "uuid")
        if uuid:
            self._uuids[app.app_id, uuid] = (self._world.clock.now_ms(), message.message_id)
            while len(self._uuids) > UUIDS_MAX:
                self._uuids.popitem(last=False)
        return message_view(self._world, message)

    def _sent_before(self, app: App, body: JsonObject) -> Message | None:
        uuid = body.get("uuid", "")
        if not isinstance(uuid, str) or len(uuid) > UUID_CHARS_MAX:
            raise PlatformError(99992402, f"field validation failed: uuid, max length is {UUID_CHARS_MAX}")
        at_ms, message_id = self._uuids.get((app.app_id, uuid), (0, ""))
        if not message_id or self._world.clock.now_ms() - at_ms >= UUID_LIFE_MS:
            return None
        return self._world.messages.get(message_id)

    def _draft(
        self, app: App, kind: str, content: str, body_bytes: int, *, replaces: JsonObject | None = None
    ) -> Draft:
        if kind not in {"text", "interactive"}:
            raise PlatformError(230001, f"Your request contains an invalid request parameter, ext=msg_type {kind!r}.")
        if body_bytes > (CARD_BYTES_MAX if kind == "interactive" else TEXT_BYTES_MAX):
            raise PlatformError(230025, "The length of the message content reaches its limit.")
        try:
            parsed = parse_object(content)
        except ValueError:
            if kind == "interactive":
                raise CardRefusedError(200621, "parse card json err", "the content is not a JSON object") from None
            raise PlatformError(230001, "Your request contains an invalid request parameter, ext=content.") from None
        if kind == "text":
            if not text_at(parsed, "text"):
                raise PlatformError(230001, "Your request contains an invalid request parameter, ext=text is empty.")
            return Draft(kind, parsed, mentions.of_text(parsed))
        if replaces is not None:
            check_update(replaces, parsed)
        check_card(parsed)
        found = mentions.of_card(parsed)
        self._require_known(app, found)
        return Draft(kind, parsed, found)

    def _require_known(self, app: App, found: list[Mention]) -> None:
        # A person chip with an unknown id is merely drawn as an unknown user; a mention of nobody is an error.
        for mention in found:
            known = (self._world.person_by_id(app, kind, mention.id) for kind in ("open_id", "union_id", "user_id"))
            if mention.kind == "at" and not any(known):
                raise CardRefusedError(100290, "at id is invalid", mention.where)

    def _find(self, message_id: str, *, missing: int) -> Message:
        if not message_id.startswith("om_"):
            raise PlatformError(99992354, "id not exist, the message_id is invalid")
        message = self._world.messages.get(message_id)
        if message is None:
            raise PlatformError(missing, "The message does not exist.")
        return message

    def _chat(self, message: Message) -> Chat:
        return self._world.chats[message.chat_id]

    def _require_member(self, app: App, chat: Chat) -> None:
        if chat.dissolved:
            raise PlatformError(232009, "The chat has been dissolved.")
        if chat.unreachable:
            raise PlatformError(chat.unreachable, UNREACHABLE[chat.unreachable])
        if app.app_id not in chat.apps:
            raise PlatformError(230002, "Bot/User can NOT be out of the chat.")


def _field(body: JsonObject, key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str) or not value:
        raise PlatformError(99992402, f"field validation failed: {key} is required and must be a string")
    return value
