"""What people agreed to: a yes is bound to the work as it stood, and changing that work asks anew."""

import pytest

from ledger.rules.amendments import amendment_basis
from ledger.rules.gates import blocking, gate_basis
from tests.support.plans import confirm, lane, propose
from tests.support.world import DOCS, World

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}
GATE = "gate_a"


@pytest.fixture
def world():
    made = World()
    made.activate(owner=["ann", "bob"])
    made.do("operator", "member.add", member_id="cara", kind="person", display_name="Cara", role=["approver"])
    made.add("todo_zero", by="builder")
    made.add("todo_one", by="builder", text="Publish the draft")
    return made


def opened(world, gate_id=GATE, by="builder", **more):
    asked = {"goal_id": DOCS, "gate_id": gate_id, "question": "Publish?", "blocks_todo": ["todo_one"]}
    world.do(by, "gate.open", **(asked | {"approver": ["ann", "cara"], "quorum": 2} | more))


def gate(world, gate_id=GATE):
    return world.goal().gates.by_id[gate_id]


def shown(world, gate_id=GATE):
    return gate_basis(world.goal(), gate(world, gate_id))


def decide(world, by, verb="approve", gate_id=GATE, basis=None):
    asked = {"goal_id": DOCS, "gate_id": gate_id, "basis": basis or shown(world, gate_id)}
    refusal = world.ask(by, f"gate.{verb}", **asked).refusal
    return "committed" if refusal is None else refusal.code.value


def held(world):
    return blocking(world.state, world.goal(), world.todo("todo_one"), "builder", world.now_ms)


def test_a_yes_on_the_card_from_before_the_work_was_reworded_is_stale(world):
    opened(world)
    before = shown(world)
    world.do("builder", "todo.update", **ONE, text="Delete production")
    assert decide(world, "cara", basis=before) == "gate_stale"
    assert decide(world, "cara") == "committed"


@pytest.mark.parametrize("voters", [("cara",), ("cara", "ann")])
def test_an_agent_does_not_reword_work_that_somebody_said_yes_to(world, voters):
    opened(world)
    for voter in voters:
        decide(world, voter)
    assert world.outcome("builder", "todo.update", **ONE, text="Delete production") == "gate_rests_on_it"
    assert world.outcome("builder", "todo.update", **ONE, note="Nearly done") == "committed"


def test_an_owner_who_rewords_the_work_asks_everybody_anew_whatever_was_said(world):
    opened(world)
    for voter in ("cara", "ann"):
        decide(world, voter)
    assert held(world) is None
    world.do("ann", "todo.update", **ONE, text="Publish both drafts")
    assert (held(world), gate(world).status, gate(world).votes) == (GATE, "waiting_on_user", ())
    assert (gate(world).generation, gate(world).resolved_by, gate(world).resolved_at_ms) == (2, None, None)
    for voter in ("cara", "ann"):
        assert decide(world, voter) == "committed"
    assert held(world) is None


def test_a_no_stays_a_no_when_the_work_is_reworded(world):
    opened(world)
    decide(world, "cara", "reject")
    world.do("ann", "todo.update", **ONE, text="Publish both drafts")
    assert (held(world), gate(world).status, gate(world).generation) == (GATE, "rejected", 1)


@pytest.mark.parametrize(
    "operation",
    [{"op": "rewire", "depends_on": ["todo_zero"]}, {"op": "rescope", "write_scope": ["docs/**"]}],
    ids=["rewire", "rescope"],
)
def test_an_amendment_by_agents_does_not_change_it_either(world, operation):
    opened(world)
    asked = {"goal_id": DOCS, "amendment_id": "amend_a", "amendment_class": "shared_work_graph", "why": "Better"}
    world.do("builder", "amendment.submit", **asked, gate_id=GATE, operation=[operation | {"todo_id": "todo_one"}])
    basis = amended_basis(world)
    decide(world, "cara")
    commit = {"goal_id": DOCS, "amendment_id": "amend_a", "basis": basis}
    assert world.outcome("helper", "amendment.commit", **commit) == "gate_rests_on_it"
    before = shown(world)
    world.do("ann", "amendment.commit", **commit)
    assert (gate(world).votes, shown(world) == before) == ((), False)


def amended_basis(world):
    return amendment_basis(world.goal(), world.goal().amendments.by_id["amend_a"])


