"""Both unmodified SDKs pass one script against the simulator: what the platform's own clients take for the platform.

Each runs as a program of its own, because importing one is slow and takes over the event loop. The test leads it step
by step, so that the simulator's clock can stand still and nothing waits.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.api.simulator_helpers import bench, until

PROGRAM = Path(__file__).with_name("conformance_script.py")
START_S_MAX = 60
ACK_WITHIN_MS = 3_000
REPUSHED_AFTER_MS = 15_000
PACKAGES = ["lark_oapi", "lark_channel"]

pytestmark = pytest.mark.slow


class Program:
    def __init__(self, desk, process):
        self.desk = desk
        self._process = process

    async def said(self, kind=None):
        async with asyncio.timeout(START_S_MAX):
            while line := await self._process.stdout.readline():
                if line.startswith(b"{"):
                    heard = json.loads(line)
                    assert kind in {None, heard["kind"]}, heard
                    return heard
        raise RuntimeError((await self._process.stderr.read()).decode()[-2_000:])

    def start(self, step, **parameters):
        self._process.stdin.write(json.dumps({"step": step, **parameters}).encode() + b"\n")

    async def do(self, step, **parameters):
        """One call, a second after the one before; the SDK's answer."""
        self.desk.clock.advance(1_000)
        self.start(step, **parameters)
        return await self.said("answer")

    async def serves(self):
        """Serve the long connection, and be connected."""
        pings = self.desk.simulator.link.counters["pings"]
        self.start("serve")
        await until(self.desk.simulator.link.changes, lambda: self.desk.simulator.link.counters["pings"] > pings)

    async def press(self, message_id, label, person="ann", **more):
        """What the person sees, and what the bot heard."""
        _, seen = await self.desk.press(message_id, label, person, **more)
        return seen, await self.said("press")


@asynccontextmanager
async def program(desk, package):
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), package, desk.simulator.base_url, desk.app.app_id, desk.app.app_secret,
        desk.group, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        led = Program(desk, process)
        await led.said("ready")
        yield led
    finally:
        process.kill()
        await process.wait()


@pytest.fixture
async def desk():
    async with bench() as running:
        running.simulator.link.config.reconnect_nonce_s = 1
        yield running


@pytest.mark.parametrize("package", PACKAGES)
async def test_an_sdk_calls_the_platform(desk, package):
    async with program(desk, package) as bot:
        sent = await bot.do("send", content={"text": "hello"}, kind="text", uuid="u-1")
        again = await bot.do("send", content={"text": "hello"}, kind="text", uuid="u-1")
        assert (sent["code"], again["code"]) == (0, 0)
        assert again["message_id"] == sent["message_id"]
        assert sent["log_id"]

        replied = await bot.do("reply", to=sent["message_id"], text="first", in_thread=True)
        assert (replied["code"], replied["thread_id"][:4]) == (0, "omt_")
        message = desk.world.messages[replied["message_id"]]
        assert (await bot.do("patch", message_id=message.message_id, text="second"))["code"] == 0
        assert [version.by for version in message.versions] == ["send", "patch"]
        read = await bot.do("get", message_id=message.message_id)
        assert (read["code"], read["items"]) == (0, 1)

        long = await bot.do("patch", message_id=message.message_id, text="x" * 31_000)
        assert (long["code"], long["body_code"], long["status"]) == (230025, 230025, 400)
        assert (await bot.do("recall", message_id=message.message_id))["code"] == 0
        assert (await bot.do("patch", message_id=message.message_id, text="late"))["code"] == 230011

        members = await bot.do("raw", method="GET", uri=f"/open-apis/im/v1/chats/{desk.group}/members")
        assert members["body_code"] == 0
        assert desk.simulator.gate.counters["api:token"] == 1


@pytest.mark.parametrize("package", PACKAGES)
async def test_an_sdk_is_told_to_slow_down(desk, package):
    async with program(desk, package) as bot:
        desk.clock.advance(1_000)
        codes = []
        for _ in range(6):
            bot.start("send_card", text="often")
            codes.append(await bot.said("answer"))
        assert [one["code"] for one in codes] == [0] * 5 + [99991400]
        assert (codes[-1]["status"], codes[-1]["limit"], codes[-1]["reset"]) == (429, "5", "1")
        assert (await bot.do("send_card", text="a second later"))["code"] == 0


@pytest.mark.parametrize("package", PACKAGES)
async def test_an_sdk_is_refused_a_connection(desk, package):
    fault = {"api": "ws.endpoint", "kind": "code", "status": 200}
    async with program(desk, package) as bot:
        for code, error in ((1, "ServerException"), (1000040343, "ServerException"), (1000040351, "ClientException")):
            await desk.control("faults", {**fault, "code": code})
            bot.start("serve", auto_reconnect=False)
            assert await bot.said() == {"kind": "ended", "error": error, "code": code}
        await desk.control("faults", {**fault, "code": 403})
        bot.start("serve", auto_reconnect=False)
        assert (await bot.said("ended"))["error"] == "ClientException"
        for status, auth_code, error in (
            (514, 1000040350, "ClientException"),
            (514, 1000040343, "ServerException"),
            (403, 0, "ClientException"),
        ):
            await desk.control("link", {"refuse": [{"status": status, "msg": "no", "auth_code": auth_code}]})
            bot.start("serve", auto_reconnect=False)
            assert await bot.said() == {"kind": "ended", "error": error, "code": status}
        await bot.serves()


