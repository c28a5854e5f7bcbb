"""The manual: each page says what the command is, who may, what it takes, and how it can be refused."""

import importlib
import re

import pytest

from daemon.cli import pages_en, pages_zh
from daemon.cli.catalogue import ACTIONS as COMMANDS
from daemon.cli.generate import DECIDES_ON_BASIS
from daemon.cli.local import together
from daemon.cli.main import run
from daemon.cli.manual import WIDTH, _columns
from daemon.cli.parse import line_of
from daemon.local import manual_pages
from daemon.local.reach import EVERYWHERE, refusals_of
from ledger.catalogue import ACTIONS
from ledger.text.reference import FAMILIES, codes
from ledger.text.say import LOCALES, has, say
from tests.api.test_parity import INPUTS
from tests.support.ladder import Ladder

OUTWARD = {name: action for name, action in ACTIONS.items() if not action.hidden}
PAGES = {"en": pages_en, "zh": pages_zh}
CODES = {code for family in codes().values() for code in family}
WITH_LADDERS = (
    "tests.support.goal_ladders", "tests.support.request_ladders", "tests.support.todo_ladders",
    "tests.unit.test_rules_artifacts", "tests.unit.test_rules_handoffs", "tests.unit.test_rules_leases",
    "tests.unit.test_rules_members", "tests.unit.test_rules_plans", "tests.unit.test_rules_reviews",
)  # fmt: skip


def ladders():
    found = {}
    for name in WITH_LADDERS:
        for value in vars(importlib.import_module(name)).values():
            listed = value if isinstance(value, tuple | list) else [value]
            found |= {id(one): one for one in listed if isinstance(one, Ladder)}
    return list(found.values())


