"""Connections: silent, half-open and trickling ones are swept by the clock, and there are never more than fit."""

import resource
import socket
import subprocess
import sys

import pytest

from daemon.cli.spawn import module_environment
from daemon.listen import CONNECTIONS_MAX, FILES_RESERVED, IDLE_MS_MAX, SILENT_MS_MAX, Guard
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.homes import activate
from tests.support.served import Gate, head, served, until

HEALTH = head("GET", "/healthz", {}, None)
CLAIM = b'{"goal_id": "docs", "todo_id": "todo_000"}'


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


async def opened(daemon, data=b""):
    """A connection that the daemon has, with what was said on it."""
    before = daemon.parts.watch.count
    connection = await daemon.connect()
    await until(lambda: daemon.parts.watch.count == before + 1)
    if data:
        guard = list(daemon.parts.watch._open.values())[-1]
        await connection.send(data)
        await until(lambda: guard.asked)
    return connection


def swept_after(daemon, span_ms):
    daemon.clock.advance(span_ms)
    return daemon.parts.watch.sweep()


async def test_a_connection_that_never_says_anything_is_closed_after_its_time(daemon):
    connection = await opened(daemon)
    assert swept_after(daemon, SILENT_MS_MAX) == 0
    assert swept_after(daemon, 1) == 1
    assert await connection.ended() == b""
    await until(lambda: daemon.parts.watch.count == 0)


@pytest.mark.parametrize(
    "said", [b"G", b"GET /healthz HTTP/1.1\r\n", HEALTH[:-1], b"POST /v1/actions/todo.claim HTTP/1.1\r\nHost"]
)
async def test_a_request_that_is_not_finished_is_closed_after_its_time(daemon, said):
    connection = await opened(daemon, said)
    assert swept_after(daemon, SILENT_MS_MAX) == 0
    assert swept_after(daemon, 1) == 1
    assert await connection.ended() == b""


