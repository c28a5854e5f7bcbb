"""Gates: who may decide, on what they saw, and exactly what stands still until they do."""

import pytest

from ledger.parts.gates import UNDECIDED
from ledger.projections.channel import channel_projection
from ledger.projections.documents import READERS
from ledger.refusals import Refusal
from ledger.rules.gate_scopes import covers
from ledger.rules.gates import (
    REPAIR_REQUIRED,
    SCOPE_UNAPPROVED,
    gate_due,
)
from ledger.text.documents import render
from ledger.text.explain import explain
from tests.support.gates import GATE, basis, blocks, code, decide, gate, gates_world, need, open_gate, opened
from tests.support.world import DOCS, digest, parse, replay


@pytest.fixture
def world():
    return gates_world()


@pytest.mark.parametrize(
    ("given", "needed", "expected"),
    [
        ("publish:action:site", "publish:action:site", True),
        ("publish:goal:*", "publish:action:site", True),
        ("publish:action:*", "publish:lane:site", False),
        ("publish:global:other", "publish:action:site", False),
        ("budget:global:*", "publish:action:site", False),
        ("publish:goal:*", "publish", False),
        ("publish:week:*", "publish:action:site", False),
    ],
)
def test_a_scope_covers_its_kind_an_equal_key_and_what_is_no_broader(given, needed, expected):
    assert covers(given, needed) is expected


def test_one_agents_gate_does_not_stall_another_agents_work(world):
    opened(world)
    assert blocks(world) == GATE
    assert blocks(world, "todo_two", "helper") is None
    assert world.outcome("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one") == "gate_blocks"
    assert world.outcome("helper", "todo.claim", goal_id=DOCS, todo_id="todo_two") == "committed"


def test_an_agent_opens_no_gate_on_work_that_another_has_claimed(world):
    world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    assert code(open_gate(world)) == "claim_owner_mismatch"


def test_an_unscoped_gate_among_several_agents_is_refused_unless_it_says_that_it_blocks_the_goal(world):
    assert code(open_gate(world, blocks_todo=[])) == "gate_unscoped"
    opened(world, blocks_todo=[], blocks_goal=True)
    assert blocks(world, None) == blocks(world, "todo_two", "helper") == GATE


def test_an_approval_frees_the_named_work(world):
    opened(world)
    assert code(decide(world, "ann", "approve")) is None
    assert blocks(world) is None
    assert world.outcome("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one") == "committed"


@pytest.mark.parametrize(("verb", "status"), [("reject", "rejected"), ("cancel", "cancelled"), ("defer", "deferred")])
def test_whatever_is_no_yes_keeps_the_work_blocked(world, verb, status):
    opened(world)
    assert code(decide(world, "ann", verb)) is None
    assert gate(world).status == status
    assert blocks(world) == GATE


def test_a_later_approved_gate_on_the_same_matter_lifts_an_earlier_no(world):
    opened(world)
    decide(world, "ann", "reject")
    opened(world, gate_id="gate_b")
    decide(world, "ann", "approve", "gate_b")
    assert blocks(world) is None


def test_a_later_gate_that_is_withdrawn_lifts_nothing(world):
    opened(world)
    decide(world, "ann", "reject")
    opened(world, gate_id="gate_b")
    world.do("builder", "gate.withdraw", goal_id=DOCS, gate_id="gate_b")
    assert blocks(world) == GATE


def test_an_approval_consumes_exactly_the_scopes_it_covers(world):
    need(world, "todo_one", "publish:action:site", "budget:action:ads")
    need(world, "todo_two", "publish:action:site")
    opened(world, decision_scope="publish:action:site")
    (event,) = decide(world, "ann", "approve").events
    assert event.facts.covers == ("publish:action:site",)
    assert blocks(world) == blocks(world, "todo_two") == SCOPE_UNAPPROVED


def test_a_need_that_nothing_covers_blocks(world):
    need(world, "todo_one", "publish:action:site")
    assert blocks(world) == SCOPE_UNAPPROVED


def test_a_broad_gate_is_a_standing_grant_that_can_be_taken_back(world):
    need(world, "todo_one", "publish:action:site")
    opened(world, blocks_todo=[], decision_scope="publish:goal:*")
    assert blocks(world) == GATE
    assert blocks(world, "todo_two") is None
    decide(world, "ann", "approve")
    assert blocks(world) is None
    (grant_id,) = world.state.grants.by_id
    assert world.outcome("bob", "gate.revoke-grant", grant_id=grant_id) == "not_an_owner"
    world.do("ann", "gate.revoke-grant", grant_id=grant_id)
    assert blocks(world) == SCOPE_UNAPPROVED
    assert replay(world.store).grants == world.state.grants


