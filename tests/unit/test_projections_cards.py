"""Views that cards are drawn from, and the buttons a card carries: exactly those that would be taken now."""

from typing import get_args

import msgspec
import pytest

from cards.draw import draw, encode
from ledger.catalogue import ACTIONS
from ledger.projections.cards import acceptance_view, goal_view, offers, review_view
from ledger.projections.views import CardView
from ledger.records import GoalState
from ledger.rules.goals import FIELD_CLASS, question_basis
from ledger.text.say import has
from tests.support.ledger_script import Script, script_in

STATES = get_args(GoalState)


def view(script, goal_id="docs"):
    return goal_view(script.seen, script.goal(goal_id), script.now_ms)


def offered(script, kind, number=None):
    return {offer.action: offer for offer in offers(script.seen, script.goal(), kind, number)}


@pytest.mark.parametrize(
    ("state", "need", "people", "quota_state"),
    [
        ("proposed", "confirm", ("Ann Li",), "operator_gate"),
        ("clarifying", "answer", ("Ann Li",), "operator_gate"),
        ("active", "work", (), "eligible"),
        ("paused", "resume", ("Ann Li",), "paused"),
        ("delivered", "accept", ("Ann Li",), "operator_gate"),
        ("changes_requested", "rework", (), "terminal_no_followup"),
        ("accepted", "nothing", (), "terminal_no_followup"),
        ("declined", "nothing", (), "paused"),
        ("withdrawn", "nothing", (), "paused"),
        ("stopped", "nothing", (), "paused"),
    ],
)
def test_what_a_goal_needs_and_from_whom(state, need, people, quota_state):
    seen = view(script_in(state))
    assert (seen.need.code, seen.need.people, seen.quota_state) == (need, people, quota_state)
    assert has(f"need.{need}")


def test_an_active_goal_says_what_kind_of_work_is_next():
    script = Script()
    script.add_agent("builder", "Builder")
    script.activate()
    assert view(script).need.code == "plan"
    todo_id = script.add_todo()
    assert view(script).need.code == "work"
    script.do("builder", "todo.claim", goal_id="docs", todo_id=todo_id)
    assert (view(script).need.people, view(script).responsible) == (("Builder",), ("Builder",))
    script.finish(todo_id, "builder")
    assert view(script).need.code == "deliver"
    script.do("ann", "goal.revise", goal_id="docs", budget="less")
    assert (view(script).need.code, view(script).need.people) == ("confirm", ("Ann Li",))
    assert all(has(f"need.{code}") for code in ("plan", "work", "deliver", "confirm"))


@pytest.mark.parametrize("state", STATES)
def test_every_view_can_be_drawn_and_encoded(state):
    script = script_in(state)
    goal = script.goal()
    drawn = [CardView(kind="goal", audience="group", tokens={}, goal=view(script))]
    drawn += [
        CardView(
            kind="review", audience="group", tokens={}, goal=view(script), review=review_view(script.seen, goal, number)
        )
        for number in range(1, len(goal.intents) + 1)
    ]
    drawn += [
        CardView(
            kind="acceptance",
            audience="group",
            tokens={},
            goal=view(script),
            acceptance=acceptance_view(script.seen, goal, number),
        )
        for number in range(1, len(goal.deliveries) + 1)
    ]
    for card in drawn:
        assert encode(draw(card, locale="zh", now_ms=script.now_ms))
        assert msgspec.json.decode(msgspec.json.encode(card), type=CardView) == card


def test_a_replay_gives_the_same_views():
    for state in STATES:
        script = script_in(state)
        again, goal = script.replayed(), script.goal()
        twin = again.goals[goal.goal_id]
        assert goal_view(again, twin, script.now_ms) == view(script)
        for number in range(1, len(goal.intents) + 1):
            assert review_view(again, twin, number) == review_view(script.seen, goal, number)
        for number in range(1, len(goal.deliveries) + 1):
            assert acceptance_view(again, twin, number) == acceptance_view(script.seen, goal, number)


