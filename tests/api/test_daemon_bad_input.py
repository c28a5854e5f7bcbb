"""Bad input on every route: a refusal that names the field, the right status, nothing written but the audit line."""

import json
from urllib.parse import quote

import pytest

from daemon.api.actions import BODY_SECONDS_MAX
from daemon.api.edge import BODY_BYTES_MAX
from daemon.relay.wire import BotHealth, Delivery, Lead, Message, Press
from ledger.catalogue import ACTIONS
from tests.support.bad_values import MISSING, bad_values, good, plain
from tests.support.homes import activate
from tests.support.served import served

OUTWARD = {row.name: row for row in ACTIONS.values() if not row.hidden}
WRITES = [name for name, row in OUTWARD.items() if row.writes]
READS = [name for name, row in OUTWARD.items() if not row.writes]
RELAYED = (("POST", "press", Press), ("POST", "message", Message), ("PUT", "deliveries", Delivery))
RELAYED += (("POST", "leader", Lead), ("PUT", "health", BotHealth))
KEY = {"Idempotency-Key": "key"}
LEFT_TO_A_RULE = {("criterion", "criterion_not_found")}
"""What a parameter may hold is decided by what there is, not by how it looks."""
FREE_TEXTS = {"query"}
"""Parameters of reads that hold words."""


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


def untouched(daemon):
    """What no refusal may change."""
    kept = daemon.records
    return daemon.seq, len(kept.events), len(kept.receipts), dict(kept.journal), dict(kept.deliveries)


def schema_of(model):
    schema = model.model_json_schema()
    return schema.get("properties", {}), schema.get("required", ()), schema.get("$defs", {})


def wrong_bodies(model):
    """A field, what is wrong with it, and a body in which nothing else is."""
    properties, required, definitions = schema_of(model)
    sound = {name: good(properties[name], definitions) for name in required}
    for name, schema in properties.items():
        for what, value in bad_values(schema, required=name in required, definitions=definitions):
            body = {key: known for key, known in sound.items() if key != name}
            yield name, what, body if value is MISSING else body | {name: value}
    yield "surprise", "unknown", sound | {"surprise": 1}


def named(answer):
    """The fields that a refusal names; those inside a list or an object by their parent."""
    details = answer.document["details"]
    fields = [part["field"] for part in details.get("fields", [])] + [details["field"]]
    return {field.split(".")[0] for field in fields}


def check(answer, action, field, what):
    """Whether it was refused by how it looks."""
    if (field, answer.code) in LEFT_TO_A_RULE or (what.startswith("too long") and answer.code == "body_too_large"):
        return False
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "malformed_params"), (field, what, answer.body)
    document = answer.document
    assert (document["ok"], document["outcome"], document["action"]) == (False, "rejected", action)
    # Half a character is not even JSON, so that the body is what is wrong.
    assert named(answer) == ({"body"} if what.startswith("half a character") else {field}), (field, what, document)
    assert document["details"]["problem"]
    assert document["message"]
    assert document["hint"]
    return True


@pytest.mark.parametrize("action", WRITES)
async def test_every_wrong_parameter_of_a_write_is_refused_by_name(daemon, action):
    before, tried = untouched(daemon), 0
    for field, what, body in wrong_bodies(OUTWARD[action].params):
        answer = await daemon.ask("POST", f"/v1/actions/{action}", body=json.dumps(body).encode(), headers=KEY)
        tried += check(answer, action, field, what)
    assert tried > 3
    assert untouched(daemon) == before
    assert daemon.service.counters.malformed == tried
    # Repeats are counted in few lines, so that nobody can make the chain grow at will.
    rows = daemon.audited()
    assert ("ann", action, "malformed_params") in {(row["actor"], row["action"], row["code"]) for row in rows}
    assert 1 <= len(rows) <= 3


