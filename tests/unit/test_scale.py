"""What is asked and done often looks at no more records of a goal that has twenty times as much of everything.

There is no clock in it: every container of the goal counts how often it is looked into. A scan would count each todo,
run, gate or lease there is; a search counts a few more the more there are.
"""

import pytest

from ledger.projections.documents import READERS, valid_until_ms
from ledger.projections.holds import listed_todos
from ledger.refusals import Refusal
from tests.support.counted import counted
from tests.support.world import DOCS, World, digest, parse

FEW, MANY = 10, 200
MORE_LOOKS_MAX = 60
"""What searches in longer lists need; a scan of any kind of record that the goal has would be more than a hundred."""

READS = {
    "quota.should-run": {},
    "quota.status": {"limit": 1},
    "todo.ready": {"limit": 3},
    "run.list": {"limit": 3},
    "task-lease.inspect": {"todo_id": "todo_held_1"},
}
FREE = {"todo_id": "todo_free_3"}
HELD = {"todo_id": "todo_mine"}
WRITES = {
    "todo.claim": FREE,
    "todo.add": {"text": "One more", "required_write_scope": ["docs/new/*.md"]},
    "todo.update": FREE | {"note": "Read it"},
    "todo.complete": HELD | {"evidence": ["art_mine"]},
    "todo.defer": FREE | {"resume_when": "pr_merged:12"},
    "task-lease.acquire": FREE | {"idempotency_key": "run-9", "write_scope": ["docs/new-*.md", "docs/new/**"]},
    "run.report": HELD
    | {"turn_instance_id": "turn-x", "delivery_outcome": "outcome_progress", "evidence": ["art_mine"]},
    "quota.reserve": {"turn_instance_id": "turn-y"},
    "gate.open": {"question": "May it be?", "blocks_todo": ["todo_free_4"]},
    "artifact.submit": HELD | {"label": "more", "sha256": digest("more"), "size_bytes": 1},
}


def grown(size):
    """A goal with this many leases, and of everything else in proportion."""
    world = World()
    world.activate()
    for number in range(size):
        held = f"todo_held_{number}"
        world.add(held, priority="P1")
        lease = {"goal_id": DOCS, "todo_id": held, "idempotency_key": "run-1"}
        world.do("helper", "task-lease.acquire", **lease, write_scope=[f"docs/part{number}-*.md", f"reports/{number}"])
        proof = {"goal_id": DOCS, "todo_id": held}
        (made,) = world.do("helper", "artifact.submit", **proof, label="r", sha256=digest(number), size_bytes=1)
        for turn in range(3):
            told = {"turn_instance_id": f"turn-{number}-{turn}", "delivery_outcome": "outcome_progress"}
            world.do("helper", "run.report", **proof, **told, evidence=[made.facts.artifact_id])
        for kind in ("free", "more", "done"):
            world.add(f"todo_{kind}_{number}")
        world.do("ann", "todo.cancel", goal_id=DOCS, todo_id=f"todo_done_{number}", reason="Not needed")
        opened = {"goal_id": DOCS, "gate_id": f"gate_{number}", "question": "May it?"}
        world.do("builder", "gate.open", **opened, blocks_todo=[f"todo_more_{number}"])
    world.add("todo_mine")
    world.do("builder", "todo.claim", goal_id=DOCS, **HELD)
    world.do("builder", "artifact.submit", goal_id=DOCS, **HELD, label="m", sha256=digest("m"), size_bytes=1)
    return world


@pytest.fixture(scope="module")
def worlds():
    return grown(FEW), grown(MANY)


def looks_of_read(world, action, params):
    looks = counted(world.goal())
    asked = parse(action, {"goal_id": DOCS} | params)
    found = READERS[action](world.state, world.caller("builder"), asked, world.now_ms)
    assert not isinstance(found, Refusal), found
    valid_until_ms(world.state, DOCS, world.now_ms)
    return looks


def looks_of_write(world, action, params):
    """Of deciding it, and of folding what was decided."""
    last = next(reversed(world.goal().artifacts))
    given = {name: [last] if name == "evidence" else value for name, value in params.items()}
    looks = counted(world.goal())
    assert not isinstance(world.decide("builder", action, goal_id=DOCS, **given), Refusal)
    world.do("builder", action, goal_id=DOCS, **given)
    return looks


@pytest.mark.parametrize("action", READS)
def test_a_read_looks_at_no_more_the_more_there_is(worlds, action):
    few, many = (looks_of_read(world, action, READS[action]) for world in worlds)
    assert many.count <= few.count + MORE_LOOKS_MAX, many.by_name - few.by_name


@pytest.mark.parametrize("action", WRITES)
def test_a_write_looks_at_no_more_the_more_there_is(action):
    few, many = (looks_of_write(grown(size), action, WRITES[action]) for size in (FEW, MANY))
    assert many.count <= few.count + MORE_LOOKS_MAX, many.by_name - few.by_name


def test_a_scan_would_be_seen(worlds):
    """Of each kind of record there are enough for a test above to notice that all of them were looked at."""
    goal = worlds[1].goal()
    looks = counted(goal)
    scans = (
        goal.todos,
        goal.leases,
        goal.runs.runs,
        goal.gates.by_id,
        goal.gates.waiting,
        goal.ready,
        goal.scopes.globs,
    )
    for records in scans:
        before = looks.count
        assert list(records)
        assert looks.count - before > FEW + MORE_LOOKS_MAX


def test_blocked_work_is_listed_while_it_is_blocked():
    world = World()
    world.activate()
    for number, priority in enumerate(("P3", "P1", "P2")):
        world.add(f"todo_{number}aa", priority=priority)
        world.do("builder", "todo.claim", goal_id=DOCS, todo_id=f"todo_{number}aa")
        world.do("builder", "todo.block", goal_id=DOCS, todo_id=f"todo_{number}aa", reason="Waits for the press")
    assert [todo.todo_id for todo in listed_todos(world.goal()).blocked] == ["todo_1aa", "todo_2aa", "todo_0aa"]
    world.do("ann", "todo.update", goal_id=DOCS, todo_id="todo_2aa", status="open")
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_0aa", reason="Not needed")
    listed = listed_todos(world.goal())
    assert [todo.todo_id for todo in listed.blocked] == ["todo_1aa"]
    assert (listed.counts.open, listed.counts.blocked, listed.counts.cancelled) == (1, 1, 1)
