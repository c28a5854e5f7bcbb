"""Faults that random histories found, each as the shortest story that shows it."""

import pytest

from ledger.rules.amendments import amendment_basis
from ledger.rules.gates import gate_basis
from tests.support.world import DOCS, OPERATOR, World

ID = {"goal_id": DOCS}


@pytest.fixture
def world() -> World:
    """A goal with work to do."""
    made = World()
    made.activate(owner=["ann", "bob"])
    made.add("todo_one")
    return made


def _change(world: World, *operations: dict[str, object]) -> str:
    """What comes of putting a change of the graph forward."""
    about = {"amendment_class": "shared_work_graph", "why": "It is not wanted", "operation": list(operations)}
    return world.outcome("builder", "amendment.submit", **ID, **about)


def test_one_agent_is_not_admitted_beyond_what_is_allowed_by_a_second_turn(world):
    """Its own admission to other work is given away as well: two turns together keep to the allowance."""
    world.do("ann", "quota.set", **ID, allowed_slots=3)
    world.do("builder", "quota.reserve", **ID, turn_instance_id="turn-1", slots=2)
    world.add("todo_sooner", priority="P0")
    assert world.outcome("builder", "quota.reserve", **ID, turn_instance_id="turn-2", slots=2) == "slots_exhausted"
    assert world.outcome("builder", "quota.reserve", **ID, turn_instance_id="turn-2", slots=1) == "committed"


def test_another_turn_on_the_same_work_may_use_what_the_first_one_gives_back(world):
    world.do("ann", "quota.set", **ID, allowed_slots=3)
    world.do("builder", "quota.reserve", **ID, turn_instance_id="turn-1", slots=2)
    assert world.outcome("builder", "quota.reserve", **ID, turn_instance_id="turn-2", slots=3) == "committed"


def test_an_amendment_takes_out_nothing_that_work_was_put_off_until(world):
    """The work that waits would wait for ever."""
    world.add("todo_two")
    world.do("builder", "todo.defer", **ID, todo_id="todo_two", resume_when="todo_done:todo_one")
    assert _change(world, {"op": "cancel", "todo_id": "todo_one"}) == "todo_has_dependents"
    both = ({"op": "cancel", "todo_id": "todo_one"}, {"op": "cancel", "todo_id": "todo_two"})
    assert _change(world, *both) == "committed"


def test_new_dependencies_do_not_end_the_wait_for_a_decision(world):
    """A decision that unblocks work is no dependency of it: whoever rewires the work waits for it all the same."""
    world.add("todo_ask", role="user", task_class="user_gate", unblocks_todo_id="todo_one")
    cancel, rewire = {"op": "cancel", "todo_id": "todo_ask"}, {"op": "rewire", "todo_id": "todo_one", "depends_on": []}
    assert _change(world, cancel, rewire) == "todo_has_dependents"


def test_an_amendment_that_was_fit_when_it_was_submitted_takes_out_nothing_that_is_waited_for_since(world):
    world.add("todo_two")
    about = {"amendment_id": "amend_one", "amendment_class": "shared_work_graph", "why": "It is not wanted"}
    world.do("builder", "amendment.submit", **ID, **about, operation=[{"op": "cancel", "todo_id": "todo_one"}])
    world.do("builder", "todo.defer", **ID, todo_id="todo_two", resume_when="todo_done:todo_one")
    basis = amendment_basis(world.goal(), world.goal().amendments.by_id["amend_one"])
    asked = {"amendment_id": "amend_one", "basis": basis}
    assert world.outcome("helper", "amendment.commit", **ID, **asked) == "todo_has_dependents"


def test_nobody_decides_in_the_place_of_whoever_asked(world):
    """A proposer who is an approver as well has no vote, and none to give away."""
    world.do(OPERATOR, "member.add", member_id="vic", kind="person", display_name="Vic")
    asked = {"gate_id": "gate_one", "question": "May we?", "blocks_todo": ["todo_one"], "approver": ["ann", "bob"]}
    world.do("ann", "gate.open", **ID, **asked)
    given = {"gate_id": "gate_one", "to": "vic"}
    assert world.outcome("ann", "gate.delegate", **ID, **given) == "gate_proposer_excluded"
    world.do("bob", "gate.delegate", **ID, **given)
    basis = gate_basis(world.goal(), world.goal().gates.by_id["gate_one"])
    assert world.outcome("vic", "gate.approve", **ID, gate_id="gate_one", basis=basis) == "committed"


def _follow(world: World, who: str) -> str:
    """What comes of finishing work in hand and giving what follows to somebody."""
    world.do("builder", "todo.claim", **ID, todo_id="todo_one")
    proof = world.submit("todo_one")
    follows = {"next_agent_todo": "Check the anchors", "next_claimed_by": who}
    return world.outcome("builder", "todo.complete", **ID, todo_id="todo_one", evidence=[proof], **follows)


def test_work_that_follows_is_not_given_to_somebody_who_may_only_propose(world):
    """To be given work is to begin it: what stands in the way of a claim stands in the way of that."""
    role = {"profile_role": "dreaming_proposer", "capability": ["docs"]}
    world.do(OPERATOR, "member.add", member_id="dreamer", kind="agent", display_name="Dreamer", **role)
    assert _follow(world, "dreamer") == "proposer_only"


def test_work_that_follows_is_not_given_to_somebody_held_to_other_work(world):
    world.do("ann", "member.grant", member_id="helper", goal_id=[DOCS], action_kind=["check"])
    assert _follow(world, "helper") == "action_kind_not_granted"


def test_work_that_follows_is_not_given_to_somebody_who_has_not_read_the_promise(world):
    world.do("builder", "todo.claim", **ID, todo_id="todo_one")
    world.do("ann", "goal.revise", **ID, objective="Every page can be read.")
    world.confirm()
    world.do("builder", "goal.adopt", **ID, revision=2)
    proof = world.submit("todo_one")
    asked = {"todo_id": "todo_one", "evidence": [proof], "next_agent_todo": "Check the anchors"}
    refused = world.outcome("builder", "todo.complete", **ID, **asked, next_claimed_by="helper")
    assert refused == "objective_review_required"
    assert world.outcome("builder", "todo.complete", **ID, **asked, next_claimed_by="builder") == "committed"


def test_a_paused_goal_begins_no_work_that_follows(world):
    """What is in hand is finished; what follows is nobody's until the goal goes on."""
    world.do("builder", "todo.claim", **ID, todo_id="todo_one")
    proof = world.submit("todo_one")
    world.do("ann", "goal.pause", **ID)
    asked = {"todo_id": "todo_one", "evidence": [proof], "next_agent_todo": "Check the anchors"}
    refused = world.outcome("builder", "todo.complete", **ID, **asked, next_claimed_by="builder")
    assert refused == "goal_not_executable"
    assert world.outcome("builder", "todo.complete", **ID, **asked) == "committed"
