"""What is said twice leaves open what was meant: it is refused by name, and nothing is done."""

import json

import pytest

from ledger.params import NamedTwice, require_named_once
from tests.support.homes import activate, secret_of
from tests.support.served import head, served

TWICE = {
    "first": (b'{"goal_id":"docs","text":"One","text":"Two"}', "text"),
    "spelled otherwise": (b'{"goal_id":"docs","text":"One","te\\u0078t":"Two"}', "text"),
    "with one value": (b'{"goal_id":"docs","goal_id":"docs","text":"One"}', "goal_id"),
    "beside a text with colons": (b'{"goal_id":"docs","text":"http://a","text":"a: b: c"}', "text"),
}
LANE = '{"lane_id":"links","title":"Check","title":"Drop"}'


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


async def sent(daemon, lines, body, path="/v1/actions/todo.add"):
    connection = await daemon.connect()
    raw = head("POST", path, {"Authorization": f"Bearer {secret_of('ann')}", "Idempotency-Key": "k-1"}, body)
    await connection.send(raw.replace(b"Host: test\r\n", b"Host: test\r\n" + lines))
    answer = await connection.answer()
    connection.close()
    return answer


@pytest.mark.parametrize(("body", "field"), TWICE.values(), ids=TWICE)
@pytest.mark.parametrize("lines", [b"", b"X-Other: 1\r\n"], ids=["short way", "long way"])
async def test_a_field_that_is_named_twice_is_refused(daemon, body, field, lines):
    before = daemon.seq
    answer = await sent(daemon, lines, body)
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "malformed_params")
    problem = {"field": field, "problem": "given more than once"}
    assert answer.document["details"] == {"fields": [problem], **problem}
    assert daemon.seq == before


async def test_colons_in_a_text_are_no_names(daemon):
    assert (await sent(daemon, b"", b'{"goal_id":"docs","text":"http://a: b: c, \\"text\\":"}')).status == 200


@pytest.mark.parametrize("name", ["Authorization", "authorization", "Idempotency-Key", "IDEMPOTENCY-KEY"])
async def test_a_header_that_says_who_or_what_again_comes_once(daemon, name):
    before = daemon.seq
    value = f"Bearer {secret_of('builder')}" if name.lower() == "authorization" else "k-2"
    answer = await sent(daemon, f"{name}: {value}\r\n".encode(), b'{"goal_id":"docs","text":"One"}')
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "malformed_params")
    assert answer.document["details"]["field"].lower() == name.lower()
    assert daemon.seq == before


@pytest.mark.parametrize(
    "body",
    [
        b'{"actions":[{"action":"todo.add","request_key":"a","params":{"goal_id":"docs","text":"x"}}],"actions":[%s]}',
        b'{"actions":[{"action":"member.add","action":"todo.add","request_key":"a","params":{"goal_id":"docs"}},%s]}',
        b'{"actions":[{"action":"todo.add","request_key":"a","request_key":"b","params":{"goal_id":"docs"}},%s]}',
        b'{"actions":[{"action":"todo.add","request_key":"a","params":{"goal_id":"x","goal_id":"docs"}},%s]}',
        b'{"stop_on_refusal":true,"stop_on_refusal":false,"actions":[%s]}',
    ],
)
async def test_a_batch_that_names_a_field_twice_does_nothing(daemon, body):
    one = b'{"action":"todo.add","request_key":"c","params":{"goal_id":"docs","text":"x"}}'
    before = daemon.seq
    answer = await daemon.ask("POST", "/v1/batch", body=body % one)
    assert (answer.status, answer.code, daemon.seq) == (400, "malformed_params", before)
    assert answer.document["details"]["problem"] == "given more than once"


@pytest.mark.parametrize("lane", [LANE, json.loads('{"lane_id":"links","title":"Check"}')], ids=["twice", "once"])
async def test_a_lane_that_names_a_field_twice_is_refused_by_that_name(daemon, lane):
    body = json.dumps({"goal_id": "docs", "lane": [lane]}).encode()
    said = json.dumps((await sent(daemon, b"", body, "/v1/actions/plan.propose")).document)
    assert ("title is given more than once" in said) == (lane == LANE), said


@pytest.mark.parametrize("text", ['{"a":1,"a":1}', '[{"b":{"a":1,"c":2,"a":3}}]', '{"\\ud800":1,"\\ud800":2}'])
def test_a_name_is_found_twice_at_any_depth(text):
    with pytest.raises(NamedTwice):
        require_named_once(text)


@pytest.mark.parametrize("text", ["1" * 5_000, '{"a":{"a":1}}', '[{"a":1},{"a":2}]', '"a:a"', "{}"])
def test_a_name_in_two_objects_is_no_name_twice(text):
    require_named_once(text)
