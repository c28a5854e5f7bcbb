"""The four faults (F1 lost, F2 applied to another, F3 success without effect, F4 partial or twice) on the core itself.

The scenarios are the same on every surface; this is the one without anything around the writer. It runs on both
stores, and the goal that is cut is cut at every step, before and after its commit.
"""

import pytest

from ledger.store.memory import MemoryStore, Records
from ledger.store.sqlite import open_sqlite
from tests.support.cut_goal import STEPS, WHOLE, a_goal_cut_at_one_step_comes_to_the_same_end
from tests.support.four_faults import SCENARIOS as OF_THE_PROMISE
from tests.support.four_faults_families import CUTS, what_is_cut_in_the_middle_is_done_once
from tests.support.four_faults_families import SCENARIOS as OF_FAMILIES
from tests.support.surfaces import WriterSurface
from tests.support.world import World

SCENARIOS = (*OF_THE_PROMISE, *OF_FAMILIES)


@pytest.fixture(params=["memory", "sqlite"])
def surface(request, tmp_path):
    records, path = Records(), tmp_path / "ledger.sqlite3"
    world = World(lambda: MemoryStore(records) if request.param == "memory" else open_sqlite(path))
    yield WriterSurface(world)
    proved = world.proved()
    world.stored.close()
    assert proved.holds


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_on_the_writer(surface, scenario):
    scenario(surface)


def test_one_ledger_goes_through_all_of_it(surface):
    for scenario in SCENARIOS:
        scenario(surface)


@pytest.mark.parametrize("stored", [False, True], ids=["before the commit", "after the commit"])
@pytest.mark.parametrize("cut_at", range(len(STEPS)))
def test_a_goal_cut_at_any_step_comes_to_the_same_end(surface, cut_at, stored):
    a_goal_cut_at_one_step_comes_to_the_same_end(surface, cut_at, stored=stored, goal_id="f4-cut")


@pytest.mark.parametrize("stored", [False, True], ids=["before the commit", "after the commit"])
@pytest.mark.parametrize("name", CUTS)
def test_what_is_cut_in_the_middle_is_done_once(surface, name, stored):
    what_is_cut_in_the_middle_is_done_once(surface, name, stored=stored)


def test_a_cut_that_does_not_happen_is_noticed(surface):
    """A surface that loses nothing proves nothing."""
    surface.lose_next = lambda *, stored: None
    before = len(surface.history())
    with pytest.raises(AssertionError, match="was to be lost"):
        a_goal_cut_at_one_step_comes_to_the_same_end(surface, 0, stored=True, goal_id="f4-uncut")
    assert [kind for _, kind in surface.history()[before:]] == WHOLE[:1]
