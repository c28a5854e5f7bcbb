"""A claim that names no todo: what the caller has in hand, else the most urgent one that is free; or one more."""

import pytest
from pydantic import ValidationError

from ledger.rules.goals import state_basis
from tests.support.world import DOCS, World, parse

ANY = {"goal_id": DOCS}


@pytest.fixture
def world():
    made = World()
    made.activate(owner=["ann"])
    return made


def claimed(world, who="builder", **params):
    return str(world.do(who, "todo.claim", **ANY, another=True, **params)[-1].facts.todo_id)


def refused(world):
    return world.ask("builder", "todo.claim", **ANY, another=True).refusal


def test_the_most_urgent_comes_first_and_then_the_older(world):
    world.add("todo_old")
    world.add("todo_new")
    world.add("todo_urgent", priority="P0")
    assert [claimed(world) for _ in range(3)] == ["todo_urgent", "todo_old", "todo_new"]


def test_what_somebody_has_is_not_given_to_another_nor_again(world):
    world.add("todo_one")
    world.add("todo_two")
    world.do("operator", "member.add", member_id="second", kind="agent", display_name="Second")
    assert {claimed(world), claimed(world, "second")} == {"todo_one", "todo_two"}
    answer = refused(world)
    assert (answer.code, answer.details) == ("nothing_free", {"goal_id": DOCS})


def test_what_the_caller_may_not_begin_is_passed_over_and_named_where_nothing_else_is_free(world):
    world.add("todo_gpu", required_capability=["gpu"], priority="P0")
    answer = refused(world)
    assert answer.details == {"goal_id": DOCS, "passed_over": "todo_gpu", "because": "capability_missing"}
    world.add("todo_plain")
    assert claimed(world) == "todo_plain"


def test_work_whose_files_are_under_a_lease_and_what_is_only_watched_are_passed_over(world):
    world.add("todo_held", required_write_scope=["reports/**"])
    world.add("todo_meets", required_write_scope=["reports/one/**"])
    world.add("todo_watch", task_class="continuous_monitor", cadence_seconds=600, max_no_change_before_replan=3)
    lease = {"todo_id": "todo_held", "idempotency_key": "run-1", "write_scope": ["reports/**"]}
    world.do("builder", "task-lease.acquire", **ANY, **lease)
    assert refused(world).code == "nothing_free"


def test_a_goal_that_is_paused_says_so_whether_or_not_there_is_work(world):
    for added in (False, True):
        if added:
            world.do("ann", "goal.resume", **ANY, basis=state_basis(world.goal()))
            world.add("todo_one")
        world.do("ann", "goal.pause", **ANY, basis=state_basis(world.goal()))
        assert refused(world).code == "goal_not_executable"


def test_under_the_hard_lease_mode_the_way_is_a_lease(world):
    strict = World()
    strict.activate(owner=["ann"], handoff_mode="hard_lease")
    strict.add("todo_one")
    strict.add("todo_two")
    assert refused(strict).code == "handoff_mode_requires_lease"


def test_the_same_request_again_is_the_same_todo(world):
    world.add("todo_one")
    world.add("todo_two")
    first, again = (world.ask("builder", "todo.claim", key="once", **ANY) for _ in range(2))
    assert again.replayed
    assert again.events == first.events


def test_whoever_asks_again_without_its_keys_is_given_what_it_has_and_no_more(world):
    world.add("todo_one")
    world.add("todo_two", priority="P0")
    (taken,) = world.do("builder", "todo.claim", **ANY)
    before = world.state.seq
    answers = [world.ask("builder", "todo.claim", key=f"lost-{number}", **ANY) for number in range(3)]
    assert (
        [str(answer.held.facts["todo_id"]) for answer in answers] == [str(taken.facts.todo_id)] * 3 == ["todo_two"] * 3
    )
    assert world.state.seq == before


def test_what_is_in_hand_is_said_also_where_its_files_are_under_another_lease(world):
    world.do("operator", "member.add", member_id="second", kind="agent", display_name="Second")
    world.add("todo_mine", required_write_scope=["reports/one/**"])
    world.add("todo_theirs", required_write_scope=["reports/**"])
    world.do("builder", "todo.claim", todo_id="todo_mine", **ANY)
    lease = {"todo_id": "todo_theirs", "idempotency_key": "run-1", "write_scope": ["reports/**"]}
    world.do("second", "task-lease.acquire", **ANY, **lease)
    assert world.ask("builder", "todo.claim", **ANY).held.facts["todo_id"] == "todo_mine"


def test_a_todo_that_is_named_is_no_other_one():
    with pytest.raises(ValidationError):
        parse("todo.claim", ANY | {"todo_id": "todo_one", "another": True})
