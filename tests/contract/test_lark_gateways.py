"""What both transports must do alike, whatever arrives and however long its handler takes: one suite, two rigs."""

import asyncio
import threading

import orjson
import pytest

from bot.lark import PRESS_NOT_OURS, STILL_WORKING
from tests.contract.lark_rigs import DONE, AdapterRig, WebhookRig, card, now_ms, running, until


@pytest.fixture(params=[AdapterRig, WebhookRig], ids=["ws", "webhook"])
async def rig(request):
    rig = request.param()
    await rig.open()
    yield rig
    await rig.close()


async def test_a_message_and_a_press_arrive_and_are_measured(rig):
    async with running(rig) as handlers:
        before = rig.lark.health()
        assert (before.last_event_ms, before.last_callback_ms, before.events_seen) == (None, None, frozenset())
        assert await rig.say("propose", mentioned=True)
        heard = rig.lark.health()
        assert heard.last_callback_ms is None, "a message proves no callback"
        assert heard.events_seen == {"im.message.receive_v1"}
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        assert await rig.press(sent.message_id, "token-1", {"reason": "because"}) == DONE
        after = rig.lark.health()
        assert min(after.last_frame_ms, after.last_event_ms, after.last_callback_ms) > 0
        assert (after.parked, after.turned_away, after.fatal) == (0, 0, None)
    assert [message.text for message in handlers.messages] == ["propose"]
    assert [(press.token, press.form) for press in handlers.presses] == [("token-1", {"reason": "because"})]


async def test_the_same_event_twice_is_handed_over_under_one_id(rig):
    # Whether it has one effect is the ledger's business, which must see both under one id.
    async with running(rig) as handlers:
        body = orjson.dumps(rig.message_body("once", mentioned=True))
        assert (await rig.push(body)).code == 200
        assert (await rig.push(body)).code == 200
    assert len(handlers.messages) == 2
    assert len({(message.event_id, message.message_id) for message in handlers.messages}) == 1


async def test_an_unknown_kind_is_acknowledged_handed_on_and_counted(rig):
    async with running(rig) as handlers:
        body = rig.message_body("x", mentioned=True)
        body["header"]["event_type"] = "new.thing_v9"
        assert (await rig.push(body)).code == 200
        assert rig.lark.health().parked == 1
        assert await rig.other(), "a kind that is known and not acted on is not parked twice over"
    assert [event_type for event_type, _, _ in handlers.others] == ["new.thing_v9", "im.message.recalled_v1"]


@pytest.mark.parametrize("payload", [b"not json", b"[]", b"\xff\x00", b'{"event": 5}', b'"text"'])
async def test_a_poison_event_is_acknowledged_and_what_follows_is_heard(rig, payload):
    async with running(rig) as handlers:
        ack = await rig.push(payload)
        told = rig.lark.health()
        if isinstance(rig, WebhookRig) and payload == b'{"event": 5}':
            # It can be read, and names no app: by webhook that is not ours.
            assert (ack.code, told.parked, told.turned_away) == (403, 0, 1)
        else:
            assert (ack.code, told.parked) == (200, 1)
            assert handlers.others[0][1], "it has an id to be kept under"
        assert await rig.say("after it", mentioned=True)
    assert [message.text for message in handlers.messages] == ["after it"]


async def test_a_slow_press_is_answered_in_time_and_goes_on(rig):
    release, done = asyncio.Event(), asyncio.Event()

    async def slow(_):
        await release.wait()
        done.set()
        return DONE

    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        handlers.when_pressed = slow
        before_ms = now_ms()
        assert await rig.press(sent.message_id, "token-1") == STILL_WORKING
        assert now_ms() - before_ms < 3_000
        release.set()
        await asyncio.wait_for(done.wait(), 5)


async def test_a_stuck_message_delays_no_press_and_no_other_message(rig):
    release = asyncio.Event()

    async def stuck(event):
        if event.text == "stuck":
            await release.wait()

    async with running(rig) as handlers:
        handlers.when_said = stuck
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        async with asyncio.TaskGroup() as group:
            saying = group.create_task(rig.say("stuck", mentioned=True))
            await until(lambda: handlers.messages)
            before_ms = now_ms()
            assert await rig.press(sent.message_id, "token-1") == DONE
            assert await rig.say("quick", mentioned=True)
            assert now_ms() - before_ms < 1_500
            assert not saying.done()
            release.set()
        assert saying.result()


async def test_a_press_of_a_control_that_is_not_ours_is_answered_with_an_object(rig):
    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        ack = await rig.push(rig.press_body(sent.message_id, {"value": "text", "tag": "button"}))
    assert (ack.code, orjson.loads(ack.data)) == (200, PRESS_NOT_OURS)
    assert handlers.presses == []


async def test_a_run_stops_within_five_seconds_though_handlers_hang(rig):
    async def hangs(_):
        await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        async with running(rig) as handlers:
            handlers.when_said = hangs
            saying = group.create_task(rig.simulator.deliveries.push_once(
                rig.app, orjson.dumps(rig.message_body("hangs", mentioned=True))
            ))  # fmt: skip
            await until(lambda: handlers.messages)
            before_ms = now_ms()
        assert now_ms() - before_ms < 5_000
    assert saying.done()
    assert not rig.lark.health().connected
    assert not rig.lark.health().listening
    await until(lambda: not any(thread.name.startswith("lark-") for thread in threading.enumerate()))
