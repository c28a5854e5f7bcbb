"""`python -m bot.simulator` and the scenarios it reads."""

import asyncio
import json
import re
import signal
import sys

import aiohttp
import pytest

from bot.simulator import control, society
from bot.simulator.scenario import DEMO, populate
from bot.simulator.server import Simulator
from tests.api.simulator_helpers import WAIT_S_MAX, Bench, bench

TWO_TENANTS = {
    "tenants": [
        {
            "tenant_key": "t-one",
            "apps": [{"app_id": "cli_one", "app_secret": "s1", "name": "One"}],
            "people": [{"key": "ada", "name": "Ada"}, {"key": "ben", "name": "Ben", "language": "zh_cn"}],
            "groups": [{"name": "Ada only", "people": ["ada"]}],
        },
        {
            "tenant_key": "t-two",
            "apps": [{"app_id": "cli_two", "app_secret": "s2", "name": "Two"}],
            "people": [{"key": "cy", "name": "Cy"}],
        },
    ]
}


async def start(*options):
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.simulator", *options, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )


async def test_the_command_prints_where_it_is_and_ends_on_a_signal():
    process = await start("--port", "0")
    try:
        async with asyncio.timeout(WAIT_S_MAX * 3):
            hello = json.loads(await process.stdout.readline())
            assert hello["base_url"].startswith("http://127.0.0.1:")
            assert (hello["app_id"], [one["name"] for one in hello["people"]]) == (
                "cli_frontstage_demo",
                ["Ann Lee", "陈博", "Sam Stranger"],
            )
            assert {chat["kind"] for chat in hello["chats"]} == {"group", "p2p"}
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
            assert await process.stderr.read() == b""
    finally:
        if process.returncode is None:
            process.kill()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "cannot be used"),
        ("{}", "at least one tenant"),
        ('{"tenants": [{"apps": [{"app_id": "cli_x"}]}]}', "app_secret"),
    ],
)
async def test_a_scenario_that_cannot_be_used_is_named(tmp_path, content, reason):
    path = tmp_path / "scenario.json"
    path.write_text(content)
    process = await start("--scenario", str(path))
    out, err = await process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert reason in err.decode()


async def test_the_simulator_is_for_this_machine_only():
    process = await start("--host", "0.0.0.0")
    _, err = await process.communicate()
    assert process.returncode == 2
    assert b"this machine only" in err


BAD_PARTS = {
    "no name": ({"people": [{"key": "a"}]}, "needs 'name'"),
    "odd key": ({"people": [{"key": "A b", "name": "A"}]}, "small letters"),
    "language": ({"people": [{"key": "a", "name": "A", "language": "fr"}]}, "en_us and zh_cn"),
    "twice": ({"people": [{"key": "a", "name": "A"}, {"key": "a", "name": "B"}]}, "already a person"),
    "unknown member": ({"groups": [{"name": "g", "people": ["nobody"]}]}, "nobody"),
    "members as text": ({"groups": [{"name": "g", "people": "a"}]}, "must be a list"),
}


@pytest.mark.parametrize(("tenant", "reason"), BAD_PARTS.values(), ids=BAD_PARTS)
def test_a_part_that_makes_no_sense_is_a_value_error(tenant, reason):
    with pytest.raises(ValueError, match=reason):
        Simulator({"tenants": [tenant]})


async def test_ids_follow_from_names_and_messages_do_not_repeat():
    ids = []
    for _ in range(2):
        async with bench(seed=None) as desk:
            message_id = await desk.sent({"text": "a"}, kind="text")
            ids.append((desk.group, desk.world.people["ann"].open_id(desk.app.app_id), message_id))
    (group, open_id, first), (same_group, same_open_id, second) = ids
    assert (group, open_id) == (same_group, same_open_id)
    assert first != second


async def test_tenants_are_strangers():
    simulator = Simulator(TWO_TENANTS)
    assert len(simulator.world.chats) == 4
    assert simulator.world.people["ada"].open_id("cli_one") != simulator.world.people["ada"].open_id("cli_two")
    await simulator.start()
    try:
        async with aiohttp.ClientSession() as session:
            desk = Bench(simulator, session, app_id="cli_two")
            ada = simulator.world.people["ada"]
            refused = await desk.send({"text": "a"}, kind="text", to=ada.union_id, id_type="union_id")
            assert refused["code"] == 230013
            group = next(chat for chat in simulator.world.chats.values() if chat.kind == "group")
            assert (await desk.send({"text": "a"}, kind="text", to=group.chat_id))["code"] == 230002
            status, _ = await desk.chat("GET", f"chats/{group.chat_id}/messages?person=ben")
            assert status == 404
    finally:
        await simulator.stop()


async def test_people_can_join_later():
    async with bench() as desk:
        made = await desk.control("people", {"key": "dee", "name": "Dee"})
        answer = await desk.send({"text": "hi"}, kind="text", to=made["open_ids"][desk.app.app_id], id_type="open_id")
        assert answer["code"] == 0
        status, refused, _ = await desk.call("POST", "/_control/people", {"key": "dee", "name": "Dee"})
        assert (status, refused["error"]["code"]) == (400, "bad_person")


async def test_the_clock_can_be_frozen_moved_and_let_go():
    async with bench(frozen=False) as desk:
        frozen = await desk.control("clock", {"freeze": True})
        assert frozen["frozen"] is True
        moved = await desk.control("clock", {"advance_ms": 5_000})
        assert moved["now_ms"] == frozen["now_ms"] + 5_000
        let_go = await desk.control("clock", {"thaw": True})
        assert let_go["frozen"] is False
        assert let_go["now_ms"] >= moved["now_ms"]
        status, _, _ = await desk.call("POST", "/_control/clock", {"advance_ms": -1})
        assert status == 400


def test_the_demo_scenario_is_a_scenario():
    simulator = Simulator()
    with pytest.raises(ValueError, match="already a person"):
        populate(simulator.world, DEMO)


def test_the_control_interface_says_of_each_of_its_routes_what_it_does():
    told = " ".join(module.__doc__ for module in (control, society))
    paths = {
        route.path.removeprefix("/_control/")
        for source in (control.Control, society.Society)
        for route in source.routes(object.__new__(source))
    }
    bare = {re.sub(r"\{\w+\}", "{}", path) for path in paths}
    named = {re.sub(r"\{\w+\}", "{}", word) for word in told.split()}
    missing = {path for path in bare if not any(word.partition("[")[0] == path for word in named)}
    assert missing == set()
