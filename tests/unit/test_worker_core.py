"""A turn as a table: what happens to it, and what it does about that. Time is a number."""

from dataclasses import replace

import pytest

from daemon.agents.worker_asks import asked, renewal
from daemon.agents.worker_core import begin, step
from daemon.agents.worker_result import SaidCheck, SaidReview
from daemon.agents.worker_turn import (
    Answered,
    Exited,
    Failed,
    Hand,
    Judged,
    Moved,
    NotRenewed,
    Prepared,
    Refused,
    Renewed,
    Step,
    StopNow,
    Tick,
)
from tests.support.worker_turns import COMMIT, HAND, PIECE, TURN, judging, running, walk


def test_a_good_turn_from_end_to_end():
    turn, commands, taken = walk(*begin(TURN))
    assert (commands, taken, turn.subject, turn.version) == (("prepare",), ["reserve", "lease"], "todo_links", 4)
    turn, commands, written = walk(*step(judging(), Judged(HAND), 20))
    assert (commands, tuple(written), turn.close, turn.run_id) == (("over",), COMMIT, "done", "run_1")


WRITES = {
    "validated": ({"validators": ("links",)}, HAND, ("submit", "validate", "complete", "report", "spend")),
    "two files, validated on the first": (
        {"validators": ("links",)},
        replace(HAND, pieces=(PIECE, PIECE)),
        ("submit", "submit", "validate", "complete", "report", "spend"),
    ),
    "earns nothing": ({}, replace(HAND, delivery_outcome="surface_only"), ("submit", "complete", "report")),
    "with figures": ({}, replace(HAND, usage=(("tokens_in", 1),)), ("submit", "complete", "report", "usage", "spend")),
    "progress": ({}, replace(HAND, outcome="progress"), ("submit", "report", "release_lease", "release_slot")),
    "no progress": (
        {},
        Hand(outcome="no_progress", summary="x"),
        ("report", "release_lease", "release_slot"),
    ),
    "failed": ({}, Hand(outcome="failed", summary="x"), ("report", "release_lease", "release_slot")),
    # Blocking ends the lease; there is none left to give back.
    "blocked": ({}, Hand(outcome="blocked", summary="x", reason="y"), ("block", "report", "release_slot")),
    "blocked, asks": (
        {},
        Hand(outcome="blocked", summary="x", ask="{}"),
        ("ask", "report", "release_lease", "release_slot"),
    ),
    "soft claim": (
        {"handoff_mode": "soft_claim"},
        Hand(outcome="failed", summary="x"),
        ("report", "release_claim", "release_slot"),
    ),
    "reviews": (
        {},
        replace(HAND, reviews=(SaidReview(artifact_id="art_0", decision="accept", checks=(SaidCheck(name="a"),) * 2),)),
        ("submit", "check", "check", "review", "complete", "report", "spend"),
    ),
    "rework": ({"kind": "rework", "subject": "todo_links"}, HAND, ("submit", "report", "spend")),
    "request": ({"kind": "request", "subject": "request_1"}, HAND, ("submit", "respond", "return")),
    "request put off": (
        {"kind": "request", "subject": "request_1"},
        replace(HAND, decision="defer", reason="x"),
        ("respond",),
    ),
    "request blocked": (
        {"kind": "request", "subject": "request_1"},
        Hand(outcome="blocked", summary="x", ask="{}"),
        ("ask", "respond"),
    ),
    "request failed": ({"kind": "request", "subject": "request_1"}, Hand(outcome="failed", summary="x"), ()),
}


@pytest.mark.parametrize(("more", "hand", "steps"), WRITES.values(), ids=WRITES)
def test_what_is_written_back(more, hand, steps):
    turn, commands, written = walk(*step(judging(**more), Judged(hand), 20))
    assert (commands, tuple(written), turn.close) == (("over",), steps, hand.outcome)


LOST = {
    "renewal refused while running": (running, NotRenewed("lease_cas_mismatch"), ("end",), "ending"),
    "renewal refused while judging": (judging, NotRenewed("lease_cas_mismatch"), ("over",), "over"),
    "nobody to ask until it ran out": (running, Tick(), ("end",), "ending"),
}


