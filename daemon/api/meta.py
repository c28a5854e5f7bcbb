"""Health, readiness, capabilities, and the API's own description."""

from collections.abc import Callable

from aiohttp import web

from daemon.api.envelope import respond
from daemon.api.openapi import openapi_document
from daemon.api.routes import Routes
from daemon.api.whole import Whole
from daemon.lock import VERSION
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.text.say import Locale, say
from ledger.wire import all_kinds

BOT_SILENT_MS_MAX = 30_000


class Meta:
    """What the daemon says of itself."""

    def __init__(self, service: Service, started_at_ms: int) -> None:
        self._service = service
        self._started_at_ms = started_at_ms
        self.bot: dict[str, object] | None = None
        self.bot_seen_ms = 0
        self.hooks: Callable[[], dict[str, object]] = dict
        """The after-commit hooks in a few numbers; whoever has them says so."""

    def add_to(self, routes: Routes) -> None:
        """Add the routes."""
        routes.add("GET", "/healthz", self.health)
        routes.add("GET", "/readyz", self.ready)
        routes.add("GET", "/capabilities", self.capabilities)
        routes.add("GET", "/openapi.json", self.openapi)

    async def health(self, _request: web.Request) -> Whole:
        """Whether the process lives, and how its parts are."""
        return respond(self.health_document(), 0, 200)

    def health_document(self) -> dict[str, object]:
        """The daemon's health as a document."""
        service = self._service
        now_ms = service.clock.now_ms()
        heard = self.bot is not None and now_ms - self.bot_seen_ms <= BOT_SILENT_MS_MAX
        return {
            "ok": service.fatal is None,
            "version": VERSION,
            "started_at_ms": self._started_at_ms,
            "seq": service.committed.seq,
            "head": service.committed.hash.hex(),
            "writable": service.writable,
            "waiting": service.waiting,
            "clock": {"skew_ms": service.clock.skew_ms, "jumped": service.clock.jumped},
            "counters": vars(service.counters),
            "hooks": self.hooks(),
            "bot": {"state": "up", **self.bot}
            if heard and self.bot is not None
            else {"state": "silent" if self.bot else "absent"},
        }

    def channel_line(self, locale: Locale) -> str:
        """What a person must know of the way to Lark, or nothing: a card that was sent proves no press."""
        if self.bot is None:
            return ""
        if self._service.clock.now_ms() - self.bot_seen_ms > BOT_SILENT_MS_MAX:
            return say("lark.status.silent", locale)
        refused = self.bot.get("fatal") or self.bot.get("send_fault")
        if refused:
            return say("lark.status.refused", locale, reason=refused)
        qualification = self.bot.get("qualification")
        return say(f"lark.status.{qualification}", locale) if qualification in {"unqualified", "not_ready"} else ""

    async def ready(self, _request: web.Request) -> Whole:
        """Whether commands can be committed now."""
        writable = self._service.writable
        return respond(
            {"ok": writable, "seq": self._service.committed.seq}, 0 if writable else 7, 200 if writable else 503
        )

    async def capabilities(self, _request: web.Request) -> Whole:
        """What can be asked here, for a program that wants to know before it tries."""
        document: dict[str, object] = {
            "schema_version": "frontstage_capabilities_v1",
            "version": VERSION,
            "actions": [
                {"name": action.name, "writes": action.writes, "basis": action.basis}
                for action in ACTIONS.values()
                if not action.hidden
            ],
            "event_kinds": [f"{kind.name}/{kind.version}" for kind in all_kinds()],
        }
        return respond(document, 0, 200)

    async def openapi(self, _request: web.Request) -> Whole:
        """The API in OpenAPI 3.1, made from the table of actions."""
        return respond(openapi_document(), 0, 200)
