"""The part of the control interface about people and chats: who comes, goes, looks in, and takes things back.

POST chats       {"name", "tenant_key"?, "people"?, "apps"?}     make a group
POST chats/{chat_id}/people {"person", "present", "operator"?}   somebody joins or leaves; people of other tenants may
POST people/{key} {"unreachable": 0|230013|230029|230053, "app_id"?}  the bot cannot write to this person, and why
POST people/{key}/resign                       they leave every group of their tenant and can be written to no more
POST people/{key}/menu {"event_key", "app_id"?}                  choose an entry of the bot's menu
POST apps        {"app_id", "app_secret", "name"?, "tenant_key"?, "events"?}   install an app
POST apps/{app_id} {"events"?, "hears_all"?}   what an installed app subscribes to and hears
POST messages/{message_id}/recall {"by"?, "app_id"?}   the chat's or the company's manager takes a message back
"""

from aiohttp import web

from bot.simulator import events
from bot.simulator.chatapi import answer, read_json
from bot.simulator.delivery import Deliveries
from bot.simulator.errors import ChatRefusedError
from bot.simulator.messages import UNREACHABLE
from bot.simulator.model import EVENTS_DEFAULT, App, Chat, Person
from bot.simulator.wire import JsonObject, flag_at, list_at, number_at, text_at
from bot.simulator.world import World

RECALL_TYPES = ("message_owner", "group_owner", "group_manager", "enterprise_manager")
RESIGNED = 230029


