"""The reconciler: what a chat shows is what the ledger says, with as few messages as that takes."""

import asyncio

from bot.routes import card_uuid
from tests.golden.card_views import card
from tests.unit.bot_world import (
    CHAT,
    World,
    acceptance_card,
    down,
    goal_card,
    review_view,
)
from tests.unit.virtual_time import in_virtual_time, now_s

GOAL = "goal:goal-3"
REVIEW = "review:goal-3:2"
ACCEPTANCE = "acceptance:goal-3:1"


@in_virtual_time
async def test_a_new_slot_is_posted_once_and_a_change_is_a_patch():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{REVIEW: review_view()})
        await world.quiet()
        world.daemon.commit("goal-3", **{REVIEW: review_view(status="confirmed"), GOAL: goal_card()})
        await world.quiet()
        assert world.sent == ["card", "patch", "card"]
        review, shown = world.platform.cards()
        assert "Confirm" not in review.content.replace("Confirmed", "")
        assert "Keep the documentation" in shown.content


@in_virtual_time
async def test_the_same_content_is_sent_to_nobody_however_often_it_is_named():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet()
        sent = len(world.sent)
        for _ in range(50):
            world.daemon.commit("goal-3", **{GOAL: goal_card()})
            await world.quiet(0.2)
        assert len(world.sent) == sent


@in_virtual_time
async def test_a_thousand_idle_minutes_send_nothing():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: goal_card(), REVIEW: review_view()})
        await world.quiet(5)
        sent, started_s = len(world.sent), now_s()
        await world.quiet(60_000)
        assert now_s() - started_s >= 60_000
        assert world.sent[sent:] == []
        assert world.daemon.calls["view"] <= 10


@in_virtual_time
async def test_a_storm_of_changes_is_gathered_and_ends_with_the_newest():
    async with World() as world:
        world.start()
        await world.quiet()
        for done in range(200):
            world.daemon.commit("goal-3", **{GOAL: goal_card(title=f"Done {done}")})
            await asyncio.sleep(0.01)
        await world.quiet(3)
        assert len(world.sent) <= 15
        assert "Done 199" in world.platform.cards()[0].content


@in_virtual_time
async def test_no_window_of_a_second_holds_more_than_the_platform_allows():
    async with World() as world:
        world.start()
        await world.quiet()
        for number in range(30):
            world.daemon.commit(f"g-{number}", **{f"goal:g-{number}": goal_card(f"g-{number}")})
        for number in range(60):
            world.daemon.show(f"goal:h-{number}@oc_{number}", goal_card(f"h-{number}"))
            world.daemon.commit(f"h-{number}")
        await world.quiet(30)
        for number in range(60):
            world.daemon.show(f"goal:h-{number}@oc_{number}", goal_card(f"h-{number}", done=3))
            world.daemon.commit(f"h-{number}")
        await world.quiet(30)
        assert len(world.platform.cards()) == 90
        _within(world.platform.calls, 1.0, 50)
        _within([call for call in world.platform.calls if call.place == CHAT], 1.0, 5)


@in_virtual_time
async def test_what_changes_while_it_waits_for_its_turn_is_sent_once_and_new():
    async with World() as world:
        world.start()
        await world.quiet()
        for number in range(8):
            world.daemon.commit(f"g-{number}", **{f"goal:g-{number}": goal_card(f"g-{number}", title="As it was")})
        await asyncio.sleep(0.3)
        before = len(world.sent)
        for number in range(8):
            world.daemon.commit(f"g-{number}", **{f"goal:g-{number}": goal_card(f"g-{number}", title="As it is")})
        await world.quiet(5)
        assert 1 <= before <= 3
        assert world.sent.count("card") == 8
        # One more may have been on its way; all others were drawn anew.
        assert world.sent.count("patch") <= before + 1
        assert all("As it is" in one.content for one in world.platform.cards())


def _within(calls, window_s, most):
    times = [call.at_s for call in calls]
    for start in times:
        assert sum(start <= at < start + window_s for at in times) <= most


