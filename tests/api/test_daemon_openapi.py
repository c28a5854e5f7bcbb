"""The API's own description: a sound document, and the same as the table, the command line and the answers."""

from collections.abc import Iterator

import pytest
import schemathesis

from daemon.api.batch import ACTIONS_MAX, _Asked, _One
from daemon.api.openapi import openapi_document
from daemon.cli.catalogue import ACTIONS as COMMANDS
from daemon.hooks.routes import RetryHook
from ledger.catalogue import ACTIONS
from ledger.ids import KEY_PATTERN
from ledger.refusals import STATUS
from ledger.wire import all_kinds
from tests.support.homes import activate
from tests.support.served import served

OUTWARD = {row.name: row for row in ACTIONS.values() if not row.hidden}
OPERATIONS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
BESIDE = {
    "/capabilities", "/healthz", "/metrics", "/openapi.json", "/readyz",
    "/v1/batch", "/v1/feed", "/v1/hooks", "/v1/hooks/retry", "/v1/page", "/v1/page/close",
}  # fmt: skip
WORK = {"goal_id": "docs", "todo_id": "todo_000"}


@pytest.fixture(scope="module")
def document():
    return openapi_document()


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


def operations(document) -> Iterator[tuple[str, str, dict]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def of_actions(document) -> Iterator[tuple[str, str, dict]]:
    """What is made from the table; the others stand beside it."""
    return (found for found in operations(document) if found[0] not in BESIDE)


def resolved(document, node):
    """What a reference leads to, or the thing itself."""
    if "$ref" not in node:
        return node
    for part in node["$ref"].removeprefix("#/").split("/"):
        document = document[part]
    return document


def parameters(document, operation):
    return [resolved(document, parameter) for parameter in operation.get("parameters", [])]


def nodes(value):
    """Every object in the document."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from nodes(part)
    if isinstance(value, list | tuple):
        for part in value:
            yield from nodes(part)


def test_it_describes_many_actions_in_one_request(document):
    asked = document["paths"]["/v1/batch"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    one = asked["properties"]["actions"]["items"]
    assert (asked["properties"]["actions"]["maxItems"], one["required"]) == (ACTIONS_MAX, ["action", "request_key"])
    assert set(one["properties"]["action"]["examples"]) == {name for name, row in OUTWARD.items() if row.writes}
    assert one["properties"].keys() == set(_One.__struct_fields__)
    assert asked["properties"].keys() == set(_Asked.__struct_fields__)


async def test_it_is_served_as_it_is_made(daemon, document):
    answer = await daemon.ask("GET", "/openapi.json", who=None)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.document == document


def test_it_has_the_form_that_the_specification_asks_for(document):
    assert document["openapi"].startswith("3.1.")
    assert {"title", "version"} <= document["info"].keys()
    seen = set()
    for path, method, operation in operations(document):
        assert path.startswith("/")
        assert method in OPERATIONS
        assert operation["operationId"] not in seen
        seen.add(operation["operationId"])
        assert operation["summary"].strip()
        assert operation["responses"]
        for status, response in operation["responses"].items():
            assert status.isdigit()
            assert len(status) == 3
            assert "$ref" in response or response["description"]
        names = [(parameter["name"], parameter["in"]) for parameter in parameters(document, operation)]
        assert len(names) == len(set(names))
        for parameter in parameters(document, operation):
            assert parameter["in"] in {"query", "header", "path", "cookie"}
            assert isinstance(parameter["required"], bool)
            assert "schema" in parameter


def test_every_reference_leads_somewhere(document):
    for node in nodes(document):
        if "$ref" in node:
            target = document
            assert node["$ref"].startswith("#/")
            for part in node["$ref"][2:].split("/"):
                target = target[part]


def test_every_schema_names_known_types(document):
    for node in nodes(document):
        if isinstance(node.get("type"), str) and "scheme" not in node:
            assert node["type"] in TYPES, node


def test_it_is_the_table(document):
    assert set(document["paths"]) == {f"/v1/actions/{name}" for name in OUTWARD} | BESIDE
    for path, method, operation in of_actions(document):
        row = OUTWARD[path.removeprefix("/v1/actions/")]
        assert method == ("post" if row.writes else "get")
        assert operation["operationId"] == row.name
        schema = row.params.model_json_schema()
        required = set(schema.get("required", ()))
        if row.writes:
            body = operation["requestBody"]
            described = body["content"]["application/json"]["schema"]
            assert body["required"] is True
            assert described["properties"].keys() == row.params.model_fields.keys() if row.params.model_fields else True
            assert set(described.get("required", ())) == required
            assert described["additionalProperties"] is False
            key, *_ = parameters(document, operation)
            assert (key["name"], key["in"], key["required"]) == ("Idempotency-Key", "header", True)
            assert key["schema"]["pattern"] == KEY_PATTERN
        else:
            asked = [one for one in parameters(document, operation) if one["in"] == "query"]
            assert {one["name"] for one in asked} == row.params.model_fields.keys() | {"at"}
            assert {one["name"] for one in asked if one["required"]} == required


def test_it_names_every_status_there_is(document):
    statuses = {str(status.http_status) for status in STATUS.values()} | {"200"}
    for path, _, operation in of_actions(document):
        assert operation["responses"].keys() == statuses, path


def test_the_command_line_has_the_same_actions_and_parameters():
    commands = {f"{noun}.{verb}": spec for noun, verbs in COMMANDS.items() for verb, spec in verbs.items()}
    assert commands.keys() == OUTWARD.keys()
    for name, row in OUTWARD.items():
        spec = commands[name]
        assert spec.get("writes", False) is row.writes, name
        assert spec.get("mints") == row.mints, name
        assert spec["parameters"].keys() == row.params.model_fields.keys(), name
        required = {field for field, parameter in spec["parameters"].items() if parameter.get("required")}
        assert required == set(row.params.model_json_schema().get("required", ())) - {row.mints}, name


async def test_capabilities_are_the_table_and_the_kinds_of_events(daemon):
    answer = await daemon.ask("GET", "/capabilities", who=None)
    said = answer.document
    assert {(row["name"], row["writes"], row["basis"]) for row in said["actions"]} == {
        (row.name, row.writes, row.basis) for row in OUTWARD.values()
    }
    assert set(said["event_kinds"]) == {f"{kind.name}/{kind.version}" for kind in all_kinds()}


def test_it_is_sound_by_the_specification_s_own_schema(document):
    schemathesis.openapi.from_dict(document).validate()


async def test_what_is_answered_is_what_is_described(daemon, document):
    schemas = document["components"]["schemas"]
    done = (await daemon.act("todo.claim", WORK, who="builder")).document
    assert set(schemas["Result"]["required"]) == done.keys()
    assert done["outcome"] in schemas["Result"]["properties"]["outcome"]["enum"]
    refused = (await daemon.act("todo.claim", WORK, who="helper")).document
    assert schemas["Refusal"]["properties"].keys() == refused.keys() == set(schemas["Refusal"]["required"])
    read = (await daemon.read("todo.list", "?goal_id=docs")).document
    assert set(schemas["Document"]["required"]) <= read.keys()


async def test_another_method_is_told_which_there_are(daemon):
    for path, method, allowed in (
        ("/v1/actions/todo.claim", "GET", "POST"),
        ("/v1/actions/todo.list", "POST", "GET"),
        ("/v1/actions/todo.list", "DELETE", "GET"),
        ("/v1/hooks/retry", "PUT", "POST"),
        ("/healthz", "OPTIONS", "GET"),
    ):
        answer = await daemon.ask(method, path)
        assert (answer.status, answer.code, answer.headers["allow"]) == (405, "method_not_allowed", allowed), path
        assert answer.document["details"]["allowed"] == [allowed]
    assert (await daemon.ask("GET", "/v1/actions/todo.nothing")).code == "unknown_action"


def test_what_a_hook_is_retried_with_is_what_is_described(document):
    operation = document["paths"]["/v1/hooks/retry"]["post"]
    described = operation["requestBody"]["content"]["application/json"]["schema"]
    model = RetryHook.model_json_schema()
    assert described["properties"].keys() == model["properties"].keys()
    assert described["required"] == model["required"]
    assert described["properties"]["name"]["pattern"] == model["properties"]["name"]["pattern"]


@pytest.mark.parametrize("name", sorted(name for name, row in OUTWARD.items() if row.writes))
def test_an_example_of_a_body_is_what_may_be_sent(document, name):
    """But for what an example leaves to its reader: a secret that is made, or a basis that is shown."""
    example = document["paths"][f"/v1/actions/{name}"]["post"]["requestBody"]["content"]["application/json"]["example"]
    left_out = {OUTWARD[name].mints, "basis"}
    fields = {field: value for field, value in example.items() if field not in left_out}
    schema = OUTWARD[name].params.model_json_schema()
    assert fields.keys() >= set(schema.get("required", ())) - left_out


async def test_every_described_route_answers(daemon, document):
    """A description of what is not there would be worse than none."""
    for path, method, _ in operations(document):
        if path == "/v1/feed":
            continue  # It has no end.
        answer = await daemon.ask(method.upper(), path, headers={"Idempotency-Key": "key"}, body=b"{}")
        assert b"unknown_action" not in answer.body, path
