"""Handing over: answers in time, failures that lose nothing, bounds, and two loops that never wait for each other."""

import asyncio
import base64
import threading

import orjson
import pytest

from bot.lark import PRESS_FAILED, PRESS_NOT_OURS, PRESS_TOO_MANY, STILL_WORKING, NotTakenError, toast
from bot.lark_courier import IN_FLIGHT_MAX, Courier
from bot.lark_pulse import Pulse

ACKNOWLEDGED, REFUSED = {"code": 200}, {"code": 500}
DONE = toast("success", en="Done.", zh="完成。")


def press(value=None, event_id="ev"):
    return orjson.dumps(
        {
            "header": {"event_id": event_id, "event_type": "card.action.trigger", "app_id": "cli_a", "tenant_key": "t"},
            "event": {
                "operator": {"open_id": "ou_a"},
                "action": {"value": {"t": event_id} if value is None else value, "tag": "button"},
                "context": {"open_message_id": "om_1", "open_chat_id": "oc_1"},
            },
        }
    )


def message(event_id="ev"):
    return orjson.dumps(
        {
            "header": {
                "event_id": event_id,
                "event_type": "im.message.receive_v1",
                "app_id": "cli_a",
                "tenant_key": "t",
            },
            "event": {
                "sender": {"sender_id": {"open_id": "ou_a"}, "sender_type": "user"},
                "message": {
                    "message_id": "om_1",
                    "create_time": "1",
                    "chat_id": "oc_1",
                    "chat_type": "p2p",
                    "message_type": "text",
                    "content": '{"text":"hi"}',
                },
            },
        }
    )


def other(event_id="ev"):
    return orjson.dumps({"header": {"event_id": event_id, "event_type": "im.chat.disbanded_v1"}, "event": {}})


class Handlers:
    """Does what it is told for each kind, and remembers what came."""

    def __init__(self, on_press=None, on_message=None, on_other=None):
        self.seen = []
        self._on_press, self._on_message, self._on_other = on_press, on_message, on_other

    async def on_press(self, event):
        self.seen.append(event.token)
        return await self._on_press(event) if self._on_press else DONE

    async def on_message(self, event):
        self.seen.append(event.text)
        if self._on_message:
            await self._on_message(event)

    async def on_other(self, event_type, event_id, body):
        self.seen.append((event_type, event_id))
        if self._on_other:
            await self._on_other(event_type)


async def fails(_):
    raise RuntimeError("a private text")


def courier(handlers, *, loop=None, within_ms=30_000):
    return Courier(
        handlers,
        loop or asyncio.get_running_loop(),
        Pulse(lambda: 7),
        bot_open_id="ou_bot",
        locale="en",
        answer_within_ms=within_ms,
    )


def read(ack):
    body = orjson.loads(ack)
    if "data" in body:
        body["data"] = orjson.loads(base64.b64decode(body["data"]))
    return body


def answer(content):
    return {"code": 200, "data": content}


@pytest.mark.parametrize(
    ("returned", "expected"),
    [(DONE, DONE), ({}, {}), (None, {}), ("text", {}), ([DONE], {}), ({"x": object()}, {}), ({"x": "y" * 40_000}, {})],
)
async def test_a_press_is_always_answered_with_an_object(returned, expected):
    async def on_press(_):
        return returned

    assert read(await courier(Handlers(on_press)).take(press())) == answer(expected)


async def test_a_press_whose_handler_fails_says_so_and_logs_no_text(caplog):
    assert read(await courier(Handlers(fails)).take(press())) == answer(PRESS_FAILED)
    assert "RuntimeError" in caplog.text
    assert "private" not in caplog.text


async def test_a_hanging_press_is_told_to_wait_and_its_handler_goes_on():
    release, finished = asyncio.Event(), asyncio.Event()

    async def on_press(_):
        await release.wait()
        finished.set()
        return DONE

    assert read(await courier(Handlers(on_press), within_ms=1).take(press())) == answer(STILL_WORKING)
    release.set()
    await asyncio.wait_for(finished.wait(), timeout=5.0)


async def test_a_press_is_answered_while_the_bots_loop_stands_still():
    release, blocked = threading.Event(), threading.Event()

    async def on_press(_):
        blocked.set()
        release.wait(timeout=30.0)
        return DONE

    handlers = Handlers(on_press)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    carrier = courier(handlers, loop=loop, within_ms=50)
    try:
        first = await carrier.take(press(event_id="one"))
        assert blocked.is_set()
        second = await carrier.take(press(event_id="two"))
        assert read(first) == read(second) == answer(STILL_WORKING)
    finally:
        release.set()
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(carrier.drain(5.0), loop))
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=5.0)
        loop.close()