@in_virtual_time
async def test_what_somebody_waits_for_overtakes_a_crowd_of_goal_cards():
    async with World() as world:
        world.start()
        await world.quiet()
        for number in range(40):
            world.daemon.commit(f"g-{number}", **{f"goal:g-{number}": goal_card(f"g-{number}")})
        await world.quiet(1)
        begun_s = now_s()
        world.daemon.commit("goal-3", **{REVIEW: review_view(), ACCEPTANCE: acceptance_card()})
        await world.quiet(30)
        urgent = [one for one in world.platform.cards() if one.uuid in _uuids(REVIEW, ACCEPTANCE)]
        assert len(urgent) == 2
        assert max(one.at_s for one in urgent) - begun_s < 1.5


def _uuids(*slots):
    return {card_uuid(f"{slot}@{CHAT}", "") for slot in slots}


@in_virtual_time
async def test_an_older_version_never_follows_a_newer_one():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="Newest")})
        await world.quiet()
        # A daemon that answers from before, once: what it says is not shown.
        world.daemon.seq -= 1
        world.daemon.views[f"{GOAL}@{CHAT}"] = goal_card(title="From before")
        world.bots["bot"].bot.sync.want([f"{GOAL}@{CHAT}"])
        await world.quiet()
        assert "Newest" in world.platform.cards()[0].content
        assert "From before" not in world.platform.cards()[0].content


@in_virtual_time
async def test_a_new_button_key_renews_the_cards_that_have_buttons_once():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: goal_card(), REVIEW: review_view()})
        await world.quiet()
        world.daemon.commit("goal-3", **{REVIEW: review_view(status="confirmed")})
        await world.quiet()
        before = len(world.sent)
        world.daemon.button_key_id = 2
        for _ in range(3):
            world.daemon.commit(None)
            await world.quiet()
        assert world.sent[before:] == ["patch"]
        assert world.platform.calls[-1].place == world.daemon.stored[f"{GOAL}@{CHAT}"].message_id


@in_virtual_time
async def test_a_closed_card_gets_its_last_patch_although_it_is_no_longer_listed():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{REVIEW: review_view()})
        await world.quiet()
        key = f"{REVIEW}@{CHAT}"
        del world.daemon.listed[key]
        world.daemon.show(key, review_view(status="superseded"), listed=False)
        world.daemon.commit("goal-3")
        await world.quiet()
        assert world.sent[-1] == "patch"


@in_virtual_time
async def test_a_review_that_closed_before_it_was_shown_is_not_posted():
    async with World() as world:
        world.daemon.commit("goal-3", **{REVIEW: review_view(status="declined")})
        world.start()
        await world.quiet()
        assert world.sent == []


@in_virtual_time
async def test_an_open_card_is_posted_anew_before_it_grows_too_old_and_a_closed_one_is_not():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: goal_card(), REVIEW: review_view()})
        world.daemon.commit("goal-4", **{"goal:goal-4": goal_card("goal-4", "accepted")})
        await world.quiet(5)
        world.daemon.commit("goal-3", **{REVIEW: review_view(status="confirmed")})
        await world.quiet(5)
        await world.days(12)
        assert world.sent == ["card"] * 3 + ["patch"]
        await world.days(2)
        assert world.sent[4:] == ["card"]
        assert world.platform.cards()[-1].message_id == world.daemon.stored[f"{GOAL}@{CHAT}"].message_id
        await world.days(10)
        assert world.sent[5:] == []


@in_virtual_time
async def test_a_daemon_that_goes_away_and_comes_back_loses_no_change():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: goal_card(done=1)})
        await world.quiet()
        for call in ("view", "slots", "feed", "deliveries", "put_delivery", "put_health"):
            world.daemon.faults[call].extend([down("unreachable"), down("busy"), down("fault")])
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="Afterwards")})
        await world.quiet(60)
        assert "Afterwards" in world.platform.cards()[0].content
        assert len(world.platform.messages) == 1


@in_virtual_time
async def test_a_card_that_cannot_be_drawn_stops_no_other():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: card("goal"), REVIEW: review_view()})
        await world.quiet()
        assert world.sent == ["card"]
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet()
        assert world.sent == ["card", "card"]