def test_a_review_shows_every_field_that_says_something_with_its_class():
    script = Script()
    script.add_person("ben", "Ben Ortiz", "owner")
    goal = script.propose(
        objective="Line one\nline two",
        non_goal=("Rewriting",),
        constraint=("No new tool",),
        capability=("browser",),
        owner=("ben",),
        approver=("ann",),
        handoff_mode="hard_lease",
        allowed_slots=12,
        token_cap=9_000,
        cost_cap_micros=4_000_000,
        fold_case=True,
        private=True,
        budget="one day",
        stop_condition=("A page would go",),
        priority="P1",
    )
    review = review_view(script.seen, goal, 1)
    shown = {field.name: (field.field_class, field.items) for field in review.fields}
    assert shown.keys() == FIELD_CLASS.keys()
    assert all(field_class == FIELD_CLASS[name] for name, (field_class, _) in shown.items())
    assert shown["objective"][1] == ("Line one\nline two",)
    assert shown["owners"][1] == ("Ben Ortiz",)
    assert shown["approvers"][1] == ("Ann Li",)
    assert shown["allowed_slots"][1] == ("12",)
    assert [(one.criterion_id, one.text) for one in review.criteria] == [
        ("c1", "Every link works"),
        ("c2", "Every command runs"),
    ]
    assert (review.status, review.basis, review.decision) == ("open", goal.intents[0].basis, None)


def test_a_review_without_scopes_says_that_nothing_may_be_written_and_names_who_decides():
    script = Script()
    review = review_view(script.seen, script.propose(write_scope=()), 1)
    shown = {field.name: field.items for field in review.fields}
    assert shown["write_scopes"] == ()
    assert shown["owners"] == ("Ann Li",)
    assert shown["allowed_slots"] == ("1440",)
    assert "budget" not in shown


def test_a_decided_review_says_who_decided_and_in_which_words():
    script = script_in("declined")
    decision = review_view(script.seen, script.goal(), 1).decision
    assert (decision.outcome, decision.by_name, decision.reason) == ("declined", "Ann Li", "Not now.")


def test_a_replaced_revision_keeps_the_decision_that_was_made_on_it():
    script = script_in("active")
    script.do("ann", "goal.revise", goal_id="docs", budget="less")
    script.confirm()
    before, after = (review_view(script.seen, script.goal(), number) for number in (1, 2))
    assert (before.status, before.decision.outcome) == ("superseded", "confirmed")
    assert (after.status, after.decision.outcome) == ("confirmed", "confirmed")


def test_a_revision_replaced_before_it_was_decided_has_no_decision():
    script = script_in("proposed")
    script.do("ann", "goal.revise", goal_id="docs", budget="less")
    first = review_view(script.seen, script.goal(), 1)
    assert (first.status, first.decision) == ("superseded", None)


def test_acceptance_puts_each_criterion_beside_the_evidence_that_names_it():
    script = Script()
    script.add_agent("builder", "Builder")
    script.activate()
    named = script.finish(script.add_todo(), "builder", criterion=("c1",))
    other = script.finish(script.add_todo("More"), "builder", criterion=())
    script.deliver()
    seen = acceptance_view(script.seen, script.goal(), 1)
    assert [[one.artifact_id for one in criterion.artifacts] for criterion in seen.criteria] == [[named], []]
    assert [one.artifact_id for one in seen.other_artifacts] == [other]
    assert (seen.status, seen.delivered_by, seen.summary) == ("open", "Builder", "All links work.")
    assert seen.basis == script.goal().delivery.basis


def test_evidence_for_an_older_promise_does_not_count_for_a_changed_criterion():
    script = Script()
    script.add_agent("builder")
    script.activate()
    old = script.finish(script.add_todo(), "builder", criterion=("c1", "c2"))
    script.do("ann", "goal.revise", goal_id="docs", criterion=("Every anchor works", "Every command runs"))
    script.confirm()
    script.do("builder", "goal.adopt", goal_id="docs", revision=2)
    script.deliver()
    seen = acceptance_view(script.seen, script.goal(), 1)
    assert [[one.artifact_id for one in criterion.artifacts] for criterion in seen.criteria] == [[], [old]]


def test_a_stopped_goal_says_by_whom_and_why():
    seen = view(script_in("stopped")).decision
    assert (seen.outcome, seen.by_name, seen.reason) == ("stopped", "Ann Li", "No longer needed.")
    sent_back = view(script_in("changes_requested")).decision
    assert (sent_back.outcome, sent_back.reason) == ("changes_requested", "Check the anchors too.")


def test_the_cause_is_the_event_that_made_it_so():
    script = script_in("delivered")
    seen = view(script)
    assert (seen.cause.seq, seen.cause.kind, seen.cause.actor_name) == (
        script.goal().last_seq,
        "goal.delivered",
        "Builder",
    )
    assert len(seen.cause.short_hash) == 8


