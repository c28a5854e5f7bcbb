"""The open platform's HTTP endpoints: the ones the bot calls, under the paths and with the shapes of the real ones."""

import hmac
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.simulator.delayed import DelayedUpdates
from bot.simulator.documented import MEMBERS_PAGE_MAX
from bot.simulator.errors import PlatformError
from bot.simulator.gate import CallNote, Gate
from bot.simulator.messages import Messages
from bot.simulator.model import App, Chat, Person
from bot.simulator.tokens import Tokens
from bot.simulator.wire import JsonObject, parse_object, text_at
from bot.simulator.world import World

APIS = (
    "token",
    "bot_info",
    "messages.create",
    "messages.reply",
    "messages.patch",
    "messages.delete",
    "messages.get",
    "messages.list",
    "chats.list",
    "chats.get",
    "chats.is_in_chat",
    "chats.members",
    "scopes.list",
    "card.update",
    "ws.endpoint",
)

SCOPE_OF_SCOPES = "application:application:self_manage"
SCOPES_KNOWN = frozenset(
    (
        SCOPE_OF_SCOPES,
        "im:chat:readonly",
        "im:message.group_at_msg:readonly",
        "im:message.p2p_msg:readonly",
        "im:message:send_as_bot",
    )
)

Work = Callable[[App, web.Request, bytes], JsonObject]


