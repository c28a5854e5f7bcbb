"""What the adapter alone must stand: refused tokens, hanging calls, strange frames, and logs that tell nothing.

Each test is a fault that users of such bots met in public, or that the SDK was seen to have.
"""

import asyncio
import logging
import threading

import orjson
import pytest

import bot.lark_api
from bot.lark import PRESS_NOT_OURS, STILL_WORKING, LarkFault, LarkFaultKind, toast
from bot.lark_api import open_lark
from bot.lark_settings import LarkSettings
from bot.simulator.faults import Fault
from bot.simulator.linkcontrol import change_link
from bot.simulator.server import Simulator
from tests.contract.lark_rigs import DONE, AdapterRig, Handlers, calls, card, now_ms, running, until


@pytest.fixture
async def rig():
    rig = AdapterRig()
    await rig.open()
    yield rig
    await rig.close()


# Tokens and calls


async def test_a_token_that_was_revoked_costs_one_repetition(rig):
    await rig.lark.bot_info()
    rig.simulator.tokens.revoke_all()
    await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    assert [call.code for call in calls(rig, "messages.create")] == [99991663, 0]
    assert len(calls(rig, "token")) == 2
    assert rig.count() == 1


async def test_a_token_that_is_refused_twice_is_a_fault_and_no_storm(rig):
    rig.simulator.faults.plan(Fault(api="messages.create", kind="code", code=99991663, status=400, count=10))
    with pytest.raises(LarkFault) as raised:
        await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    assert raised.value.kind is LarkFaultKind.TOKEN
    assert len(calls(rig, "messages.create")) == 2


async def test_a_hundred_calls_share_one_token(rig):
    rig.simulator.gate.limits_on = False
    async with asyncio.TaskGroup() as group:
        for number in range(30):
            group.create_task(rig.lark.send_card(rig.group, "chat_id", card(), f"key-{number}"))
    assert (len(calls(rig, "token")), rig.count()) == (1, 30)


async def test_the_sixth_send_to_a_chat_in_a_second_is_told_how_long_to_wait(rig):
    async def send(number):
        try:
            await rig.lark.send_card(rig.group, "chat_id", card(), f"key-{number}")
        except LarkFault as fault:
            return fault
        return None

    rig.simulator.clock.freeze()
    faults = [fault for number in range(6) if (fault := await send(number)) is not None]
    assert [(fault.kind, fault.code, fault.retry_after_s) for fault in faults] == [
        (LarkFaultKind.RATE_LIMITED, 99991400, 1.0)
    ]


@pytest.mark.parametrize("kind", ["hang", "hang_after_commit", "reset", "empty", "html"])
async def test_a_call_without_an_answer_ends_and_its_outcome_is_unknown(rig, kind, monkeypatch):
    monkeypatch.setattr(bot.lark_api, "CALL_S_MAX", 0.2)
    await rig.lark.bot_info()
    rig.simulator.faults.plan(Fault(api="messages.create", kind=kind, status=502))
    with pytest.raises(LarkFault) as raised:
        await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    assert raised.value.kind is LarkFaultKind.UNKNOWN_OUTCOME
    rig.simulator.faults.clear()
    await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    assert rig.count() == 1


async def test_a_slow_token_call_does_not_hold_up_the_loop(rig):
    rig.simulator.faults.plan(Fault(api="token", kind="hang"))
    turns = 0
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(rig.lark.bot_info())
        await until(lambda: not rig.simulator.faults.planned)
        while turns < 100:
            await asyncio.sleep(0)
            turns += 1
        assert not asking.done()
        rig.simulator.faults.clear()
    assert asking.result().open_id == rig.app.bot_open_id


async def test_two_domains_never_share_a_token(rig):
    other = AdapterRig()
    await other.open()
    try:
        assert other.app_id == rig.app_id
        await rig.lark.bot_info()
        await other.lark.bot_info()
        for one in (rig, other):
            assert [call.code for call in calls(one, "bot_info")] == [0]
            assert len(calls(one, "token")) == 1
    finally:
        await other.close()


@pytest.mark.parametrize(
    "domain", ["http://open.feishu.cn", "https://open.feishu.cn/x", "https://a@b", "open.feishu.cn", ""]
)
async def test_an_unusable_domain_is_refused_at_once(domain):
    with pytest.raises(ValueError, match="domain"):
        async with open_lark(LarkSettings(app_id="cli_a", app_secret="s", domain=domain), now_ms=now_ms):
            pass


def test_the_secret_is_not_in_the_settings_text():
    assert "hush" not in repr(LarkSettings(app_id="cli_a", app_secret="hush", domain="https://open.feishu.cn"))


# Frames


async def test_a_card_typed_frame_is_handled_and_answered(rig):
    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        rig.simulator.link.faults.card_typed = 1
        assert await rig.press(sent.message_id, "token-1") == DONE
    assert len(handlers.presses) == 1


async def test_an_event_in_pieces_is_put_together_and_a_lost_piece_is_waited_for(rig):
    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        await change_link(rig.simulator.link, {"fragments": 5})
        form = {"text": "目标" * 500}
        assert await rig.press(sent.message_id, "token-1", form) == DONE
        assert handlers.presses[0].form == form
        rig.simulator.clock.freeze()
        await change_link(rig.simulator.link, {"fragments": 3, "lost_fragments": 1})
        async with asyncio.TaskGroup() as group:
            pushing = group.create_task(
                rig.simulator.deliveries.push_once(rig.app, orjson.dumps(rig.message_body("half", mentioned=True)))
            )
            frames = rig.simulator.link.counters["frames"] + 2
            await until(lambda: rig.simulator.link.counters["frames"] == frames)
            assert await rig.say("whole", mentioned=True)
            rig.simulator.clock.advance(3_001)
        assert pushing.result() == "timeout"
    assert [message.text for message in handlers.messages] == ["whole"]


