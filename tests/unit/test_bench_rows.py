"""What a row of the benches says: kept, broken, or not measured because nothing was at hand to compare with."""

import pytest

from tests.bench import bench_claims, postgres
from tests.bench.row import Row, exit_code, markdown, table

GOOD = Row("good", 1.2, 1.0, "at least", "us / them")
BROKEN = Row("broken", 2.5, 2.0, "at most", "us / them")
ABSENT = Row("absent", 0.0, 1.0, "at least", "nothing is at hand", measured=False)


@pytest.mark.parametrize(
    ("rows", "code"),
    [([GOOD], 0), ([GOOD, ABSENT], 0), ([GOOD, BROKEN], 1), ([ABSENT, BROKEN], 1), ([ABSENT], 1), ([], 1)],
)
def test_a_run_succeeds_if_something_was_measured_and_nothing_is_broken(rows, code):
    assert exit_code(rows) == code


def test_what_was_not_measured_shows_no_ratio_and_is_not_broken():
    good, broken, absent = table([GOOD, BROKEN, ABSENT]).splitlines()
    assert [line[:2] for line in (good, broken, absent)] == ["  ", "!!", "  "]
    assert "0.00" not in absent
    assert "| absent | not measured | at least 1 x | nothing is at hand |" in markdown([ABSENT])
    assert "**broken**" in markdown([BROKEN])


def test_without_a_database_at_hand_the_claims_are_a_row_that_says_so(monkeypatch):
    monkeypatch.setattr(postgres, "programs", lambda: None)
    (row,) = bench_claims.run()
    assert (row.measured, row.note) == (False, "PostgreSQL is not at hand")


def test_a_program_that_is_missing_makes_none_of_them_at_hand(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert postgres.programs() is None
