"""What the cards of a promise say besides it: what a revision changes, what was checked, what holds work up."""

from ledger.projections.cards import acceptance_view, goal_view, review_view
from tests.unit.test_projections_cards import script_in, view


def before(script, revision):
    """What a review says of the revisions before it."""
    return review_view(script.seen, script.goal(), revision).before


def names(seen):
    return [(one.name, one.was, one.becomes) for one in seen.changes]


def test_the_first_revision_has_nothing_before_it():
    assert before(script_in("proposed"), 1) is None


def test_a_revision_is_read_against_the_promise_in_force_whatever_was_turned_down_between():
    script = script_in("active")
    script.do("ann", "goal.revise", goal_id="docs", budget="less")
    assert names(before(script, 2))[-1][2] == ("less",)
    basis = script.goal().intents[1].basis
    script.do("ann", "goal.decline", goal_id="docs", basis=basis, reason="Too little")
    script.do("ann", "goal.revise", goal_id="docs", title="Other")
    third = before(script, 3)
    assert (third.revision, [name for name, *_ in names(third)]) == (1, ["title"])
    assert (third.turned_down.outcome, third.turned_down.by_name, third.turned_down.reason) == (
        "declined",
        "Ann Li",
        "Too little",
    )


def test_what_a_card_says_was_changed_stays_when_the_goal_goes_on():
    script = script_in("active")
    script.do("ann", "goal.revise", goal_id="docs", budget="less")
    seen = before(script, 2)
    script.do("ann", "goal.confirm", goal_id="docs", basis=script.goal().intents[1].basis)
    script.do("ann", "goal.revise", goal_id="docs", budget="more")
    assert before(script, 2) == seen
    assert names(before(script, 3)) == [("budget", ("less",), ("more",))]
    assert before(script, 3).turned_down is None


def test_evidence_says_what_became_of_it():
    script = script_in("delivered")
    seen = acceptance_view(script.seen, script.goal(), 1)
    artifacts = [*seen.other_artifacts, *(one for row in seen.criteria for one in row.artifacts)]
    assert {(one.status, one.reviewed_by, one.passed, one.failed) for one in artifacts} == {("submitted", "", (), ())}


def test_a_validator_that_ran_again_says_what_holds_now():
    script = script_in("active")
    artifact_id = next(iter(script.goal().artifacts), None)
    if artifact_id is None:
        script.do("builder", "artifact.submit", goal_id="docs", label="a.json", sha256="a" * 64, size_bytes=1)
        artifact_id = next(iter(script.goal().artifacts))
    check = {"goal_id": "docs", "artifact_id": artifact_id, "argv_sha256": "b" * 64, "duration_ms": 5}
    script.do("builder", "artifact.record-check", **check, name="links", exit_code=1)
    script.do("builder", "artifact.record-check", **check, name="size", exit_code=0)
    script.do("builder", "artifact.record-check", **check, name="links", exit_code=0)
    script.do("ann", "artifact.review", goal_id="docs", artifact_id=artifact_id, verdict="accept")
    seen = next(one for one in view(script).artifacts if one.artifact_id == artifact_id)
    assert (seen.status, seen.reviewed_by, seen.passed, seen.failed) == ("accepted", "Ann Li", ("links", "size"), ())


def test_a_goal_names_the_decisions_that_its_work_waits_for_until_it_is_over():
    script = script_in("active")
    gate = {"kind": "operator_gate", "severity": "normal", "question": "May it be published?", "approver": ("ann",)}
    script.do("builder", "gate.open", goal_id="docs", blocks_goal=True, **gate)
    (waiting,) = goal_view(script.seen, script.goal(), script.now_ms).gates
    assert (waiting.question, waiting.people, waiting.blocks_goal) == ("May it be published?", ("Ann Li",), True)
    script.do("ann", "goal.stop", goal_id="docs")
    assert goal_view(script.seen, script.goal(), script.now_ms).gates == ()
