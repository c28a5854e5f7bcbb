"""A turn that another process takes up, and the words that it asks with."""

import json
from dataclasses import replace

import pytest

from daemon.agents.worker_asks import asked
from daemon.agents.worker_core import begin, recovered, step
from daemon.agents.worker_result import SaidCheck, SaidReview
from daemon.agents.worker_saved import saved, turn_of
from daemon.agents.worker_turn import (
    Answered,
    Failed,
    Judged,
    Refused,
    Step,
    StopNow,
    Tick,
)
from tests.support.worker_turns import COMMIT, HAND, PIECE, TURN, judging, running, walk


def kept(turn):
    """As another process reads it."""
    return turn_of(json.loads(json.dumps(saved(turn))))


CRASHES = {
    "before anything": (lambda: begin(TURN)[0], ["release_slot"], "refused"),
    "reserved": (
        lambda: replace(TURN, subject="todo_links", steps=(Step("lease"),)),
        ["inspect", "release_lease", "release_slot"],
        "refused",
    ),
    "running": (running, ["inspect", "report", "release_lease", "release_slot"], "failed"),
    "ending": (
        lambda: step(running(), StopNow(), 5)[0],
        ["inspect", "report", "release_lease", "release_slot"],
        "failed",
    ),
    "judging": (judging, ["inspect", "report", "release_lease", "release_slot"], "failed"),
    "writing": (lambda: step(judging(), Judged(HAND), 5)[0], ["inspect", *COMMIT], "done"),
    "completed": (
        lambda: replace(step(judging(), Judged(HAND), 5)[0], steps=(Step("report"), Step("spend")), version=None),
        ["report", "spend"],
        "done",
    ),
    "request": (
        lambda: judging(kind="request", subject="request_1"),
        [],
        "failed",
    ),
}


@pytest.mark.parametrize(("at", "steps", "close"), CRASHES.values(), ids=CRASHES)
def test_after_a_crash_what_was_judged_is_written_and_what_was_not_has_failed(at, steps, close):
    turn = kept(at())
    assert turn == at()
    turn, commands, written = walk(*recovered(turn))
    assert (commands, written, turn.close) == (("over",), steps, close)


def test_after_a_crash_only_what_it_holds_is_given_back():
    turn, _ = recovered(running())
    turn, commands = step(turn, Answered(Step("inspect"), {"idempotency_key": "another", "version": 9}), 5)
    turn, _, written = walk(turn, commands)
    assert written == ["report", "release_slot"]


def test_a_lease_that_was_released_keeps_its_version_and_is_not_renewed():
    turn, _ = recovered(step(judging(), Judged(HAND), 5)[0])
    told = {"idempotency_key": "turn-1", "version": 7, "effective": False}
    turn, _ = step(turn, Answered(Step("inspect"), told), 5)
    assert (turn.version, step(turn, Tick(), 10**9)[1]) == (7, ())


def test_a_lease_that_came_over_is_given_to_the_turn_in_one_step():
    turn, _, taken = walk(*begin(replace(TURN, came_over=("handoff-9", 3))))
    assert (taken, turn.version, kept(turn)) == (["reserve", "take_over"], 4, turn)
    params = asked(turn, Step("take_over")).params
    assert (params["idempotency_key"], params["expected_version"]) == ("handoff-9", 3)
    assert (params["new_owner"], params["new_idempotency_key"]) == ("scout", "turn-1")


def test_a_file_of_another_version_is_no_turn():
    document = saved(running())
    assert turn_of({**document, "schema_version": "frontstage_worker_journal_v9"}) is None
    assert turn_of({**document, "kind": "chore"}) is None
    assert turn_of({**document, "more": 1}) is None
    assert turn_of({}) is None


def test_everything_of_a_turn_survives_being_saved():
    checks = (SaidCheck(name="a", argv=("x", "y"), exit_code=0),)
    hand = replace(
        HAND,
        usage=(("tokens_in", 1),),
        digests=(("art_1", "0" * 64),),
        answer_artifacts=("art_1",),
        reviews=(SaidReview(artifact_id="art_1", decision="accept", checks=checks),),
    )
    turn = replace(step(judging(), Judged(hand), 5)[0], notes=("x",), passed=("links",))
    assert kept(turn) == turn


def test_each_write_has_a_key_of_its_own_that_follows_from_the_turn():
    hand = replace(HAND, pieces=(PIECE, PIECE))
    turn, _ = step(judging(), Judged(hand), 5)
    keys = [asked(turn, one).key for one in turn.steps]
    assert len(set(keys)) == len(keys)
    assert all(key.startswith("turn-1/") for key in keys)


def test_a_completion_carries_the_fence():
    turn, _, _ = walk(*step(judging(), Judged(HAND), 5), until=lambda turn: turn.steps[0].name == "complete")
    params = asked(turn, turn.steps[0]).params
    assert (params["task_lease_idempotency_key"], params["task_lease_expected_version"]) == ("turn-1", 4)
    assert (params["completion_turn_key"], params["evidence"]) == ("turn-1", ["art_1"])


def test_a_word_that_was_not_taken_is_said_in_the_return():
    review = SaidReview(artifact_id="art_0", decision="accept")
    hand = replace(HAND, reviews=(review,), summary="x" * 2_000)
    turn, _, _ = walk(
        *step(judging(kind="request", subject="request_1"), Judged(hand), 5),
        until=lambda turn: turn.steps[0].name == "review",
    )
    turn, commands = step(turn, Refused(Step("review"), "artifact_superseded"), 6)
    turn, _, _ = walk(turn, commands, until=lambda turn: turn.steps[0].name == "return")
    summary = asked(turn, turn.steps[0]).params["summary"]
    assert (len(summary) <= 2_000, "artifact_superseded" in summary) == (True, True)


def test_a_folder_that_cannot_be_made_fails_the_turn():
    turn, _, _ = walk(*begin(TURN))
    turn, _, written = walk(*step(turn, Failed("repository_dirty", "Commit first."), 5))
    assert (written[0], turn.problem, turn.words) == ("report", "repository_dirty", "Commit first. (repository_dirty)")
