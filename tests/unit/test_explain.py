"""Refusals in words: every code in both languages, with nothing in a sentence that the refusal does not carry."""

import ast
import pkgutil
from enum import StrEnum
from importlib import import_module
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import ledger.rules
from daemon.relay.refusals import RelayRefusal
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.goals import GoalRefusal
from ledger.rules.leases import LeaseRefusal
from ledger.rules.todos import TodoRefusal
from ledger.text.explain import display_details, explain, explain_code
from ledger.text.reference import FAMILIES, RELAY_CODES, codes, reference
from ledger.text.say import LOCALES, has, placeholders

ROOT = Path(__file__).parents[2]
CODES = sorted({code for listed in codes().values() for code in listed})


def refusal_enums():
    """Every enum of refusals that the rules define, wherever it stands."""
    for module in pkgutil.iter_modules(ledger.rules.__path__):
        for value in vars(import_module(f"ledger.rules.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, StrEnum) and value.__name__.endswith("Refusal"):
                yield value


def refusals_made():
    """Every place in the ledger that makes a refusal, as (code name, names of its details)."""
    for file in sorted((ROOT / "ledger").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "refuse" and node.args:
                given = frozenset(word.arg for word in node.keywords if word.arg != "basis")
                first = node.args[0]
                for name in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                    if isinstance(name, ast.Attribute):
                        yield name.attr.lower(), given


MADE = sorted(set(refusals_made()), key=str)


def test_every_family_of_refusals_is_in_the_reference():
    assert set(FAMILIES.values()) == {*refusal_enums(), GeneralRefusal}
    assert set(RELAY_CODES) == {code.value for code in RelayRefusal}
    assert tuple(code.value for code in RelayRefusal) == RELAY_CODES


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_message_and_a_hint_in_both_languages(code):
    for part in ("message", "hint"):
        assert has(f"refusal.{code}.{part}")
    english, chinese = (explain_code(code, {}, locale) for locale in LOCALES)
    assert all(text.isascii() for text in english)
    assert all(not text.isascii() for text in chinese)
    assert len(english[0]) <= 120
    assert len(english[1]) <= 160


def test_no_sentence_is_left_of_a_code_that_is_gone():
    written = set()
    for source in (ROOT / "ledger/text/locale/en/LC_MESSAGES").glob("*.po"):
        with source.open("rb") as file:
            keys = [str(message.id) for message in read_po(file)]
        written |= {key.split(".")[1] for key in keys if key.startswith("refusal.")}
    assert written - {"unknown"} == set(CODES)


@pytest.mark.parametrize(("code", "given"), MADE, ids=[f"{code}-{'+'.join(sorted(given))}" for code, given in MADE])
def test_a_sentence_mentions_only_what_its_refusal_carries(code, given):
    for part in ("message", "hint"):
        assert placeholders(f"refusal.{code}.{part}") <= given


def test_the_rules_make_refusals_that_this_test_finds():
    assert len(MADE) > 80


@pytest.mark.parametrize("locale", LOCALES)
def test_what_is_missing_is_a_dash_and_an_unknown_code_still_gets_an_answer(locale):
    for code in CODES:
        for text in explain_code(code, {}, locale):
            assert "{" not in text
            assert text
    assert "no_such_code" in explain_code("no_such_code", {}, locale)[0]


def test_details_become_words():
    conflict = Refusal(
        code=TodoRefusal.TODO_LEASE_CONFLICT, details={"owner": "builder", "expires_at_ms": 1_780_000_000_000}
    )
    assert explain(conflict, "en") == (
        "The agent builder holds the lease on this todo until 2026-05-28 20:26 UTC.",
        "Choose other work, or wait until the lease ends.",
    )
    assert explain(conflict, "zh")[0] == "智能体 builder 持有该待办的租约，至 2026-05-28 20:26 UTC。"
    state = Refusal(code=GoalRefusal.GOAL_STATE_FORBIDS, details={"state": "changes_requested"})
    assert explain(state, "en")[0] == "The goal is changes requested, and this cannot be done then."
    assert explain(state, "zh")[0] == "目标当前为“待修改”，不能执行该操作。"
    scopes = Refusal(
        code=LeaseRefusal.SCOPE_OUTSIDE_BOUNDARY,
        details={"write_scopes": [f"a{n}" for n in range(7)], "boundary": ["b/**"]},
    )
    assert explain(scopes, "en") == (
        "The write scope reaches beyond what the goal may write: a0, a1, a2, a3, a4 +2.",
        "Stay within b/**, or ask the owners for a revision.",
    )


def test_a_field_goes_by_the_name_that_must_be_corrected():
    bad = {"field": "ttl_seconds", "problem": "too long"}
    assert explain_code("malformed_params", bad, "en")[0] == "The field ttl_seconds is not valid: too long."
    assert explain_code("malformed_params", bad, "zh")[0] == "字段 有效秒数（ttl_seconds） 无效：too long。"
    assert "x" * 150 in explain_code("malformed_params", {"field": "x" * 150, "problem": ""}, "en")[0]


def test_a_detail_is_data():
    details = {"goal_id": "x\n\x1b[31m{code}\u202e", "lines": ["a\nb"], "n": 3, "none": None}
    message, _ = explain_code("goal_not_found", details, "en")
    assert message == "There is no goal x \u241b[31m{code}\ufffd."
    assert display_details(details, "en") == {
        "goal_id": "x \u241b[31m{code}\ufffd",
        "lines": "a b",
        "n": "3",
        "none": "None",
    }
    assert len(display_details({"long": "x" * 10_000}, "en")["long"]) == 200


def test_the_reference_is_what_the_program_says():
    file = ROOT / "docs" / "refusals.md"
    assert file.read_text(encoding="utf-8") == reference(), "python -m ledger.text.reference > docs/refusals.md"
