"""Limits, holds, the dirty set, routes, health: the small parts, each on its own."""

import asyncio
import json

import pytest

from bot.backend import Slot
from bot.dirty import DirtyCards
from bot.health import FILE_NAME, HealthReport, qualification_of
from bot.holds import HELD_S_MAX, SETTLE_S, UNANSWERED_S_MAX, PressHolds
from bot.lark import UUID_CHARS_MAX, LarkHealth
from bot.limits import Turnstile
from bot.patience import Patience
from bot.routes import answer_uuid, card_uuid, late_uuid, slot_from_key, slot_goal, text_uuid, urgency_of
from bot.texts import PRESS_TOASTS, fallback_text
from tests.unit.bot_world import (
    FakeDaemon,
    LoopClock,
    World,
    down,
    fault,
    goal_card,
)
from tests.unit.virtual_time import in_virtual_time, now_s

URGENT, CALM = (0, 0), (1, 1)


@in_virtual_time
async def test_a_held_or_crowded_place_keeps_nobody_else_waiting():
    turnstile, granted = Turnstile(), []

    async def call(place, urgency):
        await turnstile.turn(place, urgency)
        granted.append((place, now_s()))

    async with asyncio.TaskGroup() as group:
        running = group.create_task(turnstile.run())
        turnstile.hold("held", 5.0)
        begun_s = now_s()
        async with asyncio.TaskGroup() as calls:
            calls.create_task(call("held", URGENT))
            for _ in range(20):
                calls.create_task(call("crowded", URGENT))
            calls.create_task(call("other", CALM))
        running.cancel()
    took = {place: at - begun_s for place, at in granted}
    assert took["other"] < 0.1
    assert 4.7 <= took["crowded"] <= 5.5
    assert 5.0 <= took["held"] < 5.1


@in_virtual_time
async def test_a_minute_holds_no_more_than_the_platform_allows():
    turnstile, times = Turnstile(), []

    async def call(number):
        await turnstile.turn(f"place {number}", CALM)
        times.append(now_s())

    async with asyncio.TaskGroup() as group:
        running = group.create_task(turnstile.run())
        for _ in range(2):
            async with asyncio.TaskGroup() as calls:
                for number in range(1_000):
                    calls.create_task(call(number))
        running.cancel()
    assert max(sum(start <= at < start + 60 for at in times) for start in times[::50]) <= 1_000
    assert max(sum(start <= at < start + 1 for at in times) for start in times[::50]) <= 50
    # And it is used, not only kept.
    assert sum(times[0] <= at < times[0] + 60 for at in times) >= 900


@in_virtual_time
async def test_a_call_that_is_given_up_leaves_the_queue():
    turnstile = Turnstile()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(turnstile.run())
        turnstile.hold("chat", 1.0)
        given_up = group.create_task(turnstile.turn("chat", URGENT))
        await asyncio.sleep(0.1)
        given_up.cancel()
        await asyncio.sleep(2.0)
        begun_s = now_s()
        await turnstile.turn("chat", CALM)
        assert now_s() - begun_s < 0.05
        running.cancel()


@in_virtual_time
async def test_a_card_is_still_while_any_press_on_it_is_answered():
    holds = PressHolds()
    begun_s = now_s()
    holds.pressed("om_1", "a")
    holds.pressed("om_1", "b")
    holds.answered("om_1", "a")
    assert holds.is_held("om_1")
    assert not holds.is_held("om_2")
    asyncio.get_running_loop().call_later(1.0, holds.answered, "om_1", "b")
    await holds.clear("om_1")
    assert now_s() - begun_s == pytest.approx(1.0 + SETTLE_S)


@in_virtual_time
async def test_a_press_that_is_never_answered_holds_for_as_long_as_the_gateway_waits():
    holds = PressHolds()
    begun_s = now_s()
    holds.pressed("om_1", "a")
    await holds.clear("om_1")
    assert now_s() - begun_s == pytest.approx(UNANSWERED_S_MAX)


