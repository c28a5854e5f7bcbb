"""Two hundred goals in five chats change at once: inside all limits of the platform, in time, to the latest, in order.

The bound: the bot makes at most 15 calls a second over a minute (the platform takes a thousand a minute of an app, and
other calls need room too), so a thousand cards take 1000 / 15 = 67 seconds, and no chat, at four a second of the
platform's five, is the slower one: 200 / 4 = 50 seconds.
"""

import asyncio
from collections import defaultdict

import orjson
import pytest

from bot.limits import APP_PER_MINUTE, PLACE_PER_S
from cards.draw import draw, encode
from tests.schedules.crowd import CHATS, GOALS, Crowd
from tests.schedules.ground import WALL_MS
from tests.unit.bot_world import goal_card
from tests.unit.virtual_time import in_virtual_time

CARDS = GOALS * CHATS
BOUND_S = max(CARDS / (APP_PER_MINUTE / 60), GOALS / PLACE_PER_S)
LATE_S = 6.0
"""To gather what happened, to draw it, and for the last calls to come back."""

pytestmark = pytest.mark.slow


def most_within(calls, span_ms):
    """The most calls in any such span."""
    times = sorted(call.at_ms for call in calls)
    first, most = 0, 0
    for last, at_ms in enumerate(times):
        while times[first] <= at_ms - span_ms:
            first += 1
        most = max(most, last - first + 1)
    return most


def assert_inside_all_limits(calls):
    """Counted from the platform's own book."""
    assert [call for call in calls if call.code] == []
    by_place = defaultdict(list)
    for call in calls:
        by_place[call.place].append(call)
    assert most_within(calls, 1_000) <= 50
    assert most_within(calls, 60_000) <= 1_000
    assert max(most_within(found, 1_000) for found in by_place.values()) <= 5


def expected(done):
    """What every card has to say: one for each goal and chat."""
    for number in range(GOALS):
        card = encode(draw(goal_card(f"goal-{number}", done=done), locale="en", now_ms=WALL_MS))
        yield from [orjson.dumps(orjson.loads(card), option=orjson.OPT_SORT_KEYS)] * CHATS


@in_virtual_time
async def test_a_thousand_cards_are_posted_and_changed_inside_all_limits_and_within_the_time_that_these_allow():
    async with Crowd() as crowd:
        await asyncio.sleep(5)
        for api in ("create", "patch"):
            before_ms = crowd.platform.clock.now_ms()
            crowd.change_all(done=1 if api == "create" else 2)
            took_s = await crowd.at_rest(BOUND_S * 3)
            calls = crowd.calls(before_ms)
            assert [call.api for call in calls] == [api] * CARDS
            assert took_s <= BOUND_S + LATE_S, took_s
            await asyncio.sleep(60)
        assert_inside_all_limits(crowd.calls())
        assert crowd.platform.gate.counters["rate_limited"] == 0
        assert len(crowd.shown()) == CARDS


@in_virtual_time
async def test_what_changes_again_and_again_while_it_waits_is_sent_once_and_as_it_is_then():
    async with Crowd() as crowd:
        crowd.change_all(done=0)
        await crowd.at_rest(BOUND_S * 3)
        await asyncio.sleep(60)
        before_ms = crowd.platform.clock.now_ms()
        for done in range(1, 11):
            crowd.change_all(done=done)
            await asyncio.sleep(2.0)
        took_s = await crowd.at_rest(BOUND_S * 3)
        calls = crowd.calls(before_ms)
        # Twenty seconds of changes: whoever had been told by then is told once more, and nobody a third time.
        assert CARDS <= len(calls) <= CARDS + 20 * (APP_PER_MINUTE / 60) + 150, len(calls)
        assert took_s <= len(calls) / (APP_PER_MINUTE / 60) + LATE_S
        assert_inside_all_limits(calls)
        latest = [orjson.dumps(one.content, option=orjson.OPT_SORT_KEYS) for one in crowd.shown().values()]
        assert sorted(latest) == sorted(expected(done=10))


@in_virtual_time
async def test_a_decision_goes_before_whatever_only_tells():
    async with Crowd() as crowd:
        crowd.change_all(done=0)
        await asyncio.sleep(10)
        crowd.change_all(done=1)
        waiting = crowd.bot.sync.pending
        assert waiting > CARDS / 2
        asked_ms = crowd.platform.clock.now_ms()
        crowd.ask_for_a_decision("goal-7")
        await asyncio.sleep(3.0)
        posted = [
            one for one in crowd.shown().values() if "review" in str(one.content) or "Confirm" in str(one.content)
        ]
        urgent = [one for one in posted if one.created_ms >= asked_ms]
        assert len({one.chat_id for one in urgent}) == CHATS
        assert max(one.created_ms for one in urgent) - asked_ms <= 2_000
        assert crowd.bot.sync.pending > waiting / 2
        assert_inside_all_limits(crowd.calls())


@in_virtual_time
async def test_other_bots_use_the_chats_too_and_a_limit_that_is_met_is_waited_out():
    async with Crowd() as crowd:
        gate, chat = crowd.platform.gate, crowd.platform.world.chats[crowd.chats[0]]

        async def another_bot():
            while True:
                for _ in range(2):
                    gate.charge("create", "cli_of_somebody_else", chat=chat)
                await asyncio.sleep(1.0)

        other = crowd.group.create_task(another_bot())
        crowd.change_all(done=1)
        await crowd.at_rest(BOUND_S * 6)
        other.cancel()
        assert len(crowd.shown()) == CARDS
        refused = [call for call in crowd.calls() if call.code]
        # Each refusal is waited out for as long as the platform says: it is not asked again and again.
        assert {call.place for call in refused} <= {chat.chat_id}
        assert most_within(refused, 1_000) <= 2, len(refused)
