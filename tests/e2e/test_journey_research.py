"""The research journey, as its command runs it: with all safeguards it passes, and without any one of them it fails.

One seed more is played, and looked at from all sides, in `test_journey_facts.py`.
"""

import pytest

from tests.e2e.journeys import research_passed, run_journey


@pytest.mark.journeys
@pytest.mark.parametrize("seed", [2, 6])
async def test_other_seeds_ask_other_questions_of_other_samples(tmp_path, seed):
    research_passed(await run_journey("research", seed, tmp_path))


@pytest.mark.journeys
@pytest.mark.parametrize(
    ("without", "failed"),
    [
        ("validator", "validated before it was done"),
        ("fence", "a killed worker's work went on"),
        ("review", "accepted by somebody else"),
    ],
)
async def test_without_a_safeguard_the_journey_fails_and_says_at_what(tmp_path, without, failed):
    seen = await run_journey("research", 1, tmp_path, "--cycles", "1", "--without", without)
    assert seen.exit_code == 1, seen.printed
    assert seen.report["without"] == without
    assert seen.verdicts()[failed] == "failed", seen.verdicts()
