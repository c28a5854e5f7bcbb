"""Forms: what a person typed, from input names to parameters and back.

Nothing that was typed is lost: a refused form keeps its values and is drawn filled again. One form becomes one goal:
submissions of a form take turns, and what the first one made is told to the others. Open forms live in memory; losing
them costs a person the refill, never a second goal.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

from daemon.relay.turns import Turns
from ledger.catalogue import Action
from ledger.projections.views import FormView

FORMS_MAX = 2_000
FORMS_CHARS_MAX = 4_000_000
_PARAMETERS = {
    "criteria": "criterion",
    "non_goals": "non_goal",
    "stop_conditions": "stop_condition",
    "write_scopes": "write_scope",
    "constraints": "constraint",
}
"""Inputs that go by another name than their parameter, which a command line repeats."""
_LINE_END = re.compile(r"\r\n?|\n")
"""What a client puts between lines. Rarer separators stay in their line: it is kept word for word."""


@dataclass(frozen=True, slots=True)
class OpenForm:
    """One form card: what is in it, what was wrong, how often it was submitted."""

    values: dict[str, str] = field(default_factory=dict)
    problem_code: str | None = None
    problem_details: dict[str, str] = field(default_factory=dict)
    goal_id: str | None = None

    @property
    def chars(self) -> int:
        """How much was typed."""
        return sum(len(value) for value in self.values.values())

    def view(self) -> FormView:
        """As a card draws it."""
        return FormView(
            status="open" if self.goal_id is None else "submitted",
            values=self.values,
            problem_code=self.problem_code,
            problem_details=self.problem_details,
            goal_id=self.goal_id,
        )


class Forms:
    """The open forms by slot."""

    def __init__(self) -> None:
        self._open: dict[str, OpenForm] = {}
        self._chars = 0
        self._turns = Turns()

    def open(self, slot: str, values: dict[str, str]) -> None:
        """Open a form, unless it is open already."""
        if slot not in self._open:
            self._put(slot, OpenForm(values=values))

    def find(self, slot: str) -> OpenForm | None:
        """The form of a slot, if it is remembered."""
        return self._open.get(slot)

    def refused(self, slot: str, values: dict[str, str], code: str, details: dict[str, object]) -> None:
        """Keep what was typed beside what was wrong with it; the next submission gets a new nonce."""
        form = self._open.get(slot, OpenForm())
        if form.goal_id is not None:
            return
        shown = {name: _shown(value) for name, value in details.items()}
        self._put(
            slot,
            replace(form, values=values, problem_code=code, problem_details=shown),
        )

    def submitted(self, slot: str, values: dict[str, str], goal_id: str) -> None:
        """Close a form that became a goal."""
        self._put(slot, OpenForm(values=values, goal_id=goal_id))

    def turn(self, slot: str) -> asyncio.Lock:
        """To be held by one submission of a form at a time."""
        return self._turns.of(slot)

    def _put(self, slot: str, form: OpenForm) -> None:
        """Remember a form; the oldest give way when there are too many, or too much is in them."""
        self._drop(slot)
        while self._open and (len(self._open) >= FORMS_MAX or self._chars + form.chars > FORMS_CHARS_MAX):
            self._drop(next(iter(self._open)))
        self._open[slot] = form
        self._chars += form.chars

    def _drop(self, slot: str) -> None:
        form = self._open.pop(slot, None)
        self._chars -= 0 if form is None else form.chars


def to_parameters(action: Action, form: Mapping[str, str]) -> dict[str, object]:
    """Input values as parameters of the action; lists are one a line. Empty inputs are left out.

    An input has the name of its parameter, or the name that people know it by; one that the action does not know is
    left out, for it may be another form's on the same card.
    """
    known = action.params.model_fields
    parameters: dict[str, object] = {}
    for name, value in form.items():
        parameter = _PARAMETERS.get(name, name)
        if parameter not in known or not value.strip():
            continue
        if _is_list(known[parameter].annotation):
            parameters[parameter] = [line.strip() for line in _LINE_END.split(value) if line.strip()]
        else:
            parameters[parameter] = value.strip()
    return parameters


def _is_list(annotation: object) -> bool:
    found = get_origin(annotation)
    if found is Annotated:
        return _is_list(get_args(annotation)[0])
    if found in {Union, UnionType}:
        return any(_is_list(one) for one in get_args(annotation))
    return found in {list, tuple} or annotation in {list, tuple}


def _shown(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