def test_the_latest_broad_decision_wins(world):
    need(world, "todo_one", "publish:action:site")
    opened(world, blocks_todo=[], decision_scope="publish:goal:*")
    decide(world, "ann", "approve")
    opened(world, gate_id="gate_b", blocks_todo=[], decision_scope="publish:goal:site")
    decide(world, "ann", "reject", "gate_b")
    assert blocks(world) == "gate_b"


def test_a_target_that_contradicts_its_scope_fails_closed(world):
    need(world, "todo_two", "publish:action:site")
    assert code(open_gate(world, blocks_todo=["todo_two"], decision_scope="budget:goal:*")) == "decision_scope_mismatch"
    opened(world, decision_scope="budget:goal:*")
    decide(world, "ann", "approve")
    need(world, "todo_one", "publish:action:site")
    assert blocks(world) == REPAIR_REQUIRED


def test_the_proposers_vote_does_not_count(world):
    assert code(open_gate(world, by="ann", approver=["ann"])) == "quorum_unreachable"
    opened(world, by="ann", approver=["ann", "bob"])
    assert code(decide(world, "ann", "approve")) == "gate_proposer_excluded"


def test_a_quorum_of_two_needs_two_people_and_a_repeated_vote_counts_once(world):
    opened(world, by="ann", approver=["bob", "cara"], quorum=2)
    (event,) = decide(world, "bob", "approve").events
    assert (event.facts.votes, event.facts.quorum) == (1, 2)
    again = decide(world, "bob", "approve")
    assert again.events == ()
    assert again.held is not None
    assert again.held.facts["outcome"] == "gate_vote_recorded"
    assert gate(world).status in UNDECIDED
    assert code(decide(world, "cara", "approve")) is None
    assert gate(world).status == "approved"


def test_new_evidence_makes_the_old_card_stale_and_voids_the_votes(world):
    opened(world, by="ann", approver=["bob", "cara"], quorum=2)
    decide(world, "bob", "approve")
    old = basis(world)
    world.do("ann", "gate.revise", goal_id=DOCS, gate_id=GATE, evidence_digest=digest("new"))
    assert code(decide(world, "cara", "approve", basis=old)) == "gate_stale"
    assert gate(world).votes == ()
    assert gate(world).generation == 2


def test_a_second_press_says_who_decided_and_when(world):
    opened(world)
    decide(world, "ann", "approve")
    refusal = decide(world, "ann", "reject").refusal
    assert refusal is not None
    assert refusal.code == "gate_already_resolved"
    assert refusal.details["resolved_by"] == "ann"
    assert refusal.details["status"] == "approved"
    assert refusal.details["resolved_at_ms"] == world.now_ms


def test_being_in_the_chat_authorises_nobody(world):
    opened(world)
    assert code(decide(world, "bob", "approve")) == "not_an_approver"
    assert code(decide(world, "helper", "approve")) == "not_permitted"


def test_an_agent_names_no_approver_who_decides_nothing(world):
    assert code(open_gate(world, approver=["bob"])) == "approver_not_entitled"
    assert code(open_gate(world, approver=["helper"])) == "approver_unknown"


def test_a_delegate_votes_in_the_approvers_seat_until_the_end_and_both_are_named(world):
    opened(world)
    world.do("ann", "gate.delegate", goal_id=DOCS, gate_id=GATE, to="bob", for_seconds=60)
    world.now_ms += 59_999
    assert code(decide(world, "bob", "approve")) is None
    assert (gate(world).resolved_by, gate(world).resolved_for) == ("bob", "ann")


def test_a_delegation_that_is_over_or_ended_gives_no_vote(world):
    opened(world)
    world.do("ann", "gate.delegate", goal_id=DOCS, gate_id=GATE, to="bob", for_seconds=60)
    world.now_ms += 60_000
    assert code(decide(world, "bob", "approve")) == "not_an_approver"
    world.do("ann", "gate.delegate", goal_id=DOCS, gate_id=GATE, to="bob", for_seconds=60)
    world.do("ann", "gate.delegate", goal_id=DOCS, gate_id=GATE)
    assert code(decide(world, "bob", "approve")) == "not_an_approver"


def test_nobody_counts_twice_by_a_delegation(world):
    opened(world, by="ann", approver=["bob", "cara"], quorum=2)
    for other in ("cara", "ann", "helper"):
        assert world.outcome("bob", "gate.delegate", goal_id=DOCS, gate_id=GATE, to=other) == "delegate_not_eligible"
    opened(world, gate_id="gate_b", not_delegable=True)
    assert world.outcome("ann", "gate.delegate", goal_id=DOCS, gate_id="gate_b", to="bob") == "gate_not_delegable"


