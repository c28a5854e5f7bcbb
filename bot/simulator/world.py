"""The state of the simulated platform: who exists, who is in which chat, and every message.

Only this module changes it. What the platform lets a bot do is decided elsewhere (`messages`); here an operation
either makes sense for the state or is refused with the platform's code.
"""

from bot.simulator.changes import Changes
from bot.simulator.clock import SimClock
from bot.simulator.errors import PlatformError
from bot.simulator.ids import Ids, stable_id
from bot.simulator.model import App, Chat, Message, MessageKind, Person, Toast, Version
from bot.simulator.wire import JsonObject

MESSAGES_MAX = 20_000
TOASTS_MAX = 1_000


class World:
    """Everything there is, by id."""

    def __init__(self, clock: SimClock, ids: Ids) -> None:
        self.clock = clock
        self.ids = ids
        self.changes = Changes()
        self.apps: dict[str, App] = {}
        self.people: dict[str, Person] = {}
        self.chats: dict[str, Chat] = {}
        self.messages: dict[str, Message] = {}
        self.toasts: list[Toast] = []
        self._read: dict[tuple[str, str], str] = {}

    def add_app(self, app: App) -> None:
        """Install an app; it gets a direct chat with every person of its tenant."""
        self.apps[app.app_id] = app
        for person in self.people.values():
            self._add_direct_chat(app, person)

    def add_person(self, person: Person) -> None:
        """Hire a person; the tenant's bots get a direct chat with them."""
        if person.key in self.people:
            raise ValueError(f"there is already a person called {person.key!r}")
        self.people[person.key] = person
        for app in self.apps.values():
            self._add_direct_chat(app, person)

    def add_group(self, name: str, tenant_key: str, people: list[str], apps: set[str]) -> Chat:
        """Make a group chat."""
        chat = Chat(
            chat_id=stable_id("oc_", "group", tenant_key, name),
            name=name,
            kind="group",
            tenant_key=tenant_key,
            people=people,
            apps=apps,
        )
        if chat.chat_id in self.chats:
            raise ValueError(f"there is already a chat called {name!r}")
        self.chats[chat.chat_id] = chat
        self._weigh(chat)
        return chat

    def _add_direct_chat(self, app: App, person: Person) -> None:
        if app.tenant_key != person.tenant_key:
            return
        chat_id = stable_id("oc_", "p2p", app.app_id, person.key)
        self.chats[chat_id] = Chat(
            chat_id=chat_id,
            name=app.name,
            kind="p2p",
            tenant_key=app.tenant_key,
            people=[person.key],
            apps={app.app_id},
        )

    def direct_chat(self, app_id: str, person: str) -> Chat:
        """The chat of one person and one bot."""
        chat = self.chats.get(stable_id("oc_", "p2p", app_id, person))
        if chat is None:
            raise PlatformError(230013, "Bot has NO availability to this user.")
        return chat

    def receiver(self, app: App, id_type: str, value: str) -> Chat:
        """The chat that a `receive_id` means to this app."""
        if id_type == "chat_id":
            chat = self.chats.get(value)
            if chat is None:
                raise PlatformError(230034, "The receive_id is invalid.")
            return chat
        person = self.person_by_id(app, id_type, value)
        if person is None:
            if id_type == "open_id" and self._open_id_elsewhere(app, value):
                raise PlatformError(99992361, "open_id cross app")
            raise PlatformError(99992351 if id_type == "open_id" else 230034, "The receive_id is invalid.")
        return self.direct_chat(app.app_id, person.key)

    def person_by_id(self, app: App, id_type: str, value: str) -> Person | None:
        """The person an id means to this app."""
        for person in self.people.values():
            known = {"open_id": person.open_id(app.app_id), "union_id": person.union_id, "user_id": person.user_id}
            if value and known.get(id_type) == value:
                return person
        return None

    def _open_id_elsewhere(self, app: App, value: str) -> bool:
        others = (other for other in self.apps.values() if other.app_id != app.app_id)
        return any(self.person_by_id(other, "open_id", value) is not None for other in others)

    def add_message(
        self, chat: Chat, kind: MessageKind, sender: str, content: JsonObject, *, from_app: bool, parent_id: str = ""
    ) -> Message:
        """Put a message into a chat; a reply keeps the root and the thread of what it answers."""
        now_ms = self.clock.now_ms()
        parent = self.messages.get(parent_id)
        message = Message(
            message_id=self.ids.fresh("om_"),
            chat_id=chat.chat_id,
            kind=kind,
            sender=sender,
            from_app=from_app,
            created_ms=now_ms,
            versions=[Version(at_ms=now_ms, content=content, by="send")],
            parent_id=parent_id,
            root_id=(parent.root_id or parent.message_id) if parent else "",
            thread_id=parent.thread_id if parent else "",
        )
        self.messages[message.message_id] = message
        while len(self.messages) > MESSAGES_MAX:
            del self.messages[next(iter(self.messages))]
        self.changes.bump()
        return message

    def in_thread(self, message: Message) -> None:
        """Open a thread at a message's root, if it has none, and put the message into it."""
        root = self.messages.get(message.root_id, message)
        root.thread_id = root.thread_id or self.ids.fresh("omt_")
        message.thread_id = root.thread_id
        self.changes.bump()

    def revise(self, message: Message, version: Version) -> None:
        """Show new content in place of the old; the old versions are kept."""
        message.versions.append(version)
        self.changes.bump()

    def recall(self, message: Message) -> None:
        """Take a message back."""
        message.recalled = True
        self.changes.bump()

    def toast(self, toast: Toast) -> None:
        """Remember what a person was told."""
        self.toasts.append(toast)
        del self.toasts[:-TOASTS_MAX]
        self.changes.bump()

    def join(self, chat: Chat, person: Person) -> None:
        """Let somebody into a group; with a person of another tenant it is an external one."""
        chat.people = [*chat.people, person.key]
        self._weigh(chat)

    def leave(self, chat: Chat, person: Person) -> None:
        """Let somebody go from a group."""
        chat.people = [key for key in chat.people if key != person.key]
        self._weigh(chat)

    def _weigh(self, chat: Chat) -> None:
        chat.external = any(self.people[key].tenant_key != chat.tenant_key for key in chat.people)
        self.changes.bump()

    def read(self, chat: Chat, person: Person) -> list[Message]:
        """A person has seen everything in a chat; these messages are the ones they had not seen."""
        new = self.unread(chat, person)
        messages = self.of_chat(chat.chat_id)
        if messages and self._read.get((person.key, chat.chat_id)) != messages[-1].message_id:
            self._read[person.key, chat.chat_id] = messages[-1].message_id
            self.changes.bump()
        return new

    def unread(self, chat: Chat, person: Person) -> list[Message]:
        """What others have said in a chat since this person last looked."""
        messages = self.of_chat(chat.chat_id)
        seen = self._read.get((person.key, chat.chat_id), "")
        after = next((at for at, one in enumerate(messages, start=1) if one.message_id == seen), 0)
        return [one for one in messages[after:] if one.sender != person.key and not one.recalled]

    def of_chat(self, chat_id: str) -> list[Message]:
        """The messages of a chat, oldest first."""
        return [message for message in self.messages.values() if message.chat_id == chat_id]
