"""Goals: every refusal and its place, which state follows which, and what a yes applies to."""

import msgspec
import pytest

from ledger.canonical import basis_of
from ledger.refusals import GeneralRefusal as G
from ledger.rules import deliveries, goals
from ledger.rules.goals import FIELD_CLASS, state_basis
from ledger.rules.goals import GoalRefusal as R
from tests.support.goal_ladders import ID, LADDERS, delivered, finished, send_back
from tests.support.ladder import cases, check, check_order, untested
from tests.support.world import DOCS, World, digest

LIMITS = (goals.REVISIONS_MAX, deliveries.DELIVERIES_MAX)
CASES = cases(*LADDERS)


@pytest.fixture(autouse=True)
def _limits():
    """What a rung lowered is put back."""
    yield
    goals.REVISIONS_MAX, deliveries.DELIVERIES_MAX = LIMITS


@pytest.fixture
def world():
    return World()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.action)
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached():
    assert untested(R, *LADDERS) == set()


LATER = {
    "review": "owner",
    "plan_approval": "owner",
    "token_cap": None,
    "cost_cap_micros": None,
    "fold_case": False,
    "private": False,
}
"""What a promise says of itself when nobody asked for anything else."""


def test_what_was_proposed_is_what_is_there_field_by_field(world):
    asked = {
        "title": "Docs",
        "objective": "Check the docs\nall of them",
        "criterion": ["Every link works", "Every command runs"],
        "non_goal": ["Style"],
        "constraint": ["No network"],
        "write_scope": ["./reports//**", "reports/**", "docs"],
        "capability": ["docs", "docs"],
        "owner": ["Ann", "bob"],
        "approver": ["bob"],
        "handoff_mode": "hard_lease",
        "allowed_slots": 7,
        "budget": "two hours",
        "stop_condition": ["The site is gone"],
        "enforce": ["write_scopes"],
        "priority": "P0",
        "review": "owner",
    }
    intent = world.propose(**asked).intent
    assert {name: getattr(intent, name) for name in intent.__struct_fields__ if name != "note"} == {
        "number": 1,
        "proposed_by": "ann",
        "at_ms": world.now_ms,
        "status": "open",
        "priority": "P0",
        "criterion_ids": ("c1", "c2"),
        "write_scopes": ("reports/**", "docs"),
        "capabilities": ("docs",),
        "owners": ("ann", "bob"),
        "approvers": ("bob",),
        "handoff_mode": "hard_lease",
        "allowed_slots": 7,
        "enforce": ("write_scopes",),
        **LATER,
        "basis": basis_of("confirm", DOCS, 1, world.state.hash.hex()),
        "title": "Docs",
        "objective": "Check the docs\nall of them",
        "criteria": ("Every link works", "Every command runs"),
        "non_goals": ("Style",),
        "constraints": ("No network",),
        "budget": "two hours",
        "stop_conditions": ("The site is gone",),
        "decided_by": None,
        "decided_at_ms": None,
        "reason": "",
    }


@pytest.mark.parametrize(
    ("objective", "title"),
    [("Docs", "Docs"), ("\n  \n  Docs now \nmore", "Docs now"), ("x" * 121, "x" * 119 + "…"), ("x" * 120, "x" * 120)],
)
def test_a_goal_without_a_title_is_called_by_the_first_line_that_says_something(world, objective, title):
    assert world.propose(objective=objective).intent.title == title


def test_an_id_from_the_sequence_never_collides_with_one_that_somebody_chose(world):
    world.propose(f"goal-{world.state.seq + 2}")
    event = world.do("ann", "goal.propose", objective="Other", criterion=["Done"])[0]
    assert event.goal_id == f"goal-{event.seq}-2"


@pytest.mark.parametrize("action", ["goal.confirm", "goal.decline", "goal.accept", "goal.pause", "goal.stop"])
@pytest.mark.parametrize("who", ["builder", "operator", "daemon", "bot"])
def test_what_is_an_owners_no_agent_operator_or_bot_decides(world, action, who):
    world.delivered()
    params = ID | {"basis": world.goal().delivery.basis}
    assert world.outcome(who, action, **params) == G.NOT_PERMITTED