def weaker(world, gate_id="gate_b", by="builder", **more):
    """Another gate on the same matter that one person could let pass."""
    asked = {"goal_id": DOCS, "gate_id": gate_id, "question": "Publish?", "blocks_todo": ["todo_one"]}
    return world.outcome(by, "gate.open", **(asked | {"approver": ["cara"], "quorum": 1} | more))


@pytest.mark.parametrize("verb", ["reject", "cancel"])
def test_a_no_is_not_lifted_by_a_gate_that_is_easier_to_pass(world, verb):
    opened(world)
    decide(world, "ann", verb)
    assert weaker(world) == "gate_too_weak"
    assert weaker(world, approver=["ann", "cara"]) == "gate_too_weak"
    assert weaker(world, approver=["ann", "cara"], quorum=2, severity="low") == "gate_too_weak"
    assert weaker(world, approver=["ann", "cara"], quorum=2) == "committed"
    assert weaker(world, kind="budget") == "committed"


def test_an_owner_who_opens_the_gate_or_is_the_one_to_decide_it_says_what_is_enough(world):
    opened(world)
    decide(world, "cara", "reject")
    assert weaker(world, by="ann") == "committed"
    assert weaker(world, approver=["ann"]) == "committed"
    opened(world, "gate_b", approver=["ann"], quorum=1)
    assert held(world) == "gate_b"
    decide(world, "ann", gate_id="gate_b")
    assert held(world) is None


def test_a_yes_to_an_easier_gate_that_was_opened_first_lifts_no_later_no_and_the_stronger_one_does(world):
    opened(world, approver=["cara"], quorum=1)
    assert weaker(world, approver=["ann"], quorum=1) == "committed"
    opened(world, "gate_b")
    decide(world, "cara", "reject", "gate_b")
    decide(world, "cara")
    assert held(world) == "gate_b"
    opened(world, "gate_c")
    assert held(world) == "gate_c"
    for voter in ("cara", "ann"):
        decide(world, voter, gate_id="gate_c")
    assert held(world) is None


def test_an_owners_word_on_what_is_enough_outlives_their_membership(world):
    opened(world)
    decide(world, "cara", "reject")
    opened(world, "gate_b", by="ann", approver=["cara"], quorum=1)
    decide(world, "cara", gate_id="gate_b")
    world.do("operator", "member.add", member_id="dora", kind="person", display_name="Dora", role=["owner"])
    world.do("operator", "member.revoke", member_id="ann")
    assert held(world) is None


def test_a_standing_no_is_not_lifted_by_an_easier_gate_on_the_same_scope(world):
    broad = {"blocks_todo": [], "decision_scope": "publish:goal:site"}
    opened(world, **broad)
    assert weaker(world, **broad) == "gate_too_weak"
    decide(world, "ann", "reject")
    assert weaker(world, **broad) == "gate_too_weak"
    assert weaker(world, **broad | {"decision_scope": "publish:goal:*"}) == "gate_too_weak"
    assert weaker(world, **broad | {"decision_scope": "publish:goal:docs"}) == "committed"
    assert weaker(world, **broad, approver=["ann", "cara"], quorum=2) == "committed"


def test_a_goal_wide_no_is_not_lifted_by_an_easier_gate(world):
    wide = {"blocks_todo": [], "blocks_goal": True}
    opened(world, **wide)
    decide(world, "ann", "reject")
    assert weaker(world, **wide) == "gate_too_weak"
    assert weaker(world, **wide, supersedes=GATE) == "gate_already_resolved"


def test_whoever_asked_and_got_no_answer_may_ask_otherwise(world):
    opened(world)
    assert weaker(world) == "gate_too_weak"
    assert weaker(world, supersedes=GATE) == "committed"


def test_a_yes_to_an_easier_gate_lifts_nothing_though_it_was_opened_later(world):
    """It was no easier when it was opened; the gate before was escalated since, and asks the owner as well."""
    ends = {"expires_in_seconds": 60, "on_expiry": "escalate"}
    opened(world, approver=["cara"], quorum=1, **ends)
    opened(world, "gate_b", approver=["cara"], quorum=1)
    world.now_ms += 60_000
    world.do("daemon", "gate.expire", goal_id=DOCS, gate_id=GATE)
    decide(world, "ann", "reject")
    decide(world, "cara", gate_id="gate_b")
    assert held(world) == GATE


