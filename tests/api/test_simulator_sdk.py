"""The unmodified SDKs against the simulator: calls, events, callbacks, fragments, pings and a reconnect.

Each runs as a program of its own, because importing one is slow and takes over the event loop.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.api.simulator_helpers import bench, until

PROGRAM = Path(__file__).with_name("simulator_sdk_bot.py")
START_S_MAX = 60
ACK_WITHIN_MS = 3_000

pytestmark = pytest.mark.slow


class Program:
    def __init__(self, process):
        self._process = process

    async def said(self):
        async with asyncio.timeout(START_S_MAX):
            while line := await self._process.stdout.readline():
                if line.startswith(b"{"):
                    return json.loads(line)
        raise RuntimeError((await self._process.stderr.read()).decode()[-2_000:])


@asynccontextmanager
async def program(desk, package):
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), package, desk.simulator.base_url, desk.app.app_id, desk.app.app_secret,
        desk.group, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Program(process)
    finally:
        process.kill()
        await process.wait()


@pytest.fixture
async def desk():
    async with bench() as running:
        yield running


@pytest.mark.parametrize("package", ["lark_oapi", "lark_channel"])
async def test_an_unmodified_sdk_works_against_the_simulator(desk, package):
    link = desk.simulator.link
    link.config.reconnect_nonce_s = 1
    async with program(desk, package) as bot:
        sent, again, replied, patched, refused = [await bot.said() for _ in range(5)]
        assert [one["code"] for one in (sent, again, replied, patched, refused)] == [0, 0, 0, 0, 230025]
        assert again["message_id"] == sent["message_id"]
        message = desk.world.messages[replied["message_id"]]
        assert message.parent_id == sent["message_id"]
        assert [version.by for version in message.versions] == ["send", "patch"]

        await until(link.changes, lambda: link.counters["pings"] >= 1)
        ann, bo = desk.world.people["ann"], desk.world.people["bo"]
        await desk.type("@Frontstage hello")
        assert await bot.said() == {
            "kind": "message",
            "text": "@_user_1 hello",
            "sender": ann.open_id(desk.app.app_id),
            "mentions": ["Frontstage"],
        }
        log = desk.simulator.deliveries.log
        await until(desk.simulator.deliveries.changes, lambda: log[0].settled)
        assert log[0].outcomes == ["acked"]

        async def press(label, person="ann", **more):
            pressed = await desk.press(message.message_id, label, person, **more)
            return pressed[1], await bot.said()

        pressed, heard = await press("toast", "bo")
        assert pressed["toast"] == {"type": "info", "content": "看到了"}
        assert heard["operator"] == bo.open_id(desk.app.app_id)
        assert heard["message_id"] == message.message_id
        await desk.control("link", {"fragments": 3})
        pressed, heard = await press("form", inputs={"Reason": "数据 <at id=all></at>"})
        assert pressed["error_code"] == 0
        assert heard["form"] == {"reason": "数据 <at id=all></at>"}
        pressed, _ = await press("card")
        assert pressed["card_changed"]
        assert message.content["body"]["elements"][0]["text"]["content"] == "third"
        assert (await press("nothing"))[0]["error_code"] == 200672
        assert (await press("crash"))[0]["error_code"] == 200671

        await desk.control("link", {"close": True})
        await until(desk.world.changes, lambda: link.counters["connects"] == 2)
        assert (await press("toast"))[0]["toast"]["content"] == "seen"


async def test_the_sdk_never_answers_a_frame_of_type_card(desk):
    async with program(desk, "lark_oapi") as bot, asyncio.TaskGroup() as tasks:
        for _ in range(5):
            answer = await bot.said()
        message_id = next(reversed(desk.world.messages))
        link = desk.simulator.link
        await until(link.changes, lambda: link.counters["pings"] >= 1)
        await desk.control("link", {"card_typed": 1})
        pressing = tasks.create_task(desk.press(message_id, "toast"))
        await until(link.changes, lambda: link.counters["frames"] == 1)
        desk.clock.advance(ACK_WITHIN_MS)
        _, pressed = await pressing
        assert pressed["error_code"] == 200341
        assert answer["code"] == 230025
