"""The routes that are no action, in the API's description: many actions at once, feed, hooks, the daemon itself."""

from daemon.api import openapi_parts as parts
from daemon.api.batch import ACTIONS_MAX, PATH
from daemon.api.metrics import PATH as METRICS_PATH
from ledger.catalogue import ACTIONS
from ledger.ids import KEY_PATTERN

Json = dict[str, object]

_NEVER_FOR_ALL = frozenset({404, 409, 422, 423})
"""What only one action can be answered with."""
_ABOUT_NOTHING = _NEVER_FOR_ALL | {401, 403, 503}
"""What a page that anybody may ask for, and that takes nothing, is never answered with."""


def beside() -> Json:
    """Every path that is no action's."""
    return {
        PATH: {"post": _batch()},
        "/v1/feed": {"get": _feed()},
        "/v1/hooks": {"get": _hooks()},
        "/v1/hooks/retry": {"post": _retry()},
        "/v1/page": {"post": _local_page("open", "Open the local page, or say where it is open; for owners.")},
        "/v1/page/close": {"post": _local_page("close", "Close the local page; its address dies. For owners.")},
        "/healthz": {"get": _page("health", "Whether the process lives, and how its parts are.", _HEALTH)},
        "/readyz": {"get": _ready()},
        "/capabilities": {"get": _page("capabilities", "What can be asked here.", _CAPABILITIES)},
        "/openapi.json": {"get": _page("openapi", "This document.", {"type": "object", "required": ["openapi"]})},
        METRICS_PATH: {"get": _metrics()},
    }


def _operation(name: str, summary: str, tag: str, good: Json, without: frozenset[int]) -> Json:
    return {
        "operationId": name,
        "summary": summary,
        "tags": [tag],
        "responses": {"200": good, **parts.refusals(without=without)},
    }


def _json(description: str, schema: Json) -> Json:
    return {
        "description": description,
        "headers": {"X-Frontstage-Exit": parts.reference("headers", "Exit")},
        "content": {"application/json": {"schema": schema}},
    }


def _page(name: str, summary: str, schema: Json) -> Json:
    operation = _operation(name, summary, "operations", _json("As it is now.", schema), _ABOUT_NOTHING)
    return {**operation, "security": [{}]}


def _ready() -> Json:
    schema: Json = {
        "type": "object",
        "required": ["ok", "seq"],
        "properties": {"ok": {"type": "boolean"}, "seq": {"type": "integer", "minimum": 0}},
    }
    operation = _page("ready", "Whether commands can be committed now.", schema)
    responses = operation["responses"]
    assert isinstance(responses, dict)
    return {**operation, "responses": {**responses, "503": _json("Nothing is committed now.", schema)}}


