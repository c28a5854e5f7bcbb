"""Ledger time: never backward, drawn gently to the wall, and not fooled by a wall clock that jumps."""

from itertools import pairwise
from random import Random

import pytest

from daemon.clock import CONFIRM_AFTER_MS, DOWNTIME_MS_MAX, JUMP_MS_MAX, SLEW_DIVISOR, LedgerClock
from tests.support.served import HandClock

START_MS = 1_800_000_000_000
HOUR_MS = 3_600_000


def clocks(last_event_ms=START_MS - 1_000, wall_ms=START_MS):
    hand = HandClock(wall_ms)
    return hand, LedgerClock(hand, last_event_ms)


def passes(hand, ledger, span_ms, step_ms=1_000):
    """Let time pass in steps, asking at each; the times that were told."""
    told = []
    for _ in range(span_ms // step_ms):
        hand.advance(step_ms)
        told.append(ledger.now_ms())
    return told


def test_a_first_start_believes_the_wall():
    assert clocks(last_event_ms=0)[1].now_ms() == START_MS


@pytest.mark.parametrize("away_ms", [0, 1, HOUR_MS, DOWNTIME_MS_MAX])
def test_a_restart_believes_the_wall_when_it_went_on(away_ms):
    assert clocks(last_event_ms=START_MS - away_ms)[1].now_ms() == START_MS


@pytest.mark.parametrize("last_event_ms", [START_MS + 1, START_MS + HOUR_MS, START_MS - DOWNTIME_MS_MAX - 1])
def test_a_restart_does_not_believe_a_wall_that_went_back_or_far_ahead(last_event_ms):
    assert clocks(last_event_ms)[1].now_ms() == last_event_ms


def test_with_clocks_that_agree_time_is_the_wall_s():
    hand, ledger = clocks()
    assert passes(hand, ledger, 100_000) == list(range(START_MS + 1_000, START_MS + 100_001, 1_000))


@pytest.mark.parametrize("jump_ms", [JUMP_MS_MAX + 1, HOUR_MS, 30 * 24 * HOUR_MS])
def test_a_jump_forward_is_not_believed_until_it_is_said_again_a_while_later(jump_ms):
    hand, ledger = clocks()
    ledger.now_ms()
    hand.wall += jump_ms
    assert ledger.now_ms() == START_MS
    assert ledger.jumped
    told = passes(hand, ledger, CONFIRM_AFTER_MS - 1_000)
    assert told[-1] == START_MS + CONFIRM_AFTER_MS - 1_000
    hand.advance(1_000)
    assert ledger.now_ms() == hand.wall
    assert not ledger.jumped


def test_a_jump_that_changes_its_story_waits_anew():
    hand, ledger = clocks()
    ledger.now_ms()
    hand.wall += HOUR_MS
    passes(hand, ledger, CONFIRM_AFTER_MS - 1_000)
    hand.wall += HOUR_MS
    told = passes(hand, ledger, CONFIRM_AFTER_MS)
    assert told[-1] == START_MS + 2 * CONFIRM_AFTER_MS - 1_000
    hand.advance(1_000)
    assert ledger.now_ms() == hand.wall


def test_a_jump_that_is_taken_back_leaves_nothing():
    hand, ledger = clocks()
    ledger.now_ms()
    hand.wall += HOUR_MS
    passes(hand, ledger, CONFIRM_AFTER_MS - 2_000)
    assert ledger.jumped
    hand.wall -= HOUR_MS
    assert passes(hand, ledger, 2 * CONFIRM_AFTER_MS)[-1] == hand.wall
    assert not ledger.jumped


@pytest.mark.parametrize("jump_ms", [JUMP_MS_MAX + 1, HOUR_MS, 400 * 24 * HOUR_MS])
def test_a_jump_backward_is_never_believed_and_time_runs_on_by_the_boot_clock(jump_ms):
    hand, ledger = clocks()
    ledger.now_ms()
    hand.wall -= jump_ms
    told = passes(hand, ledger, 10 * CONFIRM_AFTER_MS)
    assert told == list(range(START_MS + 1_000, START_MS + 10 * CONFIRM_AFTER_MS + 1, 1_000))
    assert ledger.jumped
    assert ledger.skew_ms == -jump_ms


@pytest.mark.parametrize("step_ms", [1, 7, 100, 1_000, 20_000])
@pytest.mark.parametrize("drift_ms", [-JUMP_MS_MAX, -5_000, -1, 1, 5_000, JUMP_MS_MAX])
def test_a_small_difference_is_drawn_in_gently_and_however_often_one_asks(drift_ms, step_ms):
    hand, ledger = clocks()
    before = ledger.now_ms()
    hand.wall += drift_ms
    ledger.now_ms()
    span_ms = min(60_000, 3_000 * step_ms)
    told = [before, *passes(hand, ledger, span_ms, step_ms)]
    for one, other in pairwise(told):
        passed = other - one
        assert passed >= 0
        # Credit that was saved up while nothing had to be drawn is no more than a second.
        assert abs(passed - step_ms) <= step_ms
    drawn = told[-1] - before - span_ms // step_ms * step_ms
    most = (span_ms + 1_000 * SLEW_DIVISOR) / SLEW_DIVISOR + 1
    assert 0 <= drawn * (1 if drift_ms > 0 else -1) <= min(abs(drift_ms), most)
    at_least = min(abs(drift_ms), span_ms // SLEW_DIVISOR - step_ms)
    assert abs(drawn) >= at_least


def test_a_difference_is_drawn_in_completely_in_time():
    for drift_ms in (-60_000, 60_000):
        hand, ledger = clocks()
        ledger.now_ms()
        hand.wall += drift_ms
        passes(hand, ledger, 60_000 * SLEW_DIVISOR + 10_000)
        assert ledger.now_ms() == hand.wall


def test_two_who_ask_at_once_are_told_the_same():
    hand, ledger = clocks()
    hand.wall += 5_000
    hand.advance(1_000)
    assert ledger.now_ms() == ledger.now_ms()


def test_a_boot_clock_that_goes_back_moves_nothing():
    hand, ledger = clocks()
    now = ledger.now_ms()
    hand.boot -= 10_000
    assert ledger.now_ms() == now


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_wall_does_time_never_goes_backward(seed):
    """And it is never further from the boot clock than the wall asked for."""
    rng = Random(seed)
    hand, ledger = clocks()
    last = ledger.now_ms()
    for _ in range(2_000):
        match rng.randrange(10):
            case 0:
                hand.wall += rng.choice([-1, 1]) * rng.randrange(10 * HOUR_MS)
            case 1:
                hand.wall += rng.choice([-1, 1]) * rng.randrange(JUMP_MS_MAX)
            case 2:
                last_event = last
                ledger = LedgerClock(hand, last_event)
            case _:
                hand.advance(rng.choice([0, 1, 50, 1_000, 30_000, HOUR_MS]))
        now = ledger.now_ms()
        assert now >= last
        last = now
