"""A text message mentions nobody, whatever its words."""

import re

import pytest

from bot.lark_text import literal_text


@pytest.mark.parametrize(
    "text",
    [
        '<at user_id="all"></at>',
        '<AT user_id="ou_1">x</AT>',
        '< at user_id="all">',
        "<\tat id=all></at>",
        "</at>",
        "@_all",
        "hi @_user_1!",
    ],
)
def test_mentions_are_broken_and_look_the_same(text):
    clean = literal_text(text)
    assert not re.search(r"(?i)<\s*/?\s*at\b|@_(all|user_)", clean)
    assert clean.replace("\u2060", "") == text


@pytest.mark.parametrize("text", ["a < b and a<attic", "ann@_home", "", "批准 <b>x</b> & 100%"])
def test_other_words_stay_as_they_are(text):
    assert literal_text(text) == text
