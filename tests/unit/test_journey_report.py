"""The report of a journey as a table: what a good history shows, and what each thing that is missing takes away."""

import json
from dataclasses import replace

import pytest

from bot.journey.command import CYCLES_MAX, Mistaken, commands_of, wanted_of
from bot.journey.expected import counts, duplicates
from bot.journey.plot import Finding
from bot.journey.records import Event, read_export
from bot.journey.rejections import rejections
from bot.journey.report import Expectation, Report
from bot.journey.stages import write_report
from tests.unit.journey_history import NAMES, ROUNDS, good, verdicts


def without(records, kind, **facts):
    """The same history, had this not happened."""

    def is_meant(one):
        return one.kind == kind and facts.items() <= {**one.facts, "goal": one.goal_id}.items()

    left = tuple(one for one in records.events if not is_meant(one))
    assert len(left) < len(records.events), "there is no such event to leave out"
    return replace(records, events=left)


def changed(records, kind, change, **facts):
    def now(one):
        return change(one) if one.kind == kind and facts.items() <= {**one.facts, "goal": one.goal_id}.items() else one

    return replace(records, events=tuple(map(now, records.events)))


def test_a_good_history_shows_everything():
    assert verdicts(*good()) == dict.fromkeys(NAMES, "passed")


def by_http(one):
    return replace(one, surface="http")


def by_author(one):
    return replace(one, actor="spare")


def failing(one):
    return replace(one, facts={**one.facts, "exit_code": 1})


def passing(one):
    return replace(one, facts={**one.facts, "exit_code": 0})