@pytest.mark.parametrize(("at", "event", "commands", "phase"), LOST.values(), ids=LOST)
def test_who_loses_the_lease_writes_nothing_more(at, event, commands, phase):
    turn, told = step(at(), event, 300_000)
    assert (told, turn.phase) == (commands, phase)
    if phase == "ending":
        turn, told = step(turn, Exited(0), 300_001)
    assert (told, turn.close, turn.steps) == (("over",), "fenced", ())


@pytest.mark.parametrize("name", ["submit", "complete"])
@pytest.mark.parametrize("code", ["claim_owner_mismatch", "lease_cas_mismatch", "version_mismatch", "lease_not_active"])
def test_a_write_that_is_fenced_is_the_last(name, code):
    turn, _commands, _ = walk(*step(judging(), Judged(HAND), 20), until=lambda turn: turn.steps[0].name == name)
    turn, told = step(turn, Refused(Step(name), code), 30)
    assert (told, turn.close, turn.problem) == (("over",), "fenced", code)


FAILURES = {
    "submit refused": ("submit", "criterion_not_found", "failed"),
    "a validator": ("validate", "validator_failed", "failed"),
    "complete held up": ("complete", "gate_blocks", "blocked"),
    "complete refused": ("complete", "evidence_not_sound", "failed"),
}


@pytest.mark.parametrize(("name", "code", "close"), FAILURES.values(), ids=FAILURES)
def test_a_write_that_is_refused_is_reported_and_the_work_given_back(name, code, close):
    at = judging(validators=("links",))
    turn, _, _ = walk(*step(at, Judged(HAND), 20), until=lambda turn: turn.steps[0].name == name)
    turn, _commands, written = walk(*step(turn, Refused(turn.steps[0], code), 30))
    assert (written, turn.close, turn.problem) == (["report", "release_lease", "release_slot"], close, code)


def test_a_validator_that_does_not_pass_completes_nothing():
    turn, _, _ = walk(
        *step(judging(validators=("links", "words")), Judged(HAND), 20),
        until=lambda turn: turn.steps[0].name == "validate",
    )
    turn, _commands, written = walk(*step(turn, Answered(turn.steps[0], {"passed": ["links"]}), 30))
    assert (written[0], turn.close, turn.problem) == ("report", "failed", "validator_failed")
    assert "words" in turn.words
    report = asked(turn, Step("report")).params
    assert (report["delivery_outcome"], report["classification"]) == ("outcome_gap", "failed")


TAKING = {
    "reserve": ("turn_not_admitted", []),
    "lease": ("todo_lease_conflict", ["release_slot"]),
}


@pytest.mark.parametrize(("name", "code", "back"), [(name, *row) for name, row in TAKING.items()], ids=TAKING)
def test_what_cannot_be_taken_is_not_reported_as_work(name, code, back):
    turn, commands, _ = walk(*begin(TURN), until=lambda turn: turn.steps[0].name == name)
    turn, commands, written = walk(*step(turn, Refused(turn.steps[0], code), 5))
    assert (commands, written, turn.close, turn.problem) == (("over",), back, "refused", code)


TIMES = [
    (99_999, ()),
    (100_000, ("renew",)),
    (299_999, ("renew",)),
    (300_000, ("end",)),
]


@pytest.mark.parametrize(("now_ms", "commands"), TIMES)
def test_the_lease_is_renewed_at_a_third_of_its_time(now_ms, commands):
    assert step(running(), Tick(), now_ms)[1] == commands


def test_a_renewal_counts_from_when_it_is_known():
    turn, _ = step(running(), Renewed(5), 100_000)
    assert (turn.version, renewal(turn).params["expected_version"]) == (5, 5)
    assert step(turn, Tick(), 199_999)[1] == ()
    assert step(turn, Tick(), 200_000)[1] == ("renew",)
    assert renewal(turn).key != renewal(running()).key


