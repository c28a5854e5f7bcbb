"""The four faults through the real surfaces: HTTP, the command line, MCP, and the buttons of cards."""

import pytest

from tests.support.cut_goal import STEPS, a_goal_cut_at_one_step_comes_to_the_same_end
from tests.support.daemons import daemon_on_fresh_home, proved
from tests.support.four_faults import SCENARIOS as OF_THE_PROMISE
from tests.support.four_faults_families import CUTS as ACTS
from tests.support.four_faults_families import SCENARIOS as OF_FAMILIES
from tests.support.four_faults_families import what_is_cut_in_the_middle_is_done_once
from tests.support.mcp_surface import McpSurface
from tests.support.wire_surfaces import CardSurface, CliSurface, HttpSurface

SCENARIOS = (*OF_THE_PROMISE, *OF_FAMILIES)
SURFACES = {"http": HttpSurface, "cli": CliSurface, "card": CardSurface, "mcp": McpSurface}
CUT_AT = {"http": range(len(STEPS)), "cli": (2, 6, 9), "card": (2, 9), "mcp": (6, 9)}
"""A call of the command line is a process; it is cut where the most can go wrong, and cards where they press."""
CUTS = [(name, cut_at, stored) for name, places in CUT_AT.items() for cut_at in places for stored in (False, True)]


@pytest.fixture(scope="module")
def surface(request):
    with daemon_on_fresh_home() as daemon:
        there = SURFACES[request.param](daemon)
        yield there
        there.close()
        assert daemon.stop() == 0
        assert proved(daemon.made).holds
        assert {record["level"] for record in daemon.records()} == {"info"}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
@pytest.mark.parametrize("surface", SURFACES, indirect=True)
def test_through(surface, scenario):
    scenario(surface)


@pytest.mark.parametrize(("surface", "cut_at", "stored"), CUTS, indirect=["surface"])
def test_a_goal_cut_at_any_step_comes_to_the_same_end(surface, cut_at, stored):
    """Lost is the request, before the daemon has it, or the answer, after it was stored."""
    goal_id = f"f4-cut-{cut_at}-{'answer' if stored else 'request'}"
    a_goal_cut_at_one_step_comes_to_the_same_end(surface, cut_at, stored=stored, goal_id=goal_id)


@pytest.mark.parametrize("stored", [False, True], ids=["request lost", "answer lost"])
@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("surface", ["http"], indirect=True)
def test_what_is_cut_in_the_middle_is_done_once(surface, name, stored):
    """Lost is the request, before the daemon has it, or the answer, after it was stored."""
    what_is_cut_in_the_middle_is_done_once(surface, name, stored=stored)
