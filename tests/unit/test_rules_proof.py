"""Proof: what finished work and a delivered goal must show before they count."""

import pytest

from ledger.rules.completion import CompletionRefusal as C
from ledger.rules.decisions import DecisionRefusal as D
from ledger.rules.goals import GoalRefusal as G
from ledger.rules.todos import TodoRefusal as T
from tests.support.reviewing import ID, accept, assert_replays, finished, passed, proof, ready, reject
from tests.support.world import World, digest


@pytest.fixture
def world():
    world = World()
    finished(world, {})
    return world


# Completion.


def test_free_text_done_without_its_validator_is_refused(world):
    world.add("todo_two", validator=["links", "spelling"])
    world.do("builder", "todo.claim", **ID, todo_id="todo_two")
    evidence = world.submit("todo_two")
    done = ID | {"todo_id": "todo_two", "evidence": [evidence], "note": "All done, trust me"}
    assert world.outcome("builder", "todo.complete", **done) == C.VALIDATOR_REQUIRED
    passed(world, evidence)
    assert world.ask("builder", "todo.complete", **done).refusal.details["validators"] == ["spelling"]
    passed(world, evidence, "spelling", exit_code=1)
    assert world.outcome("builder", "todo.complete", **done) == C.VALIDATOR_FAILED
    passed(world, evidence, "spelling", timed_out=True)
    assert world.outcome("builder", "todo.complete", **done) == C.VALIDATOR_FAILED
    passed(world, evidence, "spelling")
    assert world.outcome("builder", "todo.complete", **done) == "committed"
    passed(world, evidence, "links", exit_code=2)
    assert world.outcome("builder", "todo.complete", **done) == C.VALIDATOR_FAILED, "the latest record counts"


def test_a_check_says_who_ran_what_and_how_it_ended(world):
    passed(world, proof(world))
    check = world.goal().reviews.check_of(proof(world), "links")
    assert (check.recorded_by, check.argv_sha256, check.exit_code, check.duration_ms) == (
        "builder",
        digest("argv"),
        0,
        12,
    )


@pytest.mark.parametrize("end", [{"exit_code": 0, "timed_out": True}, {}])
def test_a_validator_ends_in_one_way(world, end):
    asked = ID | {"artifact_id": proof(world), "name": "links", "argv_sha256": digest("a"), "duration_ms": 1} | end
    with pytest.raises(ValueError, match="ends by itself"):
        world.outcome("builder", "artifact.record-check", **asked)


def test_evidence_that_holds_no_more_proves_nothing(world):
    world.add("todo_two")
    world.do("builder", "todo.claim", **ID, todo_id="todo_two")
    evidence = world.submit("todo_two")
    reject(world, evidence)
    done = ID | {"todo_id": "todo_two", "evidence": [evidence]}
    assert world.outcome("builder", "todo.complete", **done) == C.EVIDENCE_NOT_SOUND


@pytest.mark.parametrize(("outcome", "begins"), [("approve", True), ("reject", False), ("cancel", False)])
def test_finishing_a_decision_with_a_no_is_no_approval(world, outcome, begins):
    world.add("todo_publish")
    gate = {"role": "user", "task_class": "user_gate"}
    world.add("todo_decide", **gate, unblocks_todo_id="todo_publish")
    world.add("todo_after", depends_on=["todo_decide"])
    assert ready(world) == []
    assert world.outcome("ann", "todo.complete", **ID, todo_id="todo_decide") == C.DECISION_OUTCOME_REQUIRED
    world.do("ann", "todo.complete", **ID, todo_id="todo_decide", decision_outcome=outcome)
    assert ready(world) == (["todo_publish", "todo_after"] if begins else [])
    claim = world.outcome("builder", "todo.claim", **ID, todo_id="todo_publish")
    assert claim == ("committed" if begins else T.DEPENDENCY_UNMET)
    assert world.outcome("ann", "todo.complete", **ID, todo_id="todo_decide", decision_outcome=outcome) == "held"
    other = "reject" if outcome != "reject" else "approve"
    late = world.outcome("ann", "todo.complete", **ID, todo_id="todo_decide", decision_outcome=other)
    assert late == T.COMPLETION_TURN_KEY_MISMATCH
    assert_replays(world)


def test_an_action_of_a_persons_holds_up_nothing_but_what_depends_on_it(world):
    world.add("todo_free")
    world.add("todo_call", role="user", task_class="user_action")
    assert ready(world) == ["todo_free"]
    given = ID | {"todo_id": "todo_call", "decision_outcome": "approve"}
    assert world.outcome("ann", "todo.complete", **given) == C.DECISION_OUTCOME_UNEXPECTED
    assert world.outcome("ann", "todo.add", **ID, text="Call", role="user") == T.ACTOR_REQUIRED


