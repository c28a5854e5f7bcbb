"""Many actions in one request: each stands or falls by itself, in order."""

import json

import pytest

from daemon.api.batch import ACTIONS_MAX
from tests.support.homes import activate
from tests.support.served import served


@pytest.fixture
async def daemon():
    async with served(lambda scribe: activate(scribe, todos=3)) as running:
        yield running


def claim(todo_id, key, action="todo.claim"):
    return {"action": action, "request_key": key, "params": {"goal_id": "docs", "todo_id": todo_id}}


async def batch(daemon, actions, *, who="builder", **more):
    body = json.dumps({"actions": actions, **more}).encode()
    return await daemon.ask("POST", "/v1/batch", who=who, body=body)


THREE = [claim("todo_000", "a"), claim("todo_none", "b"), claim("todo_001", "c")]


async def test_one_that_is_refused_stops_no_other_and_answers_are_in_order(daemon):
    before = daemon.seq
    answer = await batch(daemon, THREE)
    assert (answer.status, answer.exit_code) == (200, 1)
    assert [one["ok"] for one in answer.document["answers"]] == [True, False, True]
    assert [one["exit_code"] for one in answer.document["answers"]] == [0, 3, 0]
    assert answer.document["answers"][1]["code"] == "todo_not_found"
    assert len({one.get("receipt_id") for one in answer.document["answers"]}) == 3
    assert (answer.document["ok"], answer.document["not_asked"], daemon.seq) == (False, 0, before + 2)


async def test_a_caller_may_have_it_stop_at_the_first_refusal(daemon):
    before = daemon.seq
    answer = await batch(daemon, THREE, stop_on_refusal=True)
    assert [one["ok"] for one in answer.document["answers"]] == [True, False]
    assert (answer.document["not_asked"], daemon.seq) == (1, before + 1)


async def test_the_same_batch_again_is_answered_from_its_receipts(daemon):
    actions = [claim("todo_000", "a"), claim("todo_001", "b")]
    first = (await batch(daemon, actions)).document
    before = daemon.seq
    again = (await batch(daemon, actions)).document
    assert [one["replayed"] for one in again["answers"]] == [True, True]
    assert [one["receipt_id"] for one in again["answers"]] == [one["receipt_id"] for one in first["answers"]]
    assert daemon.seq == before


async def test_a_later_action_sees_what_an_earlier_one_did(daemon):
    answer = await batch(daemon, [claim("todo_000", "a"), claim("todo_000", "b", "todo.release")])
    assert [one["outcome"] for one in answer.document["answers"]] == ["committed", "committed"]


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (claim("todo_000", "a b"), "request_key_malformed"),
        (claim("todo_000", "a", "todo.list"), "unknown_action"),
        (claim("todo_000", "a", "task-lease.expire"), "unknown_action"),
        (claim("todo_000", "a", "todo.paint"), "unknown_action"),
        (claim(7, "a"), "malformed_params"),
        ({"action": "todo.claim", "request_key": "a", "params": [1]}, "malformed_params"),
    ],
)
async def test_one_that_is_no_action_is_refused_alone(daemon, one, code):
    answer = await batch(daemon, [one, claim("todo_001", "z")])
    assert answer.document["answers"][0]["code"] == code
    assert answer.document["answers"][1]["ok"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"actions":[]}',
        b'{"actions":[{"action":"todo.claim"}]}',
        b'{"actions":[{"action":"todo.claim","request_key":"a","actor":"ann"}]}',
        json.dumps({"actions": [claim("todo_000", f"k{n}") for n in range(ACTIONS_MAX + 1)]}).encode(),
    ],
)
async def test_what_is_no_batch_does_nothing(daemon, body):
    before = daemon.seq
    answer = await daemon.ask("POST", "/v1/batch", who="builder", body=body)
    assert (answer.status, answer.code, daemon.seq) == (400, "malformed_params", before)


async def test_an_agents_batch_confirms_nothing_and_nobodys_is_not_read(daemon):
    accept = {"action": "goal.pause", "request_key": "p", "params": {"goal_id": "docs", "reason": "x"}}
    answer = await batch(daemon, [accept])
    assert answer.document["answers"][0]["code"] == "not_permitted"
    stranger = await daemon.ask("POST", "/v1/batch", who=None, headers={"Authorization": "Bearer x"}, body=b"{}")
    assert (stranger.status, stranger.code) == (401, "unauthenticated")