def _metrics() -> Json:
    good: Json = {
        "description": "Prometheus text exposition.",
        "headers": {"X-Frontstage-Exit": parts.reference("headers", "Exit")},
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
    summary = "Counters and gauges for a monitoring system."
    return {**_operation("metrics", summary, "operations", good, _ABOUT_NOTHING), "security": [{}]}


def _feed() -> Json:
    good: Json = {
        "description": "Server-sent events without an end: `id` is the seq, `data` the event; comments are heartbeats.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
    operation = _operation("feed", "Every event past a seq, and then those to come.", "feed", good, _NEVER_FOR_ALL)
    digits: Json = {"type": "string", "pattern": "^[0-9]{1,16}$"}
    operation["parameters"] = [
        {
            "name": "after",
            "in": "query",
            "required": False,
            "schema": {"type": "integer", "minimum": 0, "maximum": 9_999_999_999_999_999},
            "description": "Begin after this seq; with what is new when absent.",
        },
        {
            "name": "Last-Event-ID",
            "in": "header",
            "required": False,
            "schema": digits,
            "description": "Where a reader goes on after its connection was lost; it counts before `after`.",
        },
    ]
    return operation


def _hooks() -> Json:
    schema: Json = {
        "type": "object",
        "required": ["schema_version", "ok", "hooks", "seq"],
        "properties": {
            "schema_version": {"const": "frontstage_hooks_v0"},
            "ok": {"const": True},
            "seq": {"type": "integer", "minimum": 0},
            "hooks": {"type": "array", "items": _HOOK},
        },
    }
    summary = "How far each after-commit hook has come; for owners."
    return _operation("hooks", summary, "hooks", _json("Each hook.", schema), _NEVER_FOR_ALL | {503})


def _retry() -> Json:
    body: Json = {
        "type": "object",
        "required": ["name"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,39}$"},
            "skip": {
                "type": "boolean",
                "default": False,
                "description": "Give up the event that it is parked before.",
            },
        },
    }
    done: Json = {
        "type": "object",
        "required": ["ok", "hook", "changed", "seq"],
        "properties": {
            "ok": {"const": True},
            "hook": {"type": "string"},
            "changed": {"type": "boolean"},
            "seq": {"type": "integer", "minimum": 0},
        },
    }
    summary = "Have a hook that failed try again at once; for owners."
    never = frozenset({409, 422, 423, 503})
    operation = _operation("hooks.retry", summary, "hooks", _json("Whether that changed anything.", done), never)
    content: Json = {"application/json": {"schema": body, "example": {"name": "notes"}}}
    return {**operation, "requestBody": {"required": True, "content": content}}


def _local_page(verb: str, summary: str) -> Json:
    done: Json = {
        "type": "object",
        "required": ["ok", "url", "seq"],
        "properties": {
            "ok": {"const": True},
            "url": {
                "type": ["string", "null"],
                "description": "Whoever knows it reads every goal that is not private; null once it is closed.",
            },
            "seq": {"type": "integer", "minimum": 0},
        },
    }
    never = frozenset({404, 409, 423, 503})
    return _operation(f"page.{verb}", summary, "page", _json("Where the page is.", done), never)


def _batch() -> Json:
    one: Json = {
        "type": "object",
        "required": ["action", "request_key"],
        "additionalProperties": False,
        "properties": {
            "action": {
                "type": "string",
                "description": "What is no action that writes is refused by itself, as is what is wrong in the others.",
                "examples": [row.name for row in ACTIONS.values() if row.writes and not row.hidden],
            },
            "request_key": {"type": "string", "description": f"One of its own; it matches {KEY_PATTERN}"},
            "params": {
                "description": "An object, as the body of the action's own route.",
                "default": {},
            },
        },
    }
    asked: Json = {
        "type": "object",
        "required": ["actions"],
        "additionalProperties": False,
        "properties": {
            "actions": {"type": "array", "minItems": 1, "maxItems": ACTIONS_MAX, "items": one},
            "stop_on_refusal": {"type": "boolean", "default": False},
        },
    }
    summary = "Many actions in one request; each has its own request key, transaction and receipt."
    operation = _operation("batch", summary, "batch", _json("Each was answered.", _ANSWERS), _NEVER_FOR_ALL)
    example: Json = {"actions": [{"action": "goal.pause", "request_key": "pause-7", "params": {"goal_id": "docs"}}]}
    content: Json = {"application/json": {"schema": asked, "example": example}}
    return {
        **operation,
        "parameters": parts.common_parameters(),
        "requestBody": {"required": True, "content": content},
    }


_WITH_EXIT: Json = {
    "type": "object",
    "required": ["exit_code"],
    "properties": {"exit_code": {"type": "integer", "minimum": 0, "maximum": 8}},
}


def _and_exit(name: str) -> Json:
    """What an action's own route answers, with the exit code that goes with it."""
    described = parts.SCHEMAS[name]
    assert isinstance(described, dict)
    open_ended = {key: value for key, value in described.items() if key != "additionalProperties"}
    return {"allOf": [open_ended, _WITH_EXIT]}


_ANSWERS: Json = {
    "type": "object",
    "required": ["schema_version", "ok", "answers", "not_asked", "seq"],
    "properties": {
        "schema_version": {"const": "frontstage_batch_v1"},
        "ok": {"type": "boolean", "description": "Whether all were asked and none was refused."},
        "answers": {
            "type": "array",
            "items": {"oneOf": [_and_exit("Result"), _and_exit("Refusal")]},
            "description": "In the order of the actions.",
        },
        "not_asked": {"type": "integer", "minimum": 0, "description": "How many were left out after a refusal."},
        "seq": {"type": "integer", "minimum": 0},
    },
}
_HOOK: Json = {
    "type": "object",
    "required": ["name", "state", "cursor", "attempts", "reason", "delivered", "changed_at"],
    "properties": {
        "name": {"type": "string"},
        "state": {"enum": ["following", "retrying", "parked", "unconfigured"]},
        "cursor": {"type": "integer", "minimum": 0},
        "attempts": {"type": "integer", "minimum": 0},
        "reason": {"type": "string"},
        "delivered": {"type": "integer", "minimum": 0},
        "changed_at": {"type": "string", "format": "date-time"},
        "target": {"type": "string"},
        "behind_events": {"type": "integer", "minimum": 0},
        "behind_seconds": {"type": "number", "minimum": 0},
        "before_seq": {"type": ["integer", "null"]},
    },
}
_HEALTH: Json = {
    "type": "object",
    "required": ["ok", "version", "started_at_ms", "seq", "head", "writable", "waiting", "clock", "counters", "bot"],
    "properties": {
        "ok": {"type": "boolean"},
        "version": {"type": "string"},
        "started_at_ms": {"type": "integer"},
        "seq": {"type": "integer", "minimum": 0},
        "head": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "writable": {"type": "boolean"},
        "waiting": {"type": "integer", "minimum": 0},
        "clock": {"type": "object", "required": ["skew_ms", "jumped"]},
        "counters": {"type": "object"},
        "hooks": {"type": "object"},
        "bot": {"type": "object", "required": ["state"]},
    },
}
_CAPABILITIES: Json = {
    "type": "object",
    "required": ["schema_version", "version", "actions", "event_kinds"],
    "properties": {
        "schema_version": {"const": "frontstage_capabilities_v1"},
        "version": {"type": "string"},
        "actions": {"type": "array", "items": {"type": "object", "required": ["name", "writes", "basis"]}},
        "event_kinds": {"type": "array", "items": {"type": "string"}},
    },
}
