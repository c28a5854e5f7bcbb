"""The API's description holds against a real daemon: its examples everywhere, and every check on a part of it.

All of it, and more than one value of each kind, takes minutes and is run by hand: `python -m tests.openapi_run`.
"""

import re

import pytest

from tests.openapi_run import run

TESTED = re.compile(r"Tested: (\d+)")
PART = "batch|hooks|metrics|z$|capabilities|openapi|actions/(goal|run|status|task-lease)"
SELECTED = re.compile(r"Selected: (\d+)/(\d+)")


def told(printed):
    """The end of what the tool printed; the middle may be very long."""
    return printed[-6_000:]


@pytest.mark.slow
def test_every_operation_answers_as_it_is_described():
    code, printed = run(phases="examples")
    assert code == 0, told(printed)
    selected, total = map(int, SELECTED.search(printed).groups())
    assert selected == total - 1


@pytest.mark.slow
def test_what_is_sent_in_every_way_that_is_described_and_in_those_that_are_not_is_answered_as_described():
    code, printed = run("--include-path-regex", PART, phases="coverage")
    assert code == 0, told(printed)
    assert int(TESTED.search(printed).group(1)) >= 25


@pytest.mark.slow
def test_a_caller_who_is_not_proved_is_told_so_by_every_operation_that_asks():
    """In a daemon of another user: no credential, or a wrong one, is refused, and the right one is not."""
    code, printed = run("--include-path-regex", "actions/goal.[dls]|batch|hooks", phases="coverage", stranger=True)
    assert code == 0, told(printed)
    assert int(TESTED.search(printed).group(1)) >= 7


@pytest.mark.slow
def test_a_description_that_is_not_true_is_noticed():
    """The run can fail: a promise that no answer has a seq is found out by the first answer."""
    code, printed = run("--include-path", "/v1/actions/goal.list", phases="coverage", change=_no_seq)
    assert code == 1
    assert "seq" in printed


def _no_seq(document):
    document["components"]["schemas"]["Document"]["properties"]["seq"] = {"type": "string"}
    return document
