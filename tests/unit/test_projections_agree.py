"""Every view says the same of one goal: one verdict, one frame, one contract, one step; and a replay says it again."""

import random

import msgspec
import pytest

from ledger.projections.verdict import FRAMES, goal_verdict
from ledger.records import CLOSED
from tests.replay.script import everything
from tests.support.views import VIEWS, busy, view
from tests.support.walk import Walker
from tests.support.world import World, replay

SHARED = ("decision_frame", "interaction_contract")


def walked(seed: int, steps: int) -> World:
    world = World()
    generator = random.Random(seed)
    walker = Walker(world, generator.choice)
    for _ in range(steps):
        move = walker.next()
        world.ask(move.who, move.action, **move.params)
        world.now_ms += generator.choice((0, 1_000, 20_000, 120_000))
    return world


def assert_all_views_agree(world: World) -> set[str]:
    """Hold every view of every goal against the verdict it is made from; the states that were met come back."""
    page = view(world, "overview.show", closed=True, limit=200)
    rows = {row["goal_id"]: row for row in page["goals"]}
    met = set()
    for goal_id, goal in world.state.goals.items():
        given = goal_verdict(world.state, goal, world.now_ms)
        met.add(given.verdict.state.value)
        shown = view(world, "goal.show", goal_id=goal_id)
        packet = view(world, "review-packet.show", goal_id=goal_id)
        for name in SHARED:
            assert shown[name] == rows[goal_id][name] == packet[name], (goal_id, name)
        assert shown["next_safe_action"] == rows[goal_id]["next_safe_action"]
        assert shown["next_action"] == rows[goal_id]["next_action"]
        assert shown["quota"] == rows[goal_id]["quota"]
        frame = FRAMES[given.verdict.decision]
        assert shown["decision_frame"]["user_action_required"] == frame.user_action_required
        assert shown["interaction_contract"]["mode"] == frame.mode
        if given.agent_id is not None:
            asked = view(world, "quota.should-run", goal_id=goal_id, agent_id=given.agent_id)
            for name in SHARED:
                assert asked[name] == shown[name], (goal_id, name)
            assert asked["next_safe_action"] == shown["next_safe_action"]
            assert asked["should_run"] == asked["interaction_contract"]["agent_channel"]["delivery_allowed"]
        if packet["kind"] != "nothing":
            assert goal.state not in CLOSED
    return met


def test_views_agree_in_every_state_that_walks_come_to():
    met = set()
    for seed in range(24):
        met |= assert_all_views_agree(walked(seed, 30 + 9 * seed))
    assert met >= {
        "eligible",
        "operator_gate",
        "paused",
        "waiting",
        "objective_review_required",
        "terminal_no_followup",
        "focus_wait",
    }


def test_views_agree_where_everything_has_happened_and_where_much_waits():
    assert_all_views_agree(everything())
    assert_all_views_agree(busy())


@pytest.mark.parametrize("action", VIEWS)
@pytest.mark.parametrize("make", [busy, everything])
def test_a_replayed_ledger_gives_the_same_view(make, action):
    world = make()
    again = replay(world.store)
    encoded = [msgspec.json.encode(view(world, action, state=state, **VIEWS[action])) for state in (world.state, again)]
    assert encoded[0] == encoded[1]


@pytest.mark.parametrize("seed", range(6))
def test_a_replayed_walk_gives_the_same_views(seed):
    world = walked(seed, 90)
    again = replay(world.store)
    for action, params in VIEWS.items():
        for goal_id in list(world.state.goals)[:3]:
            asked = params | ({"goal_id": goal_id} if "goal_id" in params else {})
            one, other = (view(world, action, state=state, **asked) for state in (world.state, again))
            assert msgspec.json.encode(one) == msgspec.json.encode(other)


@pytest.mark.parametrize("action", VIEWS)
def test_a_view_names_its_schema_and_says_that_it_only_reads(action):
    document = view(busy(), action, **VIEWS[action])
    assert document["schema_version"]
    assert document["mode"] == "read_only"
    assert not {"ok", "seq"} & document.keys()
