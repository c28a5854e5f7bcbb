"""The long connection of the adapter: every way it is known to break, and how it comes back or says why not.

Each test is a fault that users of such bots met in public, or that the SDK was seen to have.
"""

import asyncio
import base64
import contextlib
import hashlib
import re
import threading

import orjson
import pytest

import bot.lark_api
from bot.lark import LarkFault, LarkFaultKind
from bot.lark_api import open_lark
from bot.lark_endpoint import Endpoint
from bot.lark_pulse import Pulse
from bot.lark_settings import LarkSettings
from bot.simulator.faults import Fault
from bot.simulator.linkcontrol import change_link
from bot.simulator.scenario import DEMO
from bot.simulator.server import Simulator
from bot.watchdog import Verdict, Watchdog, WatchdogLimits
from tests.contract.lark_rigs import AdapterRig, Handlers, calls, now_ms, running, until


@pytest.fixture
async def rig():
    rig = AdapterRig()
    await rig.open()
    yield rig
    await rig.close()


async def test_a_closed_connection_comes_back_and_is_counted(rig):
    async with running(rig) as handlers:
        for number in range(1, 3):
            await rig.simulator.link.close_all(code=1001)
            await until(lambda: rig.lark.health().reconnects == number and rig.lark.health().connected)  # noqa: B023
            assert await rig.say(f"after {number}", mentioned=True)
    assert [message.text for message in handlers.messages] == ["after 1", "after 2"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(api="ws.endpoint", kind="code", code=1000040351, status=200, count=99), "other domain"),
        (Fault(api="ws.endpoint", kind="code", code=1000040350, status=200, count=99), "long connections"),
        (Fault(api="ws.endpoint", kind="code", code=514, status=200, count=99), "credentials"),
        (Fault(api="ws.endpoint", kind="code", code=403, status=200, count=99), "forbids"),
        (Fault(api="token", kind="code", code=10014, status=200, count=99), "secret"),
        (Fault(api="bot_info", kind="code", code=99991672, status=400, count=99), "permission"),
    ],
)
async def test_a_fatal_refusal_is_told_in_words_and_not_repeated(rig, fault, words):
    rig.simulator.faults.plan(fault)
    async with asyncio.TaskGroup() as group:
        run = group.create_task(rig.lark.run(Handlers()))
        await until(lambda: rig.lark.health().fatal)
        for _ in range(200):
            await asyncio.sleep(0)
        assert words in rig.lark.health().fatal
        assert not rig.lark.health().connected
        assert rig.simulator.gate.counters[f"api:{fault.api}"] == 1
        run.cancel()


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ({"status": 514, "auth_code": 1000040350}, "long connections"),
        ({"status": 514, "auth_code": 1000040343}, "credentials"),
        ({"status": 403, "auth_code": 0}, "forbids"),
    ],
)
async def test_a_handshake_refused_for_good_is_told_in_words(rig, refusal, words):
    await change_link(rig.simulator.link, {"refuse": [{**refusal, "msg": "no"}]})
    async with asyncio.TaskGroup() as group:
        run = group.create_task(rig.lark.run(Handlers()))
        await until(lambda: rig.lark.health().fatal)
        assert words in rig.lark.health().fatal
        assert len(calls(rig, "ws.endpoint")) == 1
        run.cancel()


@pytest.mark.parametrize(
    "fault",
    [
        Fault(api="ws.endpoint", kind="html", status=502),
        Fault(api="ws.endpoint", kind="code", code=1, status=200),
        Fault(api="ws.endpoint", kind="code", code=1000040343, status=200),
        Fault(api="ws.endpoint", kind="reset"),
        Fault(api="bot_info", kind="html", status=502),
    ],
)
async def test_a_passing_refusal_is_tried_again(rig, fault):
    rig.simulator.faults.plan(fault)
    async with running(rig):
        assert rig.lark.health().fatal is None


async def test_a_handshake_that_a_busy_server_refuses_is_tried_again(rig):
    await change_link(rig.simulator.link, {"refuse": [{"status": 500, "msg": "busy", "auth_code": 0}]})
    async with running(rig):
        assert len(calls(rig, "ws.endpoint")) == 2


