"""A text message mentions nobody and is no markup, whatever its words."""

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
        '<person id="ou_1"></person>',
        "批准 <b>x</b> <I>y</ i > <u>z</u><s>0</s>",
        "[our site](https://elsewhere.example)",
    ],
)
def test_mentions_are_broken_and_look_the_same(text):
    clean = literal_text(text)
    assert not re.search(r"(?i)<\s*/?\s*(at|person|[bius])\b|@_(all|user_)|\]\(", clean)
    assert clean.replace("\u2060", "") == text


@pytest.mark.parametrize("text", ["a < b and a<attic", "ann@_home", "", "批准 <code>x</code> & 100% [1] (2)"])
def test_other_words_stay_as_they_are(text):
    assert literal_text(text) == text
