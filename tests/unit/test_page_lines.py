"""A word of a line is what a shell hands over, and nothing in it is invisible."""

import re
import subprocess

import pytest

from daemon.web.composing import drawn, fields_of
from daemon.web.lines import is_whole, line, word

TEXTS = (
    "plain",
    "",
    "it's $(id) `id`",
    "\u202eback\nand on\u200b",
    "--x\t",
    "\a'q'\ufeff\\n",
    "a\r\n",
    "\u2028",
    "\U000e0041z",
)
SEEN = re.compile(r"[\x20-\x7e\n]*")


@pytest.mark.parametrize("text", TEXTS)
def test_a_shell_hands_over_exactly_the_text_and_every_letter_of_the_word_is_seen(text):
    said = subprocess.run(["sh", "-c", f"printf %s {word(text)}"], capture_output=True, check=True).stdout.decode()
    assert said == text
    assert SEEN.fullmatch(word(text))


def test_a_line_that_is_drawn_without_script_hides_nothing():
    fields = fields_of("gate.approve", "en", {"goal_id": "docs", "reason": "\u202eeno"})
    assert SEEN.fullmatch(drawn("gate.approve", fields))


@pytest.mark.parametrize(
    ("shown", "whole"),
    [
        ("frontstage goal pause --goal-id docs", True),
        ("frontstage goal decline --goal-id docs --reason <reason>", False),
        ("frontstage goal decline --goal-id docs --reason 'too <reason> vague'", True),
        ("frontstage goal decline --reason 'a <b> c' --basis <basis>", False),
    ],
)
def test_a_line_in_which_something_is_to_be_said_is_told_from_a_whole_one(shown, whole):
    assert is_whole(shown) is whole


def test_a_line_that_is_run_with_a_place_left_open_does_nothing():
    shown = line("goal.decline", {"goal_id": "docs", "basis": "b1:x"})
    assert shown == "frontstage goal decline --goal-id docs --basis b1:x --reason <reason>"
    done = subprocess.run(["sh", "-c", f"frontstage() {{ echo ran; }}; {shown}"], capture_output=True, check=False)
    assert (done.stdout, done.returncode == 0) == (b"", False)