@pytest.mark.parametrize(
    ("state", "kind", "number", "actions"),
    [
        ("proposed", "review", 1, ["goal.confirm", "goal.decline", "goal.revise", "goal.withdraw"]),
        ("proposed", "goal", None, []),
        ("clarifying", "review", 1, ["goal.decline", "goal.revise", "goal.withdraw"]),
        ("clarifying", "goal", None, ["goal.clarify"]),
        ("active", "review", 1, []),
        ("active", "goal", None, ["goal.pause", "goal.stop", "goal.revise"]),
        ("paused", "goal", None, ["goal.resume", "goal.stop", "goal.revise"]),
        ("delivered", "goal", None, ["goal.stop"]),
        ("delivered", "acceptance", 1, ["goal.accept", "goal.request-changes"]),
        ("delivered", "acceptance", 2, []),
        ("changes_requested", "acceptance", 1, []),
        ("changes_requested", "goal", None, ["goal.pause", "goal.stop", "goal.revise"]),
        ("accepted", "acceptance", 1, []),
        *((state, "goal", None, []) for state in ("accepted", "declined", "withdrawn", "stopped")),
        *((state, "review", 1, []) for state in ("accepted", "declined", "withdrawn", "stopped")),
        ("active", "form", None, []),
    ],
)
def test_which_buttons_a_card_carries(state, kind, number, actions):
    assert list(offered(script_in(state), kind, number)) == actions


EXTRA = {"goal.clarify": {"answer": "docs"}, "goal.request-changes": {"reason": "More."}}


@pytest.mark.parametrize(
    ("state", "kind", "number", "action"),
    [
        ("proposed", "review", 1, "goal.confirm"),
        ("proposed", "review", 1, "goal.decline"),
        ("clarifying", "review", 1, "goal.decline"),
        ("clarifying", "goal", None, "goal.clarify"),
        ("active", "goal", None, "goal.pause"),
        ("active", "goal", None, "goal.stop"),
        ("paused", "goal", None, "goal.resume"),
        ("paused", "goal", None, "goal.stop"),
        ("delivered", "acceptance", 1, "goal.accept"),
        ("delivered", "acceptance", 1, "goal.request-changes"),
    ],
)
def test_every_offered_button_is_taken_from_an_owner_and_names_its_card(state, kind, number, action):
    script = script_in(state)
    offer = offered(script, kind, number)[action]
    assert offer.subject == (f"{kind}:docs" if number is None else f"{kind}:docs:{number}")
    assert offer.basis.startswith("b1:")
    basis = {} if ACTIONS[action].basis == "none" else {"basis": offer.basis}
    script.do("ann", action, goal_id="docs", **basis, **EXTRA.get(action, {}))


def test_a_button_drawn_before_the_promise_moved_is_stale():
    script = script_in("proposed")
    drawn = offered(script, "review", 1)["goal.confirm"]
    script.do("ann", "goal.revise", goal_id="docs", budget="less")
    assert offered(script, "review", 1) == {}
    answer = script.ask("ann", "goal.confirm", goal_id="docs", basis=drawn.basis)
    assert answer.refusal.code == "stale_basis"


def test_an_answer_carries_the_question_it_was_written_for():
    script = script_in("clarifying")
    first = offered(script, "goal")["goal.clarify"].basis
    assert first == question_basis("docs", script.goal().question)
    script.do("ann", "goal.clarify", goal_id="docs", answer="docs")
    assert "goal.clarify" not in offered(script, "goal")
    script.do("ann", "goal.clarify", goal_id="docs", question="And which site?")
    assert question_basis("docs", script.goal().question) not in {None, first}
    late = script.ask("ann", "goal.clarify", goal_id="docs", answer="both", basis=first)
    assert late.refusal is not None
    assert late.refusal.code == "stale_basis"


def test_a_pending_revision_of_an_active_goal_has_its_buttons_and_a_stopped_goal_none():
    script = script_in("active")
    script.do("ann", "goal.revise", goal_id="docs", budget="less")
    assert list(offered(script, "review", 2)) == ["goal.confirm", "goal.decline", "goal.revise", "goal.withdraw"]
    script.do("ann", "goal.stop", goal_id="docs")
    assert offered(script, "review", 2) == {}