@in_virtual_time
async def test_somebody_who_never_stops_pressing_does_not_hold_a_card_for_ever():
    holds = PressHolds()
    async with asyncio.TaskGroup() as group:

        async def pressing():
            for number in range(100):
                holds.pressed("om_1", str(number))
                await asyncio.sleep(0.1)

        group.create_task(pressing())
        await asyncio.sleep(0)
        begun_s = now_s()
        await holds.clear("om_1")
        assert now_s() - begun_s == pytest.approx(HELD_S_MAX)


@in_virtual_time
async def test_a_dirty_card_has_one_worker_and_nothing_that_happens_meanwhile_is_lost():
    dirty = DirtyCards()
    for _ in range(5):
        dirty.add("goal", CALM)
    dirty.add("review", URGENT)
    assert await dirty.take() == "review"
    assert await dirty.take() == "goal"
    dirty.add("goal", CALM)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(dirty.take())
        await asyncio.sleep(1)
        assert not waiting.done()
        dirty.done("goal")
        assert await waiting == "goal"
    dirty.done("goal")
    dirty.done("review")
    assert len(dirty) == 0


@in_virtual_time
async def test_the_kept_places_take_urgent_cards_only_and_a_card_can_become_urgent():
    dirty = DirtyCards()
    dirty.add("goal", CALM)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(dirty.take(urgent_only=True))
        await asyncio.sleep(1)
        assert not waiting.done()
        dirty.add("goal", URGENT)
        assert await waiting == "goal"
    assert "goal" not in dirty


@in_virtual_time
async def test_a_card_for_later_comes_at_its_time_or_when_something_happens():
    dirty = DirtyCards()
    begun_s = now_s()
    dirty.add_later("a", CALM, 5.0)
    dirty.add_later("b", CALM, 50.0)
    assert (await dirty.take(), now_s() - begun_s) == ("a", 5.0)
    dirty.add("b", CALM)
    assert (await dirty.take(), now_s() - begun_s) == ("b", 5.0)
    dirty.done("b")
    dirty.add_later("c", CALM, 5.0)
    dirty.close()
    await asyncio.sleep(10)
    assert "c" not in dirty


def test_patience_doubles_up_to_its_bound_and_forgets():
    patience = Patience(first_s=1.0, most_s=5.0)
    assert [patience.failed("a") for _ in range(4)] == [1.0, 2.0, 4.0, 5.0]
    assert patience.failed("b") == 1.0
    patience.succeeded("a")
    assert patience.failed("a") == 1.0
    assert [patience.failed("c") for _ in range(2_000)][-1] == 5.0


@pytest.mark.parametrize(
    ("key", "goal", "reply_to", "urgency"),
    [
        ("form:om_7@oc_1", None, "om_7", (0, 0)),
        ("review:docs:2@oc_1", "docs", None, (1, 1)),
        ("acceptance:docs:1@oc_1", "docs", None, (1, 1)),
        ("goal:docs@oc_1", "docs", None, (1, 1)),
        ("attention:ann:17@oc_1", None, None, (1, 1)),
        ("help:known:group:om_7@oc_1", None, "om_7", (0, 0)),
        ("digest:3:9:-:om_7@oc_1", None, "om_7", (0, 0)),
        ("missed:om_7@oc_1", None, "om_7", (0, 0)),
        ("which:status:-:om_7@oc_1", None, "om_7", (0, 0)),
        ("members:om_7@oc_1", None, "om_7", (0, 0)),
        ("status:docs:om_7@oc_1", "docs", "om_7", (0, 0)),
    ],
)
def test_a_slots_key_speaks_for_itself(key, goal, reply_to, urgency):
    slot = slot_from_key(key)
    assert (slot.chat_id, slot.receive_id, slot.reply_to, slot_goal(key)) == ("oc_1", "oc_1", reply_to, goal)
    assert urgency_of(slot) == urgency
    # Whether somebody waits for it, only the daemon's list can say.
    assert urgency_of(Slot(slot=key, chat_id="oc_1", receive_id="oc_1", priority=0)) == (0, 0)


