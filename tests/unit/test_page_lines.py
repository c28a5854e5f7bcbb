"""A word of a line is what a shell hands over, and nothing in it is invisible."""

import re
import subprocess

import pytest

from daemon.web.composing import drawn, fields_of
from daemon.web.lines import word

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
    assert SEEN.fullmatch(drawn("gate.approve", fields).replace("…", ""))