@pytest.mark.parametrize("action", READS)
async def test_every_wrong_parameter_of_a_read_is_refused_by_name(daemon, action):
    before = untouched(daemon)
    properties, required, _ = schema_of(OUTWARD[action].params)
    sound = {name: str(good(properties[name])) for name in required}
    for name, schema in properties.items():
        for what, value in wrong_texts(schema, required=name in required, free=name in FREE_TEXTS):
            rest = [f"{key}={quote(known)}" for key, known in sound.items() if key != name]
            query = "&".join(rest + [f"{name}={part}" for part in value])
            answer = await daemon.read(action, f"?{query}")
            check(answer, action, name, what)
    unknown = await daemon.read(action, "?" + "&".join([f"{key}={known}" for key, known in sound.items()] + ["x=1"]))
    check(unknown, action, "x", "unknown")
    assert untouched(daemon) == before


def wrong_texts(schema, *, required, free=False):
    """As in a query: what is wrong, and the value, once or more than once, as it stands in the address."""
    if required:
        yield "missing", []
    part = next(part for part in plain(schema) if part.get("type") != "null")
    twice = quote(str(good(schema)))
    yield "given twice", [twice, twice]
    if part.get("type") == "integer":
        beyond = (str(part["maximum"] + 1), str(part.get("minimum", 0) - 1), "-1")
        for value in ("x", "1.5", "1e3", "0x10", "", "%C3%BC", "9" * 400, *beyond):
            yield f"integer {value[:9]}", [value]
        return
    # Words may be in any script and look like anything; they are only ever too long, or nothing at all.
    for value in (
        ("%00", "%20", "", "x" * 3_000)
        if free
        else ("%00", "%C3%BC%20", "%FF%FE", "%ED%A0%80", "x" * 3_000, "..%2F..%2Fetc")
    ):
        yield f"text {value[:9]}", [value]


@pytest.mark.parametrize(("method", "path", "model"), RELAYED)
async def test_every_wrong_field_of_what_the_bot_says_is_refused_by_name(daemon, method, path, model):
    before, tried = untouched(daemon), 0
    for field, what, body in wrong_bodies(model):
        answer = await daemon.ask(method, f"/v1/relay/{path}", who="bot", body=json.dumps(body).encode())
        tried += check(answer, "relay", field, what)
    assert tried > 3
    assert untouched(daemon) == before
    assert daemon.service.counters.malformed == tried


NOT_AN_OBJECT = {
    "nothing where something is needed": b"",
    "not JSON": b"objective=x",
    "half an object": b'{"goal_id": "docs"',
    "a list": b'[{"goal_id": "docs"}]',
    "a text": b'"docs"',
    "a number": b"1",
    "null": b"null",
    "two objects": b"{}{}",
    "no UTF-8": b'{"objective": "\xff\xfe"}',
    "UTF-16": '{"objective": "x"}'.encode("utf-16"),
    "half a character": b'{"objective": "\\ud800", "criterion": ["x"]}',
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep inside": b'{"objective": ' + b'{"a":' * 30_000 + b"1" + b"}" * 30_000 + b"}",
    "not a number": b'{"objective": NaN, "criterion": ["x"]}',
    "a comment": b'{"objective": "x" /* y */, "criterion": ["x"]}',
    "a control character": b'{"objective": "a\x01", "criterion": ["x"]}',
}


@pytest.mark.parametrize("body", NOT_AN_OBJECT.values(), ids=NOT_AN_OBJECT)
async def test_what_is_no_object_of_parameters_is_refused(daemon, body):
    before = untouched(daemon)
    answer = await daemon.ask("POST", "/v1/actions/goal.propose", body=body, headers=KEY)
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "malformed_params")
    assert answer.document["details"]["field"] in {"body", "objective"}
    assert untouched(daemon) == before
    assert len(daemon.audited()) == 1


