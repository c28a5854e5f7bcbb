"""The clients, sync and async, against a real daemon and against a double that misbehaves."""

import asyncio
import os
import threading
from contextlib import aclosing

import pytest

from daemon import wire
from daemon.aclient import AsyncClient
from daemon.client import Asked, Client, Refused
from daemon.sse import FeedEvent
from tests.api.cli_double import Double, answer
from tests.api.cli_home import daemon_in, make_home

ADD = {
    "member_id": "builder",
    "kind": "agent",
    "display_name": "Bü",
    "profile_role": None,
    "capability": ["read", "write"],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    for name in list(os.environ):
        if name.startswith("FRONTSTAGE_"):
            pytest.fail(f"{name} is set")
    return make_home(tmp_path_factory.mktemp("clients") / "home")


@pytest.fixture(scope="module")
def daemon(home):
    with daemon_in(home) as running:
        yield running


@pytest.fixture
def double(tmp_path):
    double = Double(str(tmp_path / "s"))
    yield double
    double.close()


def test_an_action_its_receipt_and_its_refusal_are_values(daemon):
    first = daemon.owner.act("member.add", ADD, "key-1")
    assert (first.ok, first.status, first.exit_code, first.body["outcome"]) == (True, 200, 0, "committed")
    again = daemon.owner.act("member.add", ADD, "key-1")
    assert (again.body["replayed"], again.body["receipt_id"]) == (True, first.body["receipt_id"])
    refused = daemon.owner.act("member.add", ADD)
    assert (refused.ok, refused.status, refused.exit_code, refused.code) == (False, 422, 1, "member_exists")
    nobody = Client(daemon.socket, "fs_wrong").read("member.list")
    assert (nobody.status, nobody.exit_code, nobody.code) == (401, 5, "unauthenticated")


def test_a_read_with_a_list_and_nothing(daemon):
    reply = daemon.owner.read("goal.list", {"limit": 5, "after": None, "state": "active"})
    assert reply.ok
    assert reply.seq == daemon.owner.get("/healthz").body["seq"]
    assert daemon.owner.read("goal.list", {"limit": 5}, at=2).seq == 2


def test_the_feed_begins_after_a_seq_and_goes_on(daemon):
    after = daemon.owner.get("/healthz").body["seq"]
    feed = daemon.owner.feed(after)
    for number in range(3):
        assert daemon.owner.act("member.add", {**ADD, "member_id": f"sync-{number}"}).ok
        assert next(feed) == FeedEvent(after + number + 1, "member.added", None)
    feed.close()
    with pytest.raises(Refused):
        next(Client(daemon.socket, "fs_wrong").feed(0))


async def test_the_async_client_says_the_same(daemon, home):
    token = (home / "owner.token").read_text().strip()
    async with AsyncClient(daemon.socket, token) as client:
        assert (await client.act("member.add", {**ADD, "member_id": "async"}, "key-2")).ok
        assert (await client.act("member.add", {**ADD, "member_id": "async"}, "key-2")).body["replayed"] is True
        reply = await client.read("member.list")
        assert {"async", "bot"} <= {row["member_id"] for row in reply.body["members"]}
        then = await client.read("member.list", at=2)
        assert (then.seq, [row["member_id"] for row in then.body["members"]]) == (2, ["ann"])
        assert (await client.read("member.list", at=10_000)).code == "seq_not_reached"
        with pytest.raises(Refused) as refused:
            await client.slots()
        assert refused.value.code == "relay_only"


async def test_the_routes_of_the_bot(daemon):
    async with AsyncClient(daemon.socket, daemon.bot_token) as bot:
        assert (await bot.slots())["slots"] == []
        assert (await bot.slots("docs"))["slots"] == []
        assert await bot.view("goal:nope@oc_1") is None
        delivery = {"slot": "goal:x@oc_1", "chat_id": "oc_1", "message_id": "om_1", "digest": "d", "version": 3}
        await bot.put_delivery({**delivery, "sent_at_ms": 9, "state": "live"})
        assert (await bot.deliveries())["deliveries"] == [{**delivery, "sent_at_ms": 9, "state": "live"}]
        lease = await bot.leader("bot-1", 5_000)
        assert (lease["leader"], lease["holder"]) == (True, "bot-1")
        assert (await bot.put_health({"process_up": True, "fatal": None}))["ok"] is True
        with pytest.raises(Refused) as refused:
            await bot.relay_press({"event_id": "e"})
        assert (refused.value.status, refused.value.code) == (400, "malformed_params")
        with pytest.raises(Refused):
            await bot.relay_message({})


async def test_the_async_feed_begins_after_a_seq_and_goes_on(daemon):
    async with AsyncClient(daemon.socket, daemon.bot_token) as bot, aclosing(bot.feed(0)) as feed:
        seen = [await anext(feed) for _ in range(5)]
        assert [event.seq for event in seen] == [1, 2, 3, 4, 5]
        assert seen[0].kind == "workspace.created"


async def test_following_goes_on_after_the_last_seq_when_the_daemon_is_replaced(tmp_path):
    home = make_home(tmp_path / "home")
    broke: list[wire.WireFault] = []
    seen: list[int] = []
    arrived = asyncio.Event()

    async def read(bot: AsyncClient, until: int) -> None:
        async with aclosing(bot.follow(0, broke.append)) as feed:
            async for event in feed:
                seen.append(event.seq)
                arrived.set()
                if event.seq == until:
                    return

    with daemon_in(home) as first:
        head = first.owner.get("/healthz").body["seq"]
        bot = AsyncClient(first.socket, first.bot_token)
        async with bot, asyncio.TaskGroup() as group:
            group.create_task(read(bot, head + 1))
            await arrived.wait()
            await asyncio.to_thread(first.process.kill)
            await asyncio.to_thread(first.process.wait)
            with daemon_in(home) as second:
                added = await asyncio.to_thread(second.owner.act, "member.add", {**ADD, "member_id": "later"})
                assert added.ok
                while head + 1 not in seen:
                    arrived.clear()
                    await arrived.wait()
    assert seen == list(range(1, head + 2))
    assert broke


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ([b""], wire.Dropped),
        ([answer()[:-3]], wire.Dropped),
        ([b"SSH-2.0\r\n\r\n"], wire.NotOurs),
        ([answer(b"not json")], wire.NotOurs),
        ([answer(b"[]")], wire.NotOurs),
        ([answer(status=500, exit_code=None)], wire.NotOurs),
    ],
)
async def test_both_tell_the_same_faults_apart(double, script, fault):
    double.script = script
    with pytest.raises(fault):
        await asyncio.to_thread(Client(double.path).read, "status.show")
    async with AsyncClient(double.path) as client:
        with pytest.raises(fault):
            await client.read("status.show")


