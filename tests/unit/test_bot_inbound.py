"""Presses and messages: relayed once, answered in time, said late if they were late."""

import asyncio

import pytest

from bot.backend import BackendFault, PressResult, Reply, Slot, Toast
from bot.lark import PRESS_ANSWER_MS_MAX, toast
from ledger.projections.form_views import FormView
from tests.golden.card_views import SAMPLES, card, goal, tokens
from tests.unit.bot_world import (
    CHAT,
    World,
    down,
    fault,
    goal_card,
    message,
    press,
    review_view,
)
from tests.unit.virtual_time import in_virtual_time, now_s

REVIEW = "review:goal-3:2"
SLOT = f"{REVIEW}@{CHAT}"
REFUSED = PressResult(ok=False, toast=Toast(type="error", en="Only an owner may.", zh="只有负责人可以。"))


async def _with_review(world):
    bot = world.start()
    await world.quiet()
    world.daemon.commit("goal-3", **{REVIEW: review_view()})
    await world.quiet()
    return bot


@in_virtual_time
async def test_a_press_is_answered_with_the_daemons_toast_in_both_languages():
    async with World() as world:
        bot = await _with_review(world)
        answer = await bot.handlers.on_press(press())
        assert answer == toast("success", en="Done.", zh="已完成。")


@pytest.mark.parametrize(
    ("kinds", "type_", "words", "asked"),
    [
        (["unreachable"], "warning", "Nothing was applied", 1),
        (["busy"], "warning", "Nothing was applied", 1),
        (["refused"], "error", "Nothing was applied", 1),
        (["fault"], "error", "press again", 1),
        (["unknown"], "success", "Done.", 2),
        (["unknown", "unknown"], "warning", "not known yet", 2),
        (["unknown", "unreachable"], "warning", "Nothing was applied", 2),
    ],
)
@in_virtual_time
async def test_a_daemon_that_does_not_answer_costs_a_kind_toast(kinds, type_, words, asked):
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.faults["press"].extend(down(kind) for kind in kinds)
        answer = await bot.handlers.on_press(press())
        assert answer["toast"]["type"] == type_
        assert words in answer["toast"]["content"]
        assert answer["toast"]["i18n"]["zh_cn"]
        assert world.daemon.calls["press"] == asked


@in_virtual_time
async def test_the_pressed_card_is_not_changed_before_the_press_is_answered():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.delays_s["press"] = 1.0
        world.daemon.on_press = lambda event: world.daemon.commit("goal-3", **{REVIEW: review_view(status="confirmed")})
        answered = []

        async def pressing():
            await bot.handlers.on_press(press())
            answered.append(now_s())

        async with asyncio.TaskGroup() as group:
            group.create_task(pressing())
            # The change is committed and heard of long before the answer; another card of the goal need not wait.
            await asyncio.sleep(0.3)
            world.daemon.commit("goal-3", **{REVIEW: review_view(status="superseded"), "goal:goal-3": goal_card()})
        await world.quiet(3)
        by_kind = {call.what: call.at_s for call in world.platform.calls}
        assert by_kind["card"] < answered[0]
        assert answered[0] + 0.2 <= by_kind["patch"] < answered[0] + 0.6


@in_virtual_time
async def test_a_press_finds_a_card_again_whose_record_was_lost():
    async with World() as world:
        await _with_review(world)
        await world.kill()
        world.daemon.stored.clear()
        world.daemon.show(SLOT, review_view(status="superseded"))
        bot = world.start("next")
        await world.quiet(15)
        assert world.sent == ["card"]
        world.daemon.outcome = PressResult(ok=False, toast=REFUSED.toast, slots=(SLOT,))
        await bot.handlers.on_press(press())
        await world.quiet()
        assert world.sent == ["card", "patch"]
        assert tokens("goal.confirm")["goal.confirm"] not in world.platform.cards()[0].content


@in_virtual_time
async def test_a_hanging_press_holds_its_card_no_longer_than_the_gateway_waits():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.delays_s["press"] = 50.0
        async with asyncio.TaskGroup() as group:
            group.create_task(bot.handlers.on_press(press()))
            await asyncio.sleep(0.1)
            begun_s = now_s()
            world.daemon.commit("goal-3", **{REVIEW: review_view(status="superseded")})
        patch = [call.at_s for call in world.platform.calls if call.what == "patch"]
        assert PRESS_ANSWER_MS_MAX / 1_000 <= patch[0] - begun_s + 0.1 < 5.2


