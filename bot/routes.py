"""Which message goes where, and under which key, so that sending it again is not a second message.

Every send carries a key made of what it answers and nothing else. The platform keeps it for an hour, and within that
hour a send that is repeated (after a time-out, a crash, or by another bot) returns the first message.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

from bot.backend import Slot
from bot.lark import UUID_CHARS_MAX, InboundMessage, Lark, Locale, ReceiveIdType, SentMessage

TEXT_CHARS_MAX: Final = 2_000
# The subjects that are about no goal; every other names its goal after its kind.
OF_NO_GOAL: Final = frozenset(
    {"form", "attention", "members", "digest", "missed", "pairing", "help", "which", "identity", "summary"}
)
# What is posted once and never changed: where the platform will not have it, that is the end of it.
ONCE: Final = frozenset({"summary"})
# Begins a place between the bot and one person; whose address that is, the daemon's list alone says.
DIRECT: Final = "direct:"
# What a message asked for by itself answers it, and is wanted at once.
FORM: Final = "form"
# Begins the platform's ids of messages: a subject that ends in one is the answer to it, and wanted at once as well.
MESSAGE: Final = "om_"


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """Where one message goes: as a reply if there is something to reply to, else to the receiver."""

    chat_id: str
    receive_id: str
    receive_id_type: ReceiveIdType = "chat_id"
    reply_to: str | None = None
    in_thread: bool = False

    def without_reply(self) -> "Route":
        """The same place when what was to be replied to is gone."""
        return Route(chat_id=self.chat_id, receive_id=self.receive_id, receive_id_type=self.receive_id_type)

    async def post_card(self, lark: Lark, card: bytes, uuid: str) -> SentMessage:
        """Post a card there."""
        if self.reply_to:
            return await lark.reply_card(self.reply_to, card, uuid, self.in_thread)
        return await lark.send_card(self.receive_id, self.receive_id_type, card, uuid)

    async def post_text(self, lark: Lark, text: str, uuid: str) -> SentMessage:
        """Post a text there, no longer than `TEXT_CHARS_MAX`."""
        text = text if len(text) <= TEXT_CHARS_MAX else f"{text[:TEXT_CHARS_MAX]} […]"
        if self.reply_to:
            return await lark.reply_text(self.reply_to, text, uuid, self.in_thread)
        return await lark.send_text(self.receive_id, self.receive_id_type, text, uuid)


def route_of_slot(slot: Slot) -> Route:
    """A slot's card goes to its chat, as a reply if somebody's message asked for it."""
    return Route(
        chat_id=slot.chat_id,
        receive_id=slot.receive_id,
        receive_id_type=slot.receive_id_type,
        reply_to=slot.reply_to or None,
    )


def route_of_answer(message: InboundMessage) -> Route:
    """An answer stays beside its question: in the thread it was asked in, or as a reply; between two, plainly."""
    return Route(
        chat_id=message.chat_id,
        receive_id=message.chat_id,
        reply_to=None if message.chat_type == "p2p" and message.thread_id is None else message.message_id,
        in_thread=message.thread_id is not None,
    )


def route_of_late_result(chat_id: str, card_message_id: str) -> Route:
    """What came of a press after its toast was due is said as a reply to the card that was pressed."""
    return Route(chat_id=chat_id, receive_id=chat_id, reply_to=card_message_id or None)


def slot_kind(slot: str) -> str:
    """The kind of card that a slot's key names."""
    return slot.partition(":")[0]


def slot_goal(slot: str) -> str | None:
    """The goal that a slot's key names; what is about none has none."""
    subject, _, _ = slot.rpartition("@")
    kind, _, rest = subject.partition(":")
    return None if kind in OF_NO_GOAL else rest.partition(":")[0] or None


def is_direct(slot: str) -> bool:
    """Whether a slot's key names a place between the bot and one person."""
    return slot.rpartition("@")[2].startswith(DIRECT)


def urgency_of(slot: Slot) -> tuple[int, int]:
    """Order of sending, smallest first: what somebody waits for before what only tells."""
    return (0 if slot.reply_to or slot.priority <= 0 else 1, slot.priority)


def slot_from_key(key: str) -> Slot | None:
    """The slot that a key names by itself: its chat is in it, and so is the message that a card answers.

    It is enough to change what is there. Whether somebody waits for it is said by the daemon's list alone.
    """
    subject, _, chat_id = key.rpartition("@")
    if not subject or not chat_id:
        return None
    answers = _answered(subject)
    return Slot(
        slot=key, chat_id=chat_id, receive_id=chat_id, reply_to=answers, priority=0 if answers is not None else 1
    )


def _answered(subject: str) -> str | None:
    """The message that a card of this subject answers, if it answers one."""
    kind, _, rest = subject.partition(":")
    last = rest.rpartition(":")[2]
    return rest if kind == FORM else last if last.startswith(MESSAGE) else None


def card_uuid(slot: str, replaces: str) -> str:
    """The key of a slot's message: the first one, or the one that replaces the message of that id.

    The content takes no part in it. A post whose outcome was lost and whose content has changed since would otherwise
    be a second message; with this key the first one comes back and is patched.
    """
    return _key("card", slot, replaces or "1st")


def text_uuid(slot: str) -> str:
    """The key of the one text that stands in for a card the platform refuses."""
    return _key("text", slot)


def answer_uuid(message_id: str) -> str:
    """The key of the answer to a message."""
    return _key("answer", message_id)


def late_uuid(event_id: str) -> str:
    """The key of the late result of a press."""
    return _key("late", event_id)


def said(locale: Locale, *, en: str, zh: str) -> str:
    """The text in one language."""
    return zh if locale == "zh" else en


def _key(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[: UUID_CHARS_MAX - 2]
