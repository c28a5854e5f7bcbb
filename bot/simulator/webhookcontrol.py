"""The part of the control interface that says where an app receives: see `webhook`, and for scopes the last line.

POST /_control/scopes {"app_id"?, "granted": ["im:chat:readonly", …]}   what the app was granted, from now on
"""

from aiohttp import web

from bot.simulator.chatapi import answer, read_json
from bot.simulator.errors import ChatRefusedError
from bot.simulator.model import App, Webhook
from bot.simulator.webhook import ChallengeFailedError, Webhooks
from bot.simulator.wire import JsonObject, flag_at, list_at, text_at
from bot.simulator.world import World

LOOPBACK = ("http://127.0.0.1:", "http://localhost:")


class WebhookControl:
    """Routes of this part."""

    def __init__(self, world: World, webhooks: Webhooks) -> None:
        self._world = world
        self._webhooks = webhooks

    def routes(self) -> list[web.RouteDef]:
        """All of them."""
        return [
            web.get("/_control/webhook", self._show),
            web.post("/_control/webhook", self._set),
            web.post("/_control/scopes", self._grant),
        ]

    async def _show(self, request: web.Request) -> web.Response:
        return answer(_view(self._app(request.query.get("app_id", ""))))

    async def _set(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        app = self._app(text_at(body, "app_id"))
        if flag_at(body, "off"):
            app.webhook = None
            return answer(_view(app))
        url = text_at(body, "url")
        if not url.startswith(LOOPBACK):
            raise ChatRefusedError(
                400, "bad_webhook", "a simulator pushes to this machine alone: http://127.0.0.1:PORT/…"
            )
        hook = Webhook(
            url=url, encrypt_key=text_at(body, "encrypt_key"), resigns=flag_at(body, "resigns", default=True)
        )
        try:
            await self._webhooks.adopt(app, hook)
        except ChallengeFailedError as error:
            raise ChatRefusedError(409, "challenge_failed", str(error)) from None
        self._world.changes.bump()
        return answer(_view(app))

    async def _grant(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        app = self._app(text_at(body, "app_id"))
        app.granted_scopes = {str(name) for name in list_at(body, "granted")}
        return answer({"granted": sorted(app.granted_scopes)})

    def _app(self, app_id: str) -> App:
        app = self._world.apps.get(app_id) if app_id else next(iter(self._world.apps.values()))
        if app is None:
            raise ChatRefusedError(404, "no_such_app", f"there is no app {app_id!r}")
        return app


def _view(app: App) -> JsonObject:
    url = app.webhook.url if app.webhook else ""
    return {"app_id": app.app_id, "url": url, "verification_token": app.verification_token}