async def test_the_largest_body_is_taken_and_a_byte_more_is_not(daemon):
    sound = json.dumps({"objective": "x" * 9_000, "criterion": ["Done"]}).encode()
    largest = sound[:-1] + b" " * (BODY_BYTES_MAX - len(sound)) + b"}"
    assert len(largest) == BODY_BYTES_MAX
    before = untouched(daemon)
    for size_more in (1, 50_000, 5_000_000):
        refused = await daemon.ask(
            "POST", "/v1/actions/goal.propose", body=largest[:-1] + b" " * size_more + b"}", headers=KEY
        )
        assert (refused.status, refused.exit_code, refused.code) == (400, 2, "body_too_large")
        assert refused.document["details"] == {"limit_bytes": BODY_BYTES_MAX}
    assert untouched(daemon) == before
    taken = await daemon.ask("POST", "/v1/actions/goal.propose", body=largest, headers=KEY)
    assert taken.status == 200


@pytest.mark.parametrize("size_bytes", [BODY_BYTES_MAX + 1, 290_000, 400_000])
async def test_a_body_in_pieces_is_measured_as_well(daemon, size_bytes):
    piece = b" " * 1_000
    pieces = b"".join(b"3e8\r\n" + piece + b"\r\n" for _ in range(size_bytes // 1_000 + 1)) + b"0\r\n\r\n"
    answer = await daemon.ask(
        "POST", "/v1/actions/goal.propose", body=pieces, headers=KEY | {"Transfer-Encoding": "chunked"}
    )
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "body_too_large")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize(("path", "who"), [("actions/goal.propose", "ann"), ("relay/press", "bot")])
async def test_a_body_that_cannot_be_unpacked_is_refused(daemon, encoding, path, who):
    before = untouched(daemon)
    answer = await daemon.ask(
        "POST", f"/v1/{path}", who=who, body=b"not packed", headers=KEY | {"Content-Encoding": encoding}
    )
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "malformed_params")
    assert answer.document["details"]["field"] == "body"
    assert untouched(daemon) == before


@pytest.mark.parametrize("action", OUTWARD)
async def test_the_wrong_method_does_nothing_and_is_told_the_right_one(daemon, action):
    before = untouched(daemon)
    right = "POST" if OUTWARD[action].writes else "GET"
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - {right}:
        answer = await daemon.ask(method, f"/v1/actions/{action}", headers=KEY, body=b"{}")
        assert (answer.status, answer.exit_code, answer.code) == (405, 2, "method_not_allowed"), method
        assert answer.headers["allow"] == right
    assert untouched(daemon) == before


@pytest.mark.parametrize(
    "path",
    [
        "/v1/actions/goal.destroy",
        "/v1/actions/",
        "/v1/actions/Goal.Show",
        "/v1/actions/goal.show/",
        "/v1/actions/goal%2Eshow%00",
        "/v2/actions/goal.show",
        "/",
        "/%ED%A0%80",
        "/v1/relay/slots/../press",
        "/v1/actions/" + "x" * 4_000,
    ],
)
async def test_what_is_no_route_is_an_unknown_action(daemon, path):
    for method in ("GET", "POST"):
        answer = await daemon.ask(method, path, headers=KEY)
        assert (answer.status, answer.exit_code, answer.code) == (404, 3, "unknown_action")
        assert len(answer.document["action"]) <= 64


@pytest.mark.parametrize("locale", ["en", "zh", "zh-CN", "fr", "", "\xff"])
async def test_a_refusal_is_text_for_a_person_in_their_language(daemon, locale):
    headers = KEY | {"Accept": "text/plain", "X-Frontstage-Locale": locale}
    answer = await daemon.ask("POST", "/v1/actions/todo.release", body=b'{"goal_id": "docs"}', headers=headers)
    assert (answer.status, answer.exit_code) == (400, 2)
    assert answer.headers["content-type"].startswith("text/plain")
    text = answer.body.decode()
    assert "todo_id" in text
    assert ("字段" in text) is locale.startswith("zh")
    assert text.endswith("\n")


async def test_a_value_that_is_refused_is_not_repeated(daemon):
    """It may be private, and whoever sent it knows it."""
    secret = "my private text"
    for body in ({"goal_id": secret, "todo_id": "todo_000"}, {"goal_id": "docs", "todo_id": 5, "note": secret}):
        answer = await daemon.act("todo.claim", body)
        assert secret not in answer.body.decode()
    assert secret not in json.dumps(daemon.audited())