async def test_one_slow_press_delays_no_other():
    gates = {str(number): asyncio.Event() for number in range(20)}
    gates["slow"] = asyncio.Event()

    async def on_press(event):
        await gates[event.token].wait()
        return toast("info", en=event.token, zh="")

    carrier = courier(Handlers(on_press))
    async with asyncio.TaskGroup() as group:
        slow = group.create_task(carrier.take(press(event_id="slow")))
        # The gates open in the reverse order, so that one handler at a time would never come to an end.
        tasks = {number: group.create_task(carrier.take(press(event_id=str(number)))) for number in range(20)}
        for number in reversed(range(20)):
            gates[str(number)].set()
            said = read(await asyncio.wait_for(tasks[number], timeout=5.0))
            assert said["data"]["toast"]["content"] == str(number)
        assert not slow.done()
        gates["slow"].set()


@pytest.mark.parametrize("value", ["text", 5, [], {}, {"t": 1}])
async def test_a_stray_press_is_answered_politely_and_reaches_nobody(value):
    handlers = Handlers()
    assert read(await courier(handlers).take(press(value))) == answer(PRESS_NOT_OURS)
    assert handlers.seen == []


async def test_a_message_is_acknowledged_after_its_handler():
    release = asyncio.Event()

    async def on_message(_):
        await release.wait()

    handlers = Handlers(on_message=on_message)
    async with asyncio.TaskGroup() as group:
        acknowledging = group.create_task(courier(handlers, within_ms=1).take(message()))
        while not handlers.seen:  # noqa: ASYNC110 - a few turns of this loop
            await asyncio.sleep(0)
        assert not acknowledging.done()
        release.set()
    assert read(acknowledging.result()) == ACKNOWLEDGED
    assert handlers.seen == ["hi"]


async def test_a_message_whose_handler_fails_will_come_again():
    assert read(await courier(Handlers(on_message=fails)).take(message())) == REFUSED


@pytest.mark.parametrize(
    "payload", [other(), b"not json", b"", orjson.dumps({"header": {"event_type": "im.message.receive_v1"}})]
)
@pytest.mark.parametrize("on_other", [None, fails])
async def test_unknown_and_poison_events_are_acknowledged_whatever_happens(payload, on_other):
    handlers = Handlers(on_other=on_other)
    assert read(await courier(handlers).take(payload, frame_id="m-1")) == ACKNOWLEDGED
    assert len(handlers.seen) == 1


async def test_an_event_that_is_for_another_bot_will_come_again():
    async def leaves(_):
        raise NotTakenError("another bot sends")

    assert read(await courier(Handlers(on_other=leaves)).take(other())) == REFUSED


async def test_an_unknown_event_that_hangs_is_acknowledged_in_time():
    async def hangs(_):
        await asyncio.Event().wait()

    carrier = courier(Handlers(on_other=hangs), within_ms=1)
    assert read(await carrier.take(other())) == ACKNOWLEDGED
    await carrier.drain(0.0)


async def test_an_unreadable_event_is_known_by_its_frame():
    handlers = Handlers()
    await courier(handlers).take(b"{", frame_id="m-77")
    assert handlers.seen == [("unreadable", "m-77")]


@pytest.mark.parametrize("payload", [b"{", other(), orjson.dumps({"header": {"event_type": "card.action.trigger"}})])
async def test_whoever_waits_at_a_card_gets_an_object(payload):
    assert read(await courier(Handlers()).take(payload, is_card=True)) == answer(PRESS_NOT_OURS)


async def test_a_card_frame_with_a_press_is_a_press():
    assert read(await courier(Handlers()).take(press(), is_card=True)) == answer(DONE)


async def test_what_runs_at_once_is_bounded():
    release = asyncio.Event()

    async def on_press(_):
        await release.wait()
        return DONE

    handlers = Handlers(on_press)
    carrier = courier(handlers)
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(carrier.take(press(event_id=str(n)))) for n in range(IN_FLIGHT_MAX)]
        while len(handlers.seen) < IN_FLIGHT_MAX:  # noqa: ASYNC110 - a few turns of this loop
            await asyncio.sleep(0)
        assert read(await carrier.take(press(event_id="more"))) == answer(PRESS_TOO_MANY)
        assert read(await carrier.take(message())) == REFUSED
        assert read(await carrier.take(other())) == ACKNOWLEDGED
        assert len(handlers.seen) == IN_FLIGHT_MAX
        release.set()
    assert {task.result() for task in running} == {await carrier.take(press())}


async def test_stopping_gives_grace_and_then_cancels():
    release, cancelled = asyncio.Event(), asyncio.Event()

    async def on_press(event):
        try:
            await (release.wait() if event.token == "quick" else asyncio.Event().wait())
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return DONE

    carrier = courier(Handlers(on_press), within_ms=1)
    await carrier.take(press(event_id="quick"))
    await carrier.take(press(event_id="stuck"))
    release.set()
    await carrier.drain(0.01)
    await asyncio.wait_for(cancelled.wait(), timeout=5.0)
    await carrier.drain(0.0)


async def test_the_pulse_knows_what_came():
    pulse = Pulse(lambda: 42)
    carrier = Courier(Handlers(), asyncio.get_running_loop(), pulse, bot_open_id="", locale="en")
    await carrier.take(message())
    assert (pulse.health().last_event_ms, pulse.health().last_callback_ms) == (42, None)
    await carrier.take(press(value="stray"))
    assert pulse.health().last_callback_ms == 42