MISSING = {
    "never accepted": ("accepted on a card", lambda r: without(r, "goal.accepted", goal="g2")),
    "accepted by http": ("accepted on a card", lambda r: changed(r, "goal.accepted", by_http)),
    "confirmed by http": ("decided in the chat alone", lambda r: changed(r, "goal.confirmed", by_http, revision=2)),
    "no end of the lease": ("a killed worker's work went on", lambda r: without(r, "lease.expired", goal="g1")),
    "not finished": (
        "a frozen worker's work went on", lambda r: without(r, "todo.completed", goal="g2", todo_id="fix"),
    ),
    "not revised": ("the owner's correction counts", lambda r: without(r, "goal.revised")),
    "an older promise": (
        "the owner's correction counts",
        lambda r: changed(r, "artifact.submitted", lambda one: replace(one, facts={**one.facts, "revision": 1}),
                          artifact_id="g1-n"),
    ),
    "no check that failed": (
        "rejected by measurement, reworked", lambda r: changed(r, "artifact.checked", passing, name="definition"),
    ),
    "nothing made anew": (
        "rejected by measurement, reworked",
        lambda r: without(without(r, "artifact.submitted", artifact_id="g1-b"), "artifact.submitted",
                          artifact_id="g2-b"),
    ),
    "accepted by its author": (
        "accepted by somebody else", lambda r: changed(r, "artifact.reviewed", by_author, artifact_id="g1-b"),
    ),
    "no validator": ("validated before it was done", lambda r: without(r, "artifact.checked", name="noted")),
    "a validator that failed": (
        "validated before it was done", lambda r: changed(r, "artifact.checked", failing, name="suite"),
    ),
    "finished by the lost one": (
        "a killed worker's work went on",
        lambda r: changed(r, "todo.completed", lambda one: replace(one, actor="fixer"), goal="g1", todo_id="fix"),
    ),
    "begun before": (
        "built on what was accepted", lambda r: without(r, "artifact.reviewed", artifact_id="g2-b"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("missing", MISSING)
def test_what_is_missing_is_found(missing):
    name, change = MISSING[missing]
    records, measured = good()
    assert verdicts(change(records), measured)[name] == "failed"


def test_a_lease_that_was_taken_afterwards_does_not_make_work_begin_later():
    records, measured = good()
    early = next(one for one in records.events if one.kind == "lease.acquired" and one.facts["todo_id"] == "note")
    late = replace(early, seq=len(records.events) + 1, facts={**early.facts, "lease_epoch": 2})
    # Begun before anything was accepted, and leased once more when all was over.
    moved = tuple(replace(one, seq=1) if one is early else one for one in records.events)
    found = verdicts(replace(records, events=(*moved, late)), measured)
    assert found["built on what was accepted"] == "failed"


def test_each_validator_that_a_lane_names_must_have_passed():
    records, measured = good()
    lanes = ({"lane_id": "fix", "title": "Mend", "validator": ["suite", "types"]},)
    named = lambda one: replace(one, facts={**one.facts, "todo_id": "todo_fix"})  # noqa: E731
    of_plan = changed(records, "todo.completed", named, todo_id="fix")
    rounds = tuple(replace(one, lanes=lanes) for one in ROUNDS)
    assert verdicts(of_plan, replace(measured, rounds=rounds))["validated before it was done"] == "failed"


def test_of_nothing_nothing_was_shown():
    assert not replace(report(), expectations=()).passed


@pytest.mark.parametrize("action", ["todo.complete", "everything"])
def test_a_late_writer_that_was_not_refused_is_found(action):
    records, measured = good()
    left = tuple(one for one in records.refusals if action not in {one.action, "everything"})
    assert verdicts(replace(records, refusals=left), measured)["a late writer was refused"] == "failed"


def test_what_a_lost_worker_still_got_in_is_found():
    records, measured = good()
    late = replace(
        next(one for one in records.events if one.kind == "artifact.submitted" and one.goal_id == "g2"),
        seq=99, actor="spare",
    )  # fmt: skip
    found = verdicts(replace(records, events=(*records.events, late)), measured)
    assert found["a late writer was refused"] == "failed"


@pytest.mark.parametrize(
    ("change", "name", "verdict"),
    [
        ({"lost": ()}, "a killed worker's work went on", "untested"),
        ({"lost": ()}, "a late writer was refused", "untested"),
        ({"findings": ()}, "measured again in a clean place", "untested"),
        ({"findings": (("g1", (Finding(name="suite", holds=False, says="no"),)),)}, NAMES[11], "failed"),
        ({"notices": ()}, "every ask was on a card", "untested"),
        ({"ledger_holds": False}, "the ledger holds", "failed"),
        ({"rounds": ()}, "accepted on a card", "failed"),
        ({"rounds": ROUNDS[1:]}, "the owner's correction counts", "untested"),
    ],
)
def test_what_nothing_bears_on_is_untested_and_not_passed(change, name, verdict):
    records, measured = good()
    assert verdicts(records, replace(measured, **change))[name] == verdict


def test_a_worker_that_held_no_lease_was_not_lost_under_one():
    records, measured = good()
    held_nothing = tuple(replace(one, lease_epoch=None) for one in measured.lost)
    assert verdicts(records, replace(measured, lost=held_nothing))["a killed worker's work went on"] == "failed"


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("todo.completed", {"todo_id": "fix", "evidence": []}), ("goal.accepted", {"delivery": 1}),
        ("artifact.reviewed", {"artifact_id": "g1-b", "verdict": "accepted"}),
    ],
)  # fmt: skip
def test_what_happens_twice_is_found(kind, facts):
    records, measured = good()
    again = Event(seq=99, at_ms=99, kind=kind, goal_id="g1", actor="x", surface="http", proof="token", facts=facts)
    twice = replace(records, events=(*records.events, again))
    assert len(duplicates(twice)) == 1
    assert verdicts(twice, measured)["nothing happened twice"] == "failed"
    assert counts(twice, measured, "ann")["duplicate_effects"] == 1


def test_the_figures_are_derived_and_what_is_unknown_is_none():
    records, measured = good()
    found = counts(records, measured, "ann")
    assert found["decisions_asked"] == 5
    assert found["decisions_made"] == 5
    assert found["interventions"] == 1
    assert found["stale_writes_refused"] == 4
    assert found["accepted_artifacts"] == 4
    assert found["tokens_in"] is None
    assert found["decisions_shown"] == 5
    assert found["notice_ms_median"] == found["notice_ms_max"] == 400
    assert counts(records, replace(measured, notices=(), lost=()), "ann")["notice_ms_max"] is None


@pytest.mark.parametrize(("figures", "total"), [((), None), ((None,), None), ((3, None), None), ((3, 4), 7)])
def test_tokens_that_are_known_in_part_are_unknown(figures, total):
    records, measured = good()
    said = tuple(
        Event(seq=90 + n, at_ms=1, kind="usage.reported", goal_id="g1", actor="fixer", surface="http", proof="token",
              facts={"tokens_in": one, "tokens_out": one})
        for n, one in enumerate(figures)
    )  # fmt: skip
    assert counts(replace(records, events=(*records.events, *said)), measured, "ann")["tokens_in"] == total


def report(verdict="passed", problem="", **figures):
    one = Expectation(name="it works", verdict=verdict, says="x" * 400)
    return Report(
        journey="engineering", seed=7, cycles=2, without=None, expectations=(one,) * 14, counts=figures, problem=problem
    )


@pytest.mark.parametrize(
    ("verdict", "problem", "passed"),
    [("passed", "", True), ("failed", "", False), ("untested", "", False), ("passed", "it stopped", False)],
)
def test_only_all_that_was_expected_is_a_pass(verdict, problem, passed, tmp_path):
    one = report(verdict, problem)
    assert one.passed is passed
    write_report(one, tmp_path / "report.json")
    document = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert document["passed"] is passed
    assert document["schema_version"] == "frontstage_journey_report_v0"


def test_a_person_reads_it_in_twenty_lines():
    lines = report(problem="it stopped").text().splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 120
    assert "tokens in unknown" in "\n".join(lines)


def test_an_export_without_its_end_is_none(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text('{"record": "ledger"}\n')
    with pytest.raises(ValueError, match="not whole"):
        read_export(path)


@pytest.mark.parametrize(
    "given",
    [
        {"seed": -1}, {"seed": 1_000_000_000}, {"cycles": 0}, {"cycles": CYCLES_MAX + 1}, {"seat": ["fixer"]},
        {"seat": ["=x"]}, {"seat": ["fixer=python3 'mend.py"]}, {"seat": ["fixer=''"]},
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_said_before_anything_is(given):
    with pytest.raises(Mistaken):
        wanted_of("engineering", given)


def test_a_seat_s_command_may_hold_what_it_likes():
    assert commands_of(["fixer=python3 mend.py --a=b", "writer=x"]) == {
        "fixer": "python3 mend.py --a=b", "writer": "x",
    }  # fmt: skip


ROW = {
    "artifact_id": "art_1", "label": "fix.patch", "revises": None,
    "review": {"verdict": "rejected", "reviewer": "reviewer", "seq": 9},
    "checks": [{"name": "suite", "passed": False, "exit_code": 1, "timed_out": False, "seq": 8}],
}  # fmt: skip
AFTER = {**ROW, "artifact_id": "art_2", "revises": "art_1", "review": None, "checks": []}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([ROW], ["reviewer rejects art_1 (fix.patch): `suite` ends with exit code 1; nothing is in its place"]),
        ([ROW, AFTER], ["reviewer rejects art_1 (fix.patch): `suite` ends with exit code 1; art_2 takes its place"]),
        ([{**ROW, "checks": [{**ROW["checks"][0], "timed_out": True}]}, AFTER],
         ["reviewer rejects art_1 (fix.patch): `suite` does not end in time; art_2 takes its place"]),
        ([{**ROW, "checks": [{**ROW["checks"][0], "passed": True}]}], []),
        ([{**ROW, "checks": [{**ROW["checks"][0], "seq": 10}]}], []),
        ([{**ROW, "review": {**ROW["review"], "verdict": "accepted"}}], []),
        ([AFTER], []),
    ],
)  # fmt: skip
def test_a_rejection_by_measurement_is_told(rows, told):
    assert [*rejections(rows)] == told
