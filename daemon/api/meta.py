"""Health, readiness, capabilities and the OpenAPI document."""

from collections.abc import Callable

from aiohttp import web

from daemon.api import batch, metrics
from daemon.api.envelope import respond
from daemon.api.routes import Routes
from daemon.api.whole import Whole
from daemon.lock import VERSION
from daemon.service import Service
from ledger.catalogue import ACTIONS, Action
from ledger.refusals import STATUS
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
        service = self._service
        now_ms = service.clock.now_ms()
        heard = self.bot is not None and now_ms - self.bot_seen_ms <= BOT_SILENT_MS_MAX
        document: dict[str, object] = {
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
        return respond(document, 0, 200)

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


def openapi_document() -> dict[str, object]:
    """Every outward action as an OpenAPI operation, many of them in one request, and the metrics beside them."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Frontstage", "version": VERSION, "description": "One route for each action of the ledger."},
        "paths": {f"/v1/actions/{action.name}": _path(action) for action in ACTIONS.values() if not action.hidden}
        | {batch.PATH: batch.openapi_path(_RESULT, _REFUSAL), metrics.PATH: metrics.openapi_path()},
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"member": {"type": "http", "scheme": "bearer"}},
            "responses": {
                "refusal": {
                    "description": "Refused, with code, message and hint.",
                    "content": {"application/json": {"schema": _REFUSAL}},
                }
            },
        },
        "security": [{"member": []}, {}],
    }


def _schemas() -> dict[str, object]:
    """The objects that parameters are made of, by the name they are referred to."""
    found: dict[str, object] = {}
    for action in ACTIONS.values():
        if not action.hidden:
            schema = action.params.model_json_schema(ref_template="#/components/schemas/{model}")
            found |= schema.get("$defs", {})
    return found


_REFUSAL: dict[str, object] = {
    "type": "object",
    "required": ["schema_version", "ok", "action", "outcome", "code", "message", "hint", "details", "seq"],
    "properties": {
        "ok": {"const": False},
        "code": {"type": "string"},
        "outcome": {"type": "string"},
        "message": {"type": "string"},
    },
}
_RESULT: dict[str, object] = {
    "type": "object",
    "required": [
        "schema_version",
        "ok",
        "action",
        "outcome",
        "receipt_id",
        "replayed",
        "seq",
        "events",
        "result",
        "cli",
    ],
    "properties": {
        "ok": {"const": True},
        "outcome": {"enum": ["committed", "partial", "noop"]},
        "seq": {"type": "integer"},
    },
}


_AT: dict[str, object] = {
    "name": "at",
    "in": "query",
    "required": False,
    "schema": {"type": "integer", "minimum": 1},
    "description": "The document as it was after the event with this seq.",
}
"""Beside the parameters of every read."""


def _path(action: Action) -> dict[str, object]:
    schema = action.params.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs", None)
    good = _RESULT if action.writes else {"type": "object", "required": ["ok", "seq"]}
    operation: dict[str, object] = {
        "operationId": action.name,
        "summary": action.summary,
        "tags": [action.noun],
        "responses": {"200": {"description": "Done.", "content": {"application/json": {"schema": good}}}}
        | {str(status.http_status): {"$ref": "#/components/responses/refusal"} for status in STATUS.values()},
    }
    if action.writes:
        key = {
            "name": "Idempotency-Key",
            "in": "header",
            "required": True,
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9_.:@/-]{1,160}$"},
        }
        operation["parameters"] = [key]
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        return {"post": operation}
    properties = schema.get("properties", {})
    operation["parameters"] = [
        {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "schema": properties[name],
            "description": properties[name].get("description", ""),
        }
        for name in properties
    ] + [_AT]
    return {"get": operation}
