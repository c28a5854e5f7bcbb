"""Two hundred schedules in the suite; `python -m tests.schedules --count 1000` runs as many as asked for."""

from collections import Counter

import pytest

from tests.schedules.play import planned, play
from tests.schedules.trouble import FAULTS, FAULTS_MIN

SEEDS, AT_ONCE, NARROW = 200, 10, 20


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_whatever_fails_each_press_and_message_counts_once_and_the_chat_says_what_the_ledger_says(first):
    wrong = {seed: played.wrong for seed in range(first, first + AT_ONCE) if (played := play(seed)).wrong}
    assert wrong == {}, "python -m tests.schedules --verbose --seed N tells what happened"


@pytest.mark.slow
@pytest.mark.parametrize("among", ["answers", "calls", "leaders"])
def test_what_makes_each_other_worse_breaks_nothing_either(among):
    wrong = {seed: played.wrong for seed in range(NARROW) if (played := play(seed, among)).wrong}
    assert wrong == {}, f"python -m tests.schedules --verbose --among {among} --seed N tells what happened"


def test_every_kind_of_fault_comes_again_and_again():
    plans = [planned(seed) for seed in range(SEEDS)]
    assert min(len(plan) for plan in plans) >= FAULTS_MIN
    met = Counter(fault for plan in plans for fault in plan)
    assert set(met) == set(FAULTS)
    assert min(met.values()) >= 20, met


def test_a_schedule_repeats():
    assert play(7).told == play(7).told
