"""The past as it was recorded: a state folded again shows what readers saw then, whole or one goal alone."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.ids import GoalId
from ledger.past import state_at
from ledger.projections.documents import READERS
from ledger.state import Workspace
from tests.replay.script import everything
from tests.support.dump import dump, state_digest
from tests.support.readings import readings
from tests.support.walk import Walker
from tests.support.world import World

EVERY = 7
"""Every so many commands what readers see is recorded; prime, so that no family's rhythm is met each time."""


class Recording(World):
    """A world that records what its readers see, as it goes."""

    def __init__(self) -> None:
        self.seen: dict[int, dict[str, str]] = {}
        self.commands = 0
        super().__init__()

    def drain(self, *requests):
        """Answer, and now and then look around."""
        answers = super().drain(*requests)
        self.commands += 1
        if self.commands % EVERY == 0:
            self.seen[self.state.seq] = readings(self.state)
        return answers


def _of_goal(seen: dict[str, str], goal_id: str) -> dict[str, str]:
    return {question: digest for question, digest in seen.items() if f"'goal_id': '{goal_id}'" in question}


def _check(world: Recording, erased_seq: int = 0) -> None:
    """`erased_seq` is the last event that erased words: they are gone from the past before it, too."""
    assert world.seen, "nothing was recorded"
    earlier: Workspace | None = None
    for seq, recorded in world.seen.items():
        whole = state_at(world.store, seq)
        seen = recorded if seq >= erased_seq else readings(whole)
        assert (whole.seq, readings(whole), seen.keys()) == (seq, seen, recorded.keys())
        onward = state_at(world.store, seq, None, earlier)
        assert state_digest(onward) == state_digest(whole)
        earlier = onward
        for goal_id in whole.goals:
            alone = state_at(world.store, seq, GoalId(goal_id))
            assert (alone.seq, alone.hash, alone.at_ms) == (whole.seq, whole.hash, whole.at_ms)
            assert [*alone.goals] == [goal_id]
            assert dump(alone.goals[goal_id]) == dump(whole.goals[goal_id])
            assert _of_goal(readings(alone), goal_id) == _of_goal(seen, goal_id) != {}


def test_every_reader_shows_of_any_moment_what_it_showed_then(monkeypatch):
    monkeypatch.setattr("tests.replay.script.World", Recording)
    world = everything()
    assert isinstance(world, Recording)
    asked = {question.split()[1] for seen in world.seen.values() for question in seen}
    assert asked == READERS.keys()
    _check(world)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32))
def test_so_it_is_for_histories_that_nobody_wrote(seed):
    world = Recording()
    generator = random.Random(seed)
    walker = Walker(world, generator.choice)
    for _ in range(120):
        move = walker.next()
        world.ask(move.who, move.action, **move.params)
        world.now_ms += generator.choice((0, 1, 1_000, 20_000))
    _check(world, max((row.seq for row in world.store.events(0) if row.kind == "words.erased"), default=0))


def test_a_state_that_is_taken_further_is_left_as_it_was():
    world = everything()
    first = state_at(world.store, 40)
    before = state_digest(first)
    assert state_digest(state_at(world.store, world.state.seq, None, first)) == state_digest(world.state)
    assert state_digest(first) == before
