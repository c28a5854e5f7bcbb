"""Values that a parameter must refuse, made from its published schema: one way of being wrong at a time."""

import re
from collections.abc import Iterator

from ledger.params import SENT_MEMBER_ID_PATTERN

Schema = dict[str, object]
MISSING = object()
"""The parameter is left out."""
BEYOND = 2**63
_OTHER_TYPES = {
    "string": (5, True, ["x"], {"x": 1}, 1.5),
    "integer": ("5", "x", 1.5, True, [1], {}, 10**30),
    "boolean": ("true", 1, 0, []),
    "array": ("x", 5, {"0": "x"}, True),
    "object": ("x", 5, [], True),
    "number": ("x", [], True),
}


def plain(schema: Schema, definitions: Schema | None = None) -> list[Schema]:
    """The alternatives of a schema, without references."""
    definitions = definitions or {}
    if "$ref" in schema:
        return plain(definitions[str(schema["$ref"]).rsplit("/", 1)[-1]], definitions)
    if "anyOf" in schema:
        return [one for part in schema["anyOf"] for one in plain(part, definitions)]
    return [schema]


def bad_values(schema: Schema, *, required: bool, definitions: Schema | None = None) -> Iterator[tuple[str, object]]:
    """What is wrong, and the value."""
    parts = plain(schema, definitions)
    nullable = any(part.get("type") == "null" for part in parts)
    if required:
        yield "missing", MISSING
    if not nullable:
        yield "null", None
    for part in parts:
        if part.get("type") != "null":
            yield from _wrong(part, definitions)


def _wrong(part: Schema, definitions: Schema | None) -> Iterator[tuple[str, object]]:
    kind = "string" if "enum" in part or "const" in part else part.get("type")
    for value in _OTHER_TYPES[kind]:
        yield f"{type(value).__name__} for {kind}", value
    match kind:
        case "string":
            yield from _texts(part)
        case "integer":
            yield from _integers(part)
        case "array":
            yield from _lists(part, definitions)


def _texts(part: Schema) -> Iterator[tuple[str, object]]:
    yield "half a character", "a\ud800"
    if "enum" in part or "const" in part:
        yield "outside the list", "none-of-these"
        yield "nothing", ""
    elif not part.keys() & {"pattern", "maxLength"}:
        yield "outside any alphabet", "\x00Ü"
    if "maxLength" in part:
        yield "too long", "x" * (part["maxLength"] + 1)
        yield "too long in a wide script", "目" * (part["maxLength"] + 1)
    if part.get("minLength"):
        yield "empty", ""
    if "pattern" in part:
        for value in ("", " ", "Ü", "a b", "a\n", "\x00", "a\x00b", "../a", "x" * 10_000):
            # Around a member's name the ends are cut off, a line's end too; nowhere else.
            cut = part["pattern"] == SENT_MEMBER_ID_PATTERN
            if re.search(part["pattern"], value) is None or (value.endswith("\n") and not cut):
                yield "outside the pattern", value


def _integers(part: Schema) -> Iterator[tuple[str, object]]:
    yield "beyond every integer", BEYOND
    for bound, step in (("maximum", 1), ("minimum", -1)):
        if bound in part:
            yield f"beyond the {bound}", part[bound] + step


def _lists(part: Schema, definitions: Schema | None) -> Iterator[tuple[str, object]]:
    yield "null inside", [None]
    yield "list inside", [["x"]]
    if part.get("minItems"):
        yield "too few", []
    if "maxItems" in part:
        one = good(part, definitions)[0] if "examples" in part else good(part["items"], definitions)
        yield "too many", [one] * (part["maxItems"] + 1)
    for what, value in bad_values(part["items"], required=False, definitions=definitions):
        if value is not None:
            yield f"{what} inside", [value]


def good(schema: Schema, definitions: Schema | None = None) -> object:
    """A value that the schema takes, as far as it says."""
    part = next(part for part in plain(schema, definitions) if part.get("type") != "null")
    if "examples" in part:
        return part["examples"][0]
    if "const" in part:
        return part["const"]
    if "enum" in part:
        return part["enum"][0]
    match part.get("type"):
        case "string":
            return _text(str(part.get("pattern", "")))
        case "integer":
            return max(1, int(part.get("minimum", 1)))
        case "boolean":
            return True
        case "array":
            return [good(part["items"], definitions)] * int(part.get("minItems", 0) or 0)
        case "object" if "properties" in part:
            return {name: good(part["properties"][name], definitions) for name in part.get("required", ())}
        case _:
            return {}


def _text(pattern: str) -> str:
    for start, value in (
        ("^todo_", "todo_000"),
        ("^art_", "art_1"),
        ("^tok_", "tok_9"),
        ("^inv_", "inv_9"),
        ("^ou_", "ou_9"),
        ("^q_", "q_1"),
        ("^plan_", "plan_1"),
        ("^amend_", "amend_1"),
        ("^dlg_", "dlg_1"),
        ("^gate_", "gate_1"),
        ("^grant_", "grant_1"),
        ("^request_", "request_1"),
        ("^run_", "run_1"),
        ("^spend_", "spend_000001"),
        ("^standing_", "standing_000001"),
        ("^usage_", "usage_1"),
        ("^[a-z][a-z0-9_-]{0,31}:(", "publish:goal:*"),
        ("^b1:", "b1:" + "0" * 32),
        ("^sum_", "sum_1"),
        ("^[0-9a-f]{64}", "0" * 64),
    ):
        if pattern.startswith(start):
            return value
    return "docs"
