"""A fold of the past rests where others write and goes on at once where nobody does, and hands out every event."""

from types import SimpleNamespace

import pytest

from daemon.api import resting
from daemon.api.resting import REST, REST_S_MAX, SLICE_ROWS, Resting, rest_s

SLICE_NS = 2_000_000


@pytest.fixture
def slept(monkeypatch):
    """How long was rested, by a watch that goes on by one slice whenever it is looked at."""
    found, ticks = [], iter(range(0, 10**12, SLICE_NS))
    monkeypatch.setattr(resting, "stopwatch_ns", lambda: next(ticks))
    monkeypatch.setattr(resting.time, "sleep", found.append)
    return found


@pytest.mark.parametrize(("written", "rests"), [(0, 0), (1, 3)])
def test_it_rests_for_longer_than_it_worked_while_others_write(slept, written, rests):
    rows = list(range(3 * SLICE_ROWS + 1))
    service = SimpleNamespace(committed=SimpleNamespace(seq=7))
    store = SimpleNamespace(
        events=lambda after_seq, goal_id, limit: iter(rows), workspace_events=lambda after_seq, limit: iter(rows)
    )
    for events in (Resting(store, service).events(0), Resting(store, service).workspace_events(0)):
        seen = []
        for row in events:
            service.committed.seq += written
            seen.append(row)
        assert seen == rows
    assert slept == [SLICE_NS * REST / 1e9] * rests * 2


def test_a_process_that_stood_still_does_not_rest_for_as_long_again():
    assert rest_s(3_600_000_000_000) == REST_S_MAX