async def test_a_trickle_holds_on_no_longer_than_silence(daemon, monkeypatch):
    """A byte every second is a request that does not come; time counts from its first byte."""
    heard, hear = [], Guard.data_received
    monkeypatch.setattr(Guard, "data_received", lambda guard, data: (heard.append(data), hear(guard, data)))
    connection = await opened(daemon, HEALTH[:1])
    for place in range(1, SILENT_MS_MAX // 1_000 + 1):
        await connection.send(HEALTH[place : place + 1])
        await until(lambda place=place: len(heard) == place + 1)
        assert swept_after(daemon, 1_000) == 0
    assert swept_after(daemon, 1) == 1
    assert await connection.ended() == b""


async def test_between_two_requests_a_connection_may_rest(daemon):
    connection = await opened(daemon)
    daemon.clock.advance(SILENT_MS_MAX - 1)
    await connection.send(HEALTH)
    assert (await connection.answer()).status == 200
    assert swept_after(daemon, IDLE_MS_MAX) == 0
    await connection.send(HEALTH)
    assert (await connection.answer()).status == 200
    assert swept_after(daemon, IDLE_MS_MAX) == 0
    assert swept_after(daemon, 1) == 1
    assert await connection.ended() == b""


async def test_a_second_request_that_is_not_finished_has_the_time_of_a_first(daemon):
    connection = await opened(daemon)
    await connection.send(HEALTH)
    assert (await connection.answer()).status == 200
    (guard,) = daemon.parts.watch._open.values()
    await connection.send(HEALTH[:5])
    await until(lambda: guard.asked)
    assert swept_after(daemon, SILENT_MS_MAX) == 0
    assert swept_after(daemon, 1) == 1


async def test_who_waits_for_an_answer_is_not_swept_however_long_it_takes(daemon):
    gate = Gate(daemon.store)
    headers = {"Authorization": f"Bearer {daemon.made.tokens['builder']}", "Idempotency-Key": "one"}
    connection = await opened(daemon)
    await connection.send(head("POST", "/v1/actions/todo.claim", headers, CLAIM))
    await until(lambda: daemon.service.waiting == 1)
    assert swept_after(daemon, 10 * IDLE_MS_MAX) == 0
    gate.open()
    assert (await connection.answer()).status == 200
    assert swept_after(daemon, IDLE_MS_MAX) == 0


async def test_a_follower_of_the_feed_is_not_swept(daemon):
    headers = {"Authorization": f"Bearer {daemon.made.tokens['builder']}"}
    connection = await opened(daemon)
    await connection.send(head("GET", "/v1/feed?after=0", headers, None))
    await connection.reader.readuntil(b"\r\n\r\n")
    assert swept_after(daemon, 10 * IDLE_MS_MAX) == 0
    assert b"workspace.created" in await connection.reader.readuntil(b"\r\n\r\n")
    connection.close()


async def test_half_open_connections_are_gone_at_once(daemon):
    """The other end says that nothing more will come in the middle of a request."""
    connection = await opened(daemon, HEALTH[:10])
    connection.writer.write_eof()
    assert await connection.ended() == b""
    await until(lambda: daemon.parts.watch.count == 0)


async def test_only_what_overstays_is_swept(daemon):
    old = await opened(daemon, HEALTH[:3])
    daemon.clock.advance(SILENT_MS_MAX // 2)
    young = await opened(daemon, HEALTH[:3])
    assert swept_after(daemon, SILENT_MS_MAX // 2 + 1) == 1
    assert await old.ended() == b""
    await young.send(HEALTH[3:])
    assert (await young.answer()).status == 200


async def test_a_connection_too_many_is_told_so_and_those_that_are_there_go_on(daemon):
    watch = daemon.parts.watch
    watch.connections_max = 3
    there = [await opened(daemon) for _ in range(3)]
    for _ in range(3):
        answer = await daemon.ask("GET", "/healthz", who=None)
        assert (answer.status, answer.exit_code, answer.headers["retry-after"]) == (503, 7, "1")
        assert answer.headers["connection"] == "close"
    assert watch.count == 3
    await there[0].send(HEALTH)
    assert (await there[0].answer()).status == 200
    there[1].close()
    await until(lambda: watch.count == 2)
    assert (await daemon.ask("GET", "/healthz", who=None)).status == 200


async def test_a_client_is_told_busy_when_there_is_no_room(daemon):
    daemon.parts.watch.connections_max = 0
    answer = await daemon.act("todo.claim", {"goal_id": "docs", "todo_id": "todo_000"}, who="builder")
    assert (answer.status, answer.exit_code, answer.body) == (503, 7, b"")


def test_there_are_no_more_connections_than_files_that_may_be_open():
    asked = "import resource, sys; from daemon.listen import connections_max; "
    for soft, hard, expected in ((256, 256, 256 - FILES_RESERVED), (100, 5_000, CONNECTIONS_MAX), (10, 10, 1)):
        line = f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); sys.stdout.write(str(connections_max()))"
        if hard == 10:
            line = f"connections_max; {line}"
        said = subprocess.run(
            [sys.executable, "-c", asked + line], env=module_environment(), capture_output=True, check=True, cwd="/"
        )
        assert int(said.stdout) == expected


def test_a_daemon_with_few_files_turns_away_what_does_not_fit_and_lives():
    files_max = 150
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > files_max + 100
    with fresh_home(activate) as made, DaemonProcess(made, files_max=files_max) as daemon:
        sockets = []
        for _ in range(files_max + 50):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(30)
            one.connect(made.home.socket)
            sockets.append(one)
        sockets[0].sendall(HEALTH)
        assert sockets[0].recv(65_536).startswith(b"HTTP/1.1 200")
        assert sockets[-1].recv(65_536).startswith(b"HTTP/1.1 503")
        refused = daemon.client().get("/healthz")
        assert (refused.code, refused.exit_code, refused.retry_after_s) == ("busy", 7, 1.0)
        for one in sockets:
            one.close()
        client = daemon.client("builder")
        tries = (client.act("todo.claim", {"goal_id": "docs", "todo_id": "todo_000"}, "one") for _ in range(1_000))
        assert next(reply for reply in tries if reply.status != 503).ok
        assert daemon.stop() == 0
        assert [record for record in daemon.records() if record["level"] != "info"] == []