@in_virtual_time
async def test_a_late_refusal_is_said_in_the_chat_in_the_pressers_language():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.delays_s["press"] = 6.0
        world.daemon.outcome = PressResult(ok=False, toast=REFUSED.toast, slots=(SLOT,))
        await bot.handlers.on_press(press(locale="zh"))
        await bot.handlers.on_press(press(locale="zh"))
        (text,) = world.platform.texts()
        assert (text.content, text.reply_to) == ("只有负责人可以。", "om_1")


@in_virtual_time
async def test_a_late_refusal_that_the_card_shows_is_not_said_again():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.delays_s["press"] = 6.0
        world.daemon.outcome = PressResult(ok=False, toast=REFUSED.toast, slots=(SLOT,))
        # Its view changes without an event, as a form's does that was refused.
        world.daemon.on_press = lambda event: world.daemon.show(SLOT, review_view(by="Filled again"))
        await bot.handlers.on_press(press())
        assert world.platform.texts() == []
        assert "Filled again" in world.platform.cards()[0].content


@in_virtual_time
async def test_a_late_success_is_shown_by_the_card_alone():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.delays_s["press"] = 6.0
        world.daemon.on_press = lambda event: world.daemon.commit("goal-3", **{REVIEW: review_view(status="confirmed")})
        await bot.handlers.on_press(press())
        await world.quiet()
        assert world.sent == ["card", "patch"]


@in_virtual_time
async def test_a_late_outage_is_said_too():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.delays_s["press"] = 6.0
        world.daemon.faults["press"].extend([down("unknown"), down("unknown")])
        await bot.handlers.on_press(press())
        (text,) = world.platform.texts()
        assert "not known yet" in text.content


@in_virtual_time
async def test_twenty_presses_a_second_are_answered_within_a_second_each():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.delays_s["press"] = 0.2
        took = []

        async def one(number):
            begun_s = now_s()
            await bot.handlers.on_press(press(f"ev_{number}"))
            took.append(now_s() - begun_s)

        async with asyncio.TaskGroup() as group:
            for number in range(100):
                group.create_task(one(number))
                await asyncio.sleep(0.05)
        assert len(took) == 100
        assert max(took) < 1.0


@pytest.mark.parametrize(
    ("chat_type", "thread_id", "locale", "reply_to", "text"),
    [
        ("group", None, "en", "om_in_1", "Help"),
        ("group", "omt_1", "zh", "om_in_1", "帮助"),
        ("p2p", None, "zh", None, "帮助"),
        ("p2p", "omt_1", "en", "om_in_1", "Help"),
    ],
)
@in_virtual_time
async def test_an_answer_stays_beside_its_question(chat_type, thread_id, locale, reply_to, text):
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.replies["om_in_1"] = Reply(kind="text", en="Help", zh="帮助")
        await bot.handlers.on_message(message(chat_type=chat_type, thread_id=thread_id, locale=locale))
        (answer,) = world.platform.texts()
        assert (answer.content, answer.reply_to) == (text, reply_to)


@in_virtual_time
async def test_a_message_delivered_twice_is_answered_once():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.replies["om_in_1"] = Reply(kind="text", en="Help", zh="帮助")
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(bot.handlers.on_message(message()))
        assert len(world.platform.texts()) == 1


@in_virtual_time
async def test_an_answer_whose_question_was_taken_back_goes_to_the_chat():
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.replies["om_in_1"] = Reply(kind="text", en="Help", zh="帮助")
        world.platform.take_back_questions()
        await bot.handlers.on_message(message())
        assert [one.reply_to for one in world.platform.texts()] == [None]


@pytest.mark.parametrize(
    ("kind", "again"), [("unreachable", True), ("busy", True), ("fault", True), ("unknown", True), ("refused", False)]
)
@in_virtual_time
async def test_a_message_is_given_back_while_the_daemon_cannot_take_it(kind, again):
    async with World() as world:
        bot = await _with_review(world)
        world.daemon.faults["message"].append(down(kind))
        if again:
            with pytest.raises(BackendFault):
                await bot.handlers.on_message(message())
        else:
            await bot.handlers.on_message(message())
        assert world.platform.texts() == []


