"""What the bot sends and gets: parsed once, with limits on everything."""

from typing import Annotated, Literal

from pydantic import Field

from ledger.canonical import INTEGER_MAX
from ledger.params import Params
from ledger.text.say import Locale

_Id = Annotated[str, Field(min_length=1, max_length=200)]
_OptionalId = Annotated[str, Field(max_length=200)]
_Count = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
FORM_FIELDS_MAX = 32
TEXT_CHARS_MAX = 40_000
MESSAGE_CHARS_MAX = 160_000
"""The platform's own 150 KB and a little: in a wide script a third of it, which escaped still fits into a request."""
_Form = Annotated[dict[str, Annotated[str, Field(max_length=TEXT_CHARS_MAX)]], Field(max_length=FORM_FIELDS_MAX)]


class Person(Params):
    """Who pressed or wrote, as the platform names them."""

    open_id: _Id
    union_id: _OptionalId = ""


class Press(Params):
    """A button press or a form submission."""

    event_id: _Id
    app_id: _Id
    tenant_key: _Id
    operator: Person
    chat_id: _Id
    message_id: _Id
    token: Annotated[str, Field(max_length=1_000)]
    form: _Form = Field(default_factory=dict)
    locale: Locale = "en"


class Message(Params):
    """A message to the bot."""

    event_id: _Id
    message_id: _Id
    app_id: _Id
    tenant_key: _Id
    sender: Person
    chat_id: _Id
    chat_type: Literal["p2p", "group"]
    text: Annotated[str, Field(max_length=MESSAGE_CHARS_MAX)]
    kind: Annotated[str, Field(max_length=40)] = "text"
    mentioned: bool = False
    thread_id: _OptionalId | None = None
    create_time_ms: _Count
    locale: Locale = "en"


class Answered(Params):
    """A message whose answer stands in the chat."""

    app_id: _Id
    message_id: _Id


class HeardPerson(Person):
    """Somebody an event is about."""

    tenant_key: _OptionalId = ""


class Heard(Params):
    """What the platform says of people and chats."""

    event_id: _Id
    kind: Literal["left", "joined", "resigned", "removed", "added", "dissolved", "entered"]
    app_id: _OptionalId = ""
    tenant_key: _OptionalId = ""
    chat_id: _OptionalId = ""
    people: Annotated[tuple[HeardPerson, ...], Field(max_length=50)] = ()
    slot: _OptionalId = ""


class Delivery(Params):
    """What a card slot last delivered."""

    slot: _Id
    chat_id: _Id
    message_id: _OptionalId
    digest: Annotated[str, Field(max_length=128)]
    version: _Count
    sent_at_ms: _Count
    state: Annotated[str, Field(max_length=40)]


class Lead(Params):
    """A bot that wants to be the one that sends."""

    holder: _Id
    ttl_ms: Annotated[int, Field(ge=1_000, le=60_000)]


class BotHealth(Params):
    """How the bot is."""

    process_up: bool = True
    stream_ready: bool = False
    callback_proven: bool = False
    last_callback_at_ms: _Count | None = None
    fatal: Annotated[str, Field(max_length=300)] | None = None
    qualification: Literal["down", "fatal", "not_ready", "unqualified", "qualified"] = "down"
    transport: Literal["ws", "webhook"] = "ws"
    last_frame_at_ms: _Count | None = None
    last_pong_at_ms: _Count | None = None
    last_event_at_ms: _Count | None = None
    reconnects: _Count = 0
    events_seen: Annotated[tuple[_Id, ...], Field(max_length=32)] = ()
    parked: _Count = 0
    turned_away: _Count = 0
    send_fault: Annotated[str, Field(max_length=300)] | None = None
