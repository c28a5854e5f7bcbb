"""What an address of the page says, and what a browser's languages say where it says nothing."""

import pytest

from daemon.web.asked import Asked, parse, preferred
from daemon.web.tones import (
    tone_of_artifact,
    tone_of_gate,
    tone_of_goal,
    tone_of_presence,
    tone_of_severity,
    tone_of_todo,
)
from ledger.refusals import Refusal

BASE = "/" + "0" * 32


def asked(query, languages="", *, twice=False, path="history"):
    return parse(BASE, path, query, languages, twice=twice)


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("fr-FR,zh;q=0.5,en;q=0.4", "zh"),
        ("en;q=0.4,zh;q=0.5", "zh"),
        ("zh;q=0,en", "en"),
        ("zh;q=0", "en"),
        ("zhx", "en"),
        ("en;q=many,zh", "zh"),
        ("," * 400 + "zh", "zh"),
        ("," * 600 + "zh", "en"),
    ],
)
def test_the_first_language_that_is_spoken_here(languages, expected):
    assert preferred(languages) == expected


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"lang": "fr"}, "lang"),
        ({"theme": "pink"}, "theme"),
        ({"at": "-1"}, "at"),
        ({"at": "x"}, "at"),
        ({"at": "١"}, "at"),
        ({"at": "1" * 17}, "at"),
        ({"actor": "a" * 501}, "actor"),
        ({f"n{number}": "1" for number in range(25)}, "query"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_name(query, field):
    found = asked(query)
    assert isinstance(found, Refusal)
    assert found.details["field"] == field


def test_a_name_that_is_given_twice_is_refused():
    assert isinstance(asked({"at": "3"}, twice=True), Refusal)


def test_a_link_takes_along_what_the_reader_chose_and_nothing_else():
    found = asked({"lang": "zh", "theme": "dark", "at": "7", "actor": "ann"})
    assert isinstance(found, Asked)
    assert (found.locale, found.theme, found.at) == ("zh", "dark", 7)
    assert found.url("goals/docs") == f"{BASE}/goals/docs?lang=zh&theme=dark&at=7"
    assert found.url("", at=None) == f"{BASE}/?lang=zh&theme=dark"
    assert found.here(after="9") == f"{BASE}/history?lang=zh&theme=dark&at=7&actor=ann&after=9"


def test_an_address_cannot_leave_its_page_by_what_is_put_into_it():
    found = asked({}, path="")
    assert isinstance(found, Asked)
    assert found.url("goals/../../x?y#z", q="a&b=c") == f"{BASE}/goals/../../x%3Fy%23z?q=a%26b%3Dc"
    assert found.url("//evil.example") == f"{BASE}///evil.example"


def test_a_chosen_language_counts_more_than_the_browsers():
    found = asked({"lang": "en"}, "zh-CN")
    assert isinstance(found, Asked)
    assert found.locale == "en"


@pytest.mark.parametrize(
    ("tone", "expected"),
    [
        (tone_of_goal("active", "info"), "go"),
        (tone_of_goal("active", "high"), "wait"),
        (tone_of_goal("accepted", "high"), "done"),
        (tone_of_goal("unheard_of"), "past"),
        (tone_of_severity("high"), "stop"),
        (tone_of_presence("blocked"), "stop"),
        (tone_of_todo("blocked"), "stop"),
        (tone_of_artifact("invalidated"), "stop"),
        (tone_of_artifact("accepted"), "done"),
        (tone_of_gate("expired"), "past"),
        (tone_of_gate("waiting_on_user"), "wait"),
    ],
)
def test_a_state_has_one_look(tone, expected):
    assert tone == expected
