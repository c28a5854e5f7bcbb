"""Planned faults: each spoils the calls it names and no others, and says what the caller cannot know."""

import asyncio

import aiohttp
import pytest

from tests.api.simulator_helpers import bench, card, until


@pytest.fixture
async def desk():
    async with bench() as running:
        await running.send({"text": "warm-up: the token is fetched"}, kind="text")
        yield running


def sent(desk):
    return len(desk.world.messages) - 1


async def test_a_dropped_answer_leaves_the_message_and_its_uuid_finds_it(desk):
    await desk.control("faults", {"api": "messages.create", "kind": "drop_after_commit"})
    with pytest.raises(aiohttp.ClientConnectionError):
        await desk.send(card(), uuid="once")
    assert sent(desk) == 1
    answer = await desk.send(card(), uuid="once")
    assert answer["code"] == 0
    assert sent(desk) == 1
    assert answer["data"]["message_id"] == next(reversed(desk.world.messages))


async def test_a_reset_leaves_nothing(desk):
    await desk.control("faults", {"api": "messages.create", "kind": "reset", "count": 2})
    for _ in range(2):
        with pytest.raises(aiohttp.ClientConnectionError):
            await desk.send(card(), uuid="once")
    assert sent(desk) == 0
    assert (await desk.send(card(), uuid="once"))["code"] == 0


@pytest.mark.parametrize(
    ("fault", "status", "content_type", "start"),
    [
        ({"kind": "html"}, 502, "text/html", b"<html>"),
        ({"kind": "html", "status": 504}, 504, "text/html", b"<html>"),
        ({"kind": "empty"}, 200, "application/json", b""),
    ],
)
async def test_a_gateways_answers(desk, fault, status, content_type, start):
    await desk.control("faults", {"api": "bot_info", **fault})
    got, body, headers = await desk.call("GET", "/open-apis/bot/v3/info")
    assert (got, headers["Content-Type"].split(";")[0]) == (status, content_type)
    assert body[:6] == start
    assert (await desk.api("GET", "/bot/v3/info"))["code"] == 0


async def test_a_code_for_some_calls_after_others(desk):
    fault = {"api": "messages.patch", "kind": "code", "code": 230020, "msg": "slow down", "skip": 1, "count": 2}
    await desk.control("faults", fault)
    message_id = await desk.sent(card())
    codes = [(await desk.patch(message_id, card()))["code"] for _ in range(4)]
    assert codes == [0, 230020, 230020, 0]
    assert len(desk.world.messages[message_id].versions) == 3


async def test_a_code_can_come_with_status_200_on_any_endpoint(desk):
    await desk.control("faults", {"api": "*", "kind": "code", "code": 99991663, "status": 200})
    answer = await desk.send(card())
    assert (answer["_status"], answer["code"]) == (200, 99991663)
    assert (await desk.send(card()))["code"] == 0


async def test_a_slow_answer_takes_simulated_time(desk):
    await desk.control("faults", {"api": "bot_info", "kind": "latency", "latency_ms": 5_000})
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(desk.api("GET", "/bot/v3/info"))
        await until(desk.clock.changes, lambda: desk.clock.sleeping == 1)
        desk.clock.advance(4_999)
        assert not calling.done()
        desk.clock.advance(1)
        assert (await calling)["code"] == 0


@pytest.mark.parametrize(("kind", "committed"), [("hang", 0), ("hang_after_commit", 1)])
async def test_a_call_that_hangs_until_the_caller_leaves(desk, kind, committed):
    await desk.control("faults", {"api": "messages.create", "kind": kind})
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(desk.send(card()))
        await until(desk.simulator.faults.changes, lambda: desk.simulator.faults.holding == 1)
        assert sent(desk) == committed
        calling.cancel()
        await until(desk.simulator.faults.changes, lambda: desk.simulator.faults.holding == 0)
    assert sent(desk) == committed


async def test_clearing_the_faults_lets_hanging_calls_go_on(desk):
    await desk.control(
        "faults", {"faults": [{"api": "messages.create", "kind": "hang"}, {"api": "bot_info", "kind": "reset"}]}
    )
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(desk.send(card()))
        await until(desk.simulator.faults.changes, lambda: desk.simulator.faults.holding == 1)
        await desk.control("faults", method="DELETE")
        assert (await calling)["code"] == 0
    assert (await desk.control("faults"))["faults"] == []
    assert (await desk.api("GET", "/bot/v3/info"))["code"] == 0


async def test_discovery_can_say_that_the_app_belongs_to_the_other_domain(desk):
    await desk.control(
        "faults",
        {"api": "ws.endpoint", "kind": "code", "code": 1000040351, "status": 200, "msg": "Incorrect domain name"},
    )
    body = {"AppID": desk.app.app_id, "AppSecret": desk.app.app_secret}
    status, answer, _ = await desk.call("POST", "/callback/ws/endpoint", body)
    assert (status, answer["code"], answer["msg"]) == (200, 1000040351, "Incorrect domain name")


@pytest.mark.parametrize(
    "fault",
    [
        {"api": "messages.send", "kind": "reset"},
        {"api": "bot_info", "kind": "explode"},
        {"api": "bot_info", "kind": "code"},
        {"api": "bot_info", "kind": "reset", "count": 0},
        {"api": "bot_info", "kind": "latency", "latency_ms": -1},
        {},
    ],
)
async def test_a_fault_that_would_do_nothing_is_refused(desk, fault):
    status, answer, _ = await desk.call("POST", "/_control/faults", fault)
    assert (status, answer["error"]["code"]) == (400, "bad_fault")
    assert desk.simulator.faults.planned == []


async def test_every_call_is_in_the_log_with_the_exact_body(desk):
    await desk.control("requests", method="DELETE")
    await desk.sent(card(), uuid="u-1")
    await desk.send({"text": ""}, kind="text")
    first, second = (await desk.control("requests?api=messages.create"))["requests"]
    assert (first["code"], first["app_id"], first["method"]) == (0, desk.app.app_id, "POST")
    assert '"uuid": "u-1"' in first["body"]
    assert first["body_bytes"] == len(first["body"].encode())
    assert (second["code"], second["status"]) == (230001, 400)
    counters = (await desk.control("state"))["counters"]
    assert (counters["api:messages.create"], counters["code:230001"]) == (3, 1)
