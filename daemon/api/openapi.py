"""The API's own description, in OpenAPI 3.1: every route, what it takes, and all that it can answer with.

It is made from the table of actions and from the models that check what is sent, so that it cannot say anything else.
Parameters and answers beyond one action are described where their routes are (`openapi_parts`, `openapi_routes`).
"""

import shlex
from collections.abc import Mapping
from functools import cache

from daemon.api import openapi_parts as parts
from daemon.api.openapi_routes import beside
from daemon.api.openapi_together import OF_ACTIONS, OF_SCHEMAS, together, with_something_to_read
from daemon.cli.catalogue import ACTIONS as COMMANDS
from daemon.cli.parse import parse
from daemon.lock import VERSION
from ledger.catalogue import ACTIONS, Action

DESCRIPTION = (
    "One route for each action of the ledger, and a few beside them. The daemon listens on a Unix socket, which only "
    "its user can open; whoever asks is proved by a bearer token or, without one, by being that user. A refusal is an "
    "answer with a code, a sentence and a hint. A write carries an Idempotency-Key: asked again with the same key and "
    "parameters, it is answered with what it did, and does nothing twice."
)


@cache
def openapi_document() -> dict[str, object]:
    """The whole document."""
    outward = [action for action in ACTIONS.values() if not action.hidden]
    schemas: dict[str, object] = dict(parts.SCHEMAS)
    paths: dict[str, object] = {}
    for action in outward:
        made = action.params.model_json_schema(ref_template="#/components/schemas/{model}")
        schema = with_something_to_read(made)
        assert isinstance(schema, dict)
        schemas |= {name: together(one, name, OF_SCHEMAS) for name, one in schema.pop("$defs", {}).items()}
        paths[f"/v1/actions/{action.name}"] = _path(action, schema)
    nouns = dict.fromkeys(action.noun for action in outward)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Frontstage",
            "version": VERSION,
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "The daemon's own Unix socket; any host name will do."}],
        "tags": [{"name": name} for name in (*nouns, "batch", "feed", "hooks", "page", "operations")],
        "paths": paths | beside(),
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "member": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A member's token, as `frontstage token issue` prints it once.",
                }
            },
            "parameters": parts.PARAMETERS,
            "headers": parts.HEADERS,
            "responses": parts.RESPONSES,
        },
        "security": [{"member": []}, {}],
    }


def _path(action: Action, schema: dict[str, object]) -> dict[str, object]:
    good = parts.reference("schemas", "Result" if action.writes else "Document")
    operation: dict[str, object] = {
        "operationId": action.name,
        "summary": action.summary,
        "tags": [action.noun],
        "responses": {"200": parts.answered("Done." if action.writes else "What is true.", good), **parts.refusals()},
    }
    example = _example(action)
    if action.writes:
        content: dict[str, object] = {"schema": together(schema, action.name, OF_ACTIONS)}
        if example:
            content["example"] = example
        operation["parameters"] = [parts.reference("parameters", "RequestKey"), *parts.common_parameters()]
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
        return {"post": operation}
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    assert isinstance(properties, dict)
    assert isinstance(required, list | tuple)
    asked = [_query(name, properties[name], name in required, example) for name in properties]
    operation["parameters"] = [*asked, parts.reference("parameters", "At"), *parts.common_parameters()]
    return {"get": operation}


def _query(name: str, schema: dict[str, object], required: bool, example: Mapping[str, object]) -> dict[str, object]:  # noqa: FBT001
    """A parameter of a read. A list repeats its name; a query has no way to say `null`, it leaves a name out."""
    parameter: dict[str, object] = {
        "name": name,
        "in": "query",
        "required": required,
        "schema": _without_null(schema),
        "description": schema.get("description", ""),
    }
    if name in example:
        parameter["example"] = example[name]
    return parameter


def _without_null(schema: dict[str, object]) -> dict[str, object]:
    options = schema.get("anyOf")
    if not isinstance(options, list):
        return schema
    left = [one for one in options if one != {"type": "null"}]
    rest = {name: value for name, value in schema.items() if name not in {"anyOf", "default"}}
    return {**rest, **left[0]} if len(left) == 1 else {**rest, "anyOf": left}


def _example(action: Action) -> dict[str, object]:
    """The parameters of the example that the command line shows; what it leaves to its reader stays out."""
    if not action.example:
        return {}
    command = parse(shlex.split(action.example), COMMANDS)
    return {name: value for name, value in command.values.items() if name in action.params.model_fields}
