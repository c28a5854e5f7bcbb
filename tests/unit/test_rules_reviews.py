"""Reviews: whose word counts, what it frees, what a no or a revision undoes, and what is delivered at all."""

import pytest

from ledger.projections.reviews import stale_evidence, status_of
from ledger.rules import artifacts, reviews
from ledger.rules.artifacts import ArtifactRefusal as A
from ledger.rules.reviews import ReviewRefusal as R
from ledger.rules.reviews import counts
from ledger.rules.todos import TodoRefusal as T
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.reviewing import ID, accept, assert_replays, finished, proof, ready, reject
from tests.support.world import World, digest

CHECKS_LIMIT = reviews.CHECKS_MAX


@pytest.fixture
def world():
    world = World()
    finished(world, {})
    return world


@pytest.fixture(autouse=True)
def _limits():
    yield
    reviews.CHECKS_MAX = CHECKS_LIMIT


def _no_room(_: World) -> None:
    reviews.CHECKS_MAX = 0


def _revise(world: World) -> str:
    return world.submit(None, revises=proof(world))


def _stop(world: World) -> None:
    world.do("ann", "goal.stop", **ID)


def _built_and_undone(world: World) -> None:
    """The evidence was made from something that a revision has replaced since."""
    made_from = world.submit(None, by="helper")
    world.add("todo_other")
    world.do("builder", "todo.claim", **ID, todo_id="todo_other")
    world.submit("todo_other", input=[made_from])
    world.submit(None, by="helper", revises=made_from)


def _latest(world: World) -> str:
    undone = [name for name, undone in world.goal().reviews.undone.items() if undone.how == "invalidated"]
    return undone[-1] if undone else proof(world)


def _first(world: World) -> str:
    return next(iter(world.goal().artifacts))


REVIEW = Ladder(
    action="artifact.review",
    who="helper",
    base=finished,
    params=ID | {"artifact_id": _latest, "verdict": "accept"},
    rungs=(
        Rung(code=R.GOAL_NOT_EXECUTABLE, world=_stop, late=True),
        Rung(code=R.ARTIFACT_NOT_FOUND, params={"artifact_id": "art_999999"}),
        Rung(code=R.REVIEWER_NOT_ENTITLED, who="stranger", alone=True),
        Rung(code=R.REVIEWER_IS_AUTHOR, who="builder"),
        Rung(code=R.ARTIFACT_SUPERSEDED, world=_revise, params={"artifact_id": _first}, alone=True),
        Rung(code=R.ARTIFACT_INVALIDATED, world=_built_and_undone, alone=True),
        Rung(code=R.ARTIFACT_ALREADY_REVIEWED, world=lambda w: accept(w, _latest(w), by="ann")),
        Rung(code=R.DIGEST_MISMATCH, params={"sha256": digest("another")}),
    ),
)
CHECK = Ladder(
    action="artifact.record-check",
    who="builder",
    base=finished,
    params=ID
    | {"artifact_id": proof, "name": "links", "argv_sha256": digest("argv"), "exit_code": 0, "duration_ms": 1},
    rungs=(
        Rung(code=R.GOAL_NOT_EXECUTABLE, world=_stop, late=True),
        Rung(code=R.ARTIFACT_NOT_FOUND, params={"artifact_id": "art_999999"}),
        Rung(code=R.REVIEWER_NOT_ENTITLED, who="stranger"),
        Rung(code=R.TOO_MANY_CHECKS, world=_no_room),
    ),
)
CASES = cases(REVIEW, CHECK)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", [REVIEW, CHECK], ids=lambda ladder: ladder.action)
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached():
    assert untested(R, REVIEW, CHECK) == set()


# Whose word it is.


@pytest.mark.parametrize("who", ["helper", "ann", "bob"])
def test_an_agent_with_the_goal_an_owner_and_an_approver_may_review(world, who):
    (event,) = accept(world, proof(world), by=who)
    review = world.goal().reviews.decisions[proof(world)]
    assert (review.verdict, review.reviewer, review.seq) == ("accepted", who, event.seq)