def test_a_decision_is_asked_for_before_what_it_unblocks(world):
    world.add("todo_two")
    gate = ID | {"text": "May we?", "role": "user", "task_class": "user_gate"}
    assert world.outcome("ann", "todo.add", **gate, unblocks_todo_id="todo_none") == D.UNBLOCKED_NOT_FOUND
    assert world.outcome("ann", "todo.add", **gate, unblocks_todo_id="todo_one") == D.UNBLOCKED_NOT_FOUND
    both = gate | {"unblocks_todo_id": "todo_two", "depends_on": ["todo_two"]}
    assert world.outcome("ann", "todo.add", **both) == D.UNBLOCKED_COMES_FIRST


def test_work_that_a_gate_holds_up_is_not_finished(world):
    world.add("todo_two")
    world.do("builder", "todo.claim", **ID, todo_id="todo_two")
    evidence = world.submit("todo_two")
    gate = {"kind": "publish", "question": "Publish?", "blocks_todo": ["todo_two"], "approver": ["bob"]}
    world.do("builder", "gate.open", **ID, **gate)
    done = ID | {"todo_id": "todo_two", "evidence": [evidence]}
    assert world.outcome("builder", "todo.complete", **done) == C.GATE_BLOCKS


def test_two_executions_of_one_agent_finish_a_todo_once_and_make_one_successor(world):
    world.add("todo_two")
    world.lease("todo_two")
    evidence = world.submit("todo_two")
    done = ID | {"todo_id": "todo_two", "evidence": [evidence], "next_agent_todo": "Go on", "continuation": "successor"}
    fence = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
    stale = world.outcome("builder", "todo.complete", **done, task_lease_idempotency_key="run-0")
    assert stale == T.LEASE_CAS_MISMATCH
    world.do("builder", "todo.complete", **done, **fence, completion_turn_key="turn-1")
    again = world.outcome("builder", "todo.complete", **done, completion_turn_key="turn-2")
    assert again == T.COMPLETION_TURN_KEY_MISMATCH
    assert [todo.depends_on for todo in world.goal().todos.values()].count(("todo_two",)) == 1


def test_finished_work_holds_no_lease(world):
    world.add("todo_two", required_write_scope=["docs/**"])
    world.add("todo_three", required_write_scope=["docs/**"])
    world.lease("todo_two", write_scope=["docs/**"])
    fence = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
    evidence = world.submit("todo_two")
    world.do("builder", "todo.complete", **ID, todo_id="todo_two", evidence=[evidence], **fence)
    assert world.goal().leases["todo_two"].status == "released"
    world.lease("todo_three", "helper", "run-2", write_scope=["docs/**"])


# Delivery.


def test_a_goal_is_delivered_once_accepted_evidence_speaks_to_each_criterion(world):
    deliver = ID | {"summary": "All links work"}
    refusal = world.ask("builder", "goal.deliver", **deliver).refusal
    assert (refusal.code, refusal.details["criteria"]) == (G.CRITERION_UNPROVED, ["c1", "c2"])
    one = world.submit(None, revises=proof(world), criterion=["c1"])
    world.add("todo_two")
    world.do("builder", "todo.claim", **ID, todo_id="todo_two")
    two = world.submit("todo_two", criterion=["c2"])
    unread = world.submit("todo_two", criterion=["c1"])
    world.do("builder", "todo.complete", **ID, todo_id="todo_two", evidence=[two, unread])
    accept(world, one)
    assert world.ask("builder", "goal.deliver", **deliver).refusal.details["criteria"] == ["c2"]
    accept(world, two)
    (event,) = world.do("builder", "goal.deliver", **deliver)
    assert [artifact_id for artifact_id, _ in event.facts.artifacts] == [one, two], "what nobody accepted is left out"
    assert event.facts.artifacts[0] == (one, world.goal().artifacts[one].sha256)


def test_evidence_of_an_earlier_promise_proves_nothing_of_the_one_in_force(world):
    one = world.submit(None, revises=proof(world), criterion=["c1", "c2"])
    accept(world, one)
    assert world.outcome("builder", "goal.deliver", **ID, summary="Done") == "committed"
    world.do("ann", "goal.revise", **ID, criterion=["Another thing", "Yet another"])
    world.confirm()
    world.do("builder", "goal.adopt", **ID, revision=2)
    assert world.outcome("builder", "goal.deliver", **ID, summary="Done") == G.CRITERION_UNPROVED
