"""Amendments: made to what they were made for or to nothing, with an explicit fate for work in hand."""

import pytest

from ledger.rules.amendments import amendment_basis
from ledger.rules.gates import gate_basis
from tests.support.world import DOCS, World, replay

STALE = "b1:" + "0" * 32
ONE, TWO = "todo_one", "todo_two"


@pytest.fixture
def world():
    made = World()
    made.activate()
    made.add(ONE)
    made.add(TWO)
    return made


def act(world, who, action, **params):
    refusal = world.ask(who, action, **params).refusal
    return "committed" if refusal is None else refusal.code.value


def ask(world, *operations, by="builder", amendment_id="amend_a", amendment_class="shared_acceptance", **changes):
    given = {"goal_id": DOCS, "amendment_id": amendment_id, "amendment_class": amendment_class, "why": "It must"}
    return act(world, by, "amendment.submit", **given, operation=list(operations), **changes)


def basis(world, amendment_id="amend_a"):
    return amendment_basis(world.goal(), world.goal().amendments.by_id[amendment_id])


def commit(world, by="ann", amendment_id="amend_a"):
    given = {"goal_id": DOCS, "amendment_id": amendment_id, "basis": basis(world, amendment_id)}
    return world.ask(by, "amendment.commit", **given).refusal


def urgent(priority="P0", todo_id=ONE):
    return {"op": "reprioritise", "todo_id": todo_id, "priority": priority}


def wait(todo_id, *others):
    return {"op": "rewire", "todo_id": todo_id, "depends_on": list(others)}


def adopt(world, by, amendment_id="amend_a"):
    return act(world, by, "amendment.adopt", goal_id=DOCS, amendment_id=amendment_id, todo_id=ONE)


def test_of_two_on_one_basis_one_is_committed_and_the_other_is_told_what_moved(world):
    assert ask(world, urgent("P0")) == ask(world, urgent("P3"), amendment_id="amend_b") == "committed"
    assert commit(world) is None
    refusal = commit(world, amendment_id="amend_b")
    assert (refusal.code, refusal.status.outcome) == ("needs_rebase", "stale")
    was = world.todo(TWO).priority
    assert {"todo_id": ONE, "field": "priority", "was": was, "now": "P0"} in refusal.details["moved"]
    assert (world.todo(ONE).priority, replay(world.store).goals[DOCS].todos[ONE].priority) == ("P0", "P0")
    world.do("builder", "amendment.rebase", goal_id=DOCS, amendment_id="amend_b")
    assert commit(world, amendment_id="amend_b") is None
    assert world.todo(ONE).priority == "P3"


@pytest.mark.parametrize(
    ("operations", "changes", "expected"),
    [
        ((wait(ONE, ONE),), {}, "dependency_cycle"),
        ((wait(ONE, TWO), wait(TWO, ONE)), {}, "dependency_cycle"),
        ((wait(ONE, "todo_none"),), {}, "dependency_not_found"),
        ((urgent(), urgent("P1")), {}, "operation_conflict"),
        ((urgent(todo_id="todo_none"),), {}, "todo_not_found"),
        (({"op": "add", "todo_id": ONE, "title": "Again"},), {}, "todo_exists"),
        ((wait(ONE, TWO),), {"amendment_class": "lane_route"}, "class_too_low"),
        (({"op": "rescope", "todo_id": ONE, "write_scope": ["src/**"]},), {}, "scope_outside_boundary"),
        (({"op": "rebind", "todo_id": ONE, "agent": "stranger"},), {}, "agent_not_granted"),
    ],
)
def test_what_cannot_be_done_is_refused_and_leaves_nothing(world, operations, changes, expected):
    before = world.state.seq
    assert (ask(world, *operations, **changes), world.state.seq) == (expected, before)


@pytest.mark.parametrize(
    ("amendment_class", "who", "expected"),
    [
        ("lane_route", "helper", None),
        ("shared_work_graph", "helper", None),
        ("shared_acceptance", "helper", "not_an_owner"),
        ("shared_acceptance", "ann", None),
        ("lane_route", "bob", "not_an_owner"),
        ("lane_route", "stranger", "actor_not_registered"),
        ("protected_authority", "ann", "gate_required"),
    ],
)
def test_who_commits_depends_on_how_far_it_reaches(world, amendment_class, who, expected):
    ask(world, urgent(), amendment_class=amendment_class)
    refusal = commit(world, who)
    assert (None if refusal is None else refusal.code) == expected


