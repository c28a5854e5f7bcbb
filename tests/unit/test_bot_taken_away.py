"""Events that only the leader can act on: a card that was taken away, a chat that can be reached again."""

import pytest

from bot.backend import Reply
from bot.lark import NotTakenError
from tests.unit.bot_world import CHAT, World, down, fault, goal_card, message, review_view
from tests.unit.virtual_time import in_virtual_time

ADDED = {"chat_id": CHAT, "app_id": "cli_1", "tenant_key": "t"}
GOAL, REVIEW = "goal:goal-3", "review:goal-3:2"


async def recalled(bot, message_id):
    await bot.handlers.on_other("im.message.recalled_v1", "ev_r", {"message_id": message_id, "chat_id": CHAT})


@in_virtual_time
async def test_a_card_that_was_taken_away_is_posted_once_more_although_nothing_happened_in_the_ledger():
    async with World() as world:
        bot = world.start()
        world.daemon.commit("goal-3", **{REVIEW: review_view()})
        await world.quiet()
        (first,) = world.platform.cards()
        first.take_away()
        await recalled(bot, first.message_id)
        await world.quiet()
        (second,) = world.platform.cards()
        assert second.message_id != first.message_id
        second.take_away()
        await recalled(bot, second.message_id)
        await world.quiet(600)
        assert world.platform.cards() == []
        assert world.daemon.stored[f"{REVIEW}@{CHAT}"].state == "gone"


@in_virtual_time
async def test_an_event_about_a_card_that_is_still_there_changes_nothing_for_a_reader():
    async with World() as world:
        bot = world.start()
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet()
        (card,) = world.platform.cards()
        for message_id in (card.message_id, "om_of_somebody_else"):
            await recalled(bot, message_id)
            await world.quiet()
        assert [one.message_id for one in world.platform.cards()] == [card.message_id]
        assert world.sent == ["card", "patch"]
        assert world.daemon.stored[f"{GOAL}@{CHAT}"].digest != ""


@in_virtual_time
async def test_a_card_that_is_taken_away_while_it_is_changed_is_missed():
    async with World() as world:
        bot = world.start()
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet()
        (card,) = world.platform.cards()
        bot.lark.call_s = 1.0
        world.daemon.commit("goal-3", **{GOAL: goal_card(done=3)})
        await world.quiet(1.0)
        await recalled(bot, card.message_id)
        await world.quiet(0.3)
        card.take_away()
        await world.quiet(10)
        assert len(world.platform.cards()) == 1


@in_virtual_time
async def test_a_card_that_is_taken_away_before_the_answer_to_its_post_has_come_is_missed():
    async with World() as world:
        bot = world.start()
        await world.quiet()
        world.platform.faults.append(("after", fault("unknown_outcome")))
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet(0.3)
        (card,) = world.platform.cards()
        card.take_away()
        await recalled(bot, card.message_id)
        await world.quiet(10)
        assert len(world.platform.cards()) == 1


@in_virtual_time
async def test_a_bot_that_does_not_lead_leaves_such_an_event_to_the_one_that_does():
    async with World() as world:
        world.start("first")
        await world.quiet()
        second = world.start("second")
        await world.quiet()
        with pytest.raises(NotTakenError):
            await recalled(second, "om_1")
        with pytest.raises(NotTakenError):
            await second.handlers.on_other("im.chat.member.bot.added_v1", "ev_a", {"chat_id": CHAT})
        await second.handlers.on_other("im.chat.updated_v1", "ev_u", {"chat_id": CHAT})


@in_virtual_time
async def test_a_bot_that_has_just_begun_to_lead_first_learns_what_was_delivered():
    async with World() as world:
        world.start("first")
        world.daemon.commit("goal-3", **{REVIEW: review_view()})
        await world.quiet()
        await world.kill("first")
        world.daemon.delays_s["deliveries"] = 0.5
        second = world.start("second")
        await second.bot.leadership.gained()
        (card,) = world.platform.cards()
        card.take_away()
        await recalled(second, card.message_id)
        await world.quiet()
        assert len(world.platform.cards()) == 1


@in_virtual_time
async def test_a_message_that_was_answered_has_no_answer_to_be_posted_an_hour_later():
    async with World() as world:
        bot = world.start()
        await world.quiet()
        world.daemon.replies["om_in_1"] = Reply(kind="text", en="Help", zh="帮助")
        await bot.handlers.on_message(message())
        world.platform.uuids.clear()
        await bot.handlers.on_message(message())
        assert len(world.platform.texts()) == 1


@in_virtual_time
async def test_that_a_message_was_answered_may_stay_unsaid():
    async with World() as world:
        bot = world.start()
        await world.quiet()
        world.daemon.replies["om_in_1"] = Reply(kind="text", en="Help", zh="帮助")
        world.daemon.faults["answered"].append(down())
        await bot.handlers.on_message(message())
        await bot.handlers.on_message(message())
        assert len(world.platform.texts()) == 1


@in_virtual_time
async def test_a_chat_that_is_there_again_while_the_daemon_is_not_is_heard_of_later():
    async with World() as world:
        bot = world.start()
        await world.quiet()
        added = ("im.chat.member.bot.added_v1", "ev_a", ADDED)
        world.daemon.faults["heard"].append(down())
        with pytest.raises(NotTakenError):
            await bot.handlers.on_other(*added)
        await bot.handlers.on_other(*added)


@in_virtual_time
async def test_a_card_that_is_taken_away_while_the_daemon_is_not_is_heard_of_again_by_whoever_lives_then():
    async with World() as world:
        bot = world.start()
        world.daemon.commit("goal-3", **{REVIEW: review_view()})
        await world.quiet()
        (card,) = world.platform.cards()
        card.take_away()
        world.daemon.faults["put_delivery"].extend([down()] * 3)
        with pytest.raises(NotTakenError):
            await recalled(bot, card.message_id)
        await world.kill()
        world.daemon.faults["put_delivery"].clear()
        other = world.start("other")
        await world.quiet(12)
        assert world.platform.cards() == []
        await recalled(other, card.message_id)
        await world.quiet()
        assert len(world.platform.cards()) == 1
