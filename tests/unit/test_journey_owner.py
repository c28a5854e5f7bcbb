"""The owner of a journey: what a person did is not done again by a program, and what could not be done is said."""

import os

import pytest

from bot.journey.owner import Owner
from bot.stage import DemoFailed, Place, Processes

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def processes(tmp_path):
    return Processes(Place(home=tmp_path, work=tmp_path))


@pytest.fixture
def keyboard(monkeypatch):
    """A terminal's input, and what is typed into it."""
    reads, writes = os.pipe()
    with os.fdopen(reads) as stdin, os.fdopen(writes, "w") as typed:
        monkeypatch.setattr("sys.stdin", stdin)
        yield typed


def test_enter_lets_a_program_do_it(processes, keyboard):
    keyboard.write("\n")
    keyboard.flush()
    owner = Owner(NOWHERE, processes, at_terminal=True)
    with pytest.raises(DemoFailed, match="could not pair"):
        owner.step("pair", "send the code", lambda: False, code="x")


@pytest.mark.usefixtures("keyboard")
def test_what_a_person_has_done_in_the_page_no_program_does_again(processes):
    """There is no chat at that address: a program that tried would fail."""
    owner = Owner(NOWHERE, processes, at_terminal=True)
    looks = iter([False, True])
    owner.step("pair", "send the code", lambda: next(looks), code="x")
    assert next(looks, "looked at until it was done") == "looked at until it was done"


def test_where_nobody_sits_a_program_does_it_and_what_it_cannot_do_ends_the_journey(processes):
    owner = Owner(NOWHERE, processes, at_terminal=False)
    with pytest.raises(DemoFailed, match="could not pair"):
        owner.step("pair", "send the code", lambda: True, code="x")


def test_where_nobody_sits_nobody_is_waited_for(processes):
    Owner(NOWHERE, processes, at_terminal=False).rest()