@pytest.mark.parametrize(("more", "who"), [({"severity": "critical"}, "ann"), ({"step_up": True}, "ann")])
def test_a_button_is_not_enough_for_the_highest_severity_and_a_shell_is(world, more, who):
    opened(world, **more)
    asked = {"goal_id": DOCS, "gate_id": GATE, "basis": basis(world)}
    (answer,) = world.drain(world.request(who, "gate.approve", surface="lark", **asked))
    assert code(answer) == "step_up_required"
    assert code(decide(world, who, "approve")) is None


def test_a_code_that_nobody_has_checked_is_none(world):
    opened(world, severity="critical")
    asked = {"goal_id": DOCS, "gate_id": GATE, "basis": basis(world), "code": "123456"}
    for surface in ("cli", "lark"):
        (answer,) = world.drain(world.request("ann", "gate.approve", surface=surface, **asked))
        assert code(answer) == "step_up_required"


def test_gates_go_on_while_a_goal_is_paused_and_end_with_it(world):
    opened(world, remind_every_seconds=300)
    world.do("ann", "goal.pause", goal_id=DOCS)
    opened(world, gate_id="gate_b")
    assert code(decide(world, "ann", "approve", "gate_b")) is None
    world.do("ann", "goal.stop", goal_id=DOCS)
    assert code(decide(world, "ann", "approve")) == "goal_closed"
    assert code(open_gate(world, gate_id="gate_c")) == "goal_closed"
    assert gate_due(world.goal()) is None


def test_a_scope_beyond_the_goal_is_decided_by_the_workspaces_owners(world):
    broad = {"blocks_todo": [], "decision_scope": "publish:global:*"}
    refused = open_gate(world, by="ann", approver=["bob"], **broad)
    assert code(refused) == "scope_beyond_approvers"
    assert code(open_gate(world, blocks_todo=[], decision_scope="publish:lane:x")) == "gate_target_required"


def test_the_channel_names_the_work_that_waits_and_for_whom(world):
    opened(world)
    (row,) = channel_projection(world.state, world.goal(), world.now_ms)["open_gates"]
    assert row["blocks"] == ["todo_one"]
    assert row["waits_for"] == ["ann"]
    asked = parse("gate.show", {"goal_id": DOCS, "gate_id": GATE})
    shown = READERS["gate.show"](world.state, world.caller("ann"), asked, world.now_ms)
    assert not isinstance(shown, Refusal)
    assert shown["basis"] == basis(world)


def test_a_revoked_members_vote_counts_no_longer(world):
    opened(world, by="ann", approver=["bob", "cara"], quorum=2)
    decide(world, "bob", "approve")
    world.do("operator", "member.revoke", member_id="bob")
    (event,) = decide(world, "cara", "approve").events
    assert event.kind == "gate.vote_recorded"
    assert event.facts.votes == 1


def test_a_vote_that_counts_no_longer_is_marked_and_nobody_is_sent_to_whoever_gave_it(world):
    opened(world, by="ann", approver=["bob", "cara"], quorum=2)
    decide(world, "bob", "approve")
    asked = parse("gate.show", {"goal_id": DOCS, "gate_id": GATE})

    def counting():
        shown = READERS["gate.show"](world.state, world.caller("ann"), asked, world.now_ms)
        return {vote["voter"]: vote["counts"] for vote in shown["votes"]}, render("gate.show", shown, "en")

    assert counting()[0] == {"bob": True}
    assert "does not count" not in counting()[1]
    world.do("operator", "member.revoke", member_id="bob")
    decide(world, "cara", "approve")
    assert counting()[0] == {"bob": False, "cara": True}
    assert counting()[1].count("does not count") == 1
    world.do("operator", "member.add", member_id="dora", kind="person", display_name="Dora")
    refusal = decide(world, "dora", "approve").refusal
    assert (refusal.code, refusal.details["approvers"]) == ("not_an_approver", ["cara"])


def test_work_whose_decision_nobody_made_says_so_and_names_no_gate(world):
    world.add("todo_publish", required_decision_scope=["publish:action:site"], by="ann")
    assert world.todo("todo_publish").required_decision_scopes == ("publish:action:site",)
    refusal = world.decide("builder", "todo.claim", goal_id=DOCS, todo_id="todo_publish")
    assert refusal.code.value == "decision_scope_unapproved"
    assert refusal.details == {"todo_id": "todo_publish", "decision_scopes": ["publish:action:site"]}
    message, hint = explain(refusal, "en")
    assert "publish:action:site" in message
    assert "gate" in hint.lower()


def test_a_gate_that_contradicts_what_work_needs_says_that_it_must_be_repaired(world):
    opened(world, decision_scope="budget:action:site")
    need(world, "todo_one", "publish:action:site")
    refusal = world.decide("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    assert refusal.code.value == "projection_repair_required"
    assert "gate_id" not in refusal.details