async def test_an_endpoint_that_hangs_is_given_up_and_asked_again(rig, monkeypatch):
    monkeypatch.setattr(bot.lark_api, "HTTP_S_MAX", 0.2)
    rig.simulator.faults.plan(Fault(api="ws.endpoint", kind="hang"))
    async with running(rig):
        pass


async def test_a_run_that_waits_for_a_hanging_endpoint_stops_at_once(rig):
    rig.simulator.faults.plan(Fault(api="ws.endpoint", kind="hang"))
    async with asyncio.TaskGroup() as group:
        run = group.create_task(rig.lark.run(Handlers()))
        await until(lambda: not rig.simulator.faults.planned)
        before_ms = now_ms()
        run.cancel()
    assert now_ms() - before_ms < 2_000


async def test_no_thread_is_left_after_a_run(rig):
    async with running(rig):
        assert any(thread.name == "lark-long-connection" for thread in threading.enumerate())
        await rig.simulator.link.close_all()
        await until(lambda: rig.lark.health().reconnects == 1)
    await until(lambda: not any(thread.name == "lark-long-connection" for thread in threading.enumerate()))


async def test_the_servers_ping_interval_is_taken_and_an_absurd_one_is_not(rig):
    rig.simulator.link.config.ping_interval_s = 1
    async with running(rig):
        assert rig.lark.health().ping_interval_ms == 1_000
        await until(lambda: rig.simulator.link.counters["pings"] >= 2)
        assert rig.lark.health().last_pong_ms is not None
        await change_link(rig.simulator.link, {"client_config": {"ping_interval_s": 0}, "push_config": True})
        await until(lambda: rig.lark.health().ping_interval_ms == 120_000)


class SteppedClock:
    """Adds hours to the real clock when the test says so; the watchdog looks whenever it is let."""

    def __init__(self):
        self.ahead_ms, self.looks = 0, asyncio.Semaphore(0)

    def now_ms(self):
        return now_ms() + self.ahead_ms

    async def sleep(self, _):
        await self.looks.acquire()


@pytest.mark.parametrize(
    ("wrong", "ahead_ms", "verdict"),
    [("zombie", 31 * 60_000, Verdict.QUIET), ("no_pong", 5 * 60_000, Verdict.DEAF)],
)
async def test_the_watchdog_replaces_a_connection_that_only_looks_alive(rig, wrong, ahead_ms, verdict):
    clock, handlers = SteppedClock(), Handlers()
    settings = LarkSettings(app_id=rig.app_id, app_secret=rig.app.app_secret, domain=rig.simulator.base_url)
    async with open_lark(settings, now_ms=clock.now_ms, chance=lambda: 0.0) as rig_lark, asyncio.TaskGroup() as group:
        rig.simulator.link.config.ping_interval_s = 120 if wrong == "no_pong" else 86_400
        dog = Watchdog(rig_lark, now_ms=clock.now_ms, sleep=clock.sleep, limits=WatchdogLimits())
        watching = group.create_task(dog.run(handlers))
        await until(lambda: rig_lark.health().connected)
        await change_link(rig.simulator.link, {wrong: True})
        (bad,) = rig.simulator.link.connections
        clock.ahead_ms += ahead_ms
        clock.looks.release()
        await until(lambda: dog.restarts == {verdict: 1} and rig_lark.health().connected)
        await until(lambda: bad not in rig.simulator.link.connections)
        assert await rig.say("heard", mentioned=True)
        assert [message.text for message in handlers.messages] == ["heard"]
        watching.cancel()


