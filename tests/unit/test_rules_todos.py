"""Todos: every refusal and its place among the others, for adding, claiming, changing and finishing work."""

import msgspec
import pytest
from pydantic import ValidationError

from ledger.rules import completion, todos
from ledger.rules.todos import TodoRefusal as R
from tests.support.ladder import cases, check, check_order, untested
from tests.support.todo_ladders import FENCE, LADDERS, ONE, with_work
from tests.support.world import DOCS, World, parse

LIMIT = todos.TODOS_MAX
CASES = cases(*LADDERS)


@pytest.fixture(autouse=True)
def _limits():
    """What a rung lowered is put back."""
    yield
    for module in (todos, completion):
        module.TODOS_MAX = LIMIT


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.action)
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached_but_the_one_that_only_a_damaged_state_can_give():
    assert untested(R, *LADDERS) == {R.HANDOFF_MODE_LEASE_CLAIM_DIVERGENCE}


@pytest.fixture
def world():
    world = World()
    with_work(world, {})
    return world


def test_a_lease_that_diverged_from_its_claim_fails_closed(world):
    world.lease("todo_one")
    leases = world.goal().leases
    leases["todo_one"] = msgspec.structs.replace(leases["todo_one"], owner="helper")
    outcome = world.outcome("builder", "todo.complete", **ONE, **FENCE, evidence=["art_none"])
    assert outcome == R.HANDOFF_MODE_LEASE_CLAIM_DIVERGENCE


def test_two_todos_may_have_the_same_words(world):
    first = world.do("ann", "todo.add", goal_id=DOCS, text="Check the links")[0].facts.todo_id
    second = world.do("ann", "todo.add", goal_id=DOCS, text="Check the links")[0].facts.todo_id
    assert first != second
    assert world.todo(first).title == world.todo(second).title == "Check the links"


def test_an_id_from_the_sequence_never_takes_the_place_of_one_that_somebody_chose(world):
    """The todo that somebody named `todo_000020` must be there when the ledger comes to seq 20."""
    world.add(f"todo_{world.state.seq + 2:06d}", text="Chosen")
    chosen = f"todo_{world.state.seq + 1:06d}"
    added = world.do("ann", "todo.add", goal_id=DOCS, text="Generated")[0].facts.todo_id
    assert (world.todo(chosen).title, world.todo(added).title) == ("Chosen", "Generated")


def test_a_successor_never_takes_the_place_of_work_that_is_there(world):
    world.do("builder", "todo.claim", **ONE)
    proof = world.submit("todo_one")
    chosen = f"todo_{world.state.seq + 3:06d}"
    world.add(chosen, text="Chosen")
    asked = ONE | {"evidence": [proof], "next_agent_todo": "Follow up"}
    done, added = world.do("builder", "todo.complete", **asked)
    assert world.todo(chosen).title == "Chosen"
    assert added.facts.todo_id == done.facts.successor_todo_id != chosen
    assert world.todo(added.facts.todo_id).title == "Follow up"


def test_completing_needs_evidence_that_was_made_for_this_very_todo_and_keeps_it(world):
    proof = world.finish("todo_one")
    todo = world.todo("todo_one")
    assert (todo.status, todo.completed_by, todo.evidence) == ("done", "builder", (proof,))


def test_an_owner_finishes_a_users_todo_without_evidence_whatever_the_handoff_mode():
    world = World()
    with_work(world, {"handoff_mode": "hard_lease"})
    assert world.outcome("ann", "todo.complete", goal_id=DOCS, todo_id="todo_user") == "committed"


def test_completing_under_a_lease_gives_it_back_and_creates_the_successor_in_the_same_group(world):
    world.lease("todo_one")
    asked = ONE | FENCE | {"evidence": [world.submit("todo_one")], "next_agent_todo": "Follow up"}
    asked |= {"next_claimed_by": "helper", "note": "41 links"}
    events = world.do("builder", "todo.complete", **asked)
    assert [event.kind for event in events] == ["lease.released", "todo.completed", "todo.added"]
    successor = world.todo(events[2].facts.todo_id)
    assert (successor.claimed_by, successor.depends_on, successor.status) == ("helper", ("todo_one",), "open")
    assert world.todo("todo_one").note == "41 links"


def test_completing_again_reads_back_what_was_done_and_makes_no_second_successor(world):
    world.do("builder", "todo.claim", **ONE)
    asked = ONE | {"evidence": [world.submit("todo_one")], "next_agent_todo": "Follow up", "completion_turn_key": "t1"}
    events = world.do("builder", "todo.complete", **asked)
    before = len(world.goal().todos)
    again = world.ask("builder", "todo.complete", **asked).held
    assert again.seq == events[0].seq
    assert again.facts["successor_todo_ids"] == [events[1].facts.todo_id]
    assert len(world.goal().todos) == before


def test_the_claimant_of_the_next_work_is_named_only_with_the_work():
    with pytest.raises(ValidationError) as caught:
        parse("todo.complete", ONE | {"next_claimed_by": "helper"})
    assert caught.value.errors()[0]["loc"] == ("next_claimed_by",)


def test_claiming_again_says_which_event_made_it_so(world):
    (event,) = world.do("builder", "todo.claim", **ONE)
    assert world.ask("builder", "todo.claim", **ONE).held.seq == event.seq


