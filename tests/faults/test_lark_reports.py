"""Faults that people reported of such bots, where no other test is about them; see `tests/support/lark_reports.py`."""

import asyncio
from collections import Counter

import orjson

from bot.lark_api import LarkSettings, open_lark
from bot.simulator.delivery import REPUSH_AFTER_MS
from bot.simulator.scenario import DEMO
from bot.simulator.server import Simulator
from cards.draw import draw, encode
from tests.golden.card_views import NOW_MS
from tests.schedules.holds import faults_of
from tests.schedules.people import GOALS, People
from tests.schedules.stage import Stage
from tests.unit.bot_world import goal_card
from tests.unit.virtual_time import in_virtual_time

CRITERIA = "Acceptance criteria, one a line"


def write(stage, person, text, chat=None):
    platform = stage.platform
    chat = chat or platform.world.chats[platform.group]
    return platform.chat.type_text(platform.world.people[person], chat, text, mention_bot=True, reply_to="")


def answers(stage, message):
    return [
        one for one in stage.platform.world.messages.values() if one.from_app and one.parent_id == message.message_id
    ]


async def press(stage, message, label, inputs=None):
    ann = stage.platform.world.people["ann"]
    return await stage.platform.chat.press(ann, message.message_id, label, inputs=inputs or {}, confirmed=True)


@in_virtual_time
async def test_a_message_that_comes_five_times_in_six_hours_is_one_effect_and_one_answer():
    async with Stage("five times") as stage:
        await asyncio.sleep(3)
        stage.platform.wire.plan.extend(["ack_lost"] * len(REPUSH_AFTER_MS))
        message = write(stage, "ann", "propose Pages that load")
        before = stage.daemon.life.service.committed.seq
        for after_ms in REPUSH_AFTER_MS:
            await asyncio.sleep(5)
            stage.platform.clock.advance(after_ms)
        await asyncio.sleep(30)
        (delivery,) = [one for one in stage.platform.wire.log if one.event_type == "im.message.receive_v1"]
        assert delivery.outcomes == ["lost"] * len(REPUSH_AFTER_MS) + ["acked"]
        assert len(answers(stage, message)) == 1
        assert stage.daemon.life.service.committed.seq == before


@in_virtual_time
async def test_a_press_is_answered_by_a_toast_and_nothing_else():
    async with Stage("toast") as stage:
        await asyncio.sleep(3)
        push, acks = stage.platform.wire.push_once, []

        async def noted(app, payload):
            acks.append(await push(app, payload))
            return acks[-1]

        stage.platform.wire.push_once = noted
        card = next(one for one in stage.platform.bots_cards(stage.platform.group) if "Pause" in str(one.content))
        assert (await press(stage, card, "Pause")).card_changed is False
        assert (await press(stage, card, "Pause")).card_changed is False
        assert [ack.code for ack in acks] == [200, 200]
        assert [set(orjson.loads(ack.data)) for ack in acks] == [{"toast"}, {"toast"}]


async def test_a_card_is_changed_by_patch_and_by_nothing_else():
    simulator = Simulator()
    base_url = await simulator.start()
    try:
        (app,) = DEMO["tenants"][0]["apps"]
        settings = LarkSettings(app_id=app["app_id"], app_secret=app["app_secret"], domain=base_url)
        group = next(one.chat_id for one in simulator.world.chats.values() if one.kind == "group")
        async with open_lark(settings, now_ms=lambda: 0) as lark:
            first, second = (encode(draw(goal_card(done=done), locale="en", now_ms=NOW_MS)) for done in (1, 2))
            sent = await lark.send_card(group, "chat_id", first, "key-1")
            await lark.patch_card(sent.message_id, second)
        calls = [(call.method, call.code) for call in simulator.gate.log if "/im/v1/messages" in call.path]
        assert calls == [("POST", 0), ("PATCH", 0)]
        assert simulator.world.messages[sent.message_id].content == orjson.loads(second)
    finally:
        await simulator.stop()


@in_virtual_time
async def test_a_card_in_a_chat_that_is_new_can_be_pressed_at_once():
    async with Stage("new chat") as stage:
        await asyncio.sleep(3)
        app = stage.platform.app
        chat = stage.platform.world.add_group("New room", app.tenant_key, ["ann", "bo"], {app.app_id})
        message = write(stage, "ann", "propose Pages that load", chat)
        await asyncio.sleep(1)
        (form,) = answers(stage, message)
        pressed = await press(stage, form, "Submit", {CRITERIA: "Every page loads"})
        assert pressed.toast.type == "success"
        await asyncio.sleep(2)
        assert len([one for one in stage.platform.bots_cards(chat.chat_id) if one is not form]) >= 1


@in_virtual_time
async def test_a_platform_that_is_down_holds_up_no_commit():
    async with Stage("down") as stage:
        people = People(stage)
        await asyncio.sleep(3)
        for api in ("create", "reply", "patch"):
            stage.platform.plan[api].extend(["html"] * 1_000)
        began_s, before = asyncio.get_running_loop().time(), stage.daemon.life.service.committed.seq
        await people.everything_moves()
        assert stage.daemon.life.service.committed.seq >= before + 3
        assert asyncio.get_running_loop().time() - began_s < 0.1
        await asyncio.sleep(60)
        (running,) = stage.bots.values()
        assert running.bot.sync.pending > 0
        stage.platform.plan.clear()
        await asyncio.sleep(400)
        assert running.bot.sync.pending == 0
        assert faults_of(stage, people) == []


@in_virtual_time
async def test_of_several_cards_the_one_that_failed_is_sent_later_and_no_other_twice():
    async with Stage("partial") as stage:
        people = People(stage)
        await asyncio.sleep(3)
        before = {one.message_id: len(one.versions) for one in stage.platform.bots_cards()}
        stage.platform.plan["patch"].extend(["", "", "token"])
        await people.everything_moves()
        await asyncio.sleep(2)
        (running,) = stage.bots.values()
        assert running.bot.sync.pending == 1
        await asyncio.sleep(30)
        changed = Counter(len(one.versions) - before[one.message_id] for one in stage.platform.bots_cards())
        assert set(changed) <= {0, 1}
        assert changed[1] >= len(GOALS) - 2
        assert running.bot.sync.pending == 0
        assert faults_of(stage, people) == []


@in_virtual_time
async def test_two_people_who_write_at_once_are_each_answered_under_their_own_message():
    async with Stage("two people") as stage:
        await asyncio.sleep(3)
        asked = [write(stage, "ann", "propose The first page"), write(stage, "bo", "提议 第二页")]
        await asyncio.sleep(5)
        shown = [[str(one.content) for one in answers(stage, message)] for message in asked]
        assert [len(one) for one in shown] == [1, 1]
        assert "The first page" in shown[0][0]
        assert "第二页" not in shown[0][0]
        assert "第二页" in shown[1][0]
        assert "The first page" not in shown[1][0]
