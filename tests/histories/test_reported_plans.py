"""What people report of plans that become work: one test for each fault, named by the fault.

The docstring says what was expected instead. The stories go through the real writer, and where a power cut is part of
the story, it comes at every commit, once before it and once after.
"""

import pytest

from tests.support.plans import PLAN, confirm, lane, propose, shown_basis
from tests.support.surfaces import AnswerLostError, WriterSurface
from tests.support.world import DOCS, World, replay

PRIORITIES = {"a": "P3", "b": "P0", "c": "P1"}
SAME = [lane(name, title="Check the page", priority=priority) for name, priority in PRIORITIES.items()]
TODOS = {f"todo_plan_docs_{name}": priority for name, priority in PRIORITIES.items()}
GOAL = {
    "objective": "Every page can be followed",
    "criterion": ["Every link works"],
    "write_scope": ["docs/**"],
    "goal_id": DOCS,
}


def _steps(world: World):
    """The way from a wish to work, command by command; each is asked for with what is seen when it is asked."""
    yield "ann", "goal.propose", lambda: GOAL
    yield "ann", "goal.confirm", lambda: {"goal_id": DOCS, "basis": world.goal().intents[-1].basis}
    yield "builder", "plan.propose", lambda: {"goal_id": DOCS, "plan_id": PLAN, "lane": SAME}
    yield "ann", "plan.confirm", lambda: {"goal_id": DOCS, "plan_id": PLAN, "basis": shown_basis(world)}


STEPS = len(list(_steps(World())))


@pytest.mark.parametrize("stored", [False, True], ids=["before the commit", "after the commit"])
@pytest.mark.parametrize("cut_at", range(STEPS))
def test_a_crash_while_a_plan_becomes_work_merges_or_doubles_lanes_of_the_same_words(cut_at, stored):
    """Three lanes are three todos with their priorities, wherever the power fails, and asking again adds none."""
    surface = WriterSurface()
    world = surface.world
    for number, (who, action, params) in enumerate(_steps(world)):
        asked, key = params(), f"step-{number}"
        if number == cut_at:
            surface.lose_next(stored=stored)
            with pytest.raises(AnswerLostError):
                surface.act(action, asked, who, key)
        for replayed in (number == cut_at and stored, True):
            reply = surface.act(action, asked, who, key)
            assert (reply.outcome, reply.replayed) == ("committed", replayed), (action, reply)
    todos = replay(world.stored).goals[DOCS].todos
    assert {todo_id: todo.priority for todo_id, todo in todos.items()} == TODOS
    assert {todo.title for todo in todos.values()} == {"Check the page"}
    assert world.proved().holds


def test_a_most_urgent_lane_arrives_as_ordinary_work():
    """The priority that was confirmed is the priority of the work, and it is offered first."""
    world = World()
    world.activate()
    propose(world, *SAME)
    confirm(world)
    assert [world.todo(todo_id).priority for todo_id in TODOS] == list(TODOS.values())
    assert [entry[2] for entry in world.goal().ready] == ["todo_plan_docs_b", "todo_plan_docs_c", "todo_plan_docs_a"]


def test_a_plan_that_nobody_can_staff_is_reported_as_done():
    """It is refused, each lane is named with what it lacks, and no work is there."""
    world = World()
    world.activate()
    basis = propose(world, lane("hard", capability=["gpu"]), lane("far", write_scope=["src/**"]))
    refusal = world.decide("ann", "plan.confirm", goal_id=DOCS, plan_id=PLAN, basis=basis)
    assert refusal.code.value == "all_gap"
    named = ["hard: capability_not_granted", "far: scope_outside_boundary"]
    assert (refusal.details["gap_lanes"], world.goal().todos) == (named, {})


def test_a_plan_with_a_gap_loses_the_gap_silently():
    """What could not be staffed is said before the yes, is part of what the yes is to, and stays with the plan."""
    world = World()
    world.activate()
    propose(world, lane("easy"), lane("hard", capability=["gpu"]))
    confirm(world)
    plan = world.goal().plans.by_id[PLAN]
    assert (plan.outcome, [gap.lane_id for gap in plan.gaps], list(world.goal().todos)) == (
        "partial",
        ["hard"],
        ["todo_plan_docs_easy"],
    )


def test_an_agent_widens_its_own_scope_without_anybody_being_asked():
    """More than the boundary is a new promise, which waits for an owner; until then it is refused."""
    world = World()
    world.activate(write_scope=["docs/**"])
    wide = {"goal_id": DOCS, "text": "Change the source", "required_write_scope": ["src/**"]}
    assert world.outcome("builder", "todo.add", **wide) == "scope_outside_boundary"
    assert world.outcome("builder", "goal.revise", goal_id=DOCS, write_scope=["src/**"]) == "not_the_proposer"
    world.do("ann", "goal.revise", goal_id=DOCS, write_scope=["docs/**", "src/**"])
    assert world.outcome("builder", "todo.add", **wide) == "scope_outside_boundary"
    world.confirm()
    assert world.outcome("builder", "todo.add", **wide) == "committed"
