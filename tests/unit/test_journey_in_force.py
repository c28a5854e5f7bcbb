"""The acceptor judges by the promise that the ledger has in force, whoever corrected it and to what."""

import json

import pytest

from bot.journey.plot import Correction, Delivered, Promise, Round
from bot.journey.research import content
from bot.journey.research.content import Research
from bot.journey.team import in_force

SENTENCE = (
    "Protocol: question length, seed 7, sample 1, functions of at least {lines} lines, effect in standard deviations, "
    "interval 95% of 100 resamples of files, at most 0.50 wide, smallest effect that matters 0.20."
)
SCRIPTED, TYPED = SENTENCE.format(lines=3), SENTENCE.format(lines=5)
PROMISE = Promise(title="…", objective=SENTENCE.format(lines=1), criteria=("one",), write_scopes=("reports/**",))


def goal(objective):
    return {"objective": f"Find out. {objective}", "review": {"criteria": [{"criterion_id": "c1", "text": "two"}]}}


@pytest.fixture
def research(monkeypatch):
    monkeypatch.setattr(content, "_checked", lambda label, name, _: content.Finding(name=name, holds=True, says=label))
    return object.__new__(Research)


def judged(research, tmp_path, objective, followed):
    """Whether a sample that follows one sentence is found to follow what another objective registers."""
    path = tmp_path / "sample.json"
    path.write_text(json.dumps({"protocol": followed}))
    made = Delivered(artifact_id="art_1", label="sample.json", kind="report", sha256="0" * 64, path=path)
    correction = Correction(fields={"Objective": f"Find out. {SCRIPTED}"}, why="…")
    now = Round(goal_id="g", promise=in_force(PROMISE, goal(objective)), lanes=(), correction=correction)
    return {one.name: one for one in research.measure(now, [made])}


def test_what_is_in_force_takes_the_place_of_what_was_proposed():
    now = in_force(PROMISE, goal(TYPED))
    assert (now.objective, now.criteria, now.title) == (f"Find out. {TYPED}", ("two",), PROMISE.title)


@pytest.mark.parametrize(
    ("objective", "followed", "holds"),
    [(TYPED, TYPED, True), (TYPED, SCRIPTED, False), (SCRIPTED, SCRIPTED, True), (SCRIPTED, TYPED, False)],
)
def test_an_owner_who_types_another_correction_is_judged_by_that(research, tmp_path, objective, followed, holds):
    assert judged(research, tmp_path, objective, followed)["sample.json protocol"].holds is holds


def test_a_correction_that_registers_nothing_does_not_hold(research, tmp_path):
    found = judged(research, tmp_path, "as you like", SCRIPTED)
    assert not found["protocol"].holds
    assert "registers 0 protocols" in found["protocol"].says
