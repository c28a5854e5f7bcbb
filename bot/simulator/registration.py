"""Registering an app by QR code: the accounts site's device flow, and an operator behind the control interface.

POST /oauth/v1/app/registration   action=init | begin | poll, as a form
GET  /_control/registrations      what was asked: codes, and what the page was to be filled in with
POST /_control/registrations {"device_code"?, "approve": true|false, "tenant_key"?}   the last one if none is named
"""

from dataclasses import dataclass

from aiohttp import web

from bot.simulator.chatapi import answer, read_json
from bot.simulator.errors import ChatRefusedError
from bot.simulator.ids import stable_id
from bot.simulator.model import App
from bot.simulator.wire import JsonObject, flag_at, text_at
from bot.simulator.world import World

EXPIRES_S = 600
INTERVAL_S = 1
REGISTRATIONS_MAX = 100


@dataclass(kw_only=True)
class Registration:
    """One question, and what the operator made of it."""

    device_code: str
    until_ms: int
    approved: bool | None = None
    app: App | None = None


class Registrations:
    """The accounts site, as far as it makes apps."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._asked: dict[str, Registration] = {}

    def routes(self) -> list[web.RouteDef]:
        """Those of the site and those of the operator."""
        return [
            web.post("/oauth/v1/app/registration", self._register),
            web.get("/_control/registrations", self._list),
            web.post("/_control/registrations", self._decide),
        ]

    async def _register(self, request: web.Request) -> web.Response:
        form = await request.post()
        match form.get("action"):
            case "init":
                return answer({"nonce": self._world.ids.fresh(""), "supported_auth_methods": ["client_secret"]})
            case "begin":
                return answer(self._begin(str(request.url.origin())))
            case "poll":
                return self._poll(str(form.get("device_code", "")))
            case _:
                return answer({"error": "invalid_request", "error_description": "unknown action"}, 400)

    def _begin(self, origin: str) -> JsonObject:
        code = self._world.ids.fresh("dc-")
        until_ms = self._world.clock.now_ms() + EXPIRES_S * 1000
        self._asked[code] = Registration(device_code=code, until_ms=until_ms)
        while len(self._asked) > REGISTRATIONS_MAX:
            del self._asked[next(iter(self._asked))]
        shown = stable_id("", "user-code", code)[:8]
        return {
            "device_code": code,
            "user_code": shown,
            "verification_uri": f"{origin}/page/launcher",
            "verification_uri_complete": f"{origin}/page/launcher?user_code={shown}",
            "interval": INTERVAL_S,
            "expires_in": EXPIRES_S,
        }

    def _poll(self, code: str) -> web.Response:
        one = self._asked.get(code)
        if one is None or one.until_ms <= self._world.clock.now_ms():
            return answer({"error": "expired_token", "error_description": "the code is not valid any more"}, 400)
        if one.approved is False:
            return answer({"error": "access_denied", "error_description": "denied"}, 400)
        if one.app is None:
            return answer({"error": "authorization_pending", "error_description": "not yet"}, 400)
        user = {"open_id": "", "tenant_brand": "feishu"}
        return answer({"client_id": one.app.app_id, "client_secret": one.app.app_secret, "user_info": user})

    async def _list(self, _request: web.Request) -> web.Response:
        asked = [{"device_code": one.device_code, "approved": one.approved} for one in self._asked.values()]
        return answer({"registrations": asked})

    async def _decide(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        code = text_at(body, "device_code") or next(reversed(self._asked), "")
        one = self._asked.get(code)
        if one is None or not isinstance(body.get("approve"), bool):
            raise ChatRefusedError(404, "no_such_registration", "say approve: true or false, of one that was asked for")
        one.approved = flag_at(body, "approve")
        if one.approved and one.app is None:
            tenant = text_at(body, "tenant_key") or next(iter(self._world.apps.values())).tenant_key
            app_id, secret = stable_id("cli_", "registered", code)[:24], self._world.ids.fresh("")
            one.app = App(app_id=app_id, app_secret=secret, name="Registered", tenant_key=tenant)
            self._world.add_app(one.app)
        return answer({"app_id": one.app.app_id if one.app else ""})
