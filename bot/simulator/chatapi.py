"""The chat interface over HTTP: what the page uses, and any program that plays a person.

    GET  /chat/api/people
    GET  /chat/api/chats?person=ann
    GET  /chat/api/chats/{chat}/messages?person=ann[&limit=50][&raw=1]
    GET  /chat/api/messages/{message_id}?person=ann[&raw=1]
    POST /chat/api/chats/{chat}/messages         {"person", "text", "mention_bot"?, "reply_to"?}
    POST /chat/api/chats/{chat}/enter            {"person", "look"?}   what is there is read; look: the chat was open
    POST /chat/api/messages/{message_id}/press   {"person", "button", "inputs"?: {label: value}, "confirm"?}
    POST /chat/api/messages/{message_id}/choose  {"person", "input", "value"}
    POST /chat/api/messages/{message_id}/forward {"person", "chat"}
    POST /chat/api/messages/{message_id}/recall  {"person"}
    GET  /chat/api/changes?after=REVISION[&timeout_ms=25000]      long poll
    GET  /chat/api/events                                         the same as server-sent events
    GET  /chat/api/toasts?person=ann

A person is named by key or name, a chat by id or name. What a person could not do either is a 4xx with
`{"error": {"code", "message", …}}`.
"""

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.simulator.changes import Changes
from bot.simulator.chat import ChatClient
from bot.simulator.errors import ChatRefusedError
from bot.simulator.longlink import LongLink
from bot.simulator.model import Person
from bot.simulator.wire import JsonObject, dump, flag_at, object_at, parse_object, text_at
from bot.simulator.world import World

MESSAGES_PAGE_MAX = 200
POLL_MS_MAX = 60_000
HEARTBEAT_S = 15


def answer(body: JsonObject, status: int = 200) -> web.Response:
    """A JSON response that nobody caches."""
    return web.Response(
        body=dump(body), status=status, content_type="application/json", charset="utf-8",
        headers={"Cache-Control": "no-store"},
    )  # fmt: skip