def test_a_goal_with_owners_of_its_own_is_not_the_workspace_owners_to_decide(world):
    goal = world.propose(owner=["bob"])
    assert world.outcome("ann", "goal.confirm", **ID, basis=goal.intent.basis) == R.NOT_AN_OWNER
    assert world.outcome("bob", "goal.confirm", **ID, basis=goal.intent.basis) == "committed"


def test_a_goal_whose_owners_are_all_gone_falls_to_the_owners_of_the_workspace(world):
    goal = world.propose(owner=["bob"])
    world.do("operator", "member.revoke", member_id="bob")
    assert world.outcome("bob", "goal.confirm", **ID, basis=goal.intent.basis) == G.CREDENTIAL_REVOKED
    assert world.outcome("ann", "goal.confirm", **ID, basis=goal.intent.basis) == "committed"


def test_a_yes_to_what_was_revised_since_is_stale_and_names_what_changed(world):
    seen = world.propose().intent.basis
    world.do("ann", "goal.revise", **ID, objective="Better docs", write_scope=["src/**"])
    refusal = world.ask("ann", "goal.confirm", **ID, basis=seen).refusal
    assert (refusal.code, refusal.details["changed"]) == (G.STALE_BASIS, ["title", "objective", "write_scopes"][1:])
    assert refusal.basis == world.goal().intents[-1].basis
    assert world.goal().confirmed == 0


def test_a_revision_builds_on_the_promise_in_force_and_never_on_one_that_was_declined(world):
    world.activate()
    world.do("ann", "goal.revise", **ID, objective="Rewrite everything", write_scope=["**"])
    world.do("ann", "goal.decline", **ID, basis=world.goal().intents[-1].basis)
    world.do("ann", "goal.revise", **ID, budget="two hours")
    intent = world.goal().intents[-1]
    assert (intent.objective, intent.write_scopes) == (world.goal().intents[0].objective, ("reports/**", "docs/**"))


def test_a_revision_builds_on_the_one_that_waits(world):
    world.activate()
    world.do("ann", "goal.revise", **ID, objective="Better docs")
    world.do("ann", "goal.revise", **ID, budget="two hours")
    assert [intent.status for intent in world.goal().intents] == ["confirmed", "superseded", "open"]
    assert (world.goal().intents[-1].objective, world.goal().intents[-1].budget) == ("Better docs", "two hours")


def test_a_revision_that_waits_changes_nothing_until_it_is_confirmed(world):
    world.activate()
    world.do("ann", "goal.revise", **ID, write_scope=["src/**"])
    assert world.outcome("ann", "todo.add", **ID, text="T", required_write_scope=["src/a"]) == "scope_outside_boundary"
    world.confirm()
    assert world.outcome("ann", "todo.add", **ID, text="T", required_write_scope=["src/a"]) == "committed"
    assert [intent.status for intent in world.goal().intents] == ["superseded", "confirmed"]


@pytest.mark.parametrize("changes", [{"priority": "P2"}, {"write_scope": ["reports/**", "./docs/**"]}, {"budget": ""}])
def test_a_revision_that_changes_nothing_is_no_success(world, changes):
    world.activate()
    assert world.outcome("ann", "goal.revise", **ID, **changes) == R.NOTHING_TO_CHANGE


def test_of_two_revisions_on_one_basis_one_is_taken(world):
    seen = world.propose().intent.basis
    world.do("ann", "goal.revise", **ID, objective="Mine", basis=seen)
    assert world.outcome("ann", "goal.revise", **ID, objective="Yours", basis=seen) == G.STALE_BASIS


def test_declining_a_revision_leaves_the_promise_in_force(world):
    world.activate()
    world.do("ann", "goal.revise", **ID, objective="Better docs")
    world.do("ann", "goal.decline", **ID, basis=world.goal().intents[-1].basis, reason="Not now")
    goal = world.goal()
    assert (goal.state, goal.confirmed, goal.pending, goal.intents[-1].reason) == ("active", 1, 0, "Not now")


