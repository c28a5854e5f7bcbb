"""Channels: an owner says what a chat shows, one thing never replaces another, and a chat that is lost is lost once."""

import pytest

from ledger.refusals import GeneralRefusal as G
from ledger.rules import channels
from ledger.rules.channels import ChannelRefusal as R
from ledger.rules.channels import channel_name
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.world import DOCS, World

CHAT, OTHER = "oc_one", "oc_two"
HERE = {"goal_id": DOCS, "channel_id": CHAT}


def _goal(world: World, _goal: dict[str, object]) -> None:
    world.activate()


def _bound(world: World, _goal: dict[str, object]) -> None:
    world.activate()
    world.do("ann", "channel.bind", **HERE)


BIND = Ladder(
    action="channel.bind",
    who="ann",
    base=_goal,
    params=HERE,
    rungs=(
        Rung(code=R.CHANNEL_TARGET_REQUIRED, params={"workspace": True}),
        Rung(code=R.CHANNEL_REQUIRED, params={"channel_id": None}),
        Rung(code=R.GOAL_NOT_FOUND, params={"goal_id": "nowhere"}, alone=True),
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        Rung(code=R.CHANNEL_UNKNOWN, params={"channel_id": "chat_000000000000"}),
    ),
)
UNBIND = Ladder(
    action="channel.unbind",
    who="ann",
    base=_bound,
    params=HERE,
    rungs=(
        Rung(code=R.CHANNEL_TARGET_REQUIRED, params={"goal_id": None}, alone=True),
        Rung(code=R.CHANNEL_REQUIRED, params={"channel_id": None}),
        Rung(code=R.GOAL_NOT_FOUND, params={"goal_id": "nowhere"}, alone=True),
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        Rung(code=R.CHANNEL_UNKNOWN, params={"channel_id": "chat_000000000000"}, alone=True),
        Rung(code=R.CHANNEL_NOT_BOUND, params={"channel_id": OTHER}),
    ),
)
REPORT = Ladder(
    action="channel.report",
    who="bot",
    base=_bound,
    params={"channel_id": CHAT, "change": "removed"},
    rungs=(Rung(code=R.CHANNEL_UNKNOWN, params={"channel_id": OTHER}),),
)
LADDERS = (BIND, UNBIND, REPORT)
CASES = cases(*LADDERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.action)
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached():
    assert untested(R, *LADDERS) == {R.TOO_MANY_CHANNELS}


def test_a_goal_is_shown_in_so_many_chats_and_no_more(monkeypatch):
    monkeypatch.setattr(channels, "CHANNELS_MAX", 1)
    world = World()
    _bound(world, {})
    assert world.outcome("ann", "channel.bind", goal_id=DOCS, channel_id=OTHER) == R.TOO_MANY_CHANNELS


@pytest.fixture
def world():
    made = World()
    made.activate()
    return made


def test_a_second_goal_in_a_chat_replaces_nothing(world):
    world.activate("site")
    world.do("ann", "channel.bind", **HERE)
    world.do("ann", "channel.bind", goal_id="site", channel_id=CHAT)
    world.do("ann", "channel.bind", workspace=True, channel_id=CHAT)
    assert [*world.goal().channels] == [*world.goal("site").channels] == [*world.state.identity.channels] == [CHAT]
    world.do("ann", "channel.unbind", goal_id="site", channel_id=CHAT)
    assert ([*world.goal().channels], [*world.goal("site").channels]) == ([CHAT], [])
    assert [*world.state.identity.channels] == [CHAT]


def test_what_is_bound_is_bound_once(world):
    world.do("ann", "channel.bind", **HERE)
    assert world.outcome("ann", "channel.bind", **HERE) == "held"
    # A chat goes by its short name wherever it is known.
    assert world.outcome("ann", "channel.bind", goal_id=DOCS, channel_id=channel_name(CHAT)) == "held"


def test_what_was_let_go_is_remembered_until_it_is_bound_again(world):
    world.do("ann", "channel.bind", **HERE)
    world.do("ann", "channel.unbind", goal_id=DOCS, channel_id=channel_name(CHAT))
    assert ([*world.goal().channels], [*world.goal().left_chats.since]) == ([], [CHAT])
    world.do("ann", "channel.bind", **HERE)
    assert ([*world.goal().channels], [*world.goal().left_chats.since]) == ([CHAT], [])


def test_where_a_goal_is_shown_makes_nothing_about_it_true(world):
    cause = world.goal().cause
    world.do("ann", "channel.bind", **HERE)
    world.do("ann", "channel.unbind", **HERE)
    assert world.goal().cause == cause


@pytest.mark.parametrize("who", ["builder", "operator", "bot"])
def test_only_a_person_says_what_a_chat_shows(world, who):
    assert world.outcome(who, "channel.bind", **HERE) == G.NOT_PERMITTED


def test_an_owner_of_one_goal_has_no_say_about_the_workspace_or_another_goal(world):
    world.propose("bobs", owner=["bob"])
    world.confirm("bobs", by="bob")
    assert world.outcome("bob", "channel.bind", goal_id="bobs", channel_id=CHAT) == "committed"
    assert world.outcome("bob", "channel.bind", workspace=True, channel_id=CHAT) == R.NOT_AN_OWNER
    assert world.outcome("ann", "channel.bind", goal_id="bobs", channel_id=CHAT) == R.NOT_AN_OWNER


def test_a_chat_is_lost_once_and_found_once(world):
    world.do("ann", "channel.bind", **HERE)
    lost = {"channel_id": CHAT, "change": "removed"}
    assert world.outcome("bot", "channel.report", channel_id=CHAT, change="added") == "held"
    world.do("bot", "channel.report", **lost)
    assert world.outcome("bot", "channel.report", **lost) == "held"
    assert [*world.state.identity.lost] == [CHAT]
    world.do("bot", "channel.report", channel_id=CHAT, change="added")
    assert world.state.identity.lost == {}
    assert [*world.goal().channels] == [CHAT]
