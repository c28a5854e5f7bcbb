"""What a refusal means and what to do next, in the reader's language, on every surface.

The sentences are in the `refusals` catalogue, two for each code. Details become words here: a moment is a UTC time, a
list is its items, a state goes by its name. A detail that is missing is a dash and a code without sentences still gets
an answer: whoever was refused is owed one.
"""

from collections.abc import Mapping

from ledger.refusals import Refusal
from ledger.text.problems import problem_line
from ledger.text.say import Locale, has, one_line, say, say_refusal
from ledger.text.times import short_utc

ITEMS_MAX = 5
DETAIL_CHARS_MAX = 200

_FAMILIES = {"state": ("state",), "goal_state": ("state",), "status": ("state.todo", "state")}
"""Details whose values have names of their own."""

_LABELS = {
    "criterion": "criteria",
    "non_goal": "non_goals",
    "constraint": "constraints",
    "write_scope": "write_scopes",
    "stop_condition": "stop_conditions",
}
"""Parameters that are given once for each item, by the name of the field that they fill."""


def explain(refusal: Refusal, locale: Locale) -> tuple[str, str]:
    """The message (what happened) and the hint (the next step)."""
    return explain_code(refusal.code.value, refusal.details, locale)


def explain_code(code: str, details: Mapping[str, object], locale: Locale) -> tuple[str, str]:
    """The same for a code from the wire."""
    shown = display_details(details, locale)
    return say_refusal(code, "message", locale, shown), say_refusal(code, "hint", locale, shown)


def display_details(details: Mapping[str, object], locale: Locale) -> dict[str, str]:
    """Details as a person reads them: what a card or a sentence shows."""
    return {name: _shown(name, value, locale) for name, value in details.items()}


def _shown(name: str, value: object, locale: Locale) -> str:
    if name.endswith("_at_ms") and type(value) is int:
        return short_utc(value)
    if isinstance(value, list | tuple):
        return _listed([_shown(name, item, locale) for item in value], locale)
    text = one_line(str(value))
    if name == "field":
        return _field(text, locale)
    if name == "problem":
        return problem_line(text, locale)
    if name == "changed":
        return field_label(text, locale)
    for family in _FAMILIES.get(name, ()):
        if has(f"{family}.{text}"):
            return say(f"{family}.{text}", locale).lower()
    return _clipped(text)


def _field(name: str, locale: Locale) -> str:
    """A parameter by its exact name, which is what must be corrected; a Chinese reader gets its label beside it."""
    shown = _clipped(name)
    label = f"field.{name}"
    return f"{say(label, locale)}（{shown}）" if locale == "zh" and has(label) else shown


def field_label(field: str, locale: Locale) -> str:
    """A parameter as forms and cards call it: `criterion.1` is the second of the acceptance criteria."""
    name, _, place = field.partition(".")
    key = f"field.{_LABELS.get(name, name)}"
    label = say(key, locale) if has(key) else one_line(name)[:DETAIL_CHARS_MAX]
    return f"{label} {int(place) + 1}" if place.isascii() and place.isdigit() and len(place) <= 3 else label


def _clipped(text: str) -> str:
    return text if len(text) <= DETAIL_CHARS_MAX else text[: DETAIL_CHARS_MAX - 1] + "…"


def _listed(items: list[str], locale: Locale) -> str:
    shown = ("、" if locale == "zh" else ", ").join(items[:ITEMS_MAX])
    return shown if len(items) <= ITEMS_MAX else f"{shown} +{len(items) - ITEMS_MAX}"
