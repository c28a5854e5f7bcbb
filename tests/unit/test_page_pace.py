"""The share of the daemon's time that pages which follow may have: it is bounded, and a quiet hour owes nothing."""

import pytest

from daemon.web import pace
from daemon.web.pace import ANSWER_S, SHARE, Pace


@pytest.fixture
def spent(monkeypatch):
    """What the loop has computed so far, for the pace to read."""
    seconds = [0.0]
    monkeypatch.setattr(pace.time, "thread_time", lambda: seconds[0])
    return seconds


def made(one: Pace, spent: list[float], now_s: float, seconds: float) -> None:
    with one.making(now_s):
        assert not one.may_make(now_s)
        spent[0] += seconds


def test_a_page_that_was_made_puts_the_next_one_off_by_its_share(spent):
    one = Pace()
    assert one.may_make(100.0)
    made(one, spent, 100.0, 0.25)
    assert not one.may_make(100.0 + 0.25 * SHARE - 0.01)
    assert one.may_make(100.0 + 0.25 * SHARE)


def test_pages_that_had_to_be_made_are_all_paid_for(spent):
    one = Pace()
    for _ in range(4):
        made(one, spent, 100.0, 0.25)
    assert not one.may_make(100.0 + SHARE - 0.01)
    assert one.may_make(100.0 + SHARE)


def test_a_page_that_fails_to_be_made_is_paid_for_and_ends(spent):
    one = Pace()

    def fails():
        spent[0] += 1.0
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"), one.making(100.0):
        fails()
    assert not one.may_make(100.0)
    assert one.may_make(100.0 + SHARE)


def test_those_who_follow_are_told_one_after_another_and_nobody_owes_for_a_quiet_hour():
    one = Pace()
    assert [one.turn_s(100.0) for _ in range(3)] == pytest.approx([0, ANSWER_S * SHARE, 2 * ANSWER_S * SHARE])
    assert one.turn_s(3_700.0) == 0


def test_the_larger_the_answers_the_later_the_next_is_told():
    small, large = Pace(), Pace()
    for one, size in ((small, 10_000), (large, 1_000_000)):
        for _ in range(50):
            one.answered(size)
        one.turn_s(100.0)
    assert large.turn_s(100.0) > 4 * small.turn_s(100.0)
