"""The research journey, as its command runs it: with all safeguards it passes, and without any one of them it fails."""

import pytest

from bot.journey.research.interpretation import CONCLUSIONS
from tests.e2e.journeys import run_journey, said

ACCEPTED = r"research-\d is delivered: (.+)"


def check_that_it_passed(seen):
    assert seen.exit_code == 0, seen.printed
    assert set(seen.verdicts().values()) == {"passed"}, seen.verdicts()
    assert seen.report["counts"]["duplicate_effects"] == 0
    assert seen.report["counts"]["tokens_in"] is None
    delivered = said(seen.printed, ACCEPTED)
    names = {"sample.json", "measurement-a.json", "measurement-b.json", "interpretation.json"}
    assert [set(one.split(", ")) for one in delivered] == [names, names]
    conclusions = said(seen.printed, r"the acceptor measures interpretation: holds\. (.+)")
    assert len(conclusions) == 2
    assert set(conclusions) <= set(CONCLUSIONS.values())


@pytest.mark.slow
async def test_a_team_measures_two_explanations_twice_and_every_surface_says_the_same(tmp_path):
    seen = await run_journey("research", 1, tmp_path, watched_by="interpreter")
    check_that_it_passed(seen)
    assert seen.differences == []
    states = {(step.goal_id, step.state) for step in seen.steps}
    assert {("research-1", "delivered"), ("research-2", "delivered")} <= states
    assert {state for _, state in states} >= {"active", "delivered"}
    assert len({step.seq for step in seen.steps}) >= 8
    assert {kind for step in seen.steps for kind in step.cards} >= {"goal card", "Delivery 1 card"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 6])
async def test_other_seeds_ask_other_questions_of_other_samples(tmp_path, seed):
    check_that_it_passed(await run_journey("research", seed, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("without", "failed"),
    [
        ("validator", "validated before it was done"),
        ("fence", "a late writer was refused"),
        ("review", "accepted by somebody else"),
    ],
)
async def test_without_a_safeguard_the_journey_fails_and_says_at_what(tmp_path, without, failed):
    seen = await run_journey("research", 1, tmp_path, "--without", without)
    assert seen.exit_code == 1, seen.printed
    assert seen.report["without"] == without
    assert seen.verdicts()[failed] == "failed", seen.verdicts()
