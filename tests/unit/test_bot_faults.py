"""Whatever happens to a card on its way, by platform, daemon or bot: one message, and in the end it is true."""

import asyncio

import pytest

from tests.golden.card_views import SAMPLES, tokens
from tests.unit.bot_world import (
    CHAT,
    World,
    down,
    fault,
    goal_card,
    review_view,
)
from tests.unit.virtual_time import in_virtual_time

GOAL = "goal:goal-3"
REVIEW = "review:goal-3:2"
ACCEPTANCE = "acceptance:goal-3:1"


FAULTS = [
    # fault, first message or patch, calls that follow, state that is remembered
    ("rate_limited", "card", ["card", "card"], "live"),
    ("unknown_outcome", "card", ["card", "card"], "live"),
    ("token", "card", ["card", "card"], "live"),
    ("fatal", "card", ["card", "card"], "live"),
    ("chat_lost", "card", ["card"], "paused"),
    ("refused_card", "card", ["card", "text"], "text"),
    ("bad_request", "card", ["card"], "posting"),
    ("rate_limited", "patch", ["patch", "patch"], "live"),
    ("unknown_outcome", "patch", ["patch", "patch"], "live"),
    ("token", "patch", ["patch", "patch"], "live"),
    ("fatal", "patch", ["patch", "patch"], "live"),
    ("chat_lost", "patch", ["patch"], "paused"),
    ("refused_card", "patch", ["patch", "text"], "text"),
    ("gone", "patch", ["patch", "card"], "reposted"),
    ("bad_request", "patch", ["patch"], "live"),
]


@pytest.mark.parametrize(("kind", "on", "calls", "state"), FAULTS)
@in_virtual_time
async def test_each_fault_has_one_consequence(kind, on, calls, state):
    async with World() as world:
        world.start()
        await world.quiet()
        if on == "patch":
            world.daemon.commit("goal-3", **{GOAL: goal_card(done=1)})
            await world.quiet()
        before = len(world.sent)
        world.platform.faults.append(fault(kind))
        world.daemon.commit("goal-3", **{GOAL: goal_card(done=2)})
        await world.quiet(400)
        # Nothing else happens however long one waits, or however often the unchanged goal is named.
        world.daemon.commit("goal-3")
        await world.quiet(400)
        assert world.sent[before:] == calls
        kept = world.daemon.stored.get(f"{GOAL}@{CHAT}")
        assert (kept and kept.state) == state


@in_virtual_time
async def test_a_rate_limit_is_waited_out_for_as_long_as_the_platform_says():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.append(fault("rate_limited", retry_after_s=7.0))
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet(20)
        first, second = world.platform.calls
        assert 7.0 <= second.at_s - first.at_s < 8.0


@in_virtual_time
async def test_calls_in_vain_are_bounded_and_grow_rare():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.extend([fault("unknown_outcome")] * 10_000)
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet(3_600)
        assert len(world.sent) <= 100
        world.platform.faults.clear()
        await world.quiet(310)
        assert len(world.platform.cards()) == 1


@in_virtual_time
async def test_a_lost_answer_to_a_post_makes_no_second_message():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.append(("after", fault("unknown_outcome")))
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="As it was")})
        await world.quiet(10)
        assert len(world.platform.messages) == len(world.platform.cards()) == 1
        assert "As it was" in world.platform.cards()[0].content


@in_virtual_time
async def test_content_that_changed_after_a_lost_answer_is_patched_into_the_message_that_came_back():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.append(("after", fault("unknown_outcome")))
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="As it was")})
        await asyncio.sleep(0.2)
        world.daemon.commit("goal-3", **{GOAL: goal_card(title="As it is")})
        await world.quiet(10)
        assert len(world.platform.messages) == 1
        assert "As it is" in world.platform.cards()[0].content


@in_virtual_time
async def test_a_card_that_closed_while_its_post_was_in_doubt_is_closed_in_the_chat_too():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.append(("after", fault("unknown_outcome")))
        world.daemon.commit("goal-3", **{REVIEW: review_view()})
        await asyncio.sleep(0.2)
        world.daemon.commit("goal-3", **{REVIEW: review_view(status="superseded")})
        await world.quiet(10)
        (shown,) = world.platform.cards()
        assert tokens("goal.confirm")["goal.confirm"] not in shown.content


@pytest.mark.parametrize("status", ["open", "superseded"])
@in_virtual_time
async def test_a_bot_killed_right_after_a_post_leaves_a_card_that_the_next_one_finds(status):
    async with World() as world:
        world.start()
        await world.quiet()
        # The post is written down and made; that it arrived is never written.
        world.daemon.faults["put_delivery"].extend([None] + [down()] * 1_000)
        world.daemon.commit("goal-3", **{REVIEW: review_view(by="As it was")})
        await world.quiet()
        await world.kill()
        world.daemon.faults["put_delivery"].clear()
        assert world.daemon.stored[f"{REVIEW}@{CHAT}"].state == "posting"
        world.daemon.commit("goal-3", **{REVIEW: review_view(status=status, by="As it is")})
        world.start("next")
        await world.quiet(15)
        assert len(world.platform.messages) == 1
        assert "As it is" in world.platform.cards()[0].content
        assert world.daemon.stored[f"{REVIEW}@{CHAT}"].state == "live"


