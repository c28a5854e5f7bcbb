"""The queue before the writer: bounded, honest about being full, and answered to the last command at the end."""

import asyncio
import json
import socket
import time

import pytest

from daemon import service as service_module
from tests.support.daemons import daemon_on_fresh_home
from tests.support.homes import activate
from tests.support.served import Gate, head, served, until

STOP_S_MAX = 5


@pytest.fixture
async def daemon():
    async with served(lambda scribe: activate(scribe, todos=40)) as running:
        yield running


async def ask_later(daemon, number, key=None):
    """A claim that has been sent and not yet answered."""
    body = json.dumps({"goal_id": "docs", "todo_id": f"todo_{number:03d}"}).encode()
    headers = {"Authorization": f"Bearer {daemon.made.tokens['builder']}", "Idempotency-Key": key or f"key-{number}"}
    connection = await daemon.connect()
    await connection.send(head("POST", "/v1/actions/todo.claim", headers, body))
    return connection


async def test_a_full_queue_is_busy_at_once_and_uses_up_no_key(daemon, monkeypatch):
    monkeypatch.setattr(service_module, "QUEUE_MAX", 5)
    gate = Gate(daemon.store)
    waiting = [await ask_later(daemon, number) for number in range(5)]
    await until(lambda: daemon.service.waiting == 5)
    before = daemon.seq
    for number in range(5, 8):
        turned_away = await ask_later(daemon, number)
        answer = await turned_away.answer()
        assert (answer.status, answer.exit_code, answer.code) == (503, 7, "busy")
        assert answer.headers["retry-after"] == "1"
        assert answer.document["details"] == {"retry_after_s": 1}
        turned_away.close()
    assert daemon.service.counters.busy == 3
    # Readers are not held up by those who write.
    assert (await daemon.read("todo.list", "?goal_id=docs")).document["seq"] == before
    gate.open()
    assert [(await connection.answer()).status for connection in waiting] == [200] * 5
    again = await ask_later(daemon, 5)
    assert (await again.answer()).document["replayed"] is False
    assert daemon.seq == before + 6
    assert daemon.audited() == []


async def test_what_waited_together_is_written_together(daemon):
    gate = Gate(daemon.store)
    first = await ask_later(daemon, 0)
    await until(lambda: daemon.service.waiting == 1)
    others = [await ask_later(daemon, number) for number in range(1, 31)]
    await until(lambda: daemon.service.waiting == 31)
    gate.open()
    seqs = [(await connection.answer()).document["events"][0]["seq"] for connection in (first, *others)]
    assert sorted(seqs) == list(range(min(seqs), min(seqs) + 31))
    assert gate.groups == 2


async def test_a_group_is_never_larger_than_it_may_be(daemon, monkeypatch):
    monkeypatch.setattr(service_module, "BATCH_MAX", 4)
    gate = Gate(daemon.store)
    waiting = [await ask_later(daemon, number) for number in range(9)]
    await until(lambda: daemon.service.waiting == 9)
    gate.open()
    assert [(await connection.answer()).status for connection in waiting] == [200] * 9
    assert gate.groups >= 3


async def test_nobody_sees_what_is_not_committed_yet(daemon):
    gate = Gate(daemon.store)
    before = daemon.seq
    connection = await ask_later(daemon, 0)
    await until(lambda: daemon.service.waiting == 1)
    shown = (await daemon.read("todo.list", "?goal_id=docs&limit=1")).document
    assert (shown["seq"], shown["todos"][0]["claimed_by"]) == (before, None)
    gate.open()
    answer = (await connection.answer()).document
    shown = (await daemon.read("todo.list", "?goal_id=docs&limit=1")).document
    assert (shown["seq"], shown["todos"][0]["claimed_by"]) == (answer["seq"], "builder")


async def test_a_caller_who_hangs_up_has_its_command_done_and_its_receipt_kept(daemon):
    gate = Gate(daemon.store)
    gone = await ask_later(daemon, 0, key="one")
    await until(lambda: daemon.service.waiting == 1)
    gone.close()
    await gone.writer.wait_closed()
    gate.open()
    again = await ask_later(daemon, 0, key="one")
    assert (await again.answer()).document["replayed"] is True


async def test_at_the_end_everything_taken_is_answered_and_nothing_more_is_taken():
    async with served(lambda scribe: activate(scribe, todos=40)) as daemon:
        gate = Gate(daemon.store)
        waiting = [await ask_later(daemon, number) for number in range(20)]
        await until(lambda: daemon.service.waiting == 20)
        late = await daemon.connect()
        async with asyncio.TaskGroup() as group:
            group.create_task(daemon.service.finish())
            await until(lambda: daemon.service.ended)
            headers = {"Authorization": f"Bearer {daemon.made.tokens['builder']}", "Idempotency-Key": "late"}
            body = b'{"goal_id": "docs", "todo_id": "todo_030"}'
            await late.send(head("POST", "/v1/actions/todo.claim", headers, body))
            refused = await late.answer()
            gate.open()
        assert [(await connection.answer()).status for connection in waiting] == [200] * 20
        assert (refused.status, refused.exit_code, refused.code) == (503, 7, "shutting_down")
        assert refused.headers["retry-after"] == "1"
        assert [row.kind for row in daemon.store.events(daemon.seq - 20)] == ["todo.claimed"] * 20


def test_a_daemon_that_is_told_to_stop_ends_soon_whoever_is_connected():
    """A follower that reads, one that does not, a rested connection, half a request: none of them keeps it."""
    with daemon_on_fresh_home(lambda scribe: activate(scribe, todos=4)) as daemon:
        path, token = daemon.made.home.socket, daemon.made.tokens["ann"]
        feed = daemon.client().feed(0)
        next(feed)
        sockets = []
        for said in (
            head("GET", "/v1/feed?after=0", {"Authorization": f"Bearer {token}"}, None),
            head("GET", "/healthz", {}, None),
            b"POST /v1/actions/todo.claim HTTP/1.1\r\n",
            b"",
        ):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(30)
            one.connect(path)
            one.sendall(said)
            sockets.append(one)
        assert sockets[1].recv(65_536).startswith(b"HTTP/1.1 200")
        began = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - began < STOP_S_MAX
        assert [event.seq for event in feed][-1] == daemon.records()[0]["seq"]
        for one in sockets:
            one.close()
    assert {record["level"] for record in daemon.records()} == {"info"}