def test_a_person_who_is_neither_owner_nor_approver_has_no_say():
    world = World()
    finished(world, {"approver": []})
    given = ID | {"artifact_id": proof(world), "verdict": "accept"}
    assert world.outcome("bob", "artifact.review", **given) == R.REVIEWER_NOT_ENTITLED


def test_a_word_once_given_stands_and_names_who_gave_it(world):
    reject(world, proof(world))
    refusal = world.ask("ann", "artifact.review", **ID, artifact_id=proof(world), verdict="accept").refusal
    assert refusal.code == R.ARTIFACT_ALREADY_REVIEWED
    assert (refusal.details["reviewer"], refusal.details["verdict"]) == ("helper", "rejected")
    assert refusal.details["at_ms"] == world.now_ms


def test_a_rejection_says_why(world):
    with pytest.raises(ValueError, match="says why"):
        world.outcome("helper", "artifact.review", **ID, artifact_id=proof(world), verdict="reject")


# What a word frees, and what it undoes.


def test_a_child_of_unaccepted_evidence_does_not_begin(world):
    world.add("todo_next", depends_on=["todo_one"])
    assert ready(world) == []
    claim = ID | {"todo_id": "todo_next"}
    assert world.outcome("builder", "todo.claim", **claim) == T.DEPENDENCY_UNMET
    assert world.outcome("builder", "task-lease.acquire", **claim, idempotency_key="run-1") == "todo_not_executable"
    accept(world, proof(world))
    assert ready(world) == ["todo_next"]
    assert world.outcome("builder", "todo.claim", **claim) == "committed"


def test_where_the_owners_acceptance_is_the_review_done_work_frees_what_depends_on_it():
    world = World()
    finished(world, {"review": "owner"})
    world.add("todo_next", depends_on=["todo_one"])
    assert ready(world) == ["todo_next"]


def test_another_kind_of_review_in_a_later_revision_looks_at_all_work_again(world):
    world.add("todo_next", depends_on=["todo_one"])
    world.do("ann", "goal.revise", **ID, review="owner")
    world.confirm()
    assert ready(world) == ["todo_next"]
    world.do("ann", "goal.revise", **ID, review="independent")
    world.confirm()
    assert ready(world) == []
    assert_replays(world)


def test_rejected_evidence_comes_back_as_a_revision_that_is_reviewed_on_its_own(world):
    world.add("todo_next", depends_on=["todo_one"])
    first = proof(world)
    reject(world, first)
    assert world.goal().artifacts[first].todo_id == "todo_one"
    assert stale_evidence(world.goal(), world.todo("todo_one")) == [first]
    second = world.submit(None, revises=first)
    assert world.todo("todo_one").evidence == (second,)
    assert (status_of(world.goal(), first), status_of(world.goal(), second)) == ("superseded", "submitted")
    assert ready(world) == []
    accept(world, second)
    assert ready(world) == ["todo_next"]
    assert_replays(world)


def test_a_revised_input_puts_what_waits_back_and_lets_what_runs_keep_its_lease(world):
    accept(world, proof(world))
    world.add("todo_runs", depends_on=["todo_one"])
    world.add("todo_waits", depends_on=["todo_one"])
    world.lease("todo_runs")
    evidence = world.submit("todo_runs")
    fence = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
    done = ID | {"todo_id": "todo_runs", "evidence": [evidence]} | fence
    newer = world.submit(None, revises=proof(world))
    assert ready(world) == []
    assert world.goal().leases["todo_runs"].status == "active"
    assert world.outcome("builder", "todo.complete", **done) == T.DEPENDENCY_UNMET
    assert (
        world.outcome(
            "builder", "task-lease.renew", **ID, todo_id="todo_runs", idempotency_key="run-1", expected_version=1
        )
        == "committed"
    )
    accept(world, newer)
    assert ready(world) == ["todo_waits"]
    assert world.outcome("builder", "todo.complete", **done) == "committed"


