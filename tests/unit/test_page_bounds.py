"""The page's server by a clock that only the test moves: what is begun and not finished is closed, and told so."""

import asyncio

import pytest

from daemon.listen import SILENT_MS_MAX
from tests.support.served import Connection, served, until


@pytest.fixture
async def page():
    async with served() as running:
        _, _, place, key, _ = (await running.parts.page.open()).split("/")
        yield running, int(place.partition(":")[2]), key
        await running.parts.page.close()


@pytest.mark.parametrize("begun", ["", "G", "GET /{key}/ HTTP/1.1\r\n", "GET /{key}/ HTTP/1.1\r\nHost: 127.0.0.1"])
async def test_a_request_that_is_not_finished_is_closed_after_its_time(page, begun):
    daemon, port, key = page
    watch = daemon.parts.page._server._watch
    connection = Connection(*await asyncio.open_connection("127.0.0.1", port))
    await connection.send(begun.format(key=key).encode())
    await until(lambda: watch.count == 1 and (not begun or watch.heard))
    daemon.clock.advance(SILENT_MS_MAX)
    assert watch.sweep() == 0
    daemon.clock.advance(1)
    assert watch.sweep() == 1
    assert await connection.ended() == b""


async def test_the_page_ends_at_once_for_those_who_follow_it(page):
    """By a clock that stands still: nobody waits for a heartbeat, a pause or the patience of the server."""
    daemon, port, key = page
    followers = [Connection(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(3)]
    for one in followers:
        await one.send(f"GET /{key}/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert (await one.answer()).status == 200
    server = daemon.parts.page._server
    server._runner._shutdown_timeout = 600
    await until(lambda: server.followers == 3)
    await daemon.parts.page.close()
    for one in followers:
        await one.ended()
    assert server.followers == 0