@web.middleware
async def refusals(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Turn a refusal into its 4xx answer."""
    try:
        return await handler(request)
    except ChatRefusedError as refusal:
        return answer(refusal.body(), refusal.status)


async def read_json(request: web.Request) -> JsonObject:
    """The body as an object; anything else is a 400 that says so."""
    try:
        return parse_object(await request.read() or b"{}")
    except ValueError as error:
        raise ChatRefusedError(400, "bad_json", f"the body cannot be used: {error}") from None


def number_in(request: web.Request, key: str, default: int, most: int) -> int:
    """A number from the query, within its bounds."""
    raw = request.query.get(key, str(default))
    if not raw.isdigit():
        raise ChatRefusedError(400, "bad_number", f"{key} must be a number, not {raw!r}")
    return min(int(raw), most)


class ChatApi:
    """Routes of the chat interface."""

    def __init__(self, world: World, client: ChatClient, link: LongLink) -> None:
        self._world = world
        self._client = client
        self._link = link

    def routes(self) -> list[web.RouteDef]:
        """All of them."""
        api = "/chat/api"
        return [
            web.get(f"{api}/people", self._people),
            web.get(f"{api}/chats", self._chats),
            web.get(f"{api}/chats/{{chat}}/messages", self._messages),
            web.post(f"{api}/chats/{{chat}}/messages", self._type),
            web.post(f"{api}/chats/{{chat}}/enter", self._enter),
            web.get(f"{api}/messages/{{id}}", self._message),
            web.post(f"{api}/messages/{{id}}/press", self._press),
            web.post(f"{api}/messages/{{id}}/choose", self._choose),
            web.post(f"{api}/messages/{{id}}/forward", self._forward),
            web.post(f"{api}/messages/{{id}}/recall", self._recall),
            web.get(f"{api}/changes", self._changes),
            web.get(f"{api}/events", self._events),
            web.get(f"{api}/toasts", self._toasts),
        ]

    def _asker(self, request: web.Request) -> Person:
        return self._client.person(request.query.get("person", ""))

    async def _people(self, _request: web.Request) -> web.Response:
        people = [
            {"key": person.key, "name": person.name, "language": person.language, "timezone": person.timezone}
            for person in self._world.people.values()
        ]
        return answer({"people": people, "revision": self._world.changes.revision})

    async def _chats(self, request: web.Request) -> web.Response:
        person = self._asker(request)
        online = sorted(app.name for app in self._world.apps.values() if app.webhook or self._link.of_app(app.app_id))
        chats = self._client.chats(person)
        waiting = self._client.waiting()
        return answer({"chats": chats, "online": online, "waiting": waiting, "revision": self._world.changes.revision})

    async def _messages(self, request: web.Request) -> web.Response:
        person = self._asker(request)
        chat = self._client.chat(person, request.match_info["chat"])
        limit = number_in(request, "limit", 50, MESSAGES_PAGE_MAX)
        found = self._client.messages(person, chat, raw=request.query.get("raw") == "1", limit=limit)
        return answer({"chat_id": chat.chat_id, "messages": found, "revision": self._world.changes.revision})

    async def _message(self, request: web.Request) -> web.Response:
        person = self._asker(request)
        message = self._client.message(person, request.match_info["id"])
        view = self._client.view(message, person, raw=request.query.get("raw") == "1")
        return answer({"message": view, "revision": self._world.changes.revision})

    async def _type(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        person = self._client.person(text_at(body, "person"))
        chat = self._client.chat(person, request.match_info["chat"])
        message = self._client.type_text(
            person,
            chat,
            text_at(body, "text"),
            mention_bot=flag_at(body, "mention_bot"),
            reply_to=text_at(body, "reply_to"),
        )
        return answer({"message_id": message.message_id, "chat_id": chat.chat_id})

    async def _enter(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        person = self._client.person(text_at(body, "person"))
        chat = self._client.chat(person, request.match_info["chat"])
        seen = (self._client.look if flag_at(body, "look") else self._client.enter)(person, chat)
        return answer({"chat_id": chat.chat_id, "read": seen})

    async def _press(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        person = self._client.person(text_at(body, "person"))
        pressed = await self._client.press(
            person,
            request.match_info["id"],
            text_at(body, "button"),
            inputs=object_at(body, "inputs"),
            confirmed=flag_at(body, "confirm"),
        )
        return answer(pressed.view())

    async def _choose(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        person = self._client.person(text_at(body, "person"))
        pressed = await self._client.choose(
            person, request.match_info["id"], text_at(body, "input"), body.get("value", "")
        )
        return answer(pressed.view())

    async def _forward(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        person = self._client.person(text_at(body, "person"))
        message = self._client.forward(person, request.match_info["id"], text_at(body, "chat"))
        return answer({"message_id": message.message_id, "chat_id": message.chat_id})

    async def _recall(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        self._client.recall(self._client.person(text_at(body, "person")), request.match_info["id"])
        return answer({})

    async def _toasts(self, request: web.Request) -> web.Response:
        person = self._asker(request)
        toasts = [
            {"message_id": toast.message_id, "at_ms": toast.at_ms, "type": toast.type, "content": toast.content,
             "error_code": toast.code}
            for toast in self._world.toasts
            if toast.person == person.key
        ]  # fmt: skip
        return answer({"toasts": toasts, "revision": self._world.changes.revision})

    async def _changes(self, request: web.Request) -> web.Response:
        after = number_in(request, "after", 0, 1 << 53)
        timeout_s = number_in(request, "timeout_ms", 25_000, POLL_MS_MAX) / 1000
        return answer({"revision": await _next(self._world.changes, after, timeout_s)})

    async def _events(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        revision = self._world.changes.revision
        await response.write(f"data: {revision}\n\n".encode())
        while True:
            latest = await _next(self._world.changes, revision, HEARTBEAT_S)
            line = ": still here\n\n" if latest == revision else f"data: {latest}\n\n"
            await response.write(line.encode())
            revision = latest


async def _next(changes: Changes, after: int, timeout_s: float) -> int:
    try:
        async with asyncio.timeout(timeout_s):
            return await changes.after(after)
    except TimeoutError:
        return changes.revision
