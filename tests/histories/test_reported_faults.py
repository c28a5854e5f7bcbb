"""What people who do this job report, one test for each fault that a rule must make impossible.

The name of a test says the fault; its docstring says what was expected instead. Where the same rule has a table of its
own elsewhere, the story is told here once more from the user's side, through the real writer.
"""

import pytest

from tests.support.world import DOCS, World

KEY, VERSION = "task_lease_idempotency_key", "task_lease_expected_version"


@pytest.fixture
def world() -> World:
    """A goal with one todo to do, judged by its owners."""
    made = World()
    made.activate(review="owner")
    made.add("todo_one", required_write_scope=["reports/one/**"])
    return made


def _complete(world: World, by: str, key: str, version: int, evidence: list[str], **more: object):
    fence = {KEY: key, VERSION: version}
    return world.ask(by, "todo.complete", goal_id=DOCS, todo_id="todo_one", evidence=evidence, **fence, **more)


def test_two_processes_under_one_name_both_complete_and_add_two_successors(world):
    """Completion proves the execution that holds the lease: the other one is refused and adds nothing."""
    world.lease("todo_one", key="run-1")
    proof = world.submit("todo_one")
    first = _complete(world, "builder", "run-1", 1, [proof], next_agent_todo="Next", completion_turn_key="turn-1")
    second = _complete(world, "builder", "run-2", 1, [proof], next_agent_todo="Next", completion_turn_key="turn-2")
    assert first.refusal is None
    assert second.refusal.code.value == "completion_turn_key_mismatch"
    assert len(world.todo("todo_one").successor_todo_ids) == 1
    assert len(world.goal().todos) == 2


def test_release_and_take_again_lets_a_stale_completion_through(world):
    """The old execution's key is retired for ever and its version is gone: the late worker is fenced."""
    world.lease("todo_one", key="run-1")
    proof = world.submit("todo_one")
    world.do(
        "builder", "task-lease.release", goal_id=DOCS, todo_id="todo_one", idempotency_key="run-1", expected_version=1
    )
    same = world.ask("builder", "task-lease.acquire", goal_id=DOCS, todo_id="todo_one", idempotency_key="run-1")
    assert same.refusal.code.value == "idempotency_key_reuse"
    world.lease("todo_one", key="run-2")
    stale = _complete(world, "builder", "run-1", 1, [proof])
    assert stale.refusal.code.value == "lease_cas_mismatch"
    assert world.todo("todo_one").status == "open"


def test_a_completed_todo_keeps_its_lease_and_blocks_others_until_the_ttl(world):
    """A lease is effective only while its todo is open: it ends in the very transaction that completes."""
    world.add("todo_two", required_write_scope=["reports/one/**"])
    world.lease("todo_one", key="run-1")
    _complete(world, "builder", "run-1", 1, [world.submit("todo_one")])
    world.lease("todo_two", by="helper", key="run-2")
    leases = world.goal().leases
    assert (leases["todo_one"].status, leases["todo_two"].owner) == ("released", "helper")


def test_an_untyped_todo_for_a_person_acts_as_a_gate(world):
    """A todo for a person says what it is, or is refused."""
    assert world.outcome("ann", "todo.add", goal_id=DOCS, text="Look", role="user") == "actor_required"


def test_a_stale_completion_kills_a_new_worker_of_the_same_name(world):
    """Every write of a worker carries its lease's version: a past one changes nothing of the present one."""
    world.add("todo_own", by="builder")
    world.lease("todo_own", key="run-1", ttl_seconds=30)
    world.now_ms += 30_000
    world.lease("todo_own", key="run-2")
    for action, more in (
        ("todo.block", {"reason": "old"}),
        ("todo.cancel", {}),
        ("todo.complete", {"evidence": [world.submit("todo_own")]}),
    ):
        late = world.ask("builder", action, goal_id=DOCS, todo_id="todo_own", **{KEY: "run-1", VERSION: 1}, **more)
        assert late.refusal.code.value == "lease_cas_mismatch", action
    assert world.goal().leases["todo_own"].idempotency_key == "run-2"


