"""What the form that revises a goal holds before anything is typed, and which of its inputs then say something new."""

from collections.abc import Mapping
from typing import Final, Literal

from ledger.projections.cards import may_be_revised
from ledger.projections.form_views import FormView
from ledger.projections.outlet import promise_in_chat
from ledger.records import Intent
from ledger.rules.intents import in_hand
from ledger.state import Goal, Workspace
from ledger.text.say import plain

ROOM: Final = {
    "title": 120,
    "objective": 1_000,
    "criteria": 1_000,
    "non_goals": 500,
    "write_scopes": 400,
    "allowed_slots": 12,
    "token_cap": 18,
    "cost_cap": 18,
    "budget": 120,
    "stop_conditions": 400,
    "priority": 2,
}
"""How many characters of a field an input holds."""
MICROS: Final = 1_000_000
MAY_BE_EMPTIED: Final = frozenset({"budget"})
"""What a revision may take away; every other field it changes or leaves as it is."""


def revision_form(workspace: Workspace, goal: Goal, number: int) -> FormView:
    """The form over one revision; closed once there is another, or once the goal is no longer to be revised.

    What is too long for an input, or withheld from a chat, is left as it is unless something is typed.
    """
    values, now = filled(goal.intents[number - 1]), in_hand(goal)
    shown = promise_in_chat(workspace, goal.goal_id, values)
    left = tuple(name for name, text in values.items() if not fits(name, text) or shown[name] != text)
    status: Literal["open", "submitted", "over"] = "open" if may_be_revised(goal) else "over"
    if now.number != number:
        status = "submitted"
    return FormView(
        status=status,
        values={name: text for name, text in values.items() if name not in left},
        problem_code=None,
        problem_details={},
        goal_id=goal.goal_id,
        revision=number,
        left_as_they_are=left,
    )


def filled(intent: Intent) -> dict[str, str]:
    """Every field of a revision as an input holds it, in full."""
    return {
        "title": intent.title,
        "objective": intent.objective,
        "criteria": "\n".join(intent.criteria),
        "non_goals": "\n".join(intent.non_goals),
        "write_scopes": "\n".join(intent.write_scopes),
        "allowed_slots": _number(intent.allowed_slots),
        "token_cap": _number(intent.token_cap),
        "cost_cap": amount(intent.cost_cap_micros),
        "budget": intent.budget,
        "stop_conditions": "\n".join(intent.stop_conditions),
        "priority": intent.priority,
    }


def fits(name: str, text: str) -> bool:
    """Whether an input holds all of a field."""
    return len(text) <= ROOM[name]


def changed(workspace: Workspace, goal: Goal, number: int, typed: Mapping[str, str]) -> dict[str, str]:
    """The inputs that say something new of a revision; one that was emptied is empty."""
    form = revision_form(workspace, goal, number)
    return {
        name: text
        for name, text in typed.items()
        if not _same(text, form.values.get(name, "")) and not (name in form.left_as_they_are and not text.strip())
    }


def amount(micros: int | None) -> str:
    """Millionths as people write them."""
    if micros is None:
        return ""
    whole, rest = divmod(micros, MICROS)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


def _same(typed: str, was: str) -> bool:
    """Clients end lines and texts as they like, and show what cannot be shown in another way."""
    lines, before, shown = (_lines(text) for text in (typed, was, plain(was)))
    return lines in (before, shown)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