async def test_nobody_and_nothing_in_time(double, tmp_path):
    waiting = threading.Event()
    double.on_asked = lambda: waiting.wait(5)
    with pytest.raises(wire.TooSlow):
        await asyncio.to_thread(Client(double.path, answer_ms_max=30).read, "status.show")
    waiting.set()
    waiting.clear()
    async with AsyncClient(double.path, answer_ms_max=30) as client:
        with pytest.raises(wire.TooSlow):
            await client.read("status.show")
    waiting.set()
    missing = str(tmp_path / "none")
    with pytest.raises(wire.NobodyListens):
        Client(missing).read("status.show")
    async with AsyncClient(missing) as client:
        with pytest.raises(wire.NobodyListens):
            await client.read("status.show")


def test_busy_says_when_to_come_back(double):
    double.script = [answer(b'{"ok":false,"code":"busy"}', status=503, exit_code=7, more=b"Retry-After: 2\r\n")]
    reply = Client(double.path).act("member.add", ADD)
    assert (reply.code, reply.exit_code, reply.retry_after_s) == ("busy", 7, 2.0)


def test_a_connection_too_many_is_busy(double):
    double.script = [answer(b"", status=503, exit_code=7, more=b"Retry-After: 1\r\n")]
    reply = Client(double.path).read("status.show")
    assert (reply.code, reply.exit_code, reply.retry_after_s) == ("busy", 7, 1.0)


def test_a_write_that_is_asked_again_keeps_its_key(double):
    double.script = [b"", answer(b'{"ok":true}')]
    assert Client(double.path).act("member.add", ADD).ok
    assert double.asked[0] == double.asked[1]
    assert b"profile_role" not in double.asked[0].body


async def test_many_at_once_from_an_event_loop(daemon):
    asked = [Asked("member.add", {**ADD, "member_id": f"many-{number}"}, f"many-{number}") for number in (1, 2)]
    async with AsyncClient(daemon.socket, daemon.owner._token) as client:
        first = await client.batch(asked)
        again = await client.batch(asked, stop_on_refusal=True)
    assert [one["ok"] for one in first.body["answers"]] == [True, True]
    assert [one["replayed"] for one in again.body["answers"]] == [True, True]
