"""Replay equals increment, a copy equals its original and is its own, and a snapshot is what it was taken of."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ledger.codec import decode_event
from ledger.reduce import fold
from ledger.snapshot import restore, rows
from ledger.state import Goal, Workspace
from tests.replay.script import everything
from tests.support.dump import dump, state_digest
from tests.support.walk import Walker
from tests.support.walks.base import crowd
from tests.support.world import World, replay

SEEDS = st.integers(0, 2**32)


def _walked(seed: int, steps: int) -> World:
    """A world after so many commands of somebody who is mostly sensible."""
    world = World()
    crowd(world)
    generator = random.Random(seed)
    walker = Walker(world, generator.choice)
    for _ in range(steps):
        move = walker.next()
        world.ask(move.who, move.action, **move.params)
        world.now_ms += generator.choice((0, 1, 1_000, 20_000))
    return world


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(0, 120))
def test_a_state_made_from_the_stored_bytes_equals_the_one_that_grew(seed, steps):
    world = _walked(seed, steps)
    assert dump(replay(world.store)) == dump(world.state)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(0, 120), st.integers(1, 60))
def test_a_copy_equals_its_original_and_neither_is_changed_by_the_other(seed, steps, more):
    world = _walked(seed, steps)
    original = world.state
    before = state_digest(original)
    twin = original.copy()
    assert state_digest(twin) == before
    world.state = twin
    walker = Walker(world, random.Random(seed + 1).choice)
    for _ in range(more):
        move = walker.next()
        world.ask(move.who, move.action, **move.params)
    assert state_digest(original) == before
    # Words that were erased meanwhile are gone from the log; a state of before has them until it is folded anew.
    assume(not any(row.kind == "words.erased" for row in world.store.events(original.seq)))
    for row in world.store.events(original.seq):
        fold(original, decode_event(row.body, row.words, row.hash))
    assert dump(original) == dump(twin)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(0, 120), st.integers(0, 60))
def test_a_snapshot_and_what_came_after_it_make_the_state_that_grew(seed, steps, more):
    world = _walked(seed, steps)
    world.writer.keep_snapshot(world.writer.snapshot_rows("reducer-1"))
    walker = Walker(world, random.Random(seed + 1).choice)
    for _ in range(more):
        move = walker.next()
        world.ask(move.who, move.action, **move.params)
    skipped: list[str] = []
    assert dump(restore(world.store, "reducer-1", skipped.append)) == dump(world.state)
    assert skipped == []


def test_a_snapshot_of_another_reducer_is_not_used():
    world = everything()
    world.writer.keep_snapshot(world.writer.snapshot_rows("reducer-1"))
    skipped: list[str] = []
    assert dump(restore(world.store, "reducer-2", skipped.append)) == dump(world.state)
    assert skipped != []


@pytest.mark.parametrize("scope", ["workspace", "goal:docs"])
def test_a_snapshot_that_somebody_changed_is_folded_from_the_log_instead(scope):
    world = everything()
    kept = {row.scope: row for row in world.writer.snapshot_rows("reducer-1")}
    assert scope in kept
    forged = kept[scope].body.replace(b"owner", b"0wner") if scope == "workspace" else kept[scope].body + b" "
    assert forged != kept[scope].body
    world.writer.keep_snapshot([*kept.values(), kept[scope]._replace(body=forged)])
    assert dump(restore(world.store, "reducer-1", lambda _: None)) == dump(world.state)


def test_a_snapshot_keeps_every_goal_that_changed():
    world = everything()
    kept = {row.scope for row in rows(world.state, "reducer-1", 0)}
    assert kept == {"workspace", *(f"goal:{goal_id}" for goal_id in world.state.goals)}


def _containers(value: object) -> dict[str, object]:
    return {
        name: getattr(value, name)
        for name in value.__slots__
        if isinstance(getattr(value, name), list | dict | set) or name in {"scopes", "recent"}
    }


def test_a_copy_shares_no_container_with_its_original():
    original = everything().state
    twin = original.copy()
    pairs = [(original, twin), *((goal, twin.goals[goal_id]) for goal_id, goal in original.goals.items())]
    shared = {
        f"{type(mine).__name__}.{name}"
        for mine, theirs in pairs
        for name, container in _containers(mine).items()
        if container is getattr(theirs, name)
    }
    nested = {
        f"Goal.{name}"
        for goal_id, goal in original.goals.items()
        for name in ("keys", "waiting", "mine")
        for key, inner in getattr(goal, name).items()
        if inner is getattr(twin.goals[goal_id], name)[key]
    }
    assert shared | nested == set()


@pytest.mark.parametrize("kind", [Workspace, Goal])
def test_the_dump_compares_every_field(kind):
    """The comparison above is only as good as what it looks at."""
    world = everything()
    of = world.state if kind is Workspace else world.goal()
    assert set(dump(of)) == set(kind.__slots__)


def test_states_that_differ_in_one_index_are_told_apart():
    world = everything()
    before = state_digest(world.state)
    world.goal().waiting["todo_links"] = {"todo_again"}
    assert state_digest(world.state) != before