@in_virtual_time
async def test_a_form_is_posted_as_a_reply_before_its_message_is_acknowledged():
    async with World() as world:
        bot = await _with_review(world)
        form = f"form:om_in_1@{CHAT}"
        world.daemon.show(form, _form(), listed=False)
        world.daemon.replies["om_in_1"] = Reply(kind="card", slot=form)
        await bot.handlers.on_message(message())
        posted = world.platform.cards()[-1]
        assert posted.reply_to == "om_in_1"
        await bot.handlers.on_message(message())
        assert world.sent == ["card", "card"]


@in_virtual_time
async def test_a_form_that_could_not_be_posted_gives_its_message_back():
    async with World() as world:
        bot = await _with_review(world)
        form = f"form:om_in_1@{CHAT}"
        world.daemon.show(form, _form(), listed=False)
        world.daemon.replies["om_in_1"] = Reply(kind="card", slot=form)
        world.platform.faults.append(fault("token"))
        with pytest.raises(Exception, match="not posted"):
            await bot.handlers.on_message(message())
        await bot.handlers.on_message(message())
        assert len(world.platform.cards()) == 2


def _form():
    blank = FormView(status="open", values={}, problem_code=None, problem_details={}, goal_id=None)
    return card("form", tokens("goal.propose"), form=blank)


LIST = "attention:ann:17@direct:ann"


def listed_for_ann(world):
    """A list that the daemon has for Ann, of which the bot has not heard yet."""
    world.daemon.views[LIST] = SAMPLES["attention_one"]
    world.daemon.listed[LIST] = Slot(slot=LIST, chat_id="direct:ann", receive_id="ou_ann", receive_id_type="open_id")


@in_virtual_time
async def test_an_answer_for_one_person_goes_to_where_the_daemon_says_they_are():
    async with World() as world:
        bot = await _with_review(world)
        listed_for_ann(world)
        world.daemon.replies["om_in_1"] = Reply(kind="card", slot=LIST)
        await bot.handlers.on_message(message(chat_type="p2p"))
        assert [call.place for call in world.platform.calls if call.what == "card"][1:] == ["ou_ann"]
        assert world.daemon.stored[LIST].state == "live"


@in_virtual_time
async def test_what_a_group_is_not_shown_is_sent_beside_the_words_that_say_so():
    async with World() as world:
        bot = await _with_review(world)
        listed_for_ann(world)
        world.daemon.replies["om_in_1"] = Reply(kind="text", en="Sent to you.", zh="已私聊发送。", slots=(LIST,))
        await bot.handlers.on_message(message())
        await world.quiet()
        assert [shown.content for shown in world.platform.texts()] == ["Sent to you."]
        assert [call.place for call in world.platform.calls if call.what == "card"][1:] == ["ou_ann"]


@in_virtual_time
async def test_what_a_press_opens_is_posted_under_the_card_that_was_pressed():
    async with World() as world:
        bot = await _with_review(world)
        asked, opened = f"which:status:-:om_in_1@{CHAT}", f"status:goal-3:om_1@{CHAT}"
        world.daemon.show(opened, card("status", tokens("goal.pause"), goal=goal("active"), status=goal("active")),
                          listed=False)  # fmt: skip
        world.daemon.outcome = PressResult(ok=True, toast=Toast(type="info", en="o", zh="o"), slots=(asked, opened))
        for event_id in ("ev_1", "ev_2"):
            await bot.handlers.on_press(press(event_id))
            await world.quiet()
        assert [shown.reply_to for shown in world.platform.cards()] == [None, "om_1"]


@in_virtual_time
async def test_unknown_events_are_counted_and_the_counting_is_bounded():
    async with World() as world:
        bot = await _with_review(world)
        for number in range(500):
            await bot.handlers.on_other(f"some.event_{number}", f"ev_{number}", {})
        assert sum(bot.handlers.others.values()) == 500
        assert len(bot.handlers.others) <= 101