def test_claiming_after_an_expiry_writes_the_expiry_first(world):
    world.lease("todo_one", ttl_seconds=60)
    world.now_ms += 60_000
    events = world.do("helper", "todo.claim", **ONE)
    assert [event.kind for event in events] == ["lease.expired", "todo.claimed"]
    assert (world.todo("todo_one").claimed_by, world.todo("todo_one").claim_from_lease) == ("helper", False)


def test_a_late_execution_of_the_same_agent_cannot_end_the_lease_of_the_one_of_now(world):
    world.lease("todo_one", ttl_seconds=60)
    world.now_ms += 60_000
    world.lease("todo_one", key="run-2")
    for action in ("todo.block", "todo.cancel"):
        asked = ONE | FENCE | ({"reason": "The site is down"} if action == "todo.block" else {})
        assert world.outcome("builder", action, **asked) == R.LEASE_CAS_MISMATCH


def test_an_owner_ends_work_and_its_lease_without_its_key(world):
    world.lease("todo_one")
    events = world.do("ann", "todo.cancel", **ONE)
    assert [event.kind for event in events] == ["lease.released", "todo.cancelled"]


def test_work_that_waits_becomes_ready_when_the_last_thing_it_waits_for_is_done(world):
    world.add("todo_both", depends_on=["todo_zero", "todo_one"])
    assert "todo_both" not in {todo_id for _, _, todo_id in world.goal().ready}
    world.finish("todo_zero")
    assert world.outcome("builder", "todo.claim", goal_id=DOCS, todo_id="todo_both") == R.DEPENDENCY_UNMET
    world.finish("todo_one")
    assert "todo_both" in {todo_id for _, _, todo_id in world.goal().ready}
    assert world.outcome("builder", "todo.claim", goal_id=DOCS, todo_id="todo_both") == "committed"


def test_only_work_that_nobody_has_and_that_waits_for_nothing_is_ready(world):
    def ready():
        return {todo_id for _, _, todo_id in world.goal().ready}

    assert ready() == {"todo_zero", "todo_one", "todo_barred"}
    world.do("builder", "todo.claim", **ONE)
    assert ready() == {"todo_zero", "todo_barred"}
    world.do("builder", "todo.release", **ONE)
    world.lease("todo_zero")
    assert ready() == {"todo_one", "todo_barred"}
    world.do("ann", "todo.block", **ONE, reason="The site is down")
    assert ready() == {"todo_barred"}
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_barred")
    assert ready() == set()
    world.do("ann", "todo.update", **ONE, status="open", priority="P0")
    assert world.goal().ready == [("P0", world.todo("todo_one").seq, "todo_one")]


def test_cancelled_work_cannot_be_waited_for(world):
    world.do("ann", "todo.cancel", **ONE)
    asked = {"goal_id": DOCS, "text": "After", "depends_on": ["todo_one"]}
    assert world.outcome("ann", "todo.add", **asked) == R.DEPENDENCY_NOT_FOUND


def test_blocked_work_opens_again_for_whoever_had_it(world):
    world.do("builder", "todo.claim", **ONE)
    world.do("builder", "todo.block", **ONE, reason="The site is down")
    assert world.todo("todo_one").reason == "The site is down"
    world.do("builder", "todo.update", **ONE, status="open")
    todo = world.todo("todo_one")
    assert (todo.status, todo.reason, todo.claimed_by) == ("open", "", "builder")


@pytest.mark.parametrize("action", ["todo.update", "todo.cancel", "todo.add"])
@pytest.mark.parametrize(("who", "code"), [("stranger", R.ACTOR_NOT_REGISTERED), ("bob", R.NOT_AN_OWNER)])
def test_nobody_changes_the_work_of_a_goal_that_is_not_theirs(world, action, who, code):
    changes = {"todo.add": {"goal_id": DOCS, "text": "Mine"}, "todo.update": ONE | {"note": "Mine"}, "todo.cancel": ONE}
    assert world.outcome(who, action, **changes[action]) == code


def test_whoever_proposed_a_goal_may_plan_its_work():
    world = World()
    world.propose(by="bob")
    world.confirm()
    assert world.outcome("bob", "todo.add", goal_id=DOCS, text="Mine") == "committed"


def test_a_person_cannot_be_the_only_one_who_may_do_agents_work(world):
    asked = {"goal_id": DOCS, "text": "Yours", "bound_agent": "bob"}
    assert world.outcome("ann", "todo.add", **asked) == R.ACTOR_NOT_REGISTERED


def test_the_work_that_follows_goes_to_nobody_who_cannot_do_it():
    world = World()
    world.do("operator", "member.add", member_id="plain", kind="agent", display_name="Plain")
    world.activate(capability=["docs"])
    world.add("todo_first")
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_first")
    evidence = world.submit("todo_first")
    asked = {"goal_id": DOCS, "todo_id": "todo_first", "evidence": [evidence], "next_agent_todo": "Go on"}
    assert world.outcome("builder", "todo.complete", **asked, next_claimed_by="plain") == "capability_missing"
    assert world.outcome("builder", "todo.complete", **asked, next_claimed_by="helper") == "committed"
