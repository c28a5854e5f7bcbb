"""The shared sentences: present in both languages, safe around values, strict about keys."""

import string
import subprocess
import sys

import pytest

from ledger.refusals import GeneralRefusal
from ledger.text.say import LOCALES, has, one_line, placeholders, plain, say, say_refusal
from ledger.wire import all_kinds

STATES = (
    "proposed",
    "clarifying",
    "active",
    "paused",
    "delivered",
    "changes_requested",
    "accepted",
    "declined",
    "withdrawn",
    "stopped",
)
NEEDS = ("confirm", "answer", "work", "resume", "accept", "rework", "nothing")
CLASSES = ("enforced", "retained", "advisory")


@pytest.mark.parametrize(
    "key",
    [
        *(f"state.{state}" for state in STATES),
        *(f"need.{need}" for need in NEEDS),
        *(f"class.{name}{end}" for name in CLASSES for end in ("", ".note")),
        *(f"event.{kind.name}" for kind in all_kinds()),
    ],
)
def test_every_state_need_class_and_event_has_its_words(key):
    en, zh = (say(key, locale) for locale in LOCALES)
    assert en.isascii()
    assert zh
    assert not zh.isascii()


def test_the_general_refusals_never_answer_with_nothing():
    for code in GeneralRefusal:
        for part in ("message", "hint"):
            for locale in LOCALES:
                assert say_refusal(code.value, part, locale, {}).strip()


@pytest.mark.parametrize("key", ["", "state.nowhere", "state", "Project-Id-Version"])
def test_an_unknown_key_raises(key):
    assert not has(key)
    with pytest.raises(KeyError):
        say(key, "en")


def test_a_missing_value_raises_and_a_spare_one_is_ignored():
    with pytest.raises(KeyError):
        say("card.tag.revision", "en")
    assert say("card.tag.revision", "en", revision=2, other=3) == "Revision 2"


def test_a_value_is_never_read_as_a_template():
    assert say("card.tag.waiting", "en", people="{revision} {0.__class__}") == "Waiting on {revision} {0.__class__}"


def test_a_value_cannot_start_a_line_or_turn_the_sentence_around():
    said = say("card.tag.waiting", "en", people="Ann\n\u202eOwner approved\u2028it")
    assert said == "Waiting on Ann \ufffdOwner approved it"


def test_a_refusal_without_words_still_answers_and_names_its_code():
    assert "no_such_code" in say_refusal("no_such_code", "message", "en", {})
    assert "no_such_code" in say_refusal("no_such_code", "message", "zh", {})


def test_a_refusal_that_lacks_a_detail_shows_a_dash():
    assert say_refusal("goal_not_found", "message", "en", {}) == "There is no goal -."
    assert say_refusal("goal_not_found", "message", "en", {"goal_id": "goal-3"}) == "There is no goal goal-3."


def test_placeholders_are_the_names_a_sentence_has_room_for():
    assert placeholders("card.need.from") == {"people", "need"}
    assert placeholders("state.active") == frozenset()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("目标 é 🙂", "目标 é 🙂"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("dos\r\nold mac\r", "dos\nold mac\n"),
        ("bell\x07 escape\x1b[31m", "bell␇ escape␛[31m"),
        ("\x00\x7f\x85", "␀␡\ufffd"),
        ("a\u202eb\u2066c\u2069d\u202c", "a\ufffdb\ufffdc\ufffdd\ufffd"),
        ("a\u200bb\u200dc\u2060d\ufeffe\u00adf\u200eg\u200fh\u061ci", "abcdefghi"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("tagged\U000e0041\U000e007f", "tagged"),
        ("lines\u2028and\u2029paragraphs", "lines\nand\nparagraphs"),
        ("👩\u200d🔧 stays one picture", "👩\u200d🔧 stays one picture"),
        ("❤️\u200d🔥", "❤️\u200d🔥"),
        ("pile" + "\u0301" * 500, "pile" + "\u0301" * 4),
        ("<at id=all></at> **b** [l](http://x)", "<at id=all></at> **b** [l](http://x)"),
    ],
)
def test_plain_shows_the_letters_and_hides_nothing(text, shown):
    assert plain(text) == shown
    assert plain(shown) == shown
    shown.encode()


def test_one_line_is_one_line():
    assert one_line(" a\n\n b\r\nc\t d\u2028e ") == "a b c d e"


def test_every_ascii_letter_is_left_alone():
    assert plain(string.printable[:95]) == string.printable[:95]


def test_saying_something_imports_no_translation_tool():
    program = "import sys; from ledger.text.say import say; say('state.active', 'zh'); print('babel' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
