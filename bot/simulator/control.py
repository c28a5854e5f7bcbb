"""The control interface: what a test or an operator of a simulation changes and looks up, under `/_control`.

GET  state                             apps, connections, clock, counters
GET  requests[?api=…]   DELETE requests   every platform call with the exact body sent
GET  messages[?chat_id=…]              every message with its versions, size and mentions
GET  deliveries                        every event with its pushes and outcomes
GET  toasts                            what each person was shown
GET|POST|DELETE faults                 plan faults for the next calls of an endpoint (see `faults`)
POST clock      {"advance_ms"?, "freeze"?, "thaw"?}
POST tokens/revoke {"app_id"?}         invalidate tokens on the server's side
POST callbacks  {"on", "app_id"?}      switch card callbacks on or off
POST limits     {"on"?, "style"?: "429"|"400"|"230020"}
POST link       what the long connection does wrong (see `_link`)
POST events     {"app_id"?, "body"}    push an event of one's own
POST redeliver  {"event_id", "fresh_event_id"?}   push a past event again
POST people     {"key", "name", "language", "tenant_key"?}
POST chats/{chat_id}/bot {"present", "app_id"?, "person"}   add the bot to a group or remove it
POST chats/{chat_id}/dissolve
POST presses    {"revert_raced_patches"?, "client_codes"?: [200343, …]}   what the next presses show, unsent

What happens to people and chats besides is in `society`.
"""

from aiohttp import web

from bot.simulator import events
from bot.simulator.chatapi import answer, read_json
from bot.simulator.delivery import Deliveries
from bot.simulator.errors import ChatRefusedError
from bot.simulator.faults import Faults, read_fault
from bot.simulator.gate import Gate
from bot.simulator.linkcontrol import change_link, link_view
from bot.simulator.longlink import LongLink
from bot.simulator.model import App, Chat, Message
from bot.simulator.openapi import APIS
from bot.simulator.press import Presses
from bot.simulator.scenario import read_person
from bot.simulator.tokens import Tokens
from bot.simulator.wire import JsonObject, flag_at, list_at, number_at, object_at, objects_at, text_at
from bot.simulator.world import World

CLIENT_CODES_MAX = 1_000
ADVANCE_MS_MAX = 400 * 24 * 3600 * 1000