class OpenApi:
    """Routes of `/open-apis`; each checks the token, then the limits, then does its work."""

    def __init__(self, world: World, gate: Gate, tokens: Tokens, messages: Messages, delayed: DelayedUpdates) -> None:
        self._world = world
        self._gate = gate
        self._tokens = tokens
        self._messages = messages
        self._delayed = delayed

    def routes(self) -> list[web.RouteDef]:
        """All of them, for the application."""
        im = "/open-apis/im/v1"
        return [
            web.post("/open-apis/auth/v3/tenant_access_token/internal", self._open("token", self._token)),
            web.get("/open-apis/bot/v3/info", self._guarded("bot_info", self._bot_info)),
            web.post(f"{im}/messages", self._guarded("messages.create", self._create)),
            web.get(f"{im}/messages", self._guarded("messages.list", self._list)),
            web.post(f"{im}/messages/{{id}}/reply", self._guarded("messages.reply", self._reply)),
            web.patch(f"{im}/messages/{{id}}", self._guarded("messages.patch", self._patch)),
            web.delete(f"{im}/messages/{{id}}", self._guarded("messages.delete", self._delete)),
            web.get(f"{im}/messages/{{id}}", self._guarded("messages.get", self._get)),
            web.get(f"{im}/chats", self._guarded("chats.list", self._chats)),
            web.get(f"{im}/chats/{{id}}", self._guarded("chats.get", self._chat)),
            web.get(f"{im}/chats/{{id}}/members/is_in_chat", self._guarded("chats.is_in_chat", self._is_in_chat)),
            web.get(f"{im}/chats/{{id}}/members", self._guarded("chats.members", self._members)),
            web.get("/open-apis/application/v6/scopes", self._guarded("scopes.list", self._scopes)),
            web.post("/open-apis/interactive/v1/card/update", self._guarded("card.update", self._update)),
        ]

    def _open(
        self, api: str, work: Callable[[bytes], JsonObject]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def run(_request: web.Request, body: bytes, _note: CallNote) -> JsonObject:
            return work(body)

        async def handle(request: web.Request) -> web.StreamResponse:
            return await self._gate.pass_through(api, request, run)

        return handle

    def _guarded(self, api: str, work: Work) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def run(request: web.Request, body: bytes, note: CallNote) -> JsonObject:
            now_ms = self._world.clock.now_ms()
            app = self._world.apps[self._tokens.app_of(request.headers.get("Authorization", ""), now_ms)]
            note.app_id = app.app_id
            return {"code": 0, "msg": "success", **work(app, request, body)}

        async def handle(request: web.Request) -> web.StreamResponse:
            return await self._gate.pass_through(api, request, run)

        return handle

    def _token(self, body: bytes) -> JsonObject:
        fields = read_body(body)
        app = self._world.apps.get(text_at(fields, "app_id"))
        if app is None:
            raise PlatformError(10003, "invalid param: app_id")
        if not hmac.compare_digest(app.app_secret.encode(), text_at(fields, "app_secret").encode()):
            raise PlatformError(10014, "app secret invalid")
        now_ms = self._world.clock.now_ms()
        token = self._tokens.issue(app.app_id, now_ms)
        left_s = (token.expires_at_ms - now_ms) // 1000
        return {"code": 0, "msg": "ok", "tenant_access_token": token.token, "expire": left_s}

    def _scopes(self, app: App, _request: web.Request, _body: bytes) -> JsonObject:
        """What the app asked for, and whether it was granted (1) or not yet (2)."""
        self._gate.charge("scopes.list", app.app_id)
        if app.granted_scopes is not None and SCOPE_OF_SCOPES not in app.granted_scopes:
            raise PlatformError(99991672, "Access denied. One of the following scopes is required: …")
        known = SCOPES_KNOWN if app.granted_scopes is None else {*SCOPES_KNOWN, *app.granted_scopes}
        granted = known if app.granted_scopes is None else app.granted_scopes
        rows = [
            {"scope_name": name, "grant_status": 1 if name in granted else 2, "scope_type": "tenant"}
            for name in sorted(known)
        ]
        return {"data": {"scopes": rows}}

    def _bot_info(self, app: App, _request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("bot_info", app.app_id)
        bot = {"activate_status": 2, "app_name": app.name, "avatar_url": "", "ip_white_list": []}
        return {"msg": "ok", "bot": {**bot, "open_id": app.bot_open_id}}

    def _create(self, app: App, request: web.Request, body: bytes) -> JsonObject:
        fields = read_body(body)
        id_type = request.query.get("receive_id_type", "")
        chat = self._messages.chat_of_receiver(app, id_type, text_at(fields, "receive_id"))
        self._gate.charge("messages.create", app.app_id, chat=chat)
        return {"data": self._messages.create(app, id_type, fields, len(body))}

    def _reply(self, app: App, request: web.Request, body: bytes) -> JsonObject:
        message = self._world.messages.get(request.match_info["id"])
        self._gate.charge("messages.reply", app.app_id, chat=self._world.chats[message.chat_id] if message else None)
        return {"data": self._messages.reply(app, request.match_info["id"], read_body(body), len(body))}

    def _patch(self, app: App, request: web.Request, body: bytes) -> JsonObject:
        self._gate.charge("messages.patch", app.app_id, message_id=request.match_info["id"])
        return {"data": self._messages.patch(app, request.match_info["id"], read_body(body), len(body))}

    def _delete(self, app: App, request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("messages.delete", app.app_id)
        return {"data": self._messages.recall(app, request.match_info["id"])}

    def _get(self, app: App, request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("messages.get", app.app_id)
        raw_card = request.query.get("card_msg_content_type") in {"raw_card_content", "user_card_content"}
        return {"data": self._messages.read(app, request.match_info["id"], raw_card=raw_card)}

    def _list(self, app: App, request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("messages.list", app.app_id)
        if request.query.get("container_id_type") != "chat":
            raise PlatformError(99992402, "field validation failed: container_id_type must be chat")
        size = request.query.get("page_size", "20")
        chat_id, token = request.query.get("container_id", ""), request.query.get("page_token", "")
        return {"data": self._messages.read_chat(app, chat_id, int(size) if size.isdigit() else 20, token)}

    def _chats(self, app: App, _request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("chats.list", app.app_id)
        groups = [chat for chat in self._world.chats.values() if chat.kind == "group" and app.app_id in chat.apps]
        items = [{"chat_id": chat.chat_id, **_chat_fields(chat)} for chat in groups]
        return {"data": {"items": items, "has_more": False, "page_token": ""}}

    def _chat(self, app: App, request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("chats.get", app.app_id)
        chat = self._known_chat(request)
        if app.app_id not in chat.apps:
            raise PlatformError(232011, "Operator can NOT be out of the chat.")
        counts = {"user_count": str(len(chat.people)), "bot_count": str(len(chat.apps))}
        return {"data": {**_chat_fields(chat), **counts}}

    def _is_in_chat(self, app: App, request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("chats.is_in_chat", app.app_id)
        return {"data": {"is_in_chat": app.app_id in self._known_chat(request).apps}}

    def _members(self, app: App, request: web.Request, _body: bytes) -> JsonObject:
        self._gate.charge("chats.members", app.app_id)
        chat = self._known_chat(request)
        if app.app_id not in chat.apps:
            raise PlatformError(232011, "Operator can NOT be out of the chat.")
        id_type = request.query.get("member_id_type", "open_id")
        if id_type not in {"open_id", "union_id", "user_id"}:
            raise PlatformError(99992402, "field validation failed: member_id_type")
        size, start = request.query.get("page_size", "20"), request.query.get("page_token", "0")
        if not size.isdigit() or not 1 <= int(size) <= MEMBERS_PAGE_MAX or not start.isdigit():
            raise PlatformError(99992402, f"field validation failed: page_size is from 1 to {MEMBERS_PAGE_MAX}")
        end = int(start) + int(size)
        page = [self._world.people[key] for key in chat.people[int(start) : end]]
        items: list[JsonObject] = [
            {"member_id_type": id_type, "member_id": member_id(one, id_type, app), "name": one.name,
             "tenant_key": one.tenant_key}
            for one in page
        ]  # fmt: skip
        more = end < len(chat.people)
        token = str(end) if more else ""
        return {"data": {"items": items, "has_more": more, "page_token": token, "member_total": len(chat.people)}}

    def _update(self, app: App, _request: web.Request, body: bytes) -> JsonObject:
        self._gate.charge("card.update", app.app_id)
        return {"data": self._delayed.update(app, read_body(body), len(body))}

    def _known_chat(self, request: web.Request) -> Chat:
        chat = self._world.chats.get(request.match_info["id"])
        if chat is None:
            raise PlatformError(232006, "Invalid chat_id.")
        if chat.dissolved:
            raise PlatformError(232009, "The chat has been dissolved.")
        return chat


def member_id(person: Person, id_type: str, app: App) -> str:
    """The id by which an app knows a person."""
    ids = {"open_id": person.open_id(app.app_id), "union_id": person.union_id, "user_id": person.user_id}
    return ids[id_type]


def _chat_fields(chat: Chat) -> JsonObject:
    return {
        "name": chat.name if chat.kind == "group" else "",
        "description": "",
        "chat_mode": chat.kind,
        "chat_type": "private",
        "external": chat.external,
        "tenant_key": chat.tenant_key,
        "chat_status": "dissolved" if chat.dissolved else "normal",
    }


def read_body(body: bytes) -> JsonObject:
    """The JSON body of a call, or the platform's refusal."""
    try:
        return parse_object(body)
    except ValueError:
        raise PlatformError(99992402, "field validation failed: the body is not a JSON object") from None