def approve(world, gate_id, digest):
    asked = {"goal_id": DOCS, "gate_id": gate_id, "kind": "amendment", "evidence_digest": digest}
    world.do("builder", "gate.open", **asked, question="May it?", blocks_todo=[TWO], approver=["ann"])
    seen = gate_basis(world.goal(), world.goal().gates.by_id[gate_id])
    world.do("ann", "gate.approve", goal_id=DOCS, gate_id=gate_id, basis=seen)


def test_the_approval_of_one_amendment_is_applied_to_no_other_and_not_to_a_later_form_of_it(world):
    for name in ("amend_a", "amend_b"):
        given = {"amendment_id": name, "amendment_class": "protected_authority", "gate_id": "gate_a"}
        ask(world, urgent("P0" if name == "amend_a" else "P4"), **given)
    approve(world, "gate_a", world.goal().amendments.by_id["amend_a"].digest)
    assert commit(world, amendment_id="amend_b").code == "gate_required"
    world.do("ann", "todo.update", goal_id=DOCS, todo_id=ONE, priority="P3")
    world.do("builder", "amendment.rebase", goal_id=DOCS, amendment_id="amend_a")
    assert commit(world).code == "gate_required"


def test_a_gate_that_waits_lets_nothing_through(world):
    ask(world, urgent(), amendment_class="protected_authority", gate_id="gate_a")
    digest = world.goal().amendments.by_id["amend_a"].digest
    asked = {"goal_id": DOCS, "gate_id": "gate_a", "kind": "amendment", "evidence_digest": digest}
    world.do("builder", "gate.open", **asked, question="May it?", blocks_todo=[TWO], approver=["ann"])
    assert commit(world).code == "gate_required"


def test_an_approved_gate_lets_exactly_its_amendment_change_protected_authority(world):
    ask(world, urgent(), amendment_class="protected_authority", gate_id="gate_a")
    assert commit(world).code == "gate_required"
    approve(world, "gate_a", world.goal().amendments.by_id["amend_a"].digest)
    assert commit(world) is None
    assert world.todo(ONE).priority == "P0"


def test_nothing_becomes_of_work_in_hand_by_silence(world):
    world.lease(ONE)
    assert ask(world, urgent()) == "disposition_required"
    assert ask(world, {"op": "cancel", "todo_id": ONE}, continue_todo=[ONE]) == "disposition_conflict"


def test_work_that_continues_keeps_its_lease(world):
    world.lease(ONE)
    ask(world, urgent(), continue_todo=[ONE])
    assert commit(world) is None
    assert (world.goal().leases[ONE].owner, world.goal().amendments.held) == ("builder", {})


def test_work_that_is_rebased_is_not_finished_before_its_agent_adopts_the_change(world):
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id=ONE)
    ask(world, urgent(), rebase_todo=[ONE])
    assert commit(world) is None
    done = {"goal_id": DOCS, "todo_id": ONE, "completion_turn_key": "t1", "evidence": [world.submit(ONE)]}
    refusal = world.ask("builder", "todo.complete", **done).refusal
    assert (refusal.code, refusal.status.outcome) == ("amendment_holds", "waiting")
    assert adopt(world, "helper") == "adopted_by_another"
    assert adopt(world, "builder") == "committed"
    assert world.ask("builder", "todo.complete", **done).refusal is None


def test_work_that_is_stopped_is_fenced_and_whoever_goes_on_adopts_first(world):
    world.lease(ONE)
    epoch = world.goal().leases[ONE].lease_epoch
    ask(world, urgent(), stop_todo=[ONE])
    assert commit(world) is None
    given = {"goal_id": DOCS, "todo_id": ONE, "idempotency_key": "run-1", "expected_version": 1}
    assert act(world, "builder", "task-lease.renew", **given) == "lease_not_active"
    acquire = {"goal_id": DOCS, "todo_id": ONE, "idempotency_key": "run-2"}
    assert act(world, "helper", "task-lease.acquire", **acquire) == "amendment_holds"
    assert adopt(world, "helper") == "committed"
    world.lease(ONE, by="helper", key="run-3")
    assert world.goal().leases[ONE].lease_epoch > epoch


def test_a_decision_is_the_first_one_and_is_made_on_what_was_shown(world):
    ask(world, urgent())
    given = {"goal_id": DOCS, "amendment_id": "amend_a"}
    assert act(world, "ann", "amendment.commit", **given) == "basis_required"
    assert act(world, "ann", "amendment.commit", **given, basis=STALE) == "stale_basis"
    assert act(world, "helper", "amendment.withdraw", **given) == "not_the_proposer"
    world.do("builder", "amendment.withdraw", **given)
    assert act(world, "ann", "amendment.commit", **given, basis=STALE) == "amendment_decided"
    assert act(world, "ann", "amendment.reject", goal_id=DOCS, amendment_id="amend_none") == "amendment_not_found"
