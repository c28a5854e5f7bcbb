"""The daemon as the bot needs it: relay what came in, read what is to be shown, remember what was delivered.

The bot keeps nothing: every value here lives in the daemon. The adapter on the daemon's own client is
`bot/daemon_backend.py`; tests use a fake behind the same protocol.
"""

from collections.abc import AsyncGenerator
from enum import StrEnum
from typing import Literal, Protocol

import msgspec

from bot.heard import HeardEvent
from bot.lark import InboundMessage, InboundPress, ReceiveIdType, ToastType, Transport
from ledger.projections.views import CardView

DeliveryState = Literal["posting", "reposting", "live", "reposted", "text", "paused", "gone"]
"""How a slot's message is doing.

`posting`, `reposting`: a post was begun and nobody knows yet that it arrived; `message_id` is the one it replaces.
`live`: a card is up. `reposted`: the same, but the first message was taken away and this is the one replacement.
`text`: the platform refused the card, a short text was posted instead (`message_id` is the older card's, if any).
`paused`: the chat cannot be reached. `gone`: the message was taken away and none replaces it.
"""


class BackendFaultKind(StrEnum):
    """What a failed call to the daemon means."""

    UNREACHABLE = "unreachable"
    """The request never left: nothing was applied."""
    BUSY = "busy"
    """The daemon said so: nothing was applied, later it will be."""
    UNKNOWN = "unknown"
    """The request left and no answer came: asking again with the same event id tells the first outcome."""
    REFUSED = "refused"
    """The daemon will not have this request: asking again changes nothing."""
    FAULT = "fault"
    """The daemon failed."""


class BackendFault(Exception):
    """A call to the daemon that did not succeed; carries kinds and codes, never ids or texts."""

    def __init__(self, kind: BackendFaultKind, *, code: str = "", retry_after_s: float | None = None) -> None:
        """`code` is the daemon's refusal code, if it gave one."""
        super().__init__(f"{kind.value}{code and ': '}{code}")
        self.kind = kind
        self.code = code
        self.retry_after_s = retry_after_s


class Toast(msgspec.Struct, frozen=True, kw_only=True):
    """What the presser reads, in both languages."""

    type: ToastType
    en: str
    zh: str


class PressResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a press. `ok`: something was committed; `slots`: the cards that may look different now."""

    ok: bool
    toast: Toast
    slots: tuple[str, ...] = ()


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a message is answered with: a text in both languages, or the card of a slot.

    `slots` are cards elsewhere that may look different now.
    """

    kind: Literal["text", "card"]
    en: str = ""
    zh: str = ""
    slot: str = ""
    slots: tuple[str, ...] = ()


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One card that should be in one chat. `reply_to`: the message it answers; a smaller `priority` goes first."""

    slot: str
    chat_id: str
    receive_id: str
    receive_id_type: ReceiveIdType = "chat_id"
    tenant_key: str = ""
    reply_to: str | None = None
    priority: int = 1


class SlotList(msgspec.Struct, frozen=True, kw_only=True):
    """The wanted slots, true at `seq`."""

    seq: int
    slots: tuple[Slot, ...]


class SlotView(msgspec.Struct, frozen=True, kw_only=True):
    """What a slot's card is drawn from, true at `seq`. `button_key_id`: the key of its buttons; 0: not said."""

    seq: int
    view: CardView
    button_key_id: int = 0


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What was delivered for a slot: `digest` of the card's content, true at `version`, posted at `sent_at_ms`."""

    slot: str
    chat_id: str
    message_id: str
    digest: str
    version: int
    sent_at_ms: int
    state: DeliveryState = "live"


class Touched(msgspec.Struct, frozen=True, kw_only=True):
    """A card that a press may have changed without an event, and when: touched once more it has another time."""

    slot: str
    at_ms: int


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """Who may send, until when (the daemon's clock). `touched` is for whoever leads; it is said more than once."""

    leader: bool
    holder: str
    expires_at_ms: int
    touched: tuple[Touched, ...] = ()


class FeedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something was committed; `goal_id` is empty when it concerns no single goal."""

    seq: int
    kind: str
    goal_id: str | None = None


Qualification = Literal["down", "fatal", "not_ready", "unqualified", "qualified"]
"""`not_ready`: nothing reaches us yet; `unqualified`: events may, and no press has proved that presses do."""


class BotHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The bot's own health, three facts apart: it runs, its stream is ready, its callbacks are proven to arrive.

    `qualification` is what they come to; only a press that arrived makes it `qualified`. Times are the wall's.
    """

    process_up: bool
    stream_ready: bool
    callback_proven: bool
    last_callback_at_ms: int | None
    fatal: str | None
    qualification: Qualification = "down"
    transport: Transport = "ws"
    last_frame_at_ms: int | None = None
    last_pong_at_ms: int | None = None
    last_event_at_ms: int | None = None
    reconnects: int = 0
    events_seen: tuple[str, ...] = ()
    parked: int = 0
    turned_away: int = 0
    send_fault: str | None = None


class Backend(Protocol):
    """The daemon. Every call raises `BackendFault` when it did not succeed, and none of them retries."""

    async def press(self, event: InboundPress) -> PressResult:
        """Relay a press. The same event id always has its first outcome again."""
        ...

    async def message(self, event: InboundMessage) -> Reply | None:
        """Relay a message. The same message id has its first outcome again, until it was answered."""
        ...

    async def answered(self, event: InboundMessage) -> None:
        """Say that a message has its answer: delivered again, it has none to be posted any more."""

    async def heard(self, event: HeardEvent) -> Reply | None:
        """Relay what the platform says of people and chats. The same event id always has its first outcome again."""
        ...

    async def slots(self, goal_id: str | None = None) -> SlotList:
        """Which cards should be where, of one goal or of all."""
        ...

    async def view(self, slot: str) -> SlotView | None:
        """What a slot's card shows now; None when there is no such thing any more."""
        ...

    async def deliveries(self) -> tuple[Delivery, ...]:
        """What was delivered, by this bot or another."""
        ...

    async def put_delivery(self, delivery: Delivery) -> None:
        """Remember a delivery; one that is older than what is known changes nothing."""

    async def leader(self, holder: str, ttl_ms: int) -> Lease:
        """Ask to lead, or to go on leading, for so long."""
        ...

    def feed(self, after: int) -> AsyncGenerator[FeedEvent, None]:
        """Everything committed after `after`, and then what comes; it ends when the daemon ends it. To be closed."""
        ...

    async def put_health(self, health: BotHealth) -> None:
        """Tell the daemon how the bot is."""