@pytest.mark.parametrize("value", ["text", '{"t":"x"}', 5, None, [], {}, {"t": 5}])
async def test_a_button_value_that_is_not_ours_gets_a_polite_answer(rig, value):
    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        ack = await rig.push(rig.press_body(sent.message_id, {"value": value, "tag": "button"}))
    assert (ack.code, orjson.loads(ack.data)) == (200, PRESS_NOT_OURS)
    assert handlers.presses == []
    assert rig.lark.health().last_callback_ms is not None


@pytest.mark.parametrize("payload", [b"", b"not json", b"[]", b"\xff", b'{"header":{"event_type":"new.thing_v9"}}'])
async def test_unknown_and_poison_frames_are_acknowledged_and_handed_on(rig, payload):
    async with running(rig) as handlers:
        ack = await rig.push(payload)
    assert (ack.code, ack.data) == (200, None)
    assert len(handlers.others) == 1
    assert handlers.others[0][1], "it has an id to be kept under"


async def test_a_redelivered_event_is_handed_over_again(rig):
    # Deduplication is the ledger's: it must see both, under one id.
    async with running(rig) as handlers:
        rig.simulator.link.faults.duplicates = 1
        assert await rig.say("once", mentioned=True)
        await until(lambda: len(handlers.messages) == 2)
    assert len({message.event_id for message in handlers.messages}) == 1


async def test_a_stuck_message_delays_no_press(rig):
    release = asyncio.Event()

    async def stuck(_):
        await release.wait()

    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        handlers.when_said = stuck
        async with asyncio.TaskGroup() as group:
            saying = group.create_task(rig.say("slow", mentioned=True))
            await until(lambda: handlers.messages)
            before_ms = now_ms()
            assert await rig.press(sent.message_id, "token-1") == DONE
            assert now_ms() - before_ms < 1_000
            assert not saying.done()
            release.set()
        assert saying.result()


async def test_a_bot_whose_loop_stands_still_answers_in_time(rig):
    """The whole loop is blocked, not one handler: the connection's own thread must answer."""
    other = Simulator(seed="blocked")
    ready, release, stop = threading.Event(), threading.Event(), []
    answers = []

    class Blocked(Handlers):
        async def on_press(self, event):
            release.wait(timeout=20.0)
            return DONE

    async def bot_side(settings):
        async with open_lark(settings, now_ms=now_ms, chance=lambda: 0.0) as lark, asyncio.TaskGroup() as group:
            run = group.create_task(lark.run(Blocked()))
            stop.append((asyncio.get_running_loop(), run))
            await until(lambda: lark.health().connected)
            ready.set()

    base_url = await other.start()
    app = next(iter(other.world.apps.values()))
    settings = LarkSettings(app_id=app.app_id, app_secret=app.app_secret, domain=base_url)
    thread = threading.Thread(target=lambda: asyncio.run(bot_side(settings)))
    thread.start()
    try:
        await asyncio.to_thread(ready.wait, 20.0)
        rig.app, rig.chat = app, next(chat for chat in other.world.chats.values() if chat.kind == "group")
        rig.simulator, rig_simulator = other, rig.simulator
        message = other.world.add_message(rig.chat, "interactive", app.app_id, {}, from_app=True)
        before_ms = now_ms()
        answers.append(await rig.press(message.message_id, "token-1"))
        assert now_ms() - before_ms < 3_000
        rig.simulator = rig_simulator
    finally:
        release.set()
        loop, run = stop[0]
        loop.call_soon_threadsafe(run.cancel)
        await asyncio.to_thread(thread.join, 20.0)
        await other.stop()
    assert answers == [STILL_WORKING]


# Logs


async def test_no_log_line_and_no_output_holds_a_secret_or_an_id(rig, caplog, capfd):
    async def fails(_):
        raise RuntimeError("a private text")

    with caplog.at_level(logging.DEBUG):
        async with running(rig) as handlers:
            sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
            await rig.press(sent.message_id, "button-secret", {"field": "a private text"})
            handlers.when_said = handlers.when_pressed = handlers.when_other = fails
            await rig.press(sent.message_id, "button-secret", {"field": "a private text"})
            await rig.say("a private text", mentioned=True)
            await rig.push(b"a private text")
            rig.simulator.faults.plan(
                Fault(api="messages.patch", kind="code", code=230099, msg="ErrCode: 1; a private text")
            )
            with pytest.raises(LarkFault):
                await rig.lark.patch_card(sent.message_id, card("a private text"))
            await rig.simulator.link.close_all()
            await until(lambda: rig.lark.health().reconnects == 1)
    out, err = capfd.readouterr()
    ours = "\n".join(
        record.getMessage() + str(record.exc_info)
        for record in caplog.records
        if not record.name.startswith(("aiohttp", "asyncio"))
    )
    told = ours + out + err
    tickets = [call.body for call in calls(rig, "token")]
    assert tickets, "the calls that carry the secret were made"
    for secret in (
        rig.app.app_secret, "access_key=", "ticket=", "Bearer t-", "button-secret", "private text",
        rig.ann.open_id, rig.ann.union_id, rig.group, sent.message_id, "c-",
    ):  # fmt: skip
        assert secret not in told, secret
    assert "frontstage.lark" in {record.name for record in caplog.records}, "what went wrong is logged"


def test_toasts_carry_both_languages():
    answer = toast("info", en="Hello", zh="你好")
    assert answer == {"toast": {"type": "info", "content": "Hello", "i18n": {"en_us": "Hello", "zh_cn": "你好"}}}
