"""The Lark gateway as the rest of the bot sees it: what can be sent, what comes in, and how it fails.

Everything above this port is written against these values and protocols and never against an SDK, so the adapter
(`bot/lark_api.py`) can be replaced piece by piece and a fake that passes the same contract suite stands in for it.

Three rules hold on both sides of the port:

- Sending either returns or raises a `LarkFault` whose *kind* says what to do next. The port itself never retries,
  apart from one repetition after the platform rejected a token: only the caller knows whether the message is still
  wanted.
- An event is acknowledged after its handler returned. A handler that raises leaves the event to be delivered again.
- A press is always answered with an object within the platform's three seconds. A handler that needs longer keeps
  running; the presser reads that work goes on, and the handler itself shows the result afterwards.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal, Protocol

ReceiveIdType = Literal["open_id", "union_id", "user_id", "email", "chat_id"]
RECEIVE_ID_TYPES: Final = frozenset({"open_id", "union_id", "user_id", "email", "chat_id"})
ToastType = Literal["success", "info", "warning", "error"]
ChatType = Literal["p2p", "group"]
Locale = Literal["en", "zh"]
Transport = Literal["ws", "webhook"]

# The platform's own bound on the key that makes a send idempotent for one hour.
UUID_CHARS_MAX: Final = 50
# The platform gives a callback three seconds; the rest is for the way there and back.
PRESS_ANSWER_MS_MAX: Final = 2_500
# The port raises these without asking the platform, under the codes the platform would have used.
CODE_FIELD_VALIDATION: Final = 99992402
CODE_MESSAGE_ID_INVALID: Final = 99992354


class LarkFaultKind(StrEnum):
    """What a failed call means for whoever made it."""

    RATE_LIMITED = "rate_limited"
    """Too many calls: wait (`retry_after_s` if the platform said how long) and call again."""
    TOKEN = "token"  # noqa: S105 - the name of a kind, not a secret
    """The token was refused, and so was a fresh one: call again later."""
    GONE = "gone"
    """The message was recalled, deleted or is too old to change: let go of it, post a new one if one is wanted."""
    CHAT_LOST = "chat_lost"
    """This chat or person can no longer be reached: pause until an event says otherwise."""
    REFUSED_CARD = "refused_card"
    """The content was refused (size, structure, policy): the same content will always be refused."""
    BAD_REQUEST = "bad_request"
    """The call itself is wrong: calling again changes nothing."""
    UNKNOWN_OUTCOME = "unknown_outcome"
    """Nobody knows whether it happened: call again with the same `uuid`, or patch again."""
    FATAL = "fatal"
    """The app is misconfigured or out of quota: nothing will work until an operator acts."""


class LarkFault(Exception):
    """A call that did not succeed. Carries codes and kinds only: no id, no token, no text of the platform."""

    def __init__(
        self,
        kind: LarkFaultKind,
        *,
        code: int = 0,
        sub_code: int | None = None,
        retry_after_s: float | None = None,
        reason: str = "",
    ) -> None:
        """`code` is the platform's (0: it did not answer), `sub_code` the card's, `reason` a fixed text of ours."""
        super().__init__(
            f"{kind.value} (code {code}{'' if sub_code is None else f'/{sub_code}'}){reason and ': '}{reason}"
        )
        self.kind = kind
        self.code = code
        self.sub_code = sub_code
        self.retry_after_s = retry_after_s
        self.reason = reason


@dataclass(frozen=True, kw_only=True, slots=True)
class SentMessage:
    """A message that the platform has accepted."""

    message_id: str
    chat_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BotInfo:
    """Who we are: the `open_id` is how a mention of the bot is recognised."""

    open_id: str
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LarkHealth:
    """The gateway's ear at one moment. Times are the adapter's clock; None means never.

    `connected` is "the stream is ready": the long connection stands or, by webhook, a request came that proved to be
    the platform's. A socket that listens proves nothing.
    """

    transport: Transport = "ws"
    connected: bool = False
    listening: bool = False
    """By webhook: the socket is open."""
    since_ms: int = 0
    """When `connected` last changed."""
    last_frame_ms: int | None = None
    """When the last frame of any type arrived."""
    last_pong_ms: int | None = None
    last_event_ms: int | None = None
    """When the last frame that carries an event or a press arrived: a zombie answers pings and pushes none."""
    last_callback_ms: int | None = None
    """When the last press of a card arrived: the proof that callbacks are configured."""
    ping_interval_ms: int = 120_000
    reconnects: int = 0
    events_seen: frozenset[str] = frozenset()
    """Kinds of event that were asked for and have come: their subscriptions are proved."""
    parked: int = 0
    """Events that were acknowledged though nobody can act on them: of an unknown kind, or unreadable."""
    turned_away: int = 0
    """Requests that could not show that they came from the platform."""
    send_fault: str | None = None
    """Why the last call was refused, when it was the app or its token; None again after one that was not."""
    fatal: str | None = None
    """A sentence for the operator when retrying cannot help; None again once connected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LarkUser:
    """A person as the platform names them. `union_id` may be empty; both belong to `tenant_key` of the event."""

    open_id: str
    union_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class InboundMessage:
    """A message that a person sent. `text` is empty for every kind but `text`; mention keys are resolved in it."""

    event_id: str
    message_id: str
    app_id: str
    tenant_key: str
    sender: LarkUser
    chat_id: str
    chat_type: ChatType
    thread_id: str | None
    kind: str
    text: str
    mentioned: bool
    create_time_ms: int
    locale: Locale


