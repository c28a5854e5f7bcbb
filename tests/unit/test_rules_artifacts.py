"""Artifacts: whose evidence is taken, for what, and that it keeps its digest and its revision."""

import pytest

from ledger.rules import artifacts
from ledger.rules.artifacts import ArtifactRefusal as R
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.world import DOCS, World, digest

LIMIT = artifacts.ARTIFACTS_MAX
ONE = {"goal_id": DOCS, "todo_id": "todo_one"}


def _claimed(world: World, goal: dict[str, object]) -> None:
    world.activate()
    world.add("todo_one")
    world.add("todo_other")
    world.do("builder", "todo.claim", **ONE)


def _fill_up(_: World) -> None:
    artifacts.ARTIFACTS_MAX = 0


@pytest.fixture(autouse=True)
def _limits():
    """What a rung lowered is put back."""
    yield
    artifacts.ARTIFACTS_MAX = LIMIT


SUBMIT = Ladder(
    action="artifact.submit",
    who="builder",
    base=_claimed,
    params=ONE | {"label": "report.json", "sha256": digest("report"), "size_bytes": 812},
    rungs=(
        Rung(code=R.GOAL_NOT_EXECUTABLE, world=lambda w: w.do("ann", "goal.stop", goal_id=DOCS), late=True),
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger"),
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=R.CLAIM_OWNER_MISMATCH, params={"todo_id": "todo_other"}),
        Rung(code=R.CRITERION_NOT_FOUND, params={"criterion": ["c3"]}),
        Rung(code=R.TOO_MANY_ARTIFACTS, world=_fill_up),
    ),
)
CASES = cases(SUBMIT)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked():
    check_order(SUBMIT)
    of_revisions = {R.REVISED_NOT_FOUND, R.ALREADY_REVISED, R.NOT_THE_AUTHOR, R.REVISION_OF_ANOTHER_TODO}
    of_inputs = {R.INPUT_NOT_FOUND, R.INPUT_NOT_SOUND, R.TOO_MANY_CONSUMERS}
    assert untested(R, SUBMIT) == of_revisions | of_inputs, "these have their ladder among the reviews"


@pytest.fixture
def world():
    world = World()
    _claimed(world, {})
    return world


def test_evidence_keeps_its_digest_its_author_and_the_revision_it_was_made_for(world):
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Better docs")
    world.confirm()
    proof = world.submit("todo_one", sha256=digest("report"), criterion=["c1", "c1"], kind="patch", summary="41 links")
    artifact = world.goal().artifacts[proof]
    assert (artifact.sha256, artifact.submitted_by, artifact.revision) == (digest("report"), "builder", 2)
    assert (artifact.criterion_ids, artifact.kind, artifact.label, artifact.summary) == (
        ("c1",),
        "patch",
        "report.json",
        "41 links",
    )


def test_work_under_way_may_still_be_proved_while_the_goal_is_paused(world):
    world.do("ann", "goal.pause", goal_id=DOCS)
    assert world.outcome("builder", "artifact.submit", **SUBMIT.params) == "committed"


def test_whoever_lost_the_work_to_the_clock_proves_nothing_for_it(world):
    other = ONE | {"todo_id": "todo_other"}
    world.lease("todo_other", ttl_seconds=60)
    assert world.outcome("builder", "artifact.submit", **(SUBMIT.params | other)) == "committed"
    world.now_ms += 60_000
    assert world.outcome("builder", "artifact.submit", **(SUBMIT.params | other)) == R.CLAIM_OWNER_MISMATCH


def test_evidence_without_a_todo_is_kept_beside_the_work(world):
    assert world.goal().artifacts[world.submit(None, by="ann")].todo_id is None
