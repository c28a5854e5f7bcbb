"""What is known already of the open goals is what would be read of them now: the overview is the same either way.

Somebody walks through a workspace, time goes on by little and by much, words are erased; after every command the
overview that reads only what has changed is held against the one that reads everything.
"""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.catalogue import ACTIONS
from ledger.projections.documents import READERS, valid_until_ms
from ledger.projections.members import member_from
from ledger.projections.outlet import through_the_filter
from ledger.projections.overview import overview_from
from ledger.projections.readings import Readings, attention_from
from ledger.projections.slots import plan_from
from tests.support.walk import Walker
from tests.support.world import World

SPANS_MS = (0, 1, 1_000, 60_000, 3_600_000, 30_000_000)
ASKED = {
    "overview.show": (overview_from, {"limit": 50, "closed": True}),
    "attention.show": (attention_from, {"everybody": True, "limit": 200}),
    "member.show": (member_from, {"agent_id": "builder"}),
    "quota.plan": (plan_from, {"agent_id": "builder"}),
}


class Kept:
    """A world, somebody who walks in it, and what is known of its goals."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = World()
        self.world.activate("secret", private=self.rng.random() < 0.5)
        self.walker = Walker(self.world, self.rng.choice)
        self.readings = Readings(valid_until_ms)

    def step(self) -> None:
        """One command, and some time."""
        move = self.walker.next()
        told = self.world.ask(move.who, move.action, **move.params)
        if self.world.writer.refolded is not None:
            self.readings.forget()
        registry = [event.seq for event in told.events if event.goal_id is None]
        self.readings.registry_seq = max([self.readings.registry_seq, *registry])
        self.world.now_ms += self.rng.choice(SPANS_MS)

    def compare(self) -> None:
        """Both ways to the same document."""
        for action, (reader_from, params) in ASKED.items():
            asked = self.world.caller("operator"), ACTIONS[action].params.model_validate(params), self.world.now_ms
            known, anew = through_the_filter(reader_from(self.readings)), READERS[action]
            assert known(self.world.state, *asked) == anew(self.world.state, *asked)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32))
def test_the_overview_from_what_is_known_is_the_overview(seed):
    kept = Kept(seed)
    for _ in range(120):
        kept.step()
        kept.compare()


def test_only_what_has_changed_is_read_again(monkeypatch):
    kept, read = Kept(0), []
    for name in ("one", "two", "three"):
        kept.world.activate(f"goal-{name}")
    kept.compare()

    def until_ms(workspace, goal_id, now_ms):
        read.append(goal_id)
        return valid_until_ms(workspace, goal_id, now_ms)

    monkeypatch.setattr(kept.readings, "_until_ms", until_ms)
    kept.compare()
    assert read == []
    kept.world.add("todo_one", "goal-two")
    kept.compare()
    assert read == ["goal-two"]
