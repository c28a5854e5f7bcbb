"""Request keys: what makes a write repeatable, on the wire."""

import json

import pytest

from tests.support.homes import activate
from tests.support.served import served

WORK = {"goal_id": "docs", "todo_id": "todo_000"}


@pytest.fixture
async def daemon():
    async with served(lambda scribe: activate(scribe, todos=3)) as running:
        yield running


async def test_a_write_without_a_key_is_refused_and_nothing_is_done(daemon):
    before = daemon.seq
    answer = await daemon.ask("POST", "/v1/actions/todo.claim", who="builder", body=json.dumps(WORK).encode())
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "request_key_required")
    assert answer.document["details"] == {"header": "Idempotency-Key"}
    assert daemon.seq == before


@pytest.mark.parametrize("key", ["", " ", "a b", "a\tb", "é", "\xff", "x" * 161, "a;b", "key\x0b"])
async def test_a_key_that_is_none_is_refused_by_name(daemon, key):
    before = daemon.seq
    headers = {"Idempotency-Key": key}
    answer = await daemon.ask(
        "POST", "/v1/actions/todo.claim", who="builder", body=json.dumps(WORK).encode(), headers=headers
    )
    # A control character is no header at all, so that nobody can say which one it was.
    whole = key != "key\x0b"
    code = "request_key_malformed" if whole else "malformed_params"
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, code)
    assert not whole or answer.document["details"] == {"header": "Idempotency-Key"}
    assert daemon.seq == before


@pytest.mark.parametrize("key", ["k", "x" * 160, "A-Z_0.9:@/-", "k0190aabbccdd-0011223344556677"])
async def test_every_key_of_the_alphabet_is_taken(daemon, key):
    assert (await daemon.act("todo.claim", WORK, who="builder", key=key)).status == 200
    again = await daemon.act("todo.claim", WORK, who="builder", key=key)
    assert again.document["replayed"] is True


async def test_the_same_again_is_the_first_receipt_and_nothing_new(daemon):
    first = (await daemon.act("todo.claim", WORK, who="builder", key="one")).document
    before = daemon.seq
    again = (await daemon.act("todo.claim", WORK, who="builder", key="one")).document
    assert again == first | {"replayed": True}
    assert daemon.seq == before
    assert daemon.audited() == []


async def test_the_order_of_names_and_what_is_left_at_its_default_make_no_other_request(daemon):
    first = await daemon.act("todo.add", {"goal_id": "docs", "text": "More", "priority": "P2"}, key="one")
    again = await daemon.act("todo.add", {"text": "More", "goal_id": "docs"}, key="one")
    assert again.document["receipt_id"] == first.document["receipt_id"]
    assert again.document["replayed"] is True


@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("todo.add", {"goal_id": "docs", "text": "Other"}),
        ("todo.add", {"goal_id": "docs", "text": "More", "priority": "P0"}),
        ("todo.update", WORK | {"note": "More"}),
    ],
)
async def test_the_same_key_for_something_else_is_a_conflict_that_names_the_first(daemon, action, params):
    first = await daemon.act("todo.add", {"goal_id": "docs", "text": "More"}, key="one")
    before = daemon.seq
    other = await daemon.act(action, params, key="one")
    assert (other.status, other.exit_code, other.code) == (422, 1, "idempotency_conflict")
    assert other.document["details"] == {"receipt_id": first.document["receipt_id"]}
    assert daemon.seq == before
    assert [row["code"] for row in daemon.audited()] == ["idempotency_conflict"]


async def test_two_callers_with_one_key_never_meet(daemon):
    one = await daemon.act("todo.claim", WORK, who="builder", key="one")
    two = await daemon.act("todo.claim", WORK | {"todo_id": "todo_001"}, who="helper", key="one")
    assert two.status == 200
    assert one.document["receipt_id"] != two.document["receipt_id"]


async def test_a_replay_after_the_work_went_on_is_still_the_first_receipt(daemon):
    params = {"goal_id": "docs", "text": "More"}
    first = (await daemon.act("todo.add", params, key="one")).document
    named = {"goal_id": "docs", "todo_id": first["result"]["todo_id"]}
    await daemon.do("todo.update", named | {"text": "Something else", "priority": "P0"})
    await daemon.do("todo.cancel", named)
    await daemon.do("goal.stop", {"goal_id": "docs"})
    again = (await daemon.act("todo.add", params, key="one")).document
    assert again["replayed"] is True
    for name in ("receipt_id", "events", "result"):
        assert again[name] == first[name]
    assert again["seq"] == daemon.seq


async def test_a_replayed_lease_says_beside_it_how_the_lease_is_now(daemon):
    params = WORK | {"idempotency_key": "run-1", "ttl_seconds": 60}
    first = (await daemon.act("task-lease.acquire", params, who="builder", key="one")).document
    fence = WORK | {"idempotency_key": "run-1", "expected_version": 1}
    await daemon.do("task-lease.release", fence, who="builder")
    again = (await daemon.act("task-lease.acquire", params, who="builder", key="one")).document
    assert (again["replayed"], again["receipt_id"]) == (True, first["receipt_id"])
    assert first["result"]["lease"]["status"] == "active"
    assert again["result"]["lease"]["status"] == "released"


async def test_a_refusal_uses_up_no_key(daemon):
    fence = WORK | {"idempotency_key": "run-1"}
    refused = await daemon.act("task-lease.acquire", fence | {"ttl_seconds": 0}, who="builder", key="one")
    assert refused.code == "malformed_params"
    await daemon.do("todo.claim", WORK, who="helper")
    refused = await daemon.act("task-lease.acquire", fence, who="builder", key="one")
    assert refused.code == "owner_conflicts_with_claim"
    await daemon.do("todo.release", WORK, who="helper")
    taken = await daemon.act("task-lease.acquire", fence, who="builder", key="one")
    assert (taken.status, taken.document["replayed"]) == (200, False)


async def test_a_wish_that_holds_uses_up_no_key_either(daemon):
    await daemon.do("todo.claim", WORK, who="builder")
    held = (await daemon.act("todo.claim", WORK, who="builder", key="one")).document
    assert (held["outcome"], held["receipt_id"], held["events"][0]["kind"]) == ("noop", None, "held")
    await daemon.do("todo.release", WORK, who="builder")
    taken = (await daemon.act("todo.claim", WORK, who="builder", key="one")).document
    assert (taken["outcome"], taken["replayed"]) == ("committed", False)


async def test_a_revoked_caller_gets_no_receipt_back(daemon):
    await daemon.act("todo.claim", WORK, who="builder", key="one")
    await daemon.do("member.revoke", {"member_id": "builder"})
    again = await daemon.act("todo.claim", WORK, who="builder", key="one")
    assert (again.status, again.code) == (401, "credential_revoked")


async def test_the_same_key_twice_at_the_same_moment_is_one_effect(daemon):
    """Both are in one group of the writer, before either has a receipt."""
    connections = [await daemon.connect() for _ in range(8)]
    before = daemon.seq
    for connection in connections:
        connection.writer.write(request(daemon, "same"))
    answers = [(await connection.answer()).document for connection in connections]
    for connection in connections:
        connection.close()
    assert daemon.seq == before + 1
    assert sorted(answer["replayed"] for answer in answers) == [False] + [True] * 7
    assert len({answer["receipt_id"] for answer in answers}) == 1


def request(daemon, key):
    body = json.dumps(WORK).encode()
    lines = [
        "POST /v1/actions/todo.claim HTTP/1.1",
        "Host: test",
        f"Authorization: Bearer {daemon.made.tokens['builder']}",
        f"Idempotency-Key: {key}",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
