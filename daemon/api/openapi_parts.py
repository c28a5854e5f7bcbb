"""What many routes of the API's description have in common: envelopes, headers, parameters, refusals."""

from ledger.ids import KEY_PATTERN
from ledger.refusals import STATUS, RefusalClass

Json = dict[str, object]

SEQ_MAX = 9_007_199_254_740_991
OUTCOMES = sorted({status.outcome for status in STATUS.values()})
MEANINGS: dict[RefusalClass, str] = {
    RefusalClass.USAGE: "It cannot be read, or a parameter does not hold.",
    RefusalClass.METHOD: "The path is there, and is asked by another method: `Allow` says which.",
    RefusalClass.NOT_FOUND: "There is no such thing, or no such route.",
    RefusalClass.DENIED: "The caller may not.",
    RefusalClass.UNAUTHENTICATED: "The caller is not proved, or no longer.",
    RefusalClass.STALE: "What it was based on has moved: read again, then decide again.",
    RefusalClass.RULE: "A rule of the ledger says no.",
    RefusalClass.ALL_GAP: "A rule of the ledger says no.",
    RefusalClass.WAITING: "It waits for a person.",
    RefusalClass.BUSY: "Nothing was done; ask again with the same key, when `Retry-After` says so.",
    RefusalClass.FAULT: "Whether it was done is unknown; the same key settles it.",
}


def reference(kind: str, name: str) -> Json:
    """A part that is described once."""
    return {"$ref": f"#/components/{kind}/{name}"}


def answered(description: str, schema: Json) -> Json:
    """A good answer, for a program or for a person."""
    return {
        "description": description,
        "headers": {"X-Frontstage-Exit": reference("headers", "Exit")},
        "content": {"application/json": {"schema": schema}, "text/plain": {"schema": {"type": "string"}}},
    }


def refusals(*, without: frozenset[int] = frozenset()) -> Json:
    """Every way in which a route can say no, by status."""
    statuses = sorted({status.http_status for status in STATUS.values()} - without)
    return {str(status): reference("responses", f"Refused{status}") for status in statuses}


def common_parameters() -> list[Json]:
    """What any caller may say about the answer that is wanted."""
    return [reference("parameters", "Locale"), reference("parameters", "Surface")]


def _refused(status: int) -> Json:
    classes = [name for name, row in STATUS.items() if row.http_status == status]
    headers: Json = {"X-Frontstage-Exit": reference("headers", "Exit")}
    if RefusalClass.BUSY in classes:
        headers["Retry-After"] = reference("headers", "RetryAfter")
    if RefusalClass.METHOD in classes:
        headers["Allow"] = reference("headers", "Allow")
    return {
        "description": " ".join(dict.fromkeys(MEANINGS[name] for name in classes)),
        "headers": headers,
        "content": {
            "application/json": {"schema": reference("schemas", "Refusal")},
            "text/plain": {"schema": {"type": "string"}},
        },
    }


RESPONSES: Json = {f"Refused{row.http_status}": _refused(row.http_status) for row in STATUS.values()}
HEADERS: Json = {
    "Exit": {
        "description": "What the command line would end with.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0, "maximum": 8},
    },
    "RetryAfter": {
        "description": "Seconds after which asking again makes sense.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "Allow": {"description": "The methods of this path.", "required": True, "schema": {"type": "string"}},
}
PARAMETERS: Json = {
    "RequestKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": True,
        "schema": {"type": "string", "pattern": KEY_PATTERN},
        "description": "Chosen by the caller; with it the same request can be asked again, and is done once.",
        "example": "import-7/1",
    },
    "At": {
        "name": "at",
        "in": "query",
        "required": False,
        "schema": {"type": "integer", "minimum": 1, "maximum": 9_999_999_999_999_999},
        "description": "The document as it was after the event with this seq.",
    },
    "Locale": {
        "name": "X-Frontstage-Locale",
        "in": "header",
        "required": False,
        "schema": {"type": "string", "default": "en"},
        "description": "The language of sentences: Chinese where it begins with `zh`, English for all else.",
    },
    "Surface": {
        "name": "X-Frontstage-Surface",
        "in": "header",
        "required": False,
        "schema": {"type": "string", "enum": ["cli", "http", "mcp"], "default": "http"},
        "description": "By which way the caller works; it is recorded with what is done.",
    },
}
_SEQ: Json = {"type": "integer", "minimum": 0, "maximum": SEQ_MAX, "description": "Where the ledger stands."}
SCHEMAS: Json = {
    "Refusal": {
        "type": "object",
        "description": "Why nothing was done.",
        "required": [
            "schema_version", "ok", "action", "outcome", "code", "message", "hint", "details", "basis", "seq",
        ],
        "additionalProperties": False,
        "properties": {
            "schema_version": {"const": "frontstage_result_v1"},
            "ok": {"const": False},
            "action": {"type": "string"},
            "outcome": {"enum": OUTCOMES},
            "code": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
            "message": {"type": "string", "description": "The reason, in the caller's language."},
            "hint": {"type": "string", "description": "The next step, in the caller's language; may be empty."},
            "details": {"type": "object", "description": "Names and numbers, never words or secrets."},
            "basis": {"type": ["string", "null"], "description": "What to decide on now, where a basis had moved."},
            "seq": _SEQ,
        },
    },
    "Result": {
        "type": "object",
        "description": "What a write did, or the event by which it held already.",
        "required": [
            "schema_version", "ok", "action", "outcome", "receipt_id", "replayed", "seq", "events", "result", "cli",
        ],
        "properties": {
            "schema_version": {"const": "frontstage_result_v1"},
            "ok": {"const": True},
            "action": {"type": "string"},
            "outcome": {"enum": ["committed", "partial", "noop"]},
            "receipt_id": {"type": ["string", "null"]},
            "replayed": {"type": "boolean", "description": "Whether the key had done this before."},
            "seq": _SEQ,
            "events": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["seq", "kind"],
                    "properties": {"seq": {"type": "integer", "minimum": 1}, "kind": {"type": "string"}},
                },
            },
            "result": {"type": "object"},
            "cli": {"type": "string", "description": "The line that does the same from a shell."},
        },
    },
    "Document": {
        "type": "object",
        "description": "A projection: what is true, as this caller may see it.",
        "required": ["schema_version", "ok", "seq"],
        "properties": {
            "schema_version": {"type": "string"},
            "ok": {"const": True},
            "seq": _SEQ,
            "source_warnings": {"type": "array", "items": {"type": "object"}},
        },
    },
}  # fmt: skip
