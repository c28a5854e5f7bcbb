"""A wide ledger: two hundred goals that are all under way, five thousand todos, a hundred thousand events.

It is what the page has to show on a day on which everything happens at once. One goal has a thousand todos and more,
the others twenty; each has work that is held, a gate and a request that wait. It is made as a large one is: a life is
played by the real rules and written again under other names.
"""

from contextlib import closing
from pathlib import Path

from daemon.paths import Home
from ledger.store.sqlite import open_sqlite
from tests.bench.large import GROUP, NAME, Step, Writing, people, steps_of, worked_on
from tests.bench.preload import kept
from tests.support.world import World

EVENTS, GOALS, TODOS = 100_000, 200, 5_000
BUSY = "g000000"
"""The goal that has more than the others."""
_TODOS_EACH, _OPEN_EACH, _RENEWALS = 20, 6, 26
_TODOS_BUSY = TODOS - (GOALS - 1) * _TODOS_EACH
_OPEN_BUSY, _RENEWALS_BUSY = 300, 2
_AGENTS = [f"agent-{number:02d}" for number in range(18)]


def wide() -> Path:
    """A home with such a ledger; made once, then copied for each run."""
    return kept(f"wide-{EVENTS}-{GOALS}-{TODOS}-", make, Path(__file__), Path(__file__).with_name("large.py"))


def make(home: Home) -> None:
    """Write it into a new home."""
    people(home, _AGENTS)
    with closing(open_sqlite(Path(home.ledger))) as store:
        term, writing = store.open_term("unused"), Writing.after(store)
        ordinary = _life(_TODOS_EACH, _OPEN_EACH, _RENEWALS)
        for number in range(GOALS):
            life = ordinary if number else _life(_TODOS_BUSY, _OPEN_BUSY, _RENEWALS_BUSY)
            writing.live(life, f"g{number:06d}")
            for group in writing.groups(1 if number == GOALS - 1 else GROUP):
                store.append(term, group)
        store.checkpoint()
        assert store.head().seq >= EVENTS, store.head().seq


def _life(todos: int, left_open: int, renewals: int) -> list[Step]:
    world = World()
    before, began_ms = world.state.seq, world.now_ms
    world.propose(NAME, owner=["ann"], criterion=["Every link works"])
    world.confirm(NAME)
    for number in range(todos - left_open):
        worked_on(world, f"todo_{number:04d}", number, renewals)
    one = {"goal_id": NAME}
    for number in range(todos - left_open, todos):
        world.add(f"todo_{number:04d}", NAME, depends_on=[f"todo_{number - left_open:04d}"])
    for number in range(todos - left_open, todos - left_open // 2):
        world.lease(f"todo_{number:04d}", goal_id=NAME, key=f"run-{number}", write_scope=[f"docs/w{number}/**"])
    blocks = [f"todo_{todos - 1:04d}"]
    world.do("builder", "gate.open", **one, gate_id="gate_q", question="May it be published?", blocks_todo=blocks)
    asked = {"to": "helper", "purpose": "Check it", "acceptance": ["It is checked"], "return_requirement": "A line"}
    world.do("builder", "request.send", **one, request_id="request_r", **asked)
    return steps_of(world, before, began_ms)