@dataclass(frozen=True, kw_only=True, slots=True)
class InboundPress:
    """A press of a control on a card. `token` is what we put into the control; all else is what the presser did."""

    event_id: str
    app_id: str
    tenant_key: str
    operator: LarkUser
    chat_id: str
    message_id: str
    token: str
    locale: Locale
    form: Mapping[str, object] = field(default_factory=dict)
    """Every field of the form, by name, as the platform sent it (text, list of texts, or bool)."""
    name: str = ""
    option: str | None = None
    """What was picked in a stand-alone select or overflow menu."""
    input_value: str | None = None
    """What was typed into a stand-alone input."""


class NotTakenError(Exception):
    """What came in cannot be taken now, or not by this bot; raised so that it is delivered again, maybe to another."""


class Handlers(Protocol):
    """What the bot does with what comes in. Handlers run as tasks on the bot's own loop, many at a time."""

    async def on_message(self, event: InboundMessage) -> None:
        """Take a message. Returning acknowledges it; raising has it delivered again."""

    async def on_press(self, event: InboundPress) -> Mapping[str, object]:
        """Answer a press with a callback answer such as `toast(...)`; `{}` shows nothing."""
        ...

    async def on_other(self, event_type: str, event_id: str, body: Mapping[str, object]) -> None:
        """Take an event of another or an unreadable kind; `body` is its content.

        It is acknowledged in every case but one: `NotTakenError` leaves it to be delivered again.
        """


class Lark(Protocol):
    """The platform. Every call raises `LarkFault` when it did not succeed; none retries (see the module's text)."""

    async def send_card(self, receive_id: str, receive_id_type: ReceiveIdType, card: bytes, uuid: str) -> SentMessage:
        """Post a card. The same `uuid` within an hour posts once and returns the first message."""
        ...

    async def reply_card(self, message_id: str, card: bytes, uuid: str, in_thread: bool) -> SentMessage:  # noqa: FBT001
        """Post a card as a reply, in the message's thread if asked."""
        ...

    async def send_text(self, receive_id: str, receive_id_type: ReceiveIdType, text: str, uuid: str) -> SentMessage:
        """Post a text. It is shown literally: nothing in it mentions anybody."""
        ...

    async def reply_text(self, message_id: str, text: str, uuid: str, in_thread: bool) -> SentMessage:  # noqa: FBT001
        """Post a text as a reply, in the message's thread if asked; shown literally too."""
        ...

    async def patch_card(self, message_id: str, card: bytes) -> None:
        """Replace the card of a message the bot sent. Notifies nobody; at most five a second for one message."""

    async def bot_info(self) -> BotInfo:
        """Ask who the bot is."""
        ...

    def health(self) -> LarkHealth:
        """How the gateway hears now. Never blocks."""
        ...

    async def run(self, handlers: Handlers) -> None:
        """Listen and hand over what arrives, until cancelled."""


def toast(kind: ToastType, *, en: str, zh: str) -> dict[str, object]:
    """Build a callback answer that shows one short text in the presser's language and leaves the card alone."""
    return {"toast": {"type": kind, "content": en, "i18n": {"en_us": en, "zh_cn": zh}}}


# The four answers that the port gives by itself, when no handler's answer can be had.
STILL_WORKING: Final = toast(
    "info",
    en="Still working on it. The result will appear in this chat.",
    zh="仍在处理，结果会显示在本聊天中。",
)
PRESS_FAILED: Final = toast(
    "error",
    en="Something went wrong and the outcome is not known. Look at the card before you press again.",
    zh="处理出错，结果未知。再次点击前请先查看卡片。",
)
PRESS_NOT_OURS: Final = toast(
    "warning",
    en="This control carries nothing that can be acted on. Nothing was changed.",
    zh="此控件没有可执行的操作，未作任何更改。",
)
PRESS_TOO_MANY: Final = toast(
    "warning",
    en="Too many presses at once. Nothing was changed; press again in a moment.",
    zh="同时点击过多，未作任何更改，请稍后再点。",
)


def checked_send(receive_id: str, receive_id_type: str, uuid: str) -> None:
    """Refuse a send that the platform would refuse for certain, before anything leaves the machine."""
    if receive_id_type not in RECEIVE_ID_TYPES or not receive_id:
        raise LarkFault(LarkFaultKind.BAD_REQUEST, code=CODE_FIELD_VALIDATION, reason="no such kind of receiver")
    _checked_uuid(uuid)


def checked_reply(message_id: str, uuid: str) -> None:
    """Refuse a reply to something that is no message, or without a usable key."""
    checked_message(message_id)
    _checked_uuid(uuid)


def checked_message(message_id: str) -> None:
    """Refuse what is no message id; a callback token (`c-…`) was taken for one in public bots."""
    if not message_id.startswith("om_"):
        raise LarkFault(LarkFaultKind.BAD_REQUEST, code=CODE_MESSAGE_ID_INVALID, reason="not a message id")


def _checked_uuid(uuid: str) -> None:
    # Without a key a repeated send is a second message, and a key that is too long is refused.
    if not 0 < len(uuid) <= UUID_CHARS_MAX:
        raise LarkFault(
            LarkFaultKind.BAD_REQUEST,
            code=CODE_FIELD_VALIDATION,
            reason=f"the send key must have 1 to {UUID_CHARS_MAX} characters",
        )