async def test_text_is_data_whatever_is_in_it(daemon):
    """NUL, controls, marks of direction and markup are words like others: taken, and given back as they were."""
    text = "a\x00b\x1b[31m \u202egnp.exe <at id=all></at> **bold** \ufeff😀" + "目" * 300
    done = await daemon.do("todo.add", {"goal_id": "docs", "text": text})
    (row,) = daemon.store.events(done["seq"] - 1)
    assert json.loads(row.words)["title"] == text
    shown = await daemon.read("todo.list", "?goal_id=docs")
    assert text in [todo["title"] for todo in shown.document["todos"]]
    line = await daemon.ask("GET", "/v1/actions/todo.list?goal_id=docs", headers={"Accept": "text/plain"})
    assert "gnp.exe" in line.body.decode()
    assert not {"\x00", "\x1b", "\u202e"} & set(line.body.decode())


async def test_a_body_that_does_not_come_is_not_waited_for_beyond_its_time(daemon, monkeypatch):
    monkeypatch.setattr("daemon.api.actions.BODY_SECONDS_MAX", 0.05)
    monkeypatch.setattr("daemon.relay.routes.BODY_SECONDS_MAX", 0.05)
    assert BODY_SECONDS_MAX < 20
    for path, who in (("actions/todo.claim", "builder"), ("relay/press", "bot")):
        headers = KEY | {"Content-Length": "100"}
        answer = await daemon.ask("POST", f"/v1/{path}", who=who, body=b'{"goal_id"', headers=headers)
        assert (answer.status, answer.code) == (400, "malformed_params")
        assert answer.document["details"]["problem"] == "the body did not arrive in time"


@pytest.mark.parametrize("header", ["Bearer fs_very_private_credential_0123\x01", "Bearer fs_" + "x" * 20_000])
async def test_what_is_no_http_is_refused_without_quoting_it(header):
    async with served() as daemon:
        connection = await daemon.connect()
        asked = f"GET /v1/actions/goal.list HTTP/1.1\r\nHost: x\r\nAuthorization: {header}\r\n\r\n"
        await connection.send(asked.encode())
        raw = await connection.ended()
    head, _, body = raw.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"X-Frontstage-Exit: 2" in head
    assert json.loads(body)["code"] == "malformed_params"
    assert b"fs_" not in raw


@pytest.mark.parametrize(("method", "path", "model"), RELAYED)
async def test_what_the_bot_relays_names_no_field_twice(daemon, method, path, model):
    """Of two values under one name one reader takes the first and another the last."""
    properties, required, definitions = schema_of(model)
    name = next(iter(required or properties))
    sound = json.dumps({known: good(properties[known], definitions) for known in {name, *required}})
    twice = sound[:-1] + f", {json.dumps(name)}: {json.dumps(json.loads(sound)[name])}" + "}"
    before = untouched(daemon)
    answer = await daemon.ask(method, f"/v1/relay/{path}", body=twice.encode(), who="bot")
    assert (answer.status, answer.code, named(answer)) == (400, "malformed_params", {name})
    assert untouched(daemon) == before


async def test_a_whole_number_may_be_written_with_a_point():
    """To JSON `60.0` is an integer, and so is it to whoever sends what the API's description allows."""
    async with served(activate) as daemon:
        asked = {"goal_id": "docs", "todo_id": "todo_000", "idempotency_key": "run-1", "ttl_seconds": 60}
        for written, code in (
            (b"60.0", ""),
            (b"6e1", ""),
            (b"60.5", "malformed_params"),
            (b"1e400", "malformed_params"),
        ):
            body = json.dumps(asked).encode().replace(b"60", written)
            headers = {"Idempotency-Key": "lease-1"}
            got = await daemon.ask("POST", "/v1/actions/task-lease.acquire", who="builder", body=body, headers=headers)
            assert got.code == code, written
        assert got.status == 400
