"""A press on a card: the callback's shape, what a client shows for each answer, and what it shows for none."""

import asyncio

import pytest

from tests.api.simulator_helpers import OK, ack, bench, button, card, connected, div, until

# Written out here, as the platform documents them, and not taken from the code under test.
ACK_WITHIN_MS = 3_000
REPUSH_AFTER_MS = (15_000, 300_000, 3_600_000, 21_600_000)


@pytest.fixture
async def desk():
    async with bench() as running:
        yield running


CALLBACK_OUTCOMES = {
    "answered": (OK, 0),
    "empty object": (ack(answer={}), 0),
    "code 500": (ack(500), 200671),
    "code 500 with data": (ack(500, answer={}), 200671),
    "no data": (ack(), 200672),
    "data is no JSON": (ack(data="bm9wZQ=="), 200672),
    "data is a list": (ack(answer=[]), 200672),
    "data is null": (ack(data="bnVsbA=="), 200672),
    "data is no base64": (ack(data="!!"), 200672),
    "no JSON at all": (b"ok", 200672),
    "toast of unknown type": (ack(answer={"toast": {"type": "party", "content": "x"}}), 200672),
    "toast is text": (ack(answer={"toast": "done"}), 200672),
    "card of unknown type": (ack(answer={"card": {"type": "picture", "data": card()}}), 200673),
    "card with a note": (ack(answer={"card": {"type": "raw", "data": card({"tag": "note"})}}), 200673),
    "card of schema 1": (ack(answer={"card": {"type": "raw", "data": {"elements": []}}}), 200830),
    "card too large": (ack(answer={"card": {"type": "raw", "data": card(div("x" * 30_720))}}), 200673),
    "card": (ack(answer={"card": {"type": "raw", "data": card(div("new"))}}), 0),
}


@pytest.mark.parametrize(("payload", "code"), CALLBACK_OUTCOMES.values(), ids=CALLBACK_OUTCOMES)
async def test_what_a_client_shows_for_an_answer(desk, payload, code):
    message_id = await desk.sent(card(button()))
    async with connected(desk, lambda _body, _frame: payload):
        status, pressed = await desk.press(message_id, "Confirm")
    assert (status, pressed["error_code"]) == (200, code)
    versions = desk.world.messages[message_id].versions
    assert len(versions) == (2 if pressed["card_changed"] else 1)
    assert versions[-1].by == ("callback" if pressed["card_changed"] else "send")
    assert pressed["card_changed"] == (payload == CALLBACK_OUTCOMES["card"][0])
    if code:
        assert desk.world.toasts[-1].code == code
        assert pressed["toast"] is None


async def test_a_callback_has_the_platforms_shape(desk):
    message_id = await desk.sent(card(button(token="tok")))
    async with connected(desk) as bot:
        await desk.press(message_id, "Confirm", person="bo")
        body = await bot.next()
    bo = desk.world.people["bo"]
    assert body["header"]["event_type"] == "card.action.trigger"
    assert body["header"]["create_time"] == str(desk.clock.now_ms() * 1000)
    assert body["event"].pop("token").startswith("c-")
    assert body["event"] == {
        "operator": {
            "tenant_key": bo.tenant_key,
            "union_id": bo.union_id,
            "user_id": "",
            "open_id": bo.open_id(desk.app.app_id),
        },
        "action": {"tag": "button", "value": {"t": "tok"}, "timezone": "Asia/Shanghai"},
        "host": "im_message",
        "context": {"open_message_id": message_id, "open_chat_id": desk.group},
    }


async def test_toasts_speak_the_pressers_language(desk):
    message_id = await desk.sent(card(button()))
    async with connected(desk):
        _, ann = await desk.press(message_id, "Confirm", person="ann")
        _, bo = await desk.press(message_id, "Confirm", person="bo")
    assert ann["toast"] == {"type": "success", "content": "done"}
    assert bo["toast"] == {"type": "success", "content": "好了"}
    _, listed = await desk.chat("GET", "toasts?person=bo")
    assert [(toast["content"], toast["message_id"]) for toast in listed["toasts"]] == [("好了", message_id)]