def chain(world):
    """Three artifacts, each made from the one before; the last two are the evidence of done work."""
    made = [proof(world)]
    for todo_id in ("todo_two", "todo_three"):
        world.add(todo_id)
        world.do("builder", "todo.claim", **ID, todo_id=todo_id)
        made.append(world.submit(todo_id, input=[made[-1]]))
        world.do("builder", "todo.complete", **ID, todo_id=todo_id, evidence=[made[-1]])
        accept(world, made[-1])
    return made


@pytest.mark.parametrize("how", ["revised", "rejected"])
def test_what_was_made_from_it_falls_with_it_over_every_step_and_is_seen_to(world, how):
    first, second, third = chain(world)
    world.add("todo_last", depends_on=["todo_three"])
    assert ready(world) == ["todo_last"]
    if how == "revised":
        events = world.do(
            "builder", "artifact.submit", **ID, label="r", sha256=digest("r"), size_bytes=1, revises=first
        )
    else:
        events = reject(world, first)
    undone = [(event.facts.artifact_id, event.facts.through, event.facts.because) for event in events[1:]]
    assert undone == [(second, first, how), (third, second, how)]
    assert [counts(world.goal(), one) for one in (first, second, third)] == [False, False, False]
    assert ready(world) == []
    for todo_id, stale in (("todo_two", second), ("todo_three", third)):
        assert stale_evidence(world.goal(), world.todo(todo_id)) == [stale]
    assert_replays(world)


def test_an_input_is_kept_with_the_digest_that_it_was_made_from(world):
    first, second, _ = chain(world)
    assert world.goal().reviews.inputs[second] == ((first, world.goal().artifacts[first].sha256),)


# Handing in: the part of the ladder that needs an earlier artifact.


def _claimed(world: World, goal: dict[str, object]) -> None:
    finished(world, goal)
    world.add("todo_two")
    world.do("builder", "todo.claim", **ID, todo_id="todo_two")


def _crowd(world: World) -> None:
    world.goal().reviews.built_on[proof(world)] = artifacts.CONSUMERS_MAX


SUBMIT = Ladder(
    action="artifact.submit",
    who="builder",
    base=_claimed,
    params=ID | {"label": "r", "sha256": digest("r"), "size_bytes": 1, "revises": proof, "input": []},
    rungs=(
        Rung(code=A.REVISED_NOT_FOUND, params={"revises": "art_999999"}, alone=True),
        Rung(code=A.ALREADY_REVISED, world=_revise, params={"revises": _first}),
        Rung(code=A.NOT_THE_AUTHOR, who="helper"),
        Rung(code=A.REVISION_OF_ANOTHER_TODO, params={"todo_id": "todo_two"}),
        Rung(code=A.CRITERION_NOT_FOUND, params={"criterion": ["c9"]}),
        Rung(code=A.INPUT_NOT_FOUND, params={"input": ["art_999999"]}, alone=True),
        Rung(code=A.INPUT_NOT_SOUND, params={"input": lambda w: [_first(w)]}),
    ),
)
SUBMIT_CASES = cases(SUBMIT)


@pytest.mark.parametrize("case", SUBMIT_CASES.values(), ids=SUBMIT_CASES)
def test_the_first_broken_rule_of_a_revision_is_the_answer(case):
    check(case)


def test_as_much_is_built_on_one_artifact_as_one_command_can_undo(world):
    asked = ID | {"label": "r", "sha256": digest("r"), "size_bytes": 1, "input": [proof(world)]}
    assert world.outcome("builder", "artifact.submit", **asked) == "committed"
    _crowd(world)
    assert world.outcome("builder", "artifact.submit", **asked) == A.TOO_MANY_CONSUMERS


def test_nothing_is_built_on_what_was_rejected(world):
    reject(world, proof(world))
    asked = ID | {"label": "r", "sha256": digest("r"), "size_bytes": 1, "input": [proof(world)]}
    assert world.outcome("builder", "artifact.submit", **asked) == A.INPUT_NOT_SOUND