class Society:
    """Routes about people and chats."""

    def __init__(self, world: World, deliveries: Deliveries) -> None:
        self._world = world
        self._deliveries = deliveries

    def routes(self) -> list[web.RouteDef]:
        """All of them."""
        at = "/_control"
        return [
            web.post(f"{at}/chats", self._add_chat),
            web.post(f"{at}/chats/{{id}}/people", self._move_person),
            web.post(f"{at}/people/{{key}}", self._reach),
            web.post(f"{at}/people/{{key}}/resign", self._resign),
            web.post(f"{at}/people/{{key}}/menu", self._menu),
            web.post(f"{at}/apps", self._add_app),
            web.post(f"{at}/apps/{{id}}", self._change_app),
            web.post(f"{at}/messages/{{id}}/recall", self._recall),
        ]

    async def _add_chat(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        tenant_key = text_at(body, "tenant_key") or next(iter(self._world.apps.values())).tenant_key
        people = [self._person(str(key)).key for key in list_at(body, "people")]
        apps = {self._app(str(app_id)).app_id for app_id in list_at(body, "apps")}
        name = text_at(body, "name")
        if not name:
            raise ChatRefusedError(400, "bad_chat", "a group needs a name")
        try:
            chat = self._world.add_group(name, tenant_key, people, apps)
        except ValueError as error:
            raise ChatRefusedError(400, "bad_chat", str(error)) from None
        return answer({"chat_id": chat.chat_id, "external": chat.external})

    async def _move_person(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        chat = self._chat(request)
        person = self._person(text_at(body, "person"))
        operator = self._person(text_at(body, "operator") or person.key)
        if not isinstance(body.get("present"), bool):
            raise ChatRefusedError(400, "bad_membership", "say present: true or false")
        if chat.kind != "group":
            raise ChatRefusedError(409, "not_a_group", "people join and leave groups only")
        present = flag_at(body, "present")
        if present == (person.key in chat.people):
            return answer({"changed": False})
        self._move(chat, person, operator, present=present)
        return answer({"changed": True})

    def _move(self, chat: Chat, person: Person, operator: Person, *, present: bool) -> None:
        (self._world.join if present else self._world.leave)(chat, person)
        now_ms = self._world.clock.now_ms()
        for app_id in sorted(chat.apps):
            app = self._world.apps[app_id]
            event = events.user_membership(
                app, self._world.ids, chat, operator, users=[person], now_ms=now_ms, added=present
            )
            self._deliveries.emit(app, event)

    async def _reach(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        person = self._person(request.match_info["key"])
        code = number_at(body, "unreachable", -1)
        if code and code not in UNREACHABLE:
            raise ChatRefusedError(400, "bad_code", f"unreachable is 0 or one of {', '.join(map(str, UNREACHABLE))}")
        wanted = text_at(body, "app_id")
        for chat in self._direct_chats(person):
            if not wanted or wanted in chat.apps:
                chat.unreachable = code
        return answer({"unreachable": code})

    async def _resign(self, request: web.Request) -> web.Response:
        person = self._person(request.match_info["key"])
        left = [chat for chat in self._world.chats.values() if chat.kind == "group" and person.key in chat.people]
        for chat in left:
            self._move(chat, person, person, present=False)
        for chat in self._direct_chats(person):
            chat.unreachable = RESIGNED
        return answer({"left": [chat.chat_id for chat in left]})

    def _direct_chats(self, person: Person) -> list[Chat]:
        return [chat for chat in self._world.chats.values() if chat.kind == "p2p" and person.key in chat.people]

    async def _menu(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        person = self._person(request.match_info["key"])
        app = self._app(text_at(body, "app_id"))
        key = text_at(body, "event_key")
        if not key:
            raise ChatRefusedError(400, "bad_menu", "a menu's entry has an event_key")
        now_ms = self._world.clock.now_ms()
        self._deliveries.emit(app, events.menu_pressed(app, self._world.ids, person, key, now_ms=now_ms))
        return answer({})

    async def _add_app(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        app_id, secret = text_at(body, "app_id"), text_at(body, "app_secret")
        if not app_id or not secret or app_id in self._world.apps:
            raise ChatRefusedError(400, "bad_app", "an app needs an app_id of its own and an app_secret")
        tenant_key = text_at(body, "tenant_key") or next(iter(self._world.apps.values())).tenant_key
        app = App(app_id=app_id, app_secret=secret, name=text_at(body, "name", "Bot"), tenant_key=tenant_key)
        self._subscribe(app, body)
        self._world.add_app(app)
        self._world.changes.bump()
        return answer({"app_id": app_id, "bot_open_id": app.bot_open_id, "tenant_key": tenant_key})

    async def _change_app(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        app = self._app(request.match_info["id"])
        self._subscribe(app, body)
        return answer({"events": sorted(app.events), "hears_all": app.hears_all_group_messages})

    @staticmethod
    def _subscribe(app: App, body: JsonObject) -> None:
        if "events" in body:
            app.events = {str(one) for one in list_at(body, "events")} or set(EVENTS_DEFAULT)
        app.hears_all_group_messages = flag_at(body, "hears_all", default=app.hears_all_group_messages)

    async def _recall(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        message = self._world.messages.get(request.match_info["id"])
        by = text_at(body, "by", "group_owner")
        if message is None or message.recalled or by not in RECALL_TYPES:
            raise ChatRefusedError(
                400, "bad_recall", f"name a message that is there, and who: {', '.join(RECALL_TYPES)}"
            )
        self._world.recall(message)
        for app_id in sorted(self._world.chats[message.chat_id].apps):
            app = self._world.apps[app_id]
            now_ms = self._world.clock.now_ms()
            self._deliveries.emit(app, events.message_recalled(app, self._world.ids, message, now_ms, by=by))
        return answer({})

    def _person(self, key: str) -> Person:
        person = self._world.people.get(key)
        if person is None:
            raise ChatRefusedError(404, "no_such_person", f"there is nobody called {key!r}")
        return person

    def _app(self, app_id: str) -> App:
        app = self._world.apps.get(app_id) if app_id else next(iter(self._world.apps.values()))
        if app is None:
            raise ChatRefusedError(404, "no_such_app", f"there is no app {app_id!r}")
        return app

    def _chat(self, request: web.Request) -> Chat:
        chat = self._world.chats.get(request.match_info["id"])
        if chat is None:
            raise ChatRefusedError(404, "no_such_chat", "there is no such chat")
        return chat
