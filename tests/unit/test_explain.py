"""Refusals in words: every code in both languages, with nothing in a sentence that the refusal does not carry."""

import ast
import json
import pkgutil
from enum import StrEnum
from importlib import import_module
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from pydantic import ValidationError

import ledger.rules
from daemon.api.edge import malformed
from daemon.hooks.refusals import HookRefusal
from daemon.relay.refusals import RelayRefusal
from ledger import decide as decide_module
from ledger.catalogue import ACTIONS
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.goals import GoalRefusal
from ledger.rules.leases import LeaseRefusal
from ledger.rules.todos import TodoRefusal
from ledger.text.explain import display_details, explain, explain_code
from ledger.text.reference import FAMILIES, HOOK_CODES, RELAY_CODES, codes, reference
from ledger.text.say import LOCALES, has, placeholders
from tests.support.world import World, parse

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


MADE = sorted(set(refusals_made()), key=lambda made: (str(made[0]), sorted(made[1])))


def test_every_family_of_refusals_is_in_the_reference():
    assert set(FAMILIES.values()) == {*refusal_enums(), GeneralRefusal}
    assert set(RELAY_CODES) == {code.value for code in RelayRefusal}
    assert tuple(code.value for code in RelayRefusal) == RELAY_CODES
    assert tuple(code.value for code in HookRefusal) == HOOK_CODES


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


ADDED = {"basis_required": frozenset({"shown_by"})}
"""What is known where all families meet, and added there."""


@pytest.mark.parametrize(("code", "given"), MADE, ids=[f"{code}-{'+'.join(sorted(given))}" for code, given in MADE])
def test_a_sentence_mentions_only_what_its_refusal_carries(code, given):
    for part in ("message", "hint"):
        assert placeholders(f"refusal.{code}.{part}") <= given | ADDED.get(code, frozenset())


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
    assert explain_code("malformed_params", bad, "zh")[0] == "字段 有效秒数（ttl_seconds） 无效：不符合该字段的要求。"
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


@pytest.mark.parametrize(
    ("name", "params", "en", "zh"),
    [
        ("todo.claim", {"goal_id": "docs", "todo_id": "todo_a"}, "todo_ followed by 3 to 64", "todo_ 后接 3 到 64"),
        ("plan.show", {"goal_id": "docs", "plan_id": "p1"}, "plan_ followed by 1 to 24", "plan_ 后接 1 到 24"),
        ("goal.confirm", {"goal_id": "docs", "basis": "x"}, "b1: and 32 hexadecimal digits", "b1: 后接 32 位"),
        ("token.revoke", {"token_id": "tok_x"}, "tok_ followed by 1 to 16 digits", "tok_ 后接 1 到 16 位数字"),
        ("refusal.list", {"action": "X"}, "the name of an action such as todo.claim", "操作的名称，如 todo.claim"),
        ("history.list", {"kind": "X"}, "a kind of event such as todo.added", "事件种类（如 todo.added）"),
        ("todo.add", {"goal_id": "docs", "text": "x", "required_decision_scope": ["x"]},
         "granularities action, lane, goal, project, global", "action、lane、goal、project、global"),
        ("goal.list", {"limit": 0}, "it is less than 1.", "小于 1。"),
        ("goal.list", {"limit": 201}, "it is more than 200.", "大于 200。"),
        ("goal.list", {"limit": "x"}, "it is not a whole number.", "不是整数。"),
        ("goal.list", {"after": 7}, "it is not text.", "不是文本。"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_described_in_a_sentence_of_ours(name, params, en, zh):
    with pytest.raises(ValidationError) as caught:
        ACTIONS[name].params.model_validate_json(json.dumps(params))
    refusal = malformed(caught.value)
    assert en in explain(refusal, "en")[0]
    assert zh in explain(refusal, "zh")[0]
    assert "pattern" not in explain(refusal, "en")[0]


def test_the_pattern_of_every_parameter_has_words():
    found = {
        part["pattern"]
        for action in ACTIONS.values() if not action.hidden
        for field in action.params.model_json_schema().get("properties", {}).values()
        for one in field.get("anyOf", [field]) for part in (one, one.get("items", {})) if "pattern" in part
    }  # fmt: skip
    assert len(found) > 20
    bare = {one for one in found if "^" in explain_code("malformed_params", {
        "field": "x", "problem": f"String should match pattern '{one}'"}, "zh")[0]}  # fmt: skip
    assert bare == set()


@pytest.mark.parametrize(
    ("action", "more", "command"),
    [
        ("goal.confirm", {}, "goal show --goal-id docs"),
        ("gate.approve", {"gate_id": "gate_one"}, "gate show --goal-id docs --gate-id gate_one"),
        ("amendment.commit", {"amendment_id": "amend_one"}, "amendment show --goal-id docs --amendment-id amend_one"),
    ],
)
def test_a_decision_without_a_basis_is_told_which_command_prints_that_one(action, more, command):
    params = parse(action, {"goal_id": "docs", **more})
    refusal = decide_module._with_its_show(ACTIONS[action], params, refuse(GeneralRefusal.BASIS_REQUIRED))
    for locale in ("en", "zh"):
        assert command in explain(refusal, locale)[1]


def test_on_every_way_to_it_a_missing_basis_names_the_command():
    world = World()
    world.propose()
    refusal = world.ask("ann", "goal.confirm", goal_id="docs").refusal
    assert refusal.details["shown_by"] == "goal show --goal-id docs"