@pytest.mark.parametrize("why", ["switched off", "nobody connected"])
async def test_without_callbacks_a_press_is_200340(desk, why):
    message_id = await desk.sent(card(button()))
    if why == "nobody connected":
        _, pressed = await desk.press(message_id, "Confirm")
    else:
        await desk.control("callbacks", {"on": False})
        async with connected(desk) as bot:
            _, pressed = await desk.press(message_id, "Confirm")
            assert bot.seen.empty()
            await desk.control("callbacks", {"on": True})
            _, again = await desk.press(message_id, "Confirm")
            assert again["error_code"] == 0
    assert pressed["error_code"] == 200340


async def test_a_press_is_over_after_three_seconds_and_is_not_repeated(desk):
    message_id = await desk.sent(card(button()))
    async with connected(desk, lambda _body, _frame: None) as bot, asyncio.TaskGroup() as tasks:
        pressing = tasks.create_task(desk.press(message_id, "Confirm"))
        await bot.next()
        desk.clock.advance(ACK_WITHIN_MS - 1)
        assert not pressing.done()
        desk.clock.advance(1)
        _, pressed = await pressing
        assert pressed["error_code"] == 200341
        desk.clock.advance(REPUSH_AFTER_MS[-1])
        await bot.ping()
        frames = [await bot.next_frame(), await bot.next_frame()]
        assert [frame.header("type") for frame in frames] == ["event", "pong"]


async def test_a_connection_lost_during_a_press_is_200342(desk):
    message_id = await desk.sent(card(button()))
    async with connected(desk, lambda _body, _frame: None) as bot, asyncio.TaskGroup() as tasks:
        pressing = tasks.create_task(desk.press(message_id, "Confirm"))
        await bot.next()
        await desk.control("link", {"close": True, "code": 4001})
        _, pressed = await pressing
        assert pressed["error_code"] == 200342
        await until(desk.world.changes, lambda: not desk.simulator.link.connections)
    assert bot.close_code == 4001


async def test_a_zombie_answers_pings_and_delivers_nothing(desk):
    message_id = await desk.sent(card(button()))
    await desk.control("link", {"born_zombie": True})
    async with connected(desk) as bot, asyncio.TaskGroup() as tasks:
        await bot.ping()
        assert (await bot.next_frame()).header("type") == "pong"
        pressing = tasks.create_task(desk.press(message_id, "Confirm"))
        await until(desk.simulator.link.changes, lambda: desk.simulator.link.counters["swallowed"] == 1)
        desk.clock.advance(ACK_WITHIN_MS)
        _, pressed = await pressing
        assert pressed["error_code"] == 200341
        assert bot.seen.empty()
        await desk.control("link", {"born_zombie": False, "zombie": False})
        _, pressed = await desk.press(message_id, "Confirm")
        assert pressed["error_code"] == 0


@pytest.mark.parametrize("revert", [False, True])
async def test_a_patch_that_races_with_the_answer_is_counted_and_can_be_lost(desk, revert):
    await desk.control("presses", {"revert_raced_patches": revert})
    message_id = await desk.sent(card(button(), div("old")))
    async with connected(desk, lambda _body, _frame: None) as bot, asyncio.TaskGroup() as tasks:
        pressing = tasks.create_task(desk.press(message_id, "Confirm"))
        await bot.next()
        assert (await desk.patch(message_id, card(div("new"))))["code"] == 0
        desk.clock.advance(ACK_WITHIN_MS)
        await pressing
    shown = desk.world.messages[message_id].content["body"]["elements"][-1]["text"]["content"]
    assert shown == ("old" if revert else "new")
    assert (await desk.control("state"))["counters"]["raced_patches"] == 1
