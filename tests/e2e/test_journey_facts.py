"""While a team is at work, its goal reads the same on cards and page, by the command line, over HTTP and by MCP."""

import pytest

from tests.e2e.journeys import passed, research_passed, run_journey

STEPS_MIN = 8


@pytest.mark.parametrize(
    ("name", "seed", "watched_by", "shown"),
    [
        ("research", 1, "interpreter", research_passed),
        pytest.param("engineering", 4, "writer", passed, marks=pytest.mark.slow),
    ],
)
async def test_every_surface_says_the_same_while_a_team_works(tmp_path, name, seed, watched_by, shown):
    seen = await run_journey(name, seed, tmp_path, watched_by=watched_by)
    shown(seen)
    assert seen.differences == []
    assert {"active", "delivered"} <= {step.state for step in seen.steps}
    assert len({step.goal_id for step in seen.steps}) == 2
    assert len({step.seq for step in seen.steps}) >= STEPS_MIN
    assert {kind for step in seen.steps for kind in step.cards} >= {"goal card", "Delivery 1 card"}
