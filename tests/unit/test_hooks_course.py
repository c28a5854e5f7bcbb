"""How far a hook has come: a table of steps."""

import pytest

from daemon.hooks import course
from ledger.ports import HookRow
from tests.support.hooks import hook

AT = HookRow("build", 7, 0, 0, "", 3, 100)


@pytest.mark.parametrize(
    ("begin", "seq"), [("now", 40), ("start", 0), (0, 0), (12, 12), (40, 40), (41, 40), (10**9, 40)]
)
def test_a_new_hook_begins_where_it_is_said_and_never_beyond_what_there_is(begin, seq):
    assert course.begun("build", begin, 40, 5) == HookRow("build", seq, 0, 0, "", 0, 5)


@pytest.mark.parametrize(
    ("row", "step", "expected"),
    [
        (AT, lambda row: course.passed(row, 8), AT._replace(seq=8)),
        (AT._replace(attempts=2, parked=1), lambda row: course.passed(row, 8), AT._replace(seq=8)),
        (
            AT._replace(attempts=2, reason="timeout"),
            lambda row: course.delivered(row, 8, 200),
            HookRow("build", 8, 0, 0, "", 4, 200),
        ),
        (
            AT,
            lambda row: course.failed(row, "timeout", hook(attempts=3), 200),
            HookRow("build", 7, 1, 0, "timeout", 3, 200),
        ),
        (
            AT._replace(attempts=1),
            lambda row: course.failed(row, "timeout", hook(attempts=3), 200),
            HookRow("build", 7, 2, 0, "timeout", 3, 200),
        ),
        (
            AT._replace(attempts=2),
            lambda row: course.failed(row, "exit_code 1", hook(attempts=3), 200),
            HookRow("build", 7, 3, 1, "exit_code 1", 3, 200),
        ),
        (
            AT._replace(attempts=3, parked=1, reason="timeout"),
            lambda row: course.released(row, 200),
            HookRow("build", 7, 0, 0, "timeout", 3, 200),
        ),
        (
            AT._replace(attempts=3, parked=1, reason="timeout"),
            lambda row: course.skipped(row, 8, 200),
            HookRow("build", 8, 0, 0, course.SKIPPED, 3, 200),
        ),
    ],
)
def test_each_step(row, step, expected):
    assert step(row) == expected


def test_pauses_grow_are_spread_and_end_somewhere():
    tried = hook(retry_seconds=1.0)
    for attempts, least in ((1, 1), (2, 2), (3, 4), (6, 32)):
        pauses = [course.pause_s(attempts, tried) for _ in range(50)]
        assert least <= min(pauses)
        assert max(pauses) <= least + 1
        assert len(set(pauses)) > 1
    assert course.pause_s(1_000, tried) == course.PAUSE_S_MAX


def test_the_same_event_has_the_same_delivery_id_for_the_same_hook():
    first, other = course.delivery_id("build", b"\1" * 32), course.delivery_id("build", b"\2" * 32)
    assert first == course.delivery_id("build", b"\1" * 32)
    assert len({first, other, course.delivery_id("chat", b"\1" * 32)}) == 3