class Control:
    """Routes of the control interface."""

    def __init__(
        self,
        world: World,
        *,
        gate: Gate,
        faults: Faults,
        tokens: Tokens,
        link: LongLink,
        deliveries: Deliveries,
        presses: Presses,
    ) -> None:
        self._world = world
        self._gate = gate
        self._faults = faults
        self._tokens = tokens
        self._link = link
        self._deliveries = deliveries
        self._presses = presses

    def routes(self) -> list[web.RouteDef]:
        """All of them."""
        at = "/_control"
        return [
            web.get(f"{at}/state", self._state),
            web.get(f"{at}/requests", self._requests),
            web.delete(f"{at}/requests", self._forget_requests),
            web.get(f"{at}/messages", self._messages),
            web.get(f"{at}/deliveries", self._delivery_log),
            web.get(f"{at}/toasts", self._toasts),
            web.get(f"{at}/faults", self._fault_plan),
            web.post(f"{at}/faults", self._plan_faults),
            web.delete(f"{at}/faults", self._clear_faults),
            web.post(f"{at}/clock", self._clock),
            web.post(f"{at}/tokens/revoke", self._revoke),
            web.post(f"{at}/callbacks", self._callbacks),
            web.post(f"{at}/limits", self._limits),
            web.post(f"{at}/link", self._change_link),
            web.post(f"{at}/events", self._push_event),
            web.post(f"{at}/redeliver", self._redeliver),
            web.post(f"{at}/people", self._add_person),
            web.post(f"{at}/chats/{{id}}/bot", self._bot_membership),
            web.post(f"{at}/chats/{{id}}/dissolve", self._dissolve),
            web.post(f"{at}/presses", self._press_options),
        ]

    async def _state(self, _request: web.Request) -> web.Response:
        clock = self._world.clock
        counters = self._gate.counters + self._link.counters + self._deliveries.counters + self._presses.counters
        apps = [
            {"app_id": app.app_id, "name": app.name, "tenant_key": app.tenant_key, "bot_open_id": app.bot_open_id,
             "callbacks_on": app.callbacks_on, "events": sorted(app.events)}
            for app in self._world.apps.values()
        ]  # fmt: skip
        return answer(
            {
                "apps": apps,
                "link": link_view(self._link),
                "clock": {"now_ms": clock.now_ms(), "frozen": clock.frozen},
                "counters": dict(sorted(counters.items())),
                "messages": len(self._world.messages),
                "revision": self._world.changes.revision,
            }
        )

    async def _requests(self, request: web.Request) -> web.Response:
        api = request.query.get("api")
        return answer({"requests": [call.view() for call in self._gate.log if api in {None, call.api}]})

    async def _forget_requests(self, _request: web.Request) -> web.Response:
        self._gate.log.clear()
        return answer({})

    async def _messages(self, request: web.Request) -> web.Response:
        chat_id = request.query.get("chat_id")
        found = [one for one in self._world.messages.values() if chat_id in {None, one.chat_id}]
        return answer({"messages": [_message_view(message) for message in found]})

    async def _delivery_log(self, _request: web.Request) -> web.Response:
        return answer({"deliveries": [delivery.view() for delivery in self._deliveries.log]})

    async def _toasts(self, _request: web.Request) -> web.Response:
        toasts = [
            {"person": toast.person, "message_id": toast.message_id, "at_ms": toast.at_ms, "type": toast.type,
             "content": toast.content, "error_code": toast.code}
            for toast in self._world.toasts
        ]  # fmt: skip
        return answer({"toasts": toasts})

    async def _fault_plan(self, _request: web.Request) -> web.Response:
        return answer({"faults": [fault.view() for fault in self._faults.planned]})

    async def _plan_faults(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        try:
            planned = [read_fault(source, APIS) for source in objects_at(body, "faults") or [body]]
            for fault in planned:
                self._faults.plan(fault)
        except ValueError as error:
            raise ChatRefusedError(400, "bad_fault", str(error)) from None
        return await self._fault_plan(request)

    async def _clear_faults(self, _request: web.Request) -> web.Response:
        self._faults.clear()
        return answer({})

    async def _clock(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        by_ms = number_at(body, "advance_ms")
        if not 0 <= by_ms <= ADVANCE_MS_MAX:
            raise ChatRefusedError(400, "bad_clock", f"advance_ms must be from 0 to {ADVANCE_MS_MAX}")
        clock = self._world.clock
        if flag_at(body, "freeze"):
            clock.freeze()
        if flag_at(body, "thaw"):
            clock.thaw()
        if by_ms:
            clock.advance(by_ms)
        return answer({"now_ms": clock.now_ms(), "frozen": clock.frozen})

    async def _revoke(self, request: web.Request) -> web.Response:
        app_id = text_at(await read_json(request), "app_id") or None
        return answer({"revoked": self._tokens.revoke_all(app_id)})

    async def _callbacks(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        if not isinstance(body.get("on"), bool):
            raise ChatRefusedError(400, "bad_callbacks", "say on: true or on: false")
        wanted = text_at(body, "app_id")
        for app in [self._app(wanted)] if wanted else list(self._world.apps.values()):
            app.callbacks_on = flag_at(body, "on")
        return answer({"on": flag_at(body, "on")})

    async def _limits(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        style = text_at(body, "style", self._gate.rate_style)
        match style:
            case "429" | "400" | "230020":
                self._gate.rate_style = style
            case _:
                raise ChatRefusedError(400, "bad_style", "style is 429, 400 or 230020")
        self._gate.limits_on = flag_at(body, "on", default=self._gate.limits_on)
        return answer({"on": self._gate.limits_on, "style": self._gate.rate_style})

    async def _change_link(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        try:
            await change_link(self._link, body)
        except ValueError as error:
            raise ChatRefusedError(400, "bad_link", str(error)) from None
        return answer(link_view(self._link))

    async def _push_event(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        app = self._app(text_at(body, "app_id"))
        if not object_at(body, "body"):
            raise ChatRefusedError(400, "bad_event", "the event's body is missing")
        self._deliveries.start(app, object_at(body, "body"))
        return answer({})

    async def _redeliver(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        wanted = text_at(body, "event_id")
        for delivery in self._deliveries.log:
            if delivery.event_id == wanted:
                event = dict(delivery.body)
                if flag_at(body, "fresh_event_id"):
                    event["header"] = {**object_at(event, "header"), "event_id": self._world.ids.fresh("")}
                again = self._deliveries.start(self._app(delivery.app_id), event)
                return answer({"event_id": again.event_id})
        raise ChatRefusedError(404, "no_such_event", f"there was no event {wanted!r}")

    async def _add_person(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        try:
            person = read_person(body, text_at(body, "tenant_key") or self._app("").tenant_key)
            self._world.add_person(person)
        except ValueError as error:
            raise ChatRefusedError(400, "bad_person", str(error)) from None
        ids = {app.app_id: person.open_id(app.app_id) for app in self._world.apps.values()}
        return answer({"key": person.key, "union_id": person.union_id, "open_ids": ids})

    async def _bot_membership(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        chat = self._chat(request)
        app = self._app(text_at(body, "app_id"))
        operator = self._world.people.get(text_at(body, "person") or chat.people[0])
        if operator is None or not isinstance(body.get("present"), bool):
            raise ChatRefusedError(400, "bad_membership", "say present: true or false, and a person who exists")
        present = flag_at(body, "present")
        if present == (app.app_id in chat.apps):
            return answer({"changed": False})
        (chat.apps.add if present else chat.apps.discard)(app.app_id)
        self._world.changes.bump()
        now_ms = self._world.clock.now_ms()
        event = events.bot_membership(app, self._world.ids, chat, operator, now_ms=now_ms, added=present)
        self._deliveries.emit(app, event)
        return answer({"changed": True})

    async def _dissolve(self, request: web.Request) -> web.Response:
        chat = self._chat(request)
        chat.dissolved = True
        self._world.changes.bump()
        if chat.people:
            operator, now_ms = self._world.people[chat.people[0]], self._world.clock.now_ms()
            for app in [self._world.apps[app_id] for app_id in sorted(chat.apps)]:
                self._deliveries.emit(app, events.chat_disbanded(app, self._world.ids, chat, operator, now_ms=now_ms))
        return answer({})

    async def _press_options(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        presses = self._presses
        presses.revert_raced_patches = flag_at(body, "revert_raced_patches", default=presses.revert_raced_patches)
        if "client_codes" in body:
            codes = [code for code in list_at(body, "client_codes") if isinstance(code, int)]
            presses.client_codes.clear()
            presses.client_codes.extend(codes[:CLIENT_CODES_MAX])
        planned: list[object] = list(presses.client_codes)
        return answer({"revert_raced_patches": presses.revert_raced_patches, "client_codes": planned})

    def _app(self, app_id: str) -> App:
        if not app_id:
            return next(iter(self._world.apps.values()))
        app = self._world.apps.get(app_id)
        if app is None:
            raise ChatRefusedError(404, "no_such_app", f"there is no app {app_id!r}")
        return app

    def _chat(self, request: web.Request) -> Chat:
        chat = self._world.chats.get(request.match_info["id"])
        if chat is None:
            raise ChatRefusedError(404, "no_such_chat", "there is no such chat")
        return chat


def _message_view(message: Message) -> JsonObject:
    return {
        "message_id": message.message_id,
        "chat_id": message.chat_id,
        "kind": message.kind,
        "sender": message.sender,
        "from_app": message.from_app,
        "created_ms": message.created_ms,
        "recalled": message.recalled,
        "parent_id": message.parent_id,
        "thread_id": message.thread_id,
        "sent_bytes": message.sent_bytes,
        "mentions": [{"kind": one.kind, "id": one.id, "where": one.where} for one in message.mentions],
        "versions": [
            {"at_ms": version.at_ms, "by": version.by, "content": version.content} for version in message.versions
        ],
    }
