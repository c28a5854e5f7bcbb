"""A plain write is taken where it is heard: the same answer as by the long way, in its turn, and never twice."""

import json

import pytest

from daemon.api.direct import plain_headers
from ledger.ports import StoreFault
from tests.support.homes import activate
from tests.support.served import Gate, Served, head, served, until

UPDATE = "/v1/actions/todo.update"
BODY = {"goal_id": "docs", "todo_id": "todo_000", "note": "Begun"}
SHOW = "/v1/actions/goal.show?goal_id=docs"
ODD = {"X-Trace": "1"}
"""No client of ours sends it, so that the request goes the long way."""


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


class Counted:
    """The server behind the guard, and what was passed on to it."""

    def __init__(self, inner):
        self._inner = inner
        self.heard = []

    def data_received(self, data):
        self.heard.append(data)
        self._inner.data_received(data)

    def __getattr__(self, name):
        return getattr(self._inner, name)


async def connected(daemon: Served):
    """A connection, and what is behind its guard."""
    guards = daemon.parts.watch._open
    before = set(guards.values())
    connection = await daemon.connect()
    await until(lambda: set(guards.values()) - before)
    (guard,) = set(guards.values()) - before
    guard._inner = Counted(guard._inner)
    return connection, guard


def write(daemon, body=BODY, key="key-1", who="builder", **headers):
    own = {"Authorization": f"Bearer {daemon.made.tokens[who]}"} if who else {}
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head("POST", UPDATE, {**own, "Idempotency-Key": key, **headers}, raw)


def show(daemon):
    return head("GET", SHOW, {"Authorization": f"Bearer {daemon.made.tokens['builder']}"}, None)


async def both_ways(request_of):
    """The same request in two equal ledgers, the short way and the long way: what came, and what was audited."""
    came = []
    for odd in ({}, ODD):
        async with served(activate) as daemon:
            connection, guard = await connected(daemon)
            await connection.send(request_of(daemon, **odd))
            answer = await connection.answer()
            audited = [entry | {"at_ms": 0} for entry in daemon.audited()]
            came.append((answer, daemon.seq, audited, vars(daemon.service.counters), bool(guard._inner.heard)))
    return came


@pytest.mark.parametrize(
    ("body", "headers", "is_short"),
    [
        (BODY, {}, True),
        (BODY, {"Accept": "text/plain"}, True),
        (BODY, {"X-Frontstage-Locale": "zh", "X-Frontstage-Surface": "cli"}, True),
        (BODY | {"todo_id": "todo_none"}, {}, True),
        (BODY | {"todo_id": "todo_none"}, {"Accept": "text/plain", "X-Frontstage-Locale": "zh"}, True),
        (BODY | {"goal_id": "none"}, {}, True),
        (BODY | {"note": 7}, {}, False),
        (b"{", {}, False),
        (b"", {}, False),
        (BODY, {"who": None}, True),
        (BODY, {"key": "not a key"}, False),
        (BODY, {"X-Frontstage-Surface": "lark"}, False),
        (BODY, {"Authorization": "Bearer nobody"}, False),
        (BODY, {"Authorization": "Basic x"}, False),
    ],
)
async def test_the_short_way_and_the_long_way_give_one_answer(body, headers, is_short):
    short, long = await both_ways(lambda daemon, **odd: write(daemon, body, **headers, **odd))
    assert short[:4] == long[:4]
    assert (short[4], long[4]) == (not is_short, True)


@pytest.mark.parametrize(
    "changed",
    [
        lambda raw: raw.replace(b"HTTP/1.1", b"HTTP/1.0"),
        lambda raw: raw.replace(b"Host: test", b"Host: test\r\nHost: other"),
        lambda raw: raw.replace(b"Host: test", b"Host: test\r\n and more"),
        lambda raw: raw.replace(b"Host: test", b"Host: t\xe9st"),
        lambda raw: raw.replace(b"Host: test", b"Host: te\x01st"),
        lambda raw: raw.replace(b"Host: test", b"Host: test\r\nConnection: close"),
        lambda raw: raw.replace(b"Host: test", b"Host: test\r\nContent-Encoding: deflate"),
        lambda raw: raw.replace(UPDATE.encode(), UPDATE.encode() + b"?x=1"),
        lambda raw: raw.replace(UPDATE.encode(), b"/v1/actions/todo.updat%65"),
        lambda raw: raw.replace(b"POST", b"PUT"),
        lambda raw: raw.replace(b"Idempotency-Key: key-1\r\n", b""),
        lambda raw: raw.replace(b"todo.update", b"task-lease.expire"),
        lambda raw: raw.replace(b"Content-Length", b"Content-Length ") + b" ",
        lambda raw: raw + b"G",
    ],
)
async def test_whatever_is_unusual_is_left_to_the_server_behind(daemon, changed):
    connection, guard = await connected(daemon)
    raw = changed(write(daemon))
    await connection.send(raw)
    await until(lambda: guard._inner.heard)
    assert guard._inner.heard == [raw]
    expected = {405} if raw.startswith(b"PUT") else {200, 400, 404}
    assert (await connection.answer()).status in expected


