"""What is wrong with a value is said in the reader's language, whoever says it and however rarely."""

import ast
import json
import re

import pytest
from pydantic import ValidationError

from daemon.api.edge import malformed
from daemon.relay.wire import BotHealth, Delivery, Lead, Message, Press
from ledger.catalogue import ACTIONS
from ledger.text.explain import explain
from ledger.text.problems import problem_line
from tests.support.bad_values import MISSING, bad_values, good
from tests.tidy.sources import ROOT

SOMETHING = "name"
MODELS = {name: action.params for name, action in ACTIONS.items()} | {
    one.__name__: one for one in (BotHealth, Delivery, Lead, Message, Press)
}
OTHER = "不符合该字段的要求"
ENGLISH = re.compile(r"(?:[A-Za-z]{2,} ){3}")


def _literals():
    """What the code says of a value: to the parser in models, and in refusals of readers and of the edge."""
    for folder in ("ledger", "daemon/api", "daemon/relay"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parts[-2] in {"store", "locale"}:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield from (_text(word.value) for word in node.keywords if word.arg == "problem")
                if _is_of_a_model(path, node):
                    yield from map(_text, node.exc.args)


def _is_of_a_model(path, node):
    raised = isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and getattr(node.exc.func, "id", "")
    return raised == "ValueError" and ("params" in path.name or (path.name == "wire.py" and "relay" in path.parts))


def _text(node):
    match node:
        case ast.Constant(value=str()):
            return node.value
        case ast.JoinedStr():
            return "".join(
                part.value if isinstance(part, ast.Constant) else ("7" if "MAX" in ast.unparse(part) else SOMETHING)
                for part in node.values
            )
        case ast.BinOp():
            return f"{_text(node.left)}{SOMETHING}"
    return ""


def test_what_our_own_code_says_of_a_value_has_a_sentence_in_chinese():
    said = {text for text in _literals() if text}
    assert len(said) > 25
    for text in said:
        for given in (text, f"Value error, {text}"):
            line = problem_line(given, "zh")
            assert line != OTHER, text
            assert not ENGLISH.search(line.replace("action, request_key", "")), line


@pytest.mark.parametrize("name", MODELS)
def test_no_mistake_is_told_to_a_chinese_reader_in_english(name):
    model = MODELS[name]
    schema = model.model_json_schema()
    properties, required = schema.get("properties", {}), schema.get("required", ())
    definitions = schema.get("$defs", {})
    sound = {field: good(properties[field], definitions) for field in required}
    bodies = [b"{", b"[]", b"7", b'"x"', b"\xff"]
    for field, one in properties.items():
        for _, value in bad_values(one, required=field in required, definitions=definitions):
            rest = {key: known for key, known in sound.items() if key != field}
            bodies.append(json.dumps(rest if value is MISSING else rest | {field: value}).encode())
        bodies += [json.dumps(sound | {field: value}).encode() for value in (None, [], {}, [[]], 1.5, [{"x": 1}], True)]
    for body in bodies:
        try:
            model.model_validate_json(body)
        except ValidationError as error:
            refusal = malformed(error)
            for problem in refusal.details["fields"]:
                line = problem_line(str(problem["problem"]), "zh")
                assert line != OTHER, problem
                assert not ENGLISH.search(line), (problem, line)
            assert not ENGLISH.search(explain(refusal, "zh")[0]), explain(refusal, "zh")


def test_what_nobody_foresaw_is_said_in_general():
    assert problem_line("The parser has learned a new word", "zh") == OTHER
    assert problem_line("The parser has learned a new word", "en") == "The parser has learned a new word"
    assert problem_line("Value error, so to say", "en") == "so to say"
