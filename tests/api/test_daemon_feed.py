"""The feed of events: everything once and in order, resumable from any seq, bounded for whoever does not read."""

import asyncio
import json
import socket
from contextlib import asynccontextmanager

import pytest

from daemon.api import feed as feed_module
from daemon.service import RECENT_MAX
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ports import StoreFull
from ledger.rules.common import Caller
from ledger.testing import Failure
from ledger.writer import Request
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.homes import activate, secret_of, sha256
from tests.support.served import WAIT_S_MAX, head, served

ADD = {"goal_id": "docs", "text": "More"}


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


class Reader:
    """One follower, event by event."""

    def __init__(self, connection):
        self._connection = connection
        self._rest = b""
        self._lines = []

    async def status(self):
        async with asyncio.timeout(WAIT_S_MAX):
            first, *_ = (await self._connection.reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        return int(first.split(b" ")[1])

    async def block(self):
        """The next event or heartbeat, as its fields; None at the end of the stream."""
        while b"\r\n\r\n" not in self._rest:
            async with asyncio.timeout(WAIT_S_MAX):
                size = int(await self._connection.reader.readline() or b"0", 16)
                if size == 0:
                    return None
                self._rest += (await self._connection.reader.readexactly(size + 2))[:-2]
        block, _, self._rest = self._rest.partition(b"\r\n\r\n")
        return dict(line.split(": ", 1) for line in block.decode().split("\r\n"))

    async def event(self):
        while (block := await self.block()) is not None and "data" not in block:
            pass
        return block

    async def events(self, count):
        return [await self.event() for _ in range(count)]


@asynccontextmanager
async def following(daemon, after=None, *, last_event_id=None, who="ann"):
    headers = {"Authorization": f"Bearer {daemon.made.tokens[who]}"}
    if last_event_id is not None:
        headers["Last-Event-ID"] = str(last_event_id)
    connection = await daemon.connect()
    await connection.send(head("GET", "/v1/feed" + ("" if after is None else f"?after={after}"), headers, None))
    reader = Reader(connection)
    assert await reader.status() == 200
    try:
        yield reader
    finally:
        connection.close()


async def test_what_an_event_of_the_feed_says(daemon):
    async with following(daemon, daemon.seq) as reader:
        done = await daemon.do("todo.add", ADD)
        event = await reader.event()
    (row,) = daemon.store.events(done["seq"] - 1)
    assert (event["id"], event["event"]) == (str(done["seq"]), "todo.added")
    assert json.loads(event["data"]) == {
        "seq": done["seq"],
        "kind": "todo.added",
        "goal_id": "docs",
        "actor": "ann",
        "at_ms": json.loads(row.body)["at_ms"],
    }


async def test_no_words_go_into_the_feed(daemon):
    async with following(daemon, 0) as reader:
        await daemon.do("todo.add", ADD | {"text": "my private words"})
        seen = await reader.events(daemon.seq)
    assert [int(event["id"]) for event in seen] == list(range(1, daemon.seq + 1))
    assert "private" not in json.dumps(seen)
    assert "Ann Li" not in json.dumps(seen)


async def test_without_a_place_it_begins_now(daemon):
    async with following(daemon) as reader:
        done = await daemon.do("todo.add", ADD)
        assert (await reader.event())["id"] == str(done["seq"])


async def test_it_resumes_after_any_seq_by_either_name(daemon):
    total = daemon.seq
    for after in (0, 1, total // 2, total - 1):
        for place in ({"after": after}, {"last_event_id": after}, {"after": 0, "last_event_id": after}):
            async with following(daemon, **place) as reader:
                seen = await reader.events(total - after)
            assert [int(event["id"]) for event in seen] == list(range(after + 1, total + 1))


@pytest.mark.parametrize("after", ["x", "-1", "1.5", "9" * 17, "", "%FF", "１"])
async def test_a_place_that_is_no_seq_is_refused_by_name(daemon, after):
    answer = await daemon.ask("GET", "/v1/feed?after=" + after.replace("１", "%EF%BC%91"))
    assert (answer.status, answer.exit_code, answer.code) == (400, 2, "malformed_params")
    assert answer.document["details"]["field"] == "after"


async def test_many_followers_get_the_same_while_many_write(daemon):
    before, count = daemon.seq, 200
    async with following(daemon, before) as one, following(daemon, before) as two, asyncio.TaskGroup() as group:
        first, second = group.create_task(one.events(count)), group.create_task(two.events(count))
        for number in range(count):
            group.create_task(daemon.do("todo.add", ADD | {"text": f"Part {number}"}))
    assert first.result() == second.result()
    assert [int(event["id"]) for event in first.result()] == list(range(before + 1, before + count + 1))


async def test_who_comes_late_reads_from_the_ledger_what_memory_has_let_go(daemon):
    """The window in memory is short; what is older comes from the store, and the seam is not seen."""
    daemon.service.recent = type(daemon.service.recent)(daemon.service.recent, maxlen=5)
    for number in range(40):
        await daemon.do("todo.add", ADD | {"text": f"Part {number}"})
    assert len(daemon.service.recent) == 5
    async with following(daemon, 3) as reader:
        seen = await reader.events(daemon.seq - 3)
        await daemon.do("todo.add", ADD)
        seen.append(await reader.event())
    assert [int(event["id"]) for event in seen] == list(range(4, daemon.seq + 1))
    assert RECENT_MAX >= 1_000


async def test_who_does_not_read_costs_a_bounded_amount_and_nobody_else_anything(daemon, monkeypatch):
    headers = {"Authorization": f"Bearer {daemon.made.tokens['ann']}"}
    before, count, given_up, forget = daemon.seq, 3_000, asyncio.Event(), daemon.parts.watch.forget
    daemon.parts.watch.forget = lambda transport: (forget(transport), given_up.set())
    # The one that reads has the time that everybody has, so that a busy machine is not taken for a deaf reader.
    async with following(daemon, before) as brisk, asyncio.TaskGroup() as beside:
        reading = beside.create_task(brisk.events(count))
        monkeypatch.setattr(feed_module, "SEND_SECONDS_MAX", 0.2)
        connection = await daemon.connect()
        connection.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.writer.transport.pause_reading()
        await connection.send(head("GET", "/v1/feed?after=0", headers, None))
        for start in range(0, count, 500):
            async with asyncio.TaskGroup() as group:
                for number in range(start, start + 500):
                    group.create_task(act_in_process(daemon, f"Part {number}"))
        seen = await reading
        assert [int(event["id"]) for event in seen] == list(range(before + 1, before + count + 1))
        # The daemon gives up the one that reads nothing, and keeps the one that does.
        async with asyncio.timeout(WAIT_S_MAX):
            await given_up.wait()
        assert daemon.parts.watch.count == 1
    connection.close()


async def act_in_process(daemon, text):
    """A write without a connection of its own, so that three thousand of them are quick."""
    row = ACTIONS["todo.add"]
    caller = Caller(member_id="ann", kind="person", surface="http")
    answer = await daemon.service.submit(
        Request(
            action=row,
            params=row.params.model_validate(ADD | {"text": text}),
            caller=caller,
            proof=Proof(kind="token", reference="tok_9"),
            request_key=text,
        )
    )
    assert answer.refusal is None


async def test_more_followers_than_there_may_be_are_told_to_come_back(daemon, monkeypatch):
    monkeypatch.setattr(feed_module, "READERS_MAX", 2)
    async with following(daemon) as _, following(daemon) as _:
        refused = await daemon.ask("GET", "/v1/feed")
        assert (refused.status, refused.exit_code, refused.code) == (503, 7, "busy")
        assert refused.headers["retry-after"] == "5"
    # Who has hung up is noticed at the next event.
    await daemon.do("todo.add", ADD)
    async with following(daemon, 0) as again:
        assert (await again.event())["id"] == "1"


async def test_a_quiet_feed_has_a_heartbeat(daemon, monkeypatch):
    monkeypatch.setattr(feed_module, "HEARTBEAT_S", 0.05)
    connection = await daemon.connect()
    headers = {"Authorization": f"Bearer {daemon.made.tokens['ann']}"}
    await connection.send(head("GET", "/v1/feed", headers, None))
    async with asyncio.timeout(WAIT_S_MAX):
        said = await connection.reader.readuntil(b": ping")
    assert b"200 OK" in said
    connection.close()


async def test_a_full_disk_stops_no_reader(daemon, monkeypatch):
    monkeypatch.setattr(feed_module, "HEARTBEAT_S", 0.02)
    async with following(daemon, daemon.seq) as reader:
        await daemon.do("todo.add", ADD)
        assert (await reader.event())["event"] == "todo.added"
        daemon.store.fail(Failure(StoreFull("no room")))
        assert (await daemon.act("todo.add", ADD)).code == "storage_full"
        # Two heartbeats: the daemon has looked again whether there is something to say.
        assert [await reader.block() for _ in range(2)] == [{"": "ping"}] * 2
        done = await daemon.do("todo.add", ADD)
        assert (await reader.event())["id"] == str(done["seq"])


async def test_the_end_of_the_service_ends_the_feed_and_not_in_the_middle_of_an_event():
    async with served(activate) as daemon, following(daemon, daemon.seq) as reader:
        await daemon.do("todo.add", ADD)
        assert (await reader.event())["event"] == "todo.added"
        await daemon.service.finish()
        assert await reader.event() is None


async def test_a_follower_goes_on_after_a_restart_where_it_was():
    with fresh_home(activate) as made:
        with DaemonProcess(made) as first:
            feed = first.client().feed(0)
            seen = [next(feed).seq for _ in range(3)]
            feed.close()
            assert first.client().act("todo.add", ADD).ok
            assert first.stop() == 0
        with DaemonProcess(made) as second:
            total = second.client().get("/healthz").body["seq"]
            feed = second.client().feed(seen[-1])
            seen += [next(feed).seq for _ in range(total - 3)]
            assert second.client().act("todo.add", ADD).ok
            seen.append(next(feed).seq)
            feed.close()
    assert seen == list(range(1, total + 2))


async def issue(daemon, name, **params):
    """A credential for Builder, put where `following` finds it; its id."""
    daemon.made.tokens[name] = secret_of(name)
    done = await daemon.do(
        "token.issue", {"member_id": "builder", "secret_digest": sha256(secret_of(name)), **params}, who=None
    )
    return done["result"]["token_id"]


ENDINGS = {
    "its credential was revoked": ("token.revoke", lambda token_id: {"token_id": token_id}),
    "its member was revoked": ("member.revoke", lambda _: {"member_id": "builder"}),
    "its credential was replaced at once": (
        "token.rotate",
        lambda token_id: {"token_id": token_id, "secret_digest": sha256("new"), "grace_seconds": 0},
    ),
}


@pytest.mark.parametrize(("action", "params"), ENDINGS.values(), ids=ENDINGS)
async def test_a_feed_ends_at_once_when(daemon, action, params):
    token_id = await issue(daemon, "own")
    async with following(daemon, daemon.seq, who="own") as reader:
        await daemon.do("todo.add", ADD)
        assert (await reader.event())["event"] == "todo.added"
        await daemon.do(action, params(token_id), who=None)
        assert await reader.event() is None


async def test_a_feed_goes_on_when_somebody_else_is_revoked(daemon):
    await issue(daemon, "own")
    async with following(daemon, daemon.seq, who="own") as reader:
        await daemon.do("member.revoke", {"member_id": "helper"}, who=None)
        assert (await reader.event())["event"] == "member.revoked"
        await daemon.do("todo.add", ADD)
        assert (await reader.event())["event"] == "todo.added"


async def test_a_feed_tells_nothing_past_the_end_of_its_credential(daemon):
    await issue(daemon, "own", ttl_seconds=3_600)
    async with following(daemon, daemon.seq, who="own") as reader:
        await daemon.do("todo.add", ADD)
        assert (await reader.event())["event"] == "todo.added"
        daemon.clock.advance(3_600_000)
        await daemon.do("todo.add", ADD)
        assert await reader.event() is None


async def test_a_quiet_feed_ends_with_its_credential(daemon, monkeypatch):
    monkeypatch.setattr(feed_module, "HEARTBEAT_S", 3_600.0)
    await issue(daemon, "own", ttl_seconds=1)
    async with following(daemon, daemon.seq, who="own") as reader:
        daemon.clock.advance(1_000)
        assert await reader.event() is None


async def test_a_feed_ends_with_the_grace_of_a_credential_that_was_replaced(daemon):
    token_id = await issue(daemon, "own")
    async with following(daemon, daemon.seq, who="own") as reader:
        rotated = {"token_id": token_id, "secret_digest": sha256("new"), "grace_seconds": 60}
        await daemon.do("token.rotate", rotated, who=None)
        assert (await reader.event())["event"] == "token.rotated"
        daemon.clock.advance(60_000)
        await daemon.do("todo.add", ADD)
        assert await reader.event() is None