@pytest.mark.parametrize(("action", "state"), [("goal.decline", "declined"), ("goal.withdraw", "withdrawn")])
def test_a_goal_that_was_never_confirmed_ends_with_its_only_proposal(world, action, state):
    world.propose()
    world.do("builder", "goal.clarify", **ID, question="Which folder?")
    world.do("ann", action, **ID, basis=world.goal().intent.basis)
    assert (world.goal().state, world.goal().question) == (state, None)


def test_a_question_holds_up_the_yes_until_it_is_answered(world):
    world.propose()
    world.do("builder", "goal.clarify", **ID, question="Which folder?", option=["docs", "site"])
    assert (world.goal().state, world.goal().question.options) == ("clarifying", ("docs", "site"))
    world.do("ann", "goal.clarify", **ID, answer="docs")
    assert (world.goal().state, world.goal().question) == ("proposed", None)
    world.confirm()


def test_a_revision_leaves_the_open_question_open(world):
    world.propose()
    world.do("builder", "goal.clarify", **ID, question="Which folder?")
    world.do("ann", "goal.revise", **ID, objective="Better docs")
    assert world.goal().question is not None
    basis = world.goal().intents[-1].basis
    assert world.outcome("ann", "goal.confirm", **ID, basis=basis) == R.QUESTION_OPEN


def test_resuming_returns_to_where_the_pause_began(world):
    delivered(world, {})
    send_back(world)
    world.do("ann", "goal.pause", **ID)
    world.do("ann", "goal.resume", **ID)
    assert world.goal().state == "changes_requested"


def test_a_press_on_a_state_that_has_moved_is_stale(world):
    seen = state_basis(world.activate())
    world.do("ann", "goal.pause", **ID, basis=seen)
    world.do("ann", "goal.resume", **ID)
    assert world.outcome("ann", "goal.pause", **ID, basis=seen) == G.STALE_BASIS


def test_a_stopped_goal_stays_stopped_and_takes_what_waited_with_it(world):
    delivered(world, {})
    world.do("ann", "goal.stop", **ID, reason="No longer needed")
    goal = world.goal()
    assert (goal.state, goal.reason, goal.delivery.status) == ("stopped", "No longer needed", "superseded")
    for action in ("goal.resume", "goal.pause", "goal.stop", "goal.deliver", "goal.revise"):
        params = {"goal.deliver": {"summary": "Again"}, "goal.revise": {"allowed_slots": 9}}.get(action, {})
        assert world.outcome("ann", action, **ID, **params) == R.GOAL_STATE_FORBIDS


def test_stopping_supersedes_the_revision_that_waits(world):
    world.activate()
    world.do("ann", "goal.revise", **ID, objective="Better docs")
    world.do("ann", "goal.stop", **ID)
    assert (world.goal().pending, world.goal().intents[-1].status) == (0, "superseded")


def test_blocked_work_stands_between_a_goal_and_its_delivery(world):
    finished(world, {})
    world.add("todo_two")
    world.do("ann", "todo.block", **ID, todo_id="todo_two", reason="The site is down")
    refusal = world.ask("builder", "goal.deliver", **ID, summary="All done").refusal
    assert (refusal.code, refusal.details) == (R.WORK_OPEN, {"todo_ids": ["todo_two"], "open_total": 1})


def test_a_delivery_carries_the_digests_of_all_evidence_and_the_revision_it_is_for(world):
    world.activate()
    world.add("todo_one")
    proof = world.finish("todo_one")
    (event,) = world.do("builder", "goal.deliver", **ID, summary="All done")
    assert event.facts.artifacts == ((proof, world.goal().artifacts[proof].sha256),)
    assert (event.facts.delivery, event.facts.revision, world.goal().delivery.artifact_ids) == (1, 1, (proof,))


def test_the_same_evidence_may_answer_another_promise(world):
    """What was sent back may be good enough for the promise as it was changed since."""
    delivered(world, {})
    send_back(world)
    assert world.outcome("builder", "goal.deliver", **ID, summary="Again") == R.DELIVERY_UNCHANGED
    world.do("ann", "goal.revise", **ID, criterion=["Every link works"])
    world.confirm()
    assert world.outcome("builder", "goal.deliver", **ID, summary="Again") == "committed"