@pytest.mark.parametrize(("now_ms", "why"), [(9_999, ""), (10_000, "timed_out")])
def test_the_program_has_so_much_time(now_ms, why):
    turn, commands = step(running(timeout_seconds=10), Tick(), now_ms)
    assert (turn.why, commands) == (why, ("end",) if why else ())


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (Exited(3), "program_failed"),
        (Exited(-9), "program_failed"),
    ],
)
def test_a_program_that_fails_has_failed(event, problem):
    turn, _, written = walk(*step(running(), event, 5))
    assert (written, turn.problem) == (["report", "release_lease", "release_slot"], problem)


@pytest.mark.parametrize("why", ["rebase", "revision"])
def test_what_moved_is_read_and_the_work_begun_anew_a_few_times(why):
    turn = running()
    for number in range(3):
        turn, commands = step(turn, Moved(why, "2"), 5)
        assert commands == ("end",)
        turn, commands, asked_for = walk(*step(turn, Exited(-15), 6))
        assert (asked_for, commands) == ([f"adopt_{'amendment' if why == 'rebase' else why}"], ("prepare",))
        assert (turn.begun_anew, turn.why, turn.version) == (number + 1, "", 4)
        turn, _ = step(turn, Prepared(), 7)
    turn, _ = step(turn, Moved(why, "2"), 8)
    turn, _, written = walk(*step(turn, Exited(-15), 9))
    assert (written[0], turn.problem) == ("report", "moved_too_often")


def test_each_reading_of_a_change_is_asked_under_a_name_of_its_own():
    turn, keys = running(), set()
    for hold in ("2", "3"):
        turn, _ = step(turn, Moved("revision", hold), 5)
        turn, _ = step(turn, Exited(-15), 6)
        keys.add(asked(turn, turn.steps[0]).key)
        turn, _, _ = walk(turn, ("ask",))
        turn, _ = step(turn, Prepared(), 7)
    assert len(keys) == 2


def test_what_moved_after_the_program_ended_counts_as_well():
    turn, commands = step(judging(), Moved("revision", "2"), 5)
    assert (commands, turn.steps[0].name) == (("ask",), "adopt_revision")


@pytest.mark.parametrize("at", [running, judging], ids=["running", "judging"])
def test_told_to_stop_it_gives_the_work_back(at):
    turn, commands = step(at(), StopNow(), 5)
    if commands == ("end",):
        turn, commands = step(turn, Exited(-15), 6)
    turn, _, written = walk(turn, commands)
    assert (written, turn.problem) == (["report", "release_lease", "release_slot"], "interrupted")


def stopped():
    turn, _ = step(judging(), StopNow(), 5)
    return turn


def over():
    return walk(*step(judging(), Judged(HAND), 5))[0]


LATE = {
    "judged after it was told to stop": (stopped, Judged(HAND)),
    "failed after it was told to stop": (stopped, Failed("no_result", "None.")),
    "ended after it was judged": (judging, Exited(0)),
    "prepared after it was launched": (running, Prepared()),
    "judged when it is over": (over, Judged(HAND)),
    "lost when it is over": (over, NotRenewed("lease_cas_mismatch")),
    "validated when it is over": (over, Answered(Step("validate"), {"passed": []})),
    "an answer to another step": (stopped, Answered(Step("submit"), {"artifact_id": "art_9"})),
    "a refusal of another step": (stopped, Refused(Step("submit"), "claim_owner_mismatch")),
    "told to stop when it is over": (over, StopNow()),
    "moved when it is over": (over, Moved("revision", "2")),
}


@pytest.mark.parametrize(("at", "event"), LATE.values(), ids=LATE)
def test_what_comes_too_late_changes_nothing(at, event):
    assert step(at(), event, 6) == (at(), ())


def test_told_to_stop_while_it_writes_it_finishes_writing():
    turn, _commands = step(judging(), Judged(HAND), 5)
    stopped, told = step(turn, StopNow(), 6)
    assert (stopped, told) == (turn, ())
