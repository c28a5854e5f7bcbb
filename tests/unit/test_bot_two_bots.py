"""Two bots on one ledger: both hear, one speaks."""

import asyncio

import pytest

from bot.backend import Reply, Touched
from bot.inbound import UnansweredError
from bot.outbox import NotLeadingError, Outbox
from tests.unit.bot_world import (
    CHAT,
    World,
    down,
    goal_card,
    message,
    press,
)
from tests.unit.virtual_time import in_virtual_time

GOAL = "goal:goal-3"


@in_virtual_time
async def test_a_second_bot_sends_nothing():
    async with World() as world:
        world.start("first")
        await world.quiet()
        second = world.start("second")
        await world.quiet()
        for done in range(5):
            world.daemon.commit("goal-3", **{GOAL: goal_card(title=f"Done {done}")})
            await world.quiet(5)
        assert {call.by for call in world.platform.calls} == {"first"}
        # It relays what it hears, and answers presses, which is no sending.
        answer = await second.handlers.on_press(press())
        assert answer["toast"]["content"] == "Done."
        # A message that it may not answer is given back, to be delivered to the bot that leads.
        world.daemon.replies["om_in_1"] = Reply(kind="text", en="Help", zh="帮助")
        with pytest.raises(UnansweredError):
            await second.handlers.on_message(message())
        assert world.platform.texts() == []
        await world.bots["first"].handlers.on_message(message())
        assert [one.content for one in world.platform.texts()] == ["Help"]


@in_virtual_time
async def test_the_second_takes_over_when_the_first_dies_and_repeats_nothing():
    async with World() as world:
        world.start("first")
        await world.quiet()
        world.start("second")
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="Before")})
        await world.quiet()
        await world.kill("first")
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="After")})
        await world.quiet(15)
        assert [(call.what, call.by) for call in world.platform.calls] == [("card", "first"), ("patch", "second")]
        assert "After" in world.platform.cards()[0].content


@in_virtual_time
async def test_a_bot_that_cannot_reach_the_daemon_stops_sending_before_its_lease_ends():
    async with World() as world:
        first = world.start("first")
        await world.quiet()
        assert first.bot.leadership.holds()
        world.daemon.faults["leader"].extend([down()] * 8)
        await world.quiet(8.5)
        assert not first.bot.leadership.holds()
        assert world.clock.now_ms() < world.daemon.expires_at_ms + 3_000
        await world.quiet(20)
        assert first.bot.leadership.holds()


@in_virtual_time
async def test_a_call_whose_turn_comes_after_the_lease_is_not_made():
    async with World() as world:
        first = world.start("first")
        await world.quiet()
        outbox = Outbox(first.lark, first.bot.leadership)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(outbox.run())
            await outbox.turn(CHAT, (0, 0))
            # The daemon says nothing any more; the lease is over before anybody has noticed.
            world.daemon.delays_s["leader"] = 1_000.0
            await asyncio.sleep(8.2)
            with pytest.raises(NotLeadingError):
                await outbox.once(CHAT, lambda lark: lark.send_text(CHAT, "chat_id", "late", "uuid"))
            with pytest.raises(NotLeadingError):
                await outbox.turn(CHAT, (0, 0))
            running.cancel()
        assert world.sent == []


@in_virtual_time
async def test_leadership_is_given_back_on_a_clean_stop():
    async with World() as world:
        first = world.start("first")
        await world.quiet()
        first.task.cancel()
        await world.quiet(0.5)
        assert world.daemon.expires_at_ms - world.clock.now_ms() <= 1_000
        del world.bots["first"]
        second = world.start("second")
        await world.quiet(4.5)
        assert second.bot.leadership.holds()


@in_virtual_time
async def test_a_lead_that_lapsed_and_came_back_in_one_breath_begins_anew():
    async with World() as world:
        world.start("first")
        await world.quiet(0.5)
        loaded = world.daemon.calls["deliveries"]
        # Asked three seconds after the grant, and again after seven: the second answer comes when the lease was over.
        world.daemon.delays_s["leader"] = 2.9
        world.daemon.faults["leader"].append(down())
        await world.quiet(8.0)
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="Meanwhile")})
        await world.quiet(4.0)
        assert [one.content.count("Meanwhile") > 0 for one in world.platform.cards()] == [True]
        assert world.daemon.calls["deliveries"] == loaded + 1


@in_virtual_time
async def test_a_card_that_changed_without_an_event_is_drawn_by_the_bot_that_leads():
    async with World() as world:
        world.start("first")
        world.start("second")
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="Before")})
        await world.quiet(5)
        card, looked = f"{GOAL}@{CHAT}", world.daemon.calls["view"]
        world.daemon.show(card, goal_card(title="Typed"))
        world.daemon.touched = (Touched(slot=card, at_ms=1),)
        # The daemon says it with each answer; it is news once.
        await world.quiet(10)
        assert [(call.what, call.by) for call in world.platform.calls] == [("card", "first"), ("patch", "first")]
        assert "Typed" in world.platform.cards()[0].content
        again = world.daemon.calls["view"]
        assert again <= looked + 2
        await world.quiet(10)
        assert world.daemon.calls["view"] == again
        world.daemon.show(card, goal_card(title="Typed again"))
        world.daemon.touched = (Touched(slot=card, at_ms=2),)
        await world.quiet(4)
        assert "Typed again" in world.platform.cards()[0].content
