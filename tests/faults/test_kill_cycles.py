"""Nothing that was acknowledged is lost and nothing is there twice, however often the daemon is killed."""

import os

import pytest

from tests.faults.kill_cycles import run

CYCLES_IN_SUITE = 60


@pytest.mark.slow
@pytest.mark.kill_cycles
def test_every_acknowledged_command_is_there_exactly_once_after_each_kill():
    cycles = int(os.environ.get("FRONTSTAGE_KILL_CYCLES", CYCLES_IN_SUITE))
    result = run(cycles)
    assert result.wrong == []
    assert result.cycles == cycles
    assert result.killed_while_starting > 0
    # The run has shown what it was for: answers were lost on the way, and some of those commands had been done.
    assert result.acknowledged > 5 * cycles
    assert result.asked_again > cycles
    assert result.lost_and_replayed > 0