def test_dead_workers_go_unnoticed(world):
    """The end of a lease is an event, written by the sweep: history and whoever reads the feed see it."""
    world.lease("todo_one", key="run-1", ttl_seconds=30)
    world.now_ms += 30_000
    (event,) = world.do("daemon", "task-lease.expire", goal_id=DOCS, todo_id="todo_one")
    assert event.kind == "lease.expired"
    assert world.todo("todo_one").claimed_by is None
    assert world.ask("daemon", "task-lease.expire", goal_id=DOCS, todo_id="todo_one").held is not None


def test_two_hosts_claim_one_todo_and_a_lost_answer_makes_it_two(world):
    """One of them has it; asking again with the same key reads back the first answer, whichever it was."""
    won = world.ask("builder", "todo.claim", key="k-1", goal_id=DOCS, todo_id="todo_one")
    lost = world.ask("helper", "todo.claim", key="k-2", goal_id=DOCS, todo_id="todo_one")
    again = world.ask("builder", "todo.claim", key="k-1", goal_id=DOCS, todo_id="todo_one")
    assert lost.refusal.code.value == "claim_owner_mismatch"
    assert (again.receipt_id, again.events, again.replayed) == (won.receipt_id, won.events, True)


def test_a_success_that_released_nothing(world):
    """Nothing to release is said to be nothing, never a success with a count of zero."""
    assert world.outcome("builder", "todo.release", goal_id=DOCS, todo_id="todo_one") == "nothing_to_change"
    missing = world.ask(
        "builder", "task-lease.release", goal_id=DOCS, todo_id="todo_one", idempotency_key="run-1", expected_version=0
    )
    assert missing.events == ()
    assert missing.held.facts["missing"] is True


def test_two_identical_lines_of_work_are_merged_into_one(world):
    """Identity is an id, never a text: two todos may have the same words."""
    for todo_id in ("todo_left", "todo_right"):
        world.add(todo_id, text="Check the page")
    assert {"todo_left", "todo_right"} <= world.goal().todos.keys()


def test_a_priority_is_lost_on_its_way_to_the_work(world):
    """What was asked for is what exists, field by field."""
    world.add("todo_urgent", priority="P0", acceptance="It loads")
    todo = world.todo("todo_urgent")
    assert (todo.priority, todo.acceptance) == ("P0", "It loads")
    assert world.goal().ready[0][2] == "todo_urgent"


def test_one_orphan_record_stops_all_dispatch(world):
    """Ready work is a query: a blocked todo hides nothing but itself."""
    world.add("todo_two")
    world.do("ann", "todo.block", goal_id=DOCS, todo_id="todo_one", reason="orphan")
    assert [entry[2] for entry in world.goal().ready] == ["todo_two"]


def test_the_same_approval_is_applied_to_another_revision(world):
    """A yes names what was seen; what moved since is refused as stale, with what changed."""
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Something else")
    seen = world.goal().intents[-1].basis
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Something else again")
    late = world.ask("ann", "goal.confirm", goal_id=DOCS, basis=seen)
    assert late.refusal.code.value == "stale_basis"
    assert "objective" in late.refusal.details["changed"]
    assert world.goal().confirmed == 1


def test_being_in_the_chat_lets_somebody_approve(world):
    """The goal's policy authorises, never admission: Bob may talk here and may not confirm."""
    world.propose("site", by="bob")
    basis = world.goal("site").intent.basis
    assert world.outcome("bob", "goal.confirm", goal_id="site", basis=basis) == "not_an_owner"


def test_a_free_text_done_is_recorded_without_evidence(world):
    """Completion needs evidence that was made for this very todo."""
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    bare = world.ask("builder", "todo.complete", goal_id=DOCS, todo_id="todo_one", note="done, believe me")
    assert bare.refusal.code.value == "evidence_required"