@pytest.mark.parametrize("key", ["", "goal:docs", "@oc_1", "goal:docs@"])
def test_what_is_no_key_is_no_slot(key):
    assert slot_from_key(key) is None


def test_keys_of_sends_differ_by_purpose_and_fit():
    keys = {card_uuid("s", ""), card_uuid("s", "om_1"), text_uuid("s"), answer_uuid("s"), late_uuid("s")}
    assert len(keys) == 5
    assert all(0 < len(key) <= UUID_CHARS_MAX for key in keys)
    assert card_uuid("s", "") == card_uuid("s", "")


def test_the_bots_own_words_are_there_in_both_languages():
    assert all(en and zh and en != zh for _, en, zh in PRESS_TOASTS.values())
    for locale in ("en", "zh"):
        text = fallback_text("docs", "Title\n<at user_id='all'></at>" + "长" * 500, locale)
        assert "frontstage goal show --goal-id docs" in text
        assert len(text) < 400
        assert fallback_text(None, "", locale)


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        (LarkHealth(), "not_ready"),
        (LarkHealth(transport="webhook", listening=True), "not_ready"),
        (LarkHealth(connected=True), "unqualified"),
        (LarkHealth(connected=True, last_event_ms=5, events_seen=frozenset({"im.message.receive_v1"})), "unqualified"),
        (LarkHealth(connected=True, last_event_ms=5, last_callback_ms=5), "qualified"),
        (LarkHealth(last_event_ms=5, last_callback_ms=5), "not_ready"),
        (LarkHealth(connected=True, last_callback_ms=5, fatal="the other domain"), "fatal"),
    ],
)
def test_only_a_press_makes_it_qualified(health, expected):
    assert qualification_of(health) == expected


@in_virtual_time
async def test_health_tells_three_facts_apart_and_is_told_when_they_change(tmp_path):
    clock = LoopClock()
    daemon, state = FakeDaemon(clock), {"now": LarkHealth()}
    async with asyncio.TaskGroup() as group:
        running = group.create_task(HealthReport(lambda: state["now"], daemon, clock, home=tmp_path).run())
        await asyncio.sleep(3)
        pressed_ms = clock.steady_ms()
        state["now"] = LarkHealth(connected=True)
        await asyncio.sleep(3)
        state["now"] = LarkHealth(connected=True, last_callback_ms=pressed_ms)
        daemon.faults["put_health"].append(down())
        await asyncio.sleep(3)
        state["now"] = LarkHealth(fatal="The app belongs to the other domain.")
        await asyncio.sleep(100)
        running.cancel()
    told = [(one.stream_ready, one.callback_proven, one.fatal) for one in daemon.healths]
    assert told[:2] == [(False, False, None), (True, False, None)]
    assert told[2] == (False, False, "The app belongs to the other domain.")
    assert 4 <= len(told) - 2 <= 8
    file = json.loads((tmp_path / FILE_NAME).read_bytes())
    assert (file["process_up"], file["stream_ready"]) == (False, False)
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


@in_virtual_time
async def test_one_chat_in_trouble_keeps_no_other_waiting():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.extend([fault("rate_limited", retry_after_s=30.0)] * 10)
        for number in range(300):
            world.daemon.commit(f"g-{number}", **{f"goal:g-{number}": goal_card(f"g-{number}")})
        await world.quiet(4)
        world.platform.faults.clear()
        begun_s = now_s()
        world.daemon.show("goal:elsewhere@oc_other", goal_card("elsewhere"))
        world.daemon.commit("elsewhere")
        await world.quiet(10)
        (there,) = [call for call in world.platform.calls if call.place == "oc_other"]
        assert there.at_s - begun_s < 1.0