@pytest.fixture
def page(capfd, monkeypatch):
    for name in ("FRONTSTAGE_LOCALE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def shown(*argv):
        assert run([*argv, "--help"]) == 0
        return capfd.readouterr().out

    return shown


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", sorted(OUTWARD))
def test_a_page_says_all_there_is_to_say(page, name, locale):
    action, pages = OUTWARD[name], PAGES[locale]
    text = page(action.noun, action.verb, "--locale", locale)
    flat = re.sub(r"\s+", "", text)
    assert f"frontstage {action.example}" in text
    summary = pages.PAGES[name].get("summary", action.summary)
    line = line_of(action.noun, action.verb, COMMANDS[action.noun]).replace(" ", "")
    assert flat.startswith(f"{line}-{re.sub(chr(32), '', summary)}")
    assert pages.PAGES[name]["who"] in text
    for heading in ("usage", "who", "common", "example", "http", "exit"):
        assert f"\n{pages.WORDS[heading]}\n" in text
    for field in action.params.model_fields:
        assert f"  --{field.replace('_', '-')}" in text
    for code in pages.PAGES[name]["refusals"]:
        exit_code, said = pages.REFUSALS[code]
        assert f"  {exit_code} {code}" in text
        assert re.sub(r"\s+", "", said) in flat
    # A word that is wider than its column, and a line that is to be typed, cannot be broken.
    wide = [line for line in text.splitlines() if _columns(line) > WIDTH and "frontstage" not in line]
    assert [line for line in wide if len(line.split()) > 1] == []


def test_no_line_begins_with_what_ends_a_clause(page):
    for name in sorted(OUTWARD):
        lines = page(*name.split("."), "--locale", "zh").splitlines()
        assert [line for line in lines if line.lstrip().startswith(tuple("，。；：、！？）"))] == [], name


def test_bounds_choices_and_defaults_are_shown(page):
    text = page("gate", "open")
    assert re.search(r"--quorum N +How many of them must say yes\. From 1 to 16\. \(default 1\)", text)
    assert re.search(r"--on-expiry deny\|escalate\|wait\n.*\(default\s+wait\)", text, re.DOTALL)
    assert "One of operator_gate, owner_decision," in re.sub(r"\s+", " ", text)
    lane = re.sub(r"\s+", " ", page("plan", "propose"))
    assert "1 to 8 of them. A JSON object with lane_id (needed), title (needed), acceptance" in lane


@pytest.mark.parametrize(
    ("words", "there", "absent"),
    [
        (["batch"], ["--socket", "--locale", "--request-key"], ["--at"]),
        (["artifact", "check"], ["--socket", "--locale", "--json"], ["--at", "--request-key"]),
        (["ledger", "verify"], ["--home", "--json"], ["--socket", "--at", "--request-key"]),
        (["todo", "claim"], ["--request-key"], ["--at"]),
        (["todo", "list"], ["--at"], ["--request-key"]),
    ],
)
def test_a_page_names_the_common_flags_that_mean_something_there(page, words, there, absent):
    text = page(*words).partition("COMMON FLAGS")[2].partition("EXAMPLE")[0]
    assert [flag for flag in there if f"  {flag}" not in text] == []
    assert [flag for flag in absent if f"  {flag}" in text] == []


def test_refusals_are_those_that_the_rules_give():
    """What the tests of the rules have seen, an independent source, is on the pages."""
    seen = [(ladder.action, rung.code.value) for ladder in ladders() for rung in ladder.rungs]
    seen += [(one.action, one.expected) for one in INPUTS if one.expected in CODES]
    assert len(seen) > 200
    missing = {(name, code) for name, code in seen if code not in {*refusals_of(ACTIONS[name]), *EVERYWHERE}}
    assert missing == set()


def test_where_the_rules_refuse_without_a_basis_it_is_listed_as_needed():
    seen = {ladder.action for ladder in ladders() for rung in ladder.rungs if rung.code.value == "basis_required"}
    assert seen
    assert seen <= DECIDES_ON_BASIS
    assert {"goal.revise", "goal.withdraw", "plan.reject"}.isdisjoint(DECIDES_ON_BASIS)


@pytest.mark.parametrize("ladder", ladders(), ids=lambda ladder: ladder.action)
def test_they_stand_in_the_order_in_which_they_are_checked(ladder):
    listed = refusals_of(ACTIONS[ladder.action])
    rungs = [rung.code.value for rung in ladder.rungs if rung.code.value in listed]
    assert sorted(rungs, key=listed.index) == rungs


def test_every_refusal_of_every_family_is_on_some_page():
    # A command line asks by the right method; whoever writes HTTP by hand may not.
    listed = {*EVERYWHERE, "method_not_allowed"} | {code for action in ACTIONS.values() for code in refusals_of(action)}
    assert {
        name: missing for name in FAMILIES if (missing := [one for one in codes()[name] if one not in listed])
    } == {}


def test_a_code_that_is_spelled_for_a_family_which_was_handed_over_is_found():
    assert {"gate_blocks", "projection_repair_required", "proposer_only"} <= {*refusals_of(ACTIONS["todo.claim"])}


def test_not_every_refusal_is_on_every_page():
    assert "gate_expired" not in refusals_of(ACTIONS["goal.confirm"])
    assert "gate_expired" in refusals_of(ACTIONS["gate.approve"])
    assert refusals_of(ACTIONS["goal.list"]) == ()
    # Words of the verdict are no refusals, whatever they are called.
    assert len(refusals_of(ACTIONS["quota.reserve"])) < 8


@pytest.mark.parametrize(
    ("flags", "environment", "expected"),
    [
        ([], {}, "USAGE"),
        ([], {"LANG": "zh_CN.UTF-8"}, "用法"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "USAGE"),
        ([], {"LANG": "de_DE.UTF-8", "FRONTSTAGE_LOCALE": "zh"}, "用法"),
        (["--locale", "en"], {"FRONTSTAGE_LOCALE": "zh"}, "USAGE"),
        (["--locale", "zh"], {}, "用法"),
    ],
)
@pytest.mark.parametrize("words", [[], ["goal"], ["goal", "confirm"], ["ledger", "verify"]])
def test_the_language_is_chosen_as_for_answers(page, monkeypatch, words, flags, environment, expected):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert f"\n{expected}\n" in page(*words, *flags)


@pytest.mark.parametrize("locale", LOCALES)
def test_help_lists_what_a_noun_can_do_with_an_example_of_each(page, locale):
    for noun, verbs in together(COMMANDS).items():
        text = page("help", noun, "--locale", locale)
        assert all(f"frontstage {verb['example']}" in text for verb in verbs.values()), noun


def test_the_translated_sentences_are_of_what_the_table_says():
    """The English side of each pair is the table's own sentence, so that no translation outlives it."""
    for name, action in OUTWARD.items():
        if has(f"manual.summary.{name}"):
            assert say(f"manual.summary.{name}", "en") == action.summary
        for field, described in action.params.model_fields.items():
            key = manual_pages.help_key(field, described.description or "")
            assert not has(key) or say(key, "en") == described.description, key


def test_every_sentence_of_a_page_is_there_in_both_languages():
    """A key of the domain `manual` for each: its English side is what the table says, which the test above compares."""
    keys = {f"manual.summary.{name}": action.summary for name, action in OUTWARD.items()}
    for action in OUTWARD.values():
        for field, described in action.params.model_fields.items():
            keys[manual_pages.help_key(field, described.description or "")] = described.description
    assert {key: text for key, text in keys.items() if not has(key)} == {}


def test_every_sentence_of_a_local_command_is_there_in_both_languages():
    """The English side is what the command says where it is declared, so that no translation outlives it."""
    sentences = manual_pages.local_sentences()
    assert {key: text for key, text in sentences.items() if not has(key)} == {}
    assert {key: say(key, "en") for key in sentences} == sentences


COMMAND = re.compile(r"frontstage|completion|[A-Z]:[A-Z]|https?:")


@pytest.mark.parametrize("name", sorted(pages_zh.LOCAL))
def test_the_help_of_a_local_command_is_in_the_language_that_was_asked_for(page, name):
    noun, _, verb = name.partition(".")
    words = [noun, verb] if verb else [noun]
    english, chinese = (page("help", *words, "--locale", locale) for locale in ("en", "zh"))
    declared = together(COMMANDS)[noun][verb]
    assert declared["summary"] in english
    told = pages_zh.LOCAL[name]
    flat = re.sub(r"\s+", "", chinese)
    assert re.sub(r"\s+", "", told["summary"]) in flat
    for text in (told["summary"], *told["helps"].values(), *told["takes"].values()):
        assert not text.isascii(), text
        assert re.sub(r"\s+", "", text) in flat
    for sentence in (declared["summary"], *(one["help"] for one in declared["parameters"].values())):
        assert sentence not in re.sub(r"\s+", " ", chinese)
    samples = [line for line in declared.get("about", "").split("\n") if line.startswith("  ")]
    assert [line for line in samples if f"  {line}" not in chinese.split("\n")] == []
    # What is typed is not broken; nothing else is wider than the page.
    wide = [line for line in chinese.splitlines() if _columns(line) > WIDTH and not COMMAND.search(line)]
    assert [line for line in wide if line.strip() not in "\n".join(samples)] == []


def test_a_command_with_others_of_two_words_beside_it_shows_its_examples_under_one_heading(page):
    lines = page("demo").splitlines()
    assert [line for line in lines if line in {"VERBS", "EXAMPLE"}] == ["VERBS", "EXAMPLE"]
    assert lines[-1].startswith("  frontstage demo research ")


def test_what_names_a_file_or_a_folder_says_so(page):
    text = page("demo", "engineering")
    assert "--report FILE" in text
    assert "--home FOLDER" in text