def test_a_yes_to_a_result_that_was_delivered_again_since_is_stale(world):
    delivered(world, {})
    seen = world.goal().delivery.basis
    send_back(world)
    world.add("todo_two")
    world.finish("todo_two")
    world.deliver()
    assert world.outcome("ann", "goal.accept", **ID, basis=seen) == G.STALE_BASIS
    world.do("ann", "goal.accept", **ID, basis=world.goal().delivery.basis)
    assert [delivery.status for delivery in world.goal().deliveries] == ["changes_requested", "accepted"]


def test_adopting_twice_reads_back_that_it_is_adopted(world):
    world.activate()
    world.do("builder", "goal.adopt", **ID, revision=1)
    assert world.outcome("builder", "goal.adopt", **ID, revision=1) == "held"


def test_the_first_promise_that_was_confirmed_needs_no_adopting_whatever_its_number(world):
    world.propose()
    world.do("ann", "goal.revise", **ID, objective="Better docs")
    world.confirm()
    world.add("todo_one")
    assert world.goal().confirmed == 2
    assert world.outcome("builder", "todo.claim", **ID, todo_id="todo_one") == "committed"
    world.do("ann", "goal.revise", **ID, objective="Best docs")
    world.confirm()
    assert world.outcome("builder", "todo.claim", **ID, todo_id="todo_one") == "objective_review_required"


def test_a_proposal_from_a_chat_is_shown_there(world):
    request = world.request("ann", "goal.propose", **ID, objective="Docs", criterion=["Done"])
    caller = world.caller("ann", "lark", "oc_docs")
    (answer,) = world.drain(msgspec.structs.replace(request, caller=caller))
    assert [event.kind for event in answer.events] == ["goal.proposed", "channel.bound"]
    assert world.goal().channels == {"oc_docs": "lark"}


def test_evidence_of_cancelled_work_is_not_delivered(world):
    world.activate()
    world.add("todo_one")
    world.do("builder", "todo.claim", **ID, todo_id="todo_one")
    world.submit("todo_one", sha256=digest("report"))
    world.do("ann", "todo.cancel", **ID, todo_id="todo_one")
    assert world.outcome("builder", "goal.deliver", **ID, summary="All done") == R.NOTHING_TO_DELIVER


@pytest.mark.parametrize("name", ["fold_case", "private"])
def test_what_a_switch_promises_is_enforced_and_stays_through_revisions(world, name):
    world.activate(**{name: True}, enforce=[name])
    assert FIELD_CLASS[name] == "enforced"
    assert getattr(world.goal().intent, name) is True
    world.do("ann", "goal.revise", **ID, objective="Another")
    world.confirm()
    assert (world.goal().intent.number, getattr(world.goal().intent, name)) == (2, True)


def test_a_revision_that_changes_how_work_is_held_waits_until_nothing_is_held(world):
    world.activate()
    for todo_id in ("todo_one", "todo_two"):
        world.add(todo_id)
    world.lease("todo_one", ttl_seconds=60)
    world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_two")
    world.do("ann", "goal.revise", goal_id=DOCS, handoff_mode="hard_lease")
    asked = {"goal_id": DOCS, "basis": world.goal().intents[-1].basis}
    refusal = world.decide("ann", "goal.confirm", **asked)
    assert refusal.code.value == "handoff_mode_not_quiescent"
    held = [(row["todo_id"], row["owner"], row["hold"]) for row in refusal.details["offenders"]]
    assert held == [("todo_one", "builder", "lease"), ("todo_two", "helper", "claim")]
    world.do("helper", "todo.release", goal_id=DOCS, todo_id="todo_two")
    world.now_ms += 60_000
    kinds = [event.kind for event in world.do("ann", "goal.confirm", **asked)]
    assert kinds == ["lease.expired", "goal.confirmed"]
    assert world.goal().intent.handoff_mode == "hard_lease"


def test_a_revision_that_leaves_the_mode_alone_disturbs_nobody(world):
    world.activate()
    world.add("todo_one")
    world.lease("todo_one")
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Better")
    world.confirm()
    assert world.goal().leases["todo_one"].status == "active"
