"""The things of the simulated platform: tenants' apps, people, chats, messages and their versions."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bot.simulator.ids import stable_id
from bot.simulator.wire import JsonObject

Language: TypeAlias = Literal["en_us", "zh_cn"]
ChatKind: TypeAlias = Literal["group", "p2p"]
MessageKind: TypeAlias = Literal["text", "interactive", "system"]

EVENTS_DEFAULT = (
    "im.message.receive_v1",
    "im.message.recalled_v1",
    "im.chat.member.bot.added_v1",
    "im.chat.member.bot.deleted_v1",
    "im.chat.member.user.added_v1",
    "im.chat.member.user.deleted_v1",
    "im.chat.disbanded_v1",
    "im.chat.access_event.bot_p2p_chat_entered_v1",
    "application.bot.menu_v6",
)


@dataclass(frozen=True, kw_only=True)
class Webhook:
    """An address that an app receives at; without an encrypt key plain and unsigned."""

    url: str
    encrypt_key: str = ""
    resigns: bool = True


@dataclass(kw_only=True)
class App:
    """A custom app with a bot."""

    app_id: str
    app_secret: str
    name: str
    tenant_key: str
    callbacks_on: bool = True
    events: set[str] = field(default_factory=lambda: set(EVENTS_DEFAULT))
    hears_all_group_messages: bool = False
    webhook: Webhook | None = None
    granted_scopes: set[str] | None = None
    """What was granted; None: everything that can be asked for."""

    @property
    def bot_open_id(self) -> str:
        """The bot's own open_id."""
        return stable_id("ou_", "bot", self.app_id)

    @property
    def verification_token(self) -> str:
        """The token in every event's header."""
        return stable_id("", "verification", self.app_id)


@dataclass(frozen=True, kw_only=True)
class Person:
    """A member of a tenant. `key` names the person in the chat interface; the platform ids follow from it."""

    key: str
    name: str
    language: Language
    tenant_key: str
    timezone: str = "Asia/Shanghai"

    @property
    def union_id(self) -> str:
        """The id that is the same for all apps of one developer."""
        return stable_id("on_", self.tenant_key, self.key)

    @property
    def user_id(self) -> str:
        """The id inside the tenant."""
        return stable_id("", "user", self.tenant_key, self.key)[:8]

    def open_id(self, app_id: str) -> str:
        """The id this app knows the person by."""
        return stable_id("ou_", app_id, self.tenant_key, self.key)


@dataclass(kw_only=True)
class Chat:
    """A group, or the direct chat of one person and one bot."""

    chat_id: str
    name: str
    kind: ChatKind
    tenant_key: str
    people: list[str]
    apps: set[str]
    external: bool = False
    dissolved: bool = False
    unreachable: int = 0  # the code that a bot gets which writes to this person: resigned, or has stopped the bot


@dataclass(frozen=True, kw_only=True)
class Version:
    """What a message said from one moment on, and how it came to say so."""

    at_ms: int
    content: JsonObject
    by: Literal["send", "patch", "callback", "delayed"]


@dataclass(frozen=True, kw_only=True)
class Mention:
    """Somebody named so that the platform treats it as a mention or a person chip; `where` is a JSON pointer."""

    kind: Literal["at", "all", "person"]
    id: str
    where: str


@dataclass(kw_only=True)
class Message:
    """One message; its last version is what people see."""

    message_id: str
    chat_id: str
    kind: MessageKind
    sender: str
    from_app: bool
    created_ms: int
    versions: list[Version]
    parent_id: str = ""
    root_id: str = ""
    thread_id: str = ""
    recalled: bool = False
    forwarded_from: str = ""
    mentioned: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    sent_bytes: int = 0

    @property
    def content(self) -> JsonObject:
        """What it says now."""
        return self.versions[-1].content

    @property
    def updated_ms(self) -> int:
        """When it last changed."""
        return self.versions[-1].at_ms


@dataclass(frozen=True, kw_only=True)
class Toast:
    """What one person saw at the top of the screen after a press; a client-visible error has a code."""

    person: str
    message_id: str
    at_ms: int
    type: str
    content: str
    code: int = 0