async def test_two_apps_in_one_process_each_hear_their_own():
    tenant = DEMO["tenants"][0]
    second_app = {"app_id": "cli_second", "app_secret": "second-secret", "name": "Second"}
    scenario = {"tenants": [{**tenant, "apps": [*tenant["apps"], second_app]}]}
    simulator = Simulator(scenario, seed="two")
    base_url = await simulator.start()
    heard = {}
    try:
        async with asyncio.TaskGroup() as group:
            runs = []
            opened = []
            for app in simulator.world.apps.values():
                settings = LarkSettings(app_id=app.app_id, app_secret=app.app_secret, domain=base_url)
                entered = open_lark(settings, now_ms=now_ms, chance=lambda: 0.0)
                lark = await entered.__aenter__()
                opened.append((entered, lark))
                heard[app.app_id] = Handlers()
                runs.append(group.create_task(lark.run(heard[app.app_id])))
            await until(lambda: all(lark.health().connected for _, lark in opened))
            for app in simulator.world.apps.values():
                header = {"event_id": app.app_id, "event_type": "for.you_v1", "app_id": app.app_id, "tenant_key": "t"}
                body = {"header": header, "event": {"of": app.app_id}}
                ack = await simulator.deliveries.push_once(app, orjson.dumps(body))
                assert ack.code == 200
            for run in runs:
                run.cancel()
        for entered, _ in opened:
            await entered.__aexit__(None, None, None)
    finally:
        await simulator.stop()
    assert {app_id: handlers.others for app_id, handlers in heard.items()} == {
        app_id: [("for.you_v1", app_id, {"app_id": app_id, "tenant_key": "t", "of": app_id})] for app_id in heard
    }


class RudePeer:
    """A websocket server that shakes hands (or not) and then ignores everything, above all a goodbye."""

    def __init__(self, *, shakes_hands):
        self._shakes_hands = shakes_hands
        self._connections = []
        self.left = asyncio.Event()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/ws/v2?device_id=d&service_id=1&access_key=k&ticket=t"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for writer in self._connections:
            writer.close()

    async def _accept(self, reader, writer):
        self._connections.append(writer)
        request = await reader.readuntil(b"\r\n\r\n")
        if not self._shakes_hands:
            return
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", request)[1]
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        writer.write(head + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while await reader.read(1024):
                pass
        self.left.set()


def link_to(url):
    return bot.lark_api._SdkLink("cli_a", Endpoint(url=url, ping_interval_s=120), None, Pulse(now_ms), now_ms)


async def test_a_peer_that_ignores_the_goodbye_is_left_anyway(monkeypatch):
    monkeypatch.setattr(bot.lark_api, "CLOSE_S_MAX", 0.1)
    async with RudePeer(shakes_hands=True) as peer:
        link = link_to(peer.url)
        await link.open()
        before_ms = now_ms()
        await link.close()
        await link.close()
        assert now_ms() - before_ms < 2_000
        await asyncio.wait_for(link.until_ended(), timeout=5.0)
        await asyncio.wait_for(peer.left.wait(), timeout=5.0)


async def test_a_goodbye_while_a_write_is_stuck_ends_too(monkeypatch):
    monkeypatch.setattr(bot.lark_api, "CLOSE_S_MAX", 0.1)
    async with RudePeer(shakes_hands=True) as peer:
        link = link_to(peer.url)
        await link.open()
        async with asyncio.TaskGroup() as group:
            # The write holds the SDK's lock, which the SDK's goodbye waits for.
            await link._lock.acquire()
            closing = group.create_task(link.close())
        assert closing.done()
        await asyncio.wait_for(link.until_ended(), timeout=5.0)
        await asyncio.wait_for(peer.left.wait(), timeout=5.0)


async def test_a_handshake_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr(bot.lark_api, "HANDSHAKE_S_MAX", 0.1)
    async with RudePeer(shakes_hands=False) as peer:
        with pytest.raises(LarkFault) as raised:
            await link_to(peer.url).open()
    assert raised.value.kind is LarkFaultKind.UNKNOWN_OUTCOME
    assert "ticket" not in str(raised.value)


async def test_a_closed_port_is_an_unknown_outcome():
    async with RudePeer(shakes_hands=True) as peer:
        pass
    with pytest.raises(LarkFault) as raised:
        await link_to(peer.url).open()
    assert raised.value.kind is LarkFaultKind.UNKNOWN_OUTCOME
