"""Looking for work: later each time where it came to nothing, and at once where it came to something."""

from dataclasses import replace

import pytest

from daemon.agents.worker_folder import Setting
from daemon.agents.worker_look import BACK_OFF_S, Lookout, folder_of
from daemon.agents.worker_turn import Turn

TURN = Turn(turn_id="turn-1", agent_id="scout", goal_id="docs", subject="todo_a", lease_seconds=9, timeout_seconds=9)
SETTING = Setting(agent_id="scout", argv=("true",), socket="/nowhere", token=None)


@pytest.fixture
def lookout():
    return Lookout(None, SETTING, None)


def test_what_fails_is_tried_again_later_each_time_and_never_at_the_same_moment(lookout):
    waits = []
    for _ in range(len(BACK_OFF_S) + 2):
        lookout.failed(TURN)
        waits.append(lookout.not_before_s["todo_a"])
    for wait, span in zip(waits, (*BACK_OFF_S, BACK_OFF_S[-1], BACK_OFF_S[-1]), strict=True):
        assert 0.75 * span <= wait <= 1.25 * span
    assert len(set(waits[-3:])) == 3


def test_what_came_to_something_is_forgotten(lookout):
    lookout.failed(TURN)
    lookout.succeeded(replace(TURN, close="done"))
    assert (lookout.not_before_s, lookout.failures) == ({}, {})


def test_the_next_look_is_when_something_may_be_tried_again_or_when_it_has_been_quiet_for_long(lookout):
    assert 45 <= lookout.next_look_s(60.0) <= 75
    lookout.failed(TURN)
    assert 0.75 <= lookout.next_look_s(60.0) <= 1.25


def test_each_agent_has_a_folder_of_its_own():
    assert str(folder_of("/home/x/../y", "scout")) == "/home/y/workers/scout"