@pytest.mark.parametrize("package", PACKAGES)
async def test_an_sdk_hears_events_and_acknowledges_them(desk, package):
    link, deliveries = desk.simulator.link, desk.simulator.deliveries

    async def settled(count):
        await until(deliveries.changes, lambda: sum(len(one.outcomes) for one in deliveries.log) == count)
        return deliveries.log[-1].outcomes

    async with program(desk, package) as bot:
        await bot.serves()
        ann = desk.world.people["ann"]
        await desk.type("@Frontstage hello")
        heard = await bot.said("message")
        assert (heard["text"], heard["mentions"]) == ("@_user_1 hello", ["Frontstage"])
        assert heard["sender"] == ann.open_id(desk.app.app_id)
        assert await settled(1) == ["acked"]

        await desk.control("link", {"fragments": 3})
        await desk.type("数据 " * 20, chat="Frontstage")
        assert (await bot.said("message"))["text"] == "数据 " * 20
        assert await settled(2) == ["acked"]
        await desk.control("link", {"fragments": 3, "reversed_fragments": 1})
        await desk.type("backwards", chat="Frontstage")
        assert (await bot.said("message"))["text"] == "backwards"
        assert await settled(3) == ["acked"]

        # An SDK deduplicates nothing: the same event twice is heard twice.
        await desk.control("link", {"duplicates": 1})
        await desk.type("twice", chat="Frontstage")
        assert [(await bot.said("message"))["text"] for _ in range(2)] == ["twice", "twice"]
        assert await settled(4) == ["acked"]

        await desk.type("crash", chat="Frontstage")
        await bot.said("message")
        assert await settled(5) == ["code 500"]
        desk.clock.advance(REPUSHED_AFTER_MS)
        assert (await bot.said("message"))["text"] == "crash"
        assert await settled(6) == ["code 500", "code 500"]
        await desk.control("people/ann/menu", {"event_key": "nobody handles this"})
        assert await settled(7) == ["code 500"]

        await desk.control("link", {"client_config": {"ping_interval_s": 77}, "push_config": True})
        await desk.type("config", chat="Frontstage")
        await bot.said("message")
        assert (await bot.said("config"))["ping_interval"] == 77

        await desk.control("link", {"close": True})
        await until(desk.world.changes, lambda: link.counters["connects"] == 2)
        await desk.type("still there?", chat="Frontstage")
        assert (await bot.said("message"))["text"] == "still there?"


@pytest.mark.parametrize("package", PACKAGES)
async def test_what_a_person_sees_of_each_outcome_of_an_sdks_handler(desk, package):
    link = desk.simulator.link
    async with program(desk, package) as bot:
        message_id = (await bot.do("send_card", text="first"))["message_id"]
        await bot.serves()
        bo = desk.world.people["bo"]
        seen, heard = await bot.press(message_id, "toast", "bo")
        assert seen["toast"] == {"type": "info", "content": "看到了"}
        assert (heard["operator"], heard["message_id"]) == (bo.open_id(desk.app.app_id), message_id)
        assert heard["chat_id"] == desk.group
        outcomes = {}
        for token in ("dict", "empty", "nothing", "crash", "coroutine", "object"):
            seen, _ = await bot.press(message_id, token)
            outcomes[token] = (seen["error_code"], bool(seen["toast"]))
        assert outcomes == {
            "dict": (0, True),
            "empty": (0, False),
            "nothing": (200672, False),
            "crash": (200671, False),
            "coroutine": (200671, False),
            "object": (200671, False),
        }
        await desk.control("link", {"fragments": 3})
        seen, heard = await bot.press(message_id, "form", inputs={"Reason": "数据 <at id=all></at>"})
        assert (seen["error_code"], heard["form"]) == (0, {"reason": "数据 <at id=all></at>"})
        # The SDKs know objects only: a text as value never reaches the handler.
        _, seen = await desk.press(message_id, "string")
        assert seen["error_code"] == 200671

        seen, _ = await bot.press(message_id, "card")
        message = desk.world.messages[message_id]
        assert (seen["card_changed"], message.versions[-1].by) == (True, "callback")
        await desk.type("update", chat="Frontstage")
        await bot.said("message")
        assert [(await bot.said("answer"))["body_code"] for _ in range(3)] == [0, 0, 300040]
        assert [version.by for version in message.versions] == ["send", "callback", "delayed", "delayed"]

        # A frame of type `card` is never answered by an SDK.
        frames = link.counters["frames"]
        await desk.control("link", {"card_typed": 1})
        async with asyncio.TaskGroup() as tasks:
            pressing = tasks.create_task(desk.press(message_id, "toast"))
            await until(link.changes, lambda: link.counters["frames"] == frames + 1)
            desk.clock.advance(ACK_WITHIN_MS)
            _, seen = await pressing
        assert seen["error_code"] == 200341