@pytest.mark.parametrize(
    ("lines", "headers"),
    [
        (b"Host: a\r\nACCEPT:b \r\n", {"host": "a", "accept": "b"}),
        (b"Connection: keep-alive\r\n", {"connection": "keep-alive"}),
        (b"Connection: Upgrade\r\n", None),
        (b"Host: a\r\nhost: b\r\n", None),
        (b"Cookie: a\r\n", None),
    ],
)
def test_header_lines_that_are_plain(lines, headers):
    assert plain_headers(lines) == headers


async def test_a_request_sent_again_gets_the_first_receipt_by_either_way(daemon):
    connection, _ = await connected(daemon)
    answers = []
    for headers in ({}, {}, ODD):
        await connection.send(write(daemon, **headers))
        answers.append((await connection.answer()).document)
    assert [answer["replayed"] for answer in answers] == [False, True, True]
    assert len({answer["receipt_id"] for answer in answers}) == 1


@pytest.mark.parametrize("ahead", [1, 3])
async def test_what_is_heard_meanwhile_waits_for_the_answer(daemon, ahead):
    connection, guard = await connected(daemon)
    gate = Gate(daemon.store)
    await connection.send(write(daemon))
    await until(lambda: daemon.service.waiting == 1)
    for number in range(ahead):
        await connection.send(show(daemon) if number % 2 == 0 else write(daemon, key=f"ahead-{number}"))
    await until(lambda: guard._held)
    assert guard._inner.heard == []
    gate.open()
    assert (await connection.answer()).document["outcome"] == "committed"
    shown = (await connection.answer()).document
    assert shown["truth_contract"]["goal_seq"] == shown["seq"]
    for number in range(1, ahead):
        assert (await connection.answer()).document["ok"], number


async def test_whoever_hangs_up_meanwhile_leaves_nothing_behind(daemon):
    connection, guard = await connected(daemon)
    gate, before = Gate(daemon.store), daemon.seq
    await connection.send(write(daemon))
    await until(lambda: daemon.service.waiting == 1)
    connection.close()
    await until(lambda: daemon.parts.watch.count == 0)
    gate.open()
    await until(lambda: daemon.seq == before + 1)
    await until(lambda: not guard.busy)
    assert (await daemon.read("goal.show", "?goal_id=docs")).status == 200


async def test_a_slow_commit_is_not_swept_and_what_rests_afterwards_is(daemon):
    connection, guard = await connected(daemon)
    gate = Gate(daemon.store)
    await connection.send(write(daemon))
    await until(lambda: daemon.service.waiting == 1)
    daemon.clock.advance(10_000_000)
    assert daemon.parts.watch.sweep() == 0
    gate.open()
    assert (await connection.answer()).status == 200
    assert (guard.busy, daemon.parts.watch.sweep()) == (0, 0)
    daemon.clock.advance(10_000_000)
    assert daemon.parts.watch.sweep() == 1


async def test_a_commit_that_fails_is_a_fault_and_says_nothing_of_its_outcome(daemon):
    daemon.store.fail(StoreFault("the disk is gone"))
    connection, guard = await connected(daemon)
    await connection.send(write(daemon))
    answer = await connection.answer()
    assert (answer.status, answer.exit_code, answer.code) == (500, 8, "fault")
    assert daemon.fatal
    await connection.send(write(daemon, key="key-2"))
    answer = await connection.answer()
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "shutting_down", "1")
    assert guard._inner.heard == []


async def test_a_daemon_that_stops_answers_what_it_has_taken():
    async with served(activate) as daemon:
        connection, _ = await connected(daemon)
        gate = Gate(daemon.store)
        await connection.send(write(daemon))
        await until(lambda: daemon.service.waiting == 1)
        gate.open()
    assert (await connection.answer()).document["outcome"] == "committed"
    assert await connection.ended() == b""