def test_a_gate_that_asks_others_lifts_nothing(world):
    opened(world, approver=["cara"], quorum=1)
    decide(world, "cara", "reject")
    world.do("operator", "member.add", member_id="dora", kind="person", display_name="Dora", role=["approver"])
    assert weaker(world, approver=["dora"]) == "gate_too_weak"
    assert weaker(world, approver=["dora", "cara"]) == "committed"


PLANNED = {"goal_id": DOCS, "todo_id": "todo_plan_docs_one"}


@pytest.fixture
def planned(world):
    propose(world, lane("one"))
    confirm(world)
    return world


@pytest.mark.parametrize("change", [{"text": "Something else"}, {"priority": "P0"}], ids=["text", "priority"])
def test_an_agent_changes_no_lane_of_a_confirmed_plan_without_an_amendment(planned, change):
    assert planned.outcome("builder", "todo.update", **PLANNED, **change) == "amendment_required"
    assert planned.outcome("ann", "todo.update", **PLANNED, **change) == "committed"


def test_an_agent_takes_no_lane_of_a_confirmed_plan_out(planned):
    assert planned.outcome("builder", "todo.cancel", **PLANNED) == "amendment_required"
    assert planned.outcome("ann", "todo.cancel", **PLANNED) == "committed"


def test_no_agent_takes_a_lane_of_a_confirmed_plan_out_by_a_routine_change_either(planned):
    """People said yes to the lane: what takes it out reaches as far, and is decided by an owner."""
    wish = {"goal_id": DOCS, "why": "No need", "operation": [{"op": "cancel", "todo_id": PLANNED["todo_id"]}]}
    for amendment_class in ("lane_route", "shared_work_graph"):
        refusal = planned.ask("builder", "amendment.submit", **wish, amendment_class=amendment_class).refusal
        assert (refusal.code, refusal.details["needs"]) == ("class_too_low", "shared_acceptance")
    planned.do("builder", "amendment.submit", **wish, amendment_id="amend_a", amendment_class="shared_acceptance")
    given = {"goal_id": DOCS, "amendment_id": "amend_a"}
    basis = amendment_basis(planned.goal(), planned.goal().amendments.by_id["amend_a"])
    assert planned.outcome("builder", "amendment.commit", **given, basis=basis) == "not_an_owner"
    assert planned.outcome("ann", "amendment.commit", **given, basis=basis) == "committed"


def test_an_agent_still_says_how_the_work_of_a_plan_stands(planned):
    assert planned.outcome("builder", "todo.update", **PLANNED, note="Half done") == "committed"
    assert planned.outcome("builder", "todo.defer", **PLANNED, resume_when="pr_merged:site/1") == "committed"
    planned.do("builder", "todo.block", **PLANNED, reason="No shell")
    assert planned.outcome("builder", "todo.update", **PLANNED, status="open") == "committed"


def test_what_a_person_added_is_theirs_and_what_an_agent_added_is_work_of_the_agents(world):
    world.add("todo_anns", by="ann")
    anns = {"goal_id": DOCS, "todo_id": "todo_anns"}
    for action, more in (("todo.update", {"text": "Another"}), ("todo.cancel", {})):
        assert world.outcome("builder", action, **anns, **more) == "amendment_required"
        assert world.outcome("builder", action, **ONE, **more) == "committed"
        assert world.outcome("helper", action, **ONE, **more) == "committed"


def test_adding_the_work_again_drops_no_need_of_a_decision(world):
    world.add("todo_site", by="builder", required_decision_scope=["publish:action:site"])
    site = {"goal_id": DOCS, "todo_id": "todo_site"}
    assert world.outcome("builder", "todo.cancel", **site) == "amendment_required"
    assert world.outcome("builder", "todo.update", **site, priority="P0") == "committed"
    cancel = {"op": "cancel", "todo_id": "todo_site"}
    asked = {"goal_id": DOCS, "why": "No need", "operation": [cancel]}
    assert world.outcome("builder", "amendment.submit", **asked, amendment_class="shared_work_graph") == "class_too_low"
    assert world.outcome("builder", "amendment.submit", **asked, amendment_class="shared_acceptance") == "committed"
