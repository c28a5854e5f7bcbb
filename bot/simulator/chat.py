"""What a person can do in the chat: see their chats and messages, type, press, forward, take back."""

import re
from collections.abc import Callable

from bot.simulator import events
from bot.simulator.delivery import Deliveries
from bot.simulator.documented import PRESS_LIFE_MS
from bot.simulator.errors import ChatRefusedError
from bot.simulator.markup import Reader, locales_of, text_message
from bot.simulator.model import App, Chat, Message, Person
from bot.simulator.press import (
    Pressed,
    Presses,
    button_action,
    callback_value,
    find_button,
    find_input,
    form_value,
    input_value,
    opened_url,
    require_confirmed,
)
from bot.simulator.visible import VisibleButton, VisibleCard, see
from bot.simulator.wire import JsonObject, flag_at, object_at, text_at
from bot.simulator.world import World

TYPED_CHARS_MAX = 20_000

_MENTION_KEY = re.compile(r"@_user_(\d+)\b")


class ChatClient:
    """The chat client of everybody; each call says who acts."""

    def __init__(self, world: World, deliveries: Deliveries, presses: Presses) -> None:
        self._world = world
        self._deliveries = deliveries
        self._presses = presses

    def person(self, key: str) -> Person:
        """The person of that key or name."""
        for person in self._world.people.values():
            if key in {person.key, person.name}:
                return person
        raise ChatRefusedError(
            404, "no_such_person", f"there is nobody called {key!r}", people=list(self._world.people)
        )

    def chat(self, person: Person, chat_id: str) -> Chat:
        """A chat the person is in, by id or by name."""
        for chat in self._world.chats.values():
            if chat_id in {chat.chat_id, chat.name} and person.key in chat.people:
                return chat
        raise ChatRefusedError(404, "no_such_chat", f"{person.name} has no chat {chat_id!r}")

    def message(self, person: Person, message_id: str) -> Message:
        """A message the person can see."""
        message = self._world.messages.get(message_id)
        if message is None or person.key not in self._world.chats[message.chat_id].people:
            raise ChatRefusedError(404, "no_such_message", f"{person.name} sees no message {message_id!r}")
        return message

    def chats(self, person: Person) -> list[JsonObject]:
        """The person's chats: groups first, then direct ones."""
        mine = [chat for chat in self._world.chats.values() if person.key in chat.people]
        mine.sort(key=lambda chat: chat.kind != "group")
        return [self._chat_view(chat, person) for chat in mine]

    def _chat_view(self, chat: Chat, person: Person) -> JsonObject:
        messages = self._world.of_chat(chat.chat_id)
        last = messages[-1] if messages else None
        bots = [self._world.apps[app_id].name for app_id in sorted(chat.apps)]
        return {
            "chat_id": chat.chat_id,
            "name": chat.name,
            "kind": chat.kind,
            "people": [self._world.people[key].name for key in chat.people],
            "bots": bots,
            "dissolved": chat.dissolved,
            "external": chat.external,
            "messages": len(messages),
            "unread": len(self._world.unread(chat, person)),
            "preview": self._preview(last, person) if last else "",
            "last_at_ms": last.updated_ms if last else 0,
        }

    def waiting(self) -> JsonObject:
        """How much each person has not seen yet, over all their chats."""
        counts: JsonObject = {}
        for person in self._world.people.values():
            mine = [chat for chat in self._world.chats.values() if person.key in chat.people]
            counts[person.key] = sum(len(self._world.unread(chat, person)) for chat in mine)
        return counts

    def enter(self, person: Person, chat: Chat) -> int:
        """Look into a chat: everything in it is read, and the bot of a direct chat is told. Says how much was new."""
        now_ms = self._world.clock.now_ms()
        messages = self._world.of_chat(chat.chat_id)
        new = self._world.read(chat, person)
        for app_id in sorted(chat.apps) if chat.kind == "p2p" else ():
            app = self._world.apps[app_id]
            last = messages[-1] if messages else None
            entered = events.direct_chat_entered(app, self._world.ids, chat, person, last=last, now_ms=now_ms)
            self._deliveries.emit(app, entered)
            if new:
                ids = [message.message_id for message in new]
                read = events.messages_read(app, self._world.ids, person, ids, now_ms=now_ms)
                self._deliveries.emit(app, read)
        return len(new)

    def look(self, person: Person, chat: Chat) -> int:
        """Read what has come while the chat is open: nobody is told that it was entered."""
        return len(self._world.read(chat, person))

    def _preview(self, message: Message, person: Person) -> str:
        if message.recalled:
            return ""
        if message.kind == "interactive":
            return f"[{self.card(message, person).title}]"
        return self._text(message)[:80]

    def messages(self, person: Person, chat: Chat, *, raw: bool, limit: int) -> list[JsonObject]:
        """The newest messages of a chat, oldest first, as this person sees them."""
        return [self.view(message, person, raw=raw) for message in self._world.of_chat(chat.chat_id)[-limit:]]

    def view(self, message: Message, person: Person, *, raw: bool) -> JsonObject:
        """One message as this person sees it; `raw` adds the card's JSON, which the page draws."""
        app = self._world.apps.get(message.sender)
        name = app.name if app else self._world.people[message.sender].name
        view: JsonObject = {
            "message_id": message.message_id,
            "chat_id": message.chat_id,
            "sender": {"name": name, "kind": "bot" if app else "person", "key": message.sender},
            "kind": "card" if message.kind == "interactive" else "text",
            "sent_at_ms": message.created_ms,
            "updated_at_ms": message.updated_ms,
            "version": len(message.versions),
            "recalled": message.recalled,
            "forwarded": bool(message.forwarded_from),
            "reply_to": message.parent_id,
            "thread_id": message.thread_id,
            "mentioned_people": self._mentioned(message),
        }
        if message.recalled:
            return view
        if message.kind == "interactive":
            view["card"] = self.card(message, person).view()
            if raw:
                view["raw"] = message.content
                view["names"] = self._names(message)
        else:
            view["text"] = self._text(message)
        return view

    def card(self, message: Message, person: Person) -> VisibleCard:
        """The card as this person sees it; on a forwarded copy or after fourteen days nothing can be pressed."""
        reader = Reader(
            language=person.language,
            timezone=person.timezone,
            name_of=self._name_of(message),
            sent_at_ms=message.created_ms,
            locales=locales_of(message.content),
            people=self._pickable(message),
        )
        return see(message.content, reader, inert=self._inert(message))

    def _pickable(self, message: Message) -> tuple[tuple[str, str], ...]:
        """Who a person picker offers: the members of the group, in a direct chat everybody of the tenant."""
        chat, app = self._world.chats[message.chat_id], self._app_of(message)
        if app is None:
            return ()
        colleagues = [one for one in self._world.people.values() if one.tenant_key == app.tenant_key]
        members = [self._world.people[key] for key in chat.people] if chat.kind == "group" else colleagues
        return tuple((one.name, one.open_id(app.app_id)) for one in members)

    def _inert(self, message: Message) -> bool:
        config = object_at(message.content, "config")
        copied = bool(message.forwarded_from) and not flag_at(config, "enable_forward_interaction")
        return copied or self._world.clock.now_ms() - message.created_ms > PRESS_LIFE_MS

    def _app_of(self, message: Message) -> App | None:
        source = self._world.messages.get(message.forwarded_from, message)
        return self._world.apps.get(source.sender)

    def _name_of(self, message: Message) -> Callable[[str], str]:
        app = self._app_of(message)

        def name_of(platform_id: str) -> str:
            if platform_id == "all":
                return "all"
            for person in self._world.people.values():
                ids = {person.union_id, person.user_id, *([person.open_id(app.app_id)] if app else [])}
                if platform_id in ids:
                    return person.name
            return platform_id

        return name_of

    def _names(self, message: Message) -> JsonObject:
        name_of = self._name_of(message)
        names: JsonObject = {mention.id: name_of(mention.id) for mention in message.mentions}
        return names

    def _mentioned(self, message: Message) -> list[str]:
        if message.from_app:
            name_of = self._name_of(message)
            return [name_of(mention.id) for mention in message.mentions if mention.kind != "person"]
        return [self._display_name(name) for name in message.mentioned]

    def _display_name(self, name: str) -> str:
        person = self._world.people.get(name)
        return person.name if person else self._world.apps[name].name

    def _text(self, message: Message) -> str:
        if message.from_app:
            return text_message(message.content, self._name_of(message))

        def put(match: re.Match[str]) -> str:
            index = int(match.group(1)) - 1
            inside = 0 <= index < len(message.mentioned)
            return f"@{self._display_name(message.mentioned[index])}" if inside else match.group(0)

        return _MENTION_KEY.sub(put, text_at(message.content, "text"))

    def type_text(self, person: Person, chat: Chat, text: str, *, mention_bot: bool, reply_to: str) -> Message:
        """Write into a chat. `@Name` of somebody in it is a mention, as if chosen from the client's list."""
        if chat.dissolved:
            raise ChatRefusedError(409, "chat_dissolved", "the chat has been dissolved")
        if not text.strip():
            raise ChatRefusedError(422, "text_empty", "there is nothing to send")
        if len(text) > TYPED_CHARS_MAX:
            raise ChatRefusedError(422, "text_too_long", f"a message has at most {TYPED_CHARS_MAX} characters")
        if reply_to and self.message(person, reply_to).chat_id != chat.chat_id:
            raise ChatRefusedError(409, "reply_elsewhere", "the message replied to is in another chat")
        text, mentioned = self._with_mentions(chat, text, mention_bot=mention_bot)
        message = self._world.add_message(chat, "text", person.key, {"text": text}, from_app=False, parent_id=reply_to)
        message.mentioned = mentioned
        for app_id in sorted(chat.apps):
            self._tell(self._world.apps[app_id], message, chat, person)
        return message

    def _with_mentions(self, chat: Chat, text: str, *, mention_bot: bool) -> tuple[str, list[str]]:
        mentioned: list[str] = []
        if chat.kind == "p2p":
            return text, mentioned
        names = {self._world.apps[app_id].name: app_id for app_id in sorted(chat.apps)}
        if mention_bot and names and not any(f"@{name}" in text for name in names):
            text = f"@{next(iter(names))} {text}"
        names |= {self._world.people[key].name: key for key in chat.people}
        longest_first = sorted(names, key=len, reverse=True)
        pattern = re.compile("@(" + "|".join(re.escape(name) for name in longest_first) + ")")

        def put(match: re.Match[str]) -> str:
            mentioned.append(names[match.group(1)])
            return f"@_user_{len(mentioned)}"

        return pattern.sub(put, text), mentioned

    def _tell(self, app: App, message: Message, chat: Chat, person: Person) -> None:
        heard = chat.kind == "p2p" or app.app_id in message.mentioned or app.hears_all_group_messages
        if not heard:
            return
        entries = events.mention_entries(message, app, self._world.people, self._world.apps)
        body = events.message_received(app, self._world.ids, message, chat, person, mentions=entries)
        self._deliveries.emit(app, body)

    async def press(
        self, person: Person, message_id: str, button: str, *, inputs: JsonObject, confirmed: bool
    ) -> Pressed:
        """Press a button, with the form's inputs filled in."""
        message, card, app = self._pressable(person, message_id)
        found = find_button(card, button)
        if text_at(found.element, "form_action_type") == "reset":
            return Pressed(reset=True)
        if inputs and not found.form:
            raise ChatRefusedError(409, "not_a_form", f"the button {button!r} sends no form")
        form = form_value(card, found.form, inputs) if found.form else None
        require_confirmed(found, confirmed=confirmed)
        url = opened_url(found)
        if url and not _calls_back(found):
            return Pressed(url=url)
        pressed = await self._presses.press(app, message, person, button_action(found, form))
        return Pressed(toast=pressed.toast, error_code=pressed.error_code, card_changed=pressed.card_changed, url=url)

    async def choose(self, person: Person, message_id: str, wanted: str, value: object) -> Pressed:
        """Use an input that stands by itself, outside a form: its value is sent at once."""
        message, card, app = self._pressable(person, message_id)
        one = find_input([one for one in card.inputs if not one.form], wanted)
        sent = input_value(one, value)
        tag = text_at(one.element, "tag")
        action: JsonObject = {"tag": tag, "value": callback_value(one.element) or {}}
        key = {"input": "input_value", "checker": "checked"}.get(tag, "options" if isinstance(sent, list) else "option")
        action[key] = sent
        if one.name:
            action["name"] = one.name
        return await self._presses.press(app, message, person, action)

    def _pressable(self, person: Person, message_id: str) -> tuple[Message, VisibleCard, App]:
        message = self.message(person, message_id)
        if message.recalled:
            raise ChatRefusedError(410, "message_recalled", "the message has been recalled")
        app = self._app_of(message)
        if message.kind != "interactive" or app is None:
            raise ChatRefusedError(409, "not_a_card", "the message is not a bot's card")
        return message, self.card(message, person), app

    def forward(self, person: Person, message_id: str, chat_id: str) -> Message:
        """Forward a message to another chat; a card's copy is inert unless it says otherwise."""
        source = self.message(person, message_id)
        chat = self.chat(person, chat_id)
        if source.recalled:
            raise ChatRefusedError(410, "message_recalled", "the message has been recalled")
        config = object_at(source.content, "config")
        if source.kind == "interactive" and not flag_at(config, "enable_forward", default=True):
            raise ChatRefusedError(409, "forward_forbidden", "the card does not allow forwarding")
        copy = self._world.add_message(chat, source.kind, person.key, source.content, from_app=False)
        copy.forwarded_from = source.forwarded_from or source.message_id
        return copy

    def recall(self, person: Person, message_id: str) -> None:
        """Take back one's own message; the bots in the chat are told."""
        message = self.message(person, message_id)
        if message.sender != person.key:
            raise ChatRefusedError(403, "not_yours", "only one's own message can be taken back")
        if message.recalled:
            raise ChatRefusedError(410, "message_recalled", "the message has been recalled")
        self._world.recall(message)
        for app_id in sorted(self._world.chats[message.chat_id].apps):
            app = self._world.apps[app_id]
            body = events.message_recalled(app, self._world.ids, message, self._world.clock.now_ms())
            self._deliveries.emit(app, body)


def _calls_back(button: VisibleButton) -> bool:
    return callback_value(button.element) is not None or bool(button.form)
