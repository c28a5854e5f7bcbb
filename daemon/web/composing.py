"""What can be composed: the writes that are open to people, and the fields of each as a person fills them in.

Everything is taken from where the command line has it: the table of actions, its parameters, the manual's sentences in
the reader's language. So a line that is composed here is one that the command line knows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from daemon.cli import pages_en, pages_zh
from daemon.cli.catalogue import ACTIONS as COMMANDS
from daemon.cli.parse import flag_of, line_of
from daemon.web.lines import left_open, word
from ledger.catalogue import ACTIONS, Action
from ledger.text.say import Locale

if TYPE_CHECKING:
    from daemon.cli.shapes import Page

PEOPLE = frozenset({"person", "owner", "operator", "anyone"})
GROUPS: Mapping[str, tuple[str, ...]] = {
    "decide": (
        "goal.confirm", "goal.decline", "gate.approve", "gate.reject", "gate.defer", "goal.accept",
        "goal.request-changes", "plan.confirm", "plan.reject", "amendment.commit", "amendment.reject",
        "todo.admit", "todo.decline",
    ),
    "propose": (
        "goal.propose", "goal.revise", "goal.clarify", "todo.add", "gate.open", "request.send", "amendment.submit",
        "plan.propose", "summary.post",
    ),
    "steer": (
        "goal.pause", "goal.resume", "goal.stop", "quota.set", "todo.update", "todo.cancel", "todo.delegate",
        "goal.set-handoff-mode", "goal.withdraw",
    ),
}  # fmt: skip
"""What people do most, by what they are after; everything else is offered below."""
INSTEAD: tuple[tuple[str, ...], ...] = (
    ("gate.approve", "gate.reject", "gate.defer"),
    ("goal.confirm", "goal.decline", "goal.revise", "goal.clarify"),
    ("goal.accept", "goal.request-changes"),
    ("plan.confirm", "plan.reject"),
    ("amendment.commit", "amendment.reject"),
    ("todo.admit", "todo.decline"),
    ("goal.pause", "goal.resume", "goal.stop"),
)
"""Different answers to the same question: whoever looks at one finds the others beside it."""
SUBJECTS = ("gate_id", "plan_id", "amendment_id")
"""What a decision may be about other than its goal; its basis is theirs then."""
LONG_CHARS = 120
"""Text that may be longer is given a field of several lines."""
PRIVATE = frozenset({"code"})
"""One-time codes are no part of a line: a history of commands would keep them."""
Kind = Literal["text", "long", "integer", "switch", "choice", "choices", "list", "objects"]
Schema = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Field:
    """One parameter, as it is filled in. Bounds are those that the daemon keeps to."""

    name: str
    flag: str
    help: str
    kind: Kind
    required: bool
    choices: tuple[str, ...] = ()
    default: str = ""
    pattern: str = ""
    chars_min: int = 0
    chars_max: int | None = None
    low: int | None = None
    high: int | None = None
    items_max: int | None = None
    shape: str = ""
    """Its bounds as the manual says them; a pattern is for programs."""
    value: str = ""
    """What it holds to begin with."""


@cache
def groups(locale: Locale) -> Mapping[str, tuple[tuple[str, str, str], ...]]:
    """All of it in groups, those that people need most first: name, summary and command of each."""
    named = {**GROUPS, "rest": rest()}
    return {
        group: tuple((one, summary_of(one, locale), command_of(one)) for one in names) for group, names in named.items()
    }


@cache
def offered() -> tuple[str, ...]:
    """Every write that somebody may run at a shell who is no agent."""
    return tuple(row.name for row in ACTIONS.values() if row.writes and not row.hidden and row.who & PEOPLE)


def rest() -> tuple[str, ...]:
    """What no group has."""
    grouped = {name for names in GROUPS.values() for name in names}
    return tuple(name for name in offered() if name not in grouped)


def summary_of(name: str, locale: Locale) -> str:
    """What an action does, in one line of the manual."""
    return _pages(locale)[name].get("summary", ACTIONS[name].summary)


def who_of(name: str, locale: Locale) -> str:
    """Who may run it, as the manual says it."""
    return _pages(locale)[name]["who"]


def command_of(name: str) -> str:
    """How its line begins."""
    noun, _, verb = name.partition(".")
    return line_of(noun, verb, COMMANDS[noun])


def subject_of(name: str) -> str:
    """The parameter that says what a decision is about: a gate, a plan, an amendment, or the goal itself."""
    fields = ACTIONS[name].params.model_fields
    return next((one for one in SUBJECTS if one in fields), "goal_id")


def fields_of(name: str, locale: Locale, given: Mapping[str, str]) -> tuple[Field, ...]:
    """The fields of an action in the order of its parameters, with what is given in them."""
    return tuple(replace(one, value=given[one.name]) if given.get(one.name) else one for one in _fields(name, locale))


@cache
def _fields(name: str, locale: Locale) -> tuple[Field, ...]:
    """The fields as they are before anything is known; schemas take long to make."""
    action = ACTIONS[name]
    noun, _, verb = name.partition(".")
    known = COMMANDS[noun][verb]["parameters"]
    helps, shapes = _pages(locale)[name].get("helps", {}), _pages(locale)[name]["shapes"]
    kept_out = {action.mints} | (PRIVATE if action.takes_code else frozenset())
    found: list[Field] = []
    for field, schema in _schemas(action).items():
        if field in kept_out:
            continue
        row = known[field]
        kind, bounds = _kind(schema)
        found.append(
            Field(
                name=field,
                flag=flag_of(field),
                help=helps.get(field) or row["help"],
                required=bool(row.get("required") or row.get("needed")),
                choices=row.get("choices", ()),
                default="" if kind == "switch" else row.get("default", ""),
                kind=kind,
                shape="" if "pattern" in bounds else shapes.get(field, ""),
                items_max=_whole(schema.get("maxItems")),
                pattern=str(bounds.get("pattern", "")),
                chars_min=_whole(bounds.get("minLength")) or 0,
                chars_max=_whole(bounds.get("maxLength")),
                low=_whole(bounds.get("minimum")),
                high=_whole(bounds.get("maximum")),
            )
        )
    return tuple(found)


def instead_of(name: str) -> tuple[str, ...]:
    """The answers that one is among, itself included; none where it answers nothing."""
    return next((names for names in INSTEAD if name in names), ())


def drawn(name: str, fields: Sequence[Field]) -> str:
    """The line as far as it is known, with a mark where something has still to be said."""
    words = [command_of(name)]
    for field in fields:
        given = values_of(field)
        words += [f"{field.flag}={word(one)}" for one in given]
        if field.required and not given:
            words.append(f"{field.flag} {left_open(field.flag)}")
    return " ".join(words)


def values_of(field: Field) -> list[str]:
    """What stands in a field: where there may be several, one on each line."""
    if field.kind in {"choices", "list", "objects"}:
        return [one for one in field.value.split("\n") if one.strip()]
    return [field.value] if field.value else []


def _pages(locale: Locale) -> "dict[str, Page]":
    return pages_zh.PAGES if locale == "zh" else pages_en.PAGES


def _schemas(action: Action) -> Mapping[str, Schema]:
    properties: Mapping[str, Schema] = action.params.model_json_schema().get("properties", {})
    return {name: _plain(schema) for name, schema in properties.items()}


def _plain(schema: Schema) -> Schema:
    """A field's schema without `null` as an alternative."""
    choices = schema.get("anyOf")
    if not isinstance(choices, list):
        return schema
    (kept,) = (choice for choice in choices if choice.get("type") != "null")
    return {**kept, **{name: value for name, value in schema.items() if name != "anyOf"}}


def _kind(schema: Schema) -> tuple[Kind, Schema]:
    """How a value is filled in, and the bounds of one."""
    if schema.get("type") == "array":
        items = schema["items"]
        assert isinstance(items, Mapping)
        if "$ref" in items or items.get("type") == "object":
            return "objects", {}
        return ("choices" if "enum" in items or "const" in items else "list"), items
    match schema.get("type"):
        case "boolean":
            return "switch", {}
        case "integer":
            return "integer", schema
        case _ if "enum" in schema or "const" in schema:
            return "choice", {}
        case _:
            longest = _whole(schema.get("maxLength"))
            return ("long" if longest is not None and longest > LONG_CHARS else "text"), schema


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None