@in_virtual_time
async def test_nothing_is_posted_that_could_not_be_written_down_first():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.faults["put_delivery"].append(down())
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet(3)
        assert world.sent == []
        await world.quiet(5)
        assert world.sent == ["card"]


@in_virtual_time
async def test_a_record_that_could_not_be_written_is_written_when_the_daemon_is_back():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.faults["put_delivery"].extend([None] + [down()] * 3)
        world.daemon.commit("goal-3", **{GOAL: goal_card()})
        await world.quiet(30)
        assert world.daemon.stored[f"{GOAL}@{CHAT}"].message_id == "om_1"
        assert world.sent == ["card"]


@in_virtual_time
async def test_a_card_that_is_taken_away_twice_is_let_go():
    async with World() as world:
        world.start()
        await world.quiet()
        for number in range(4):
            world.daemon.commit("goal-3", **{GOAL: goal_card(title=f"Change {number}")})
            await world.quiet(3)
            for one in world.platform.cards():
                one.take_away()
        assert world.sent == ["card", "patch", "card", "patch"]
        assert world.daemon.stored[f"{GOAL}@{CHAT}"].state == "gone"


@in_virtual_time
async def test_a_closed_card_that_is_taken_away_is_not_posted_anew():
    async with World() as world:
        world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{REVIEW: review_view()})
        await world.quiet()
        world.platform.cards()[0].take_away()
        world.daemon.commit("goal-3", **{REVIEW: review_view(status="confirmed")})
        await world.quiet(10)
        assert world.sent == ["card", "patch"]


@in_virtual_time
async def test_a_lost_chat_is_left_alone_until_it_is_heard_of():
    async with World() as world:
        bot = world.start()
        await world.quiet()
        world.daemon.commit("goal-3", **{GOAL: goal_card(done=1)})
        await world.quiet()
        world.platform.faults.append(fault("chat_lost"))
        for done in range(2, 5):
            world.daemon.commit("goal-3", **{GOAL: goal_card(title=f"Done {done}")})
            await world.quiet()
        assert world.sent == ["card", "patch"]
        await bot.handlers.on_other("im.chat.member.bot.added_v1", "ev_9", {"chat_id": CHAT})
        await world.quiet()
        assert world.sent == ["card", "patch", "patch"]
        assert "Done 4" in world.platform.cards()[0].content


@in_virtual_time
async def test_a_refused_card_is_replaced_by_one_text_and_returns_when_its_content_is_taken():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.extend([fault("refused_card", code=230025), None, fault("refused_card", code=230025)])
        for done in range(3):
            world.daemon.commit("goal-3", **{GOAL: goal_card(title=f"Links {done}")})
            await world.quiet(3)
        # The last patch is for a card of which nobody can be sure that no older post of it came back.
        assert world.sent == ["card", "text", "card", "card", "patch"]
        (text,) = world.platform.texts()
        assert "frontstage goal show --goal-id goal-3" in text.content
        assert "Links 0" in text.content
        assert world.daemon.stored[f"{GOAL}@{CHAT}"].state == "live"


# A summary: one message, and never another.

SUMMARY = "summary:sum_59"


def posted(world):
    """A summary is to appear in the chat."""
    world.daemon.commit(None, **{SUMMARY: SAMPLES["summary_with_text"]})


def arrived(world):
    """What the daemon makes of the delivery: there is nothing to draw any more."""
    world.daemon.listed.pop(f"{SUMMARY}@{CHAT}")
    world.daemon.views.pop(f"{SUMMARY}@{CHAT}")
    world.daemon.commit(None)


@pytest.mark.parametrize(
    ("kind", "calls", "state"),
    [
        ("rate_limited", ["card", "card"], "live"),
        ("unknown_outcome", ["card", "card"], "live"),
        ("token", ["card", "card"], "live"),
        ("chat_lost", ["card"], "paused"),
        ("refused_card", ["card", "text"], "text"),
        ("bad_request", ["card"], "gone"),
    ],
)
@in_virtual_time
async def test_a_summary_arrives_once_or_is_given_up_and_the_bot_says_which(kind, calls, state):
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.append(fault(kind))
        posted(world)
        await world.quiet(400)
        assert world.sent == calls
        assert world.daemon.stored[f"{SUMMARY}@{CHAT}"].state == state
        posted(world)
        await world.quiet(400)
        assert world.sent == calls


@in_virtual_time
async def test_a_summary_that_is_there_is_left_alone_by_every_bot_that_follows():
    async with World() as world:
        world.start()
        await world.quiet()
        posted(world)
        await world.quiet()
        arrived(world)
        await world.quiet()
        await world.kill()
        world.start("another")
        await world.quiet(60)
        world.daemon.commit(None)
        await world.quiet(60)
        assert world.sent == ["card"]


@in_virtual_time
async def test_a_chat_that_is_found_again_is_not_told_of_what_was_given_up():
    async with World() as world:
        world.start()
        await world.quiet()
        world.platform.faults.append(fault("chat_lost"))
        posted(world)
        await world.quiet()
        arrived(world)
        await world.quiet()
        await world.bots["bot"].bot.sync.heard_from(CHAT)
        await world.quiet(60)
        assert world.sent == ["card"]
