"""A journey that ends before its end says so, whatever ended it."""

import pytest

from bot.journey.generate import NoDefect
from bot.journey.stages import Journey, Wanted
from bot.stage import Place
from daemon.wire import WireFault


@pytest.mark.parametrize("trouble", [WireFault("nobody listens"), NoDefect("no draw"), TimeoutError()])
def test_a_journey_that_ends_early_is_reported_and_has_not_passed(trouble, tmp_path, monkeypatch):
    def ends(*_):
        raise trouble

    def nothing_there(*_):
        raise OSError

    monkeypatch.setattr(Journey, "_play", ends)
    monkeypatch.setattr("bot.journey.stages.run_cli", nothing_there)
    place = Place(home=tmp_path / "home", work=tmp_path / "work")
    found = Journey(place, None, Wanted(journey="engineering", seed=7)).play()
    assert found.problem
    assert not found.passed
