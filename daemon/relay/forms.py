"""Forms: what a person typed, from input names to parameters and back.

Nothing that was typed is lost: a refused form keeps its values and is drawn filled again. One form becomes one goal:
submissions of a form take turns, and what the first one made is told to the others. Open forms live in memory; losing
them costs a person the refill, never a second goal.
"""

import asyncio
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

from daemon.relay.turns import Turns
from ledger.catalogue import Action
from ledger.projections.form_views import FormView
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.text.say import Locale, say

FORMS_MAX = 2_000
FORMS_CHARS_MAX = 4_000_000
_PARAMETERS = {
    "criteria": "criterion",
    "non_goals": "non_goal",
    "stop_conditions": "stop_condition",
    "write_scopes": "write_scope",
    "constraints": "constraint",
    "approvers": "approver",
    "cost_cap": "cost_cap_micros",
}
"""Inputs that go by another name than their parameter, which a command line repeats."""
MATERIAL_CHARS_MAX = 8_500
"""With an objective of its own before it, it fits into the ledger's text of 10,000."""
ATTACHED = "attached"
"""The choice on a form that says which text goes with it, by its digest."""
MICRO_DIGITS = 6
_AMOUNT = re.compile(r"(?P<whole>[0-9]{1,30})(?:\.(?P<part>[0-9]{1,6}))?")
_LINE_END = re.compile(r"\r\n?|\n")
"""What a client puts between lines. Rarer separators stay in their line: it is kept word for word."""


@dataclass(frozen=True, slots=True)
class OpenForm:
    """One form card: what is in it, what was wrong, how often it was submitted."""

    values: dict[str, str] = field(default_factory=dict)
    problem_code: str | None = None
    problem_details: dict[str, str] = field(default_factory=dict)
    goal_id: str | None = None
    material: str = ""
    """The message that was too long for an input, in full."""

    @property
    def chars(self) -> int:
        """How much was typed, and written before."""
        return len(self.material) + sum(len(value) for value in self.values.values())

    def view(self) -> FormView:
        """As a card draws it."""
        return FormView(
            status="open" if self.goal_id is None else "submitted",
            values=self.values,
            problem_code=self.problem_code,
            problem_details=self.problem_details,
            goal_id=self.goal_id,
            material_chars=len(self.material),
            material_sha256=digest_of(self.material) if self.material else "",
        )


class Forms:
    """The open forms by slot."""

    def __init__(self) -> None:
        self._open: dict[str, OpenForm] = {}
        self._chars = 0
        self._turns = Turns()

    def open(self, slot: str, values: dict[str, str], material: str = "") -> None:
        """Open a form, unless it is open already."""
        if slot not in self._open:
            self._put(slot, OpenForm(values=values, material=material))

    def material(self, subject: str) -> str:
        """The text that is attached to a form, wherever it is shown; nothing where it is forgotten."""
        return next((text for slot in self.names(subject) if (text := self._open[slot].material)), "")

    def find(self, slot: str) -> OpenForm | None:
        """The form of a slot, if it is remembered."""
        return self._open.get(slot)

    def refused(self, slot: str, values: dict[str, str], code: str, details: dict[str, object]) -> None:
        """Keep what was typed beside what was wrong with it; the next submission gets a new nonce."""
        form = self._open.get(slot, OpenForm(material=self.material(slot.rpartition("@")[0])))
        if form.goal_id is not None:
            return
        self._put(slot, replace(form, values=values, problem_code=code, problem_details=shown_details(details)))

    def submitted(self, slot: str, values: dict[str, str], goal_id: str) -> list[str]:
        """Close a form that became a goal, wherever it is shown; the slots of all its cards."""
        shown = [one for one in self.names(slot.rpartition("@")[0]) if one != slot]
        for other in shown:
            # What stands there may be somebody else's draft: only the place that was sent from shows what was sent.
            self._put(other, replace(self._open[other], goal_id=goal_id, problem_code=None, problem_details={}))
        self._put(slot, OpenForm(values=values, goal_id=goal_id))
        return [slot, *shown]

    def turn(self, subject: str) -> asyncio.Lock:
        """To be held by one submission of a form at a time, wherever the form is shown."""
        return self._turns.of(subject)

    def names(self, subject: str | None = None) -> list[str]:
        """The slots of open forms; of one form where a subject is given."""
        return [slot for slot in self._open if subject is None or slot.rpartition("@")[0] == subject]

    def goal_of(self, subject: str) -> str | None:
        """The goal that this form became, wherever it was sent from."""
        return next((goal_id for slot in self.names(subject) if (goal_id := self._open[slot].goal_id)), None)

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


def digest_of(text: str) -> str:
    """What tells one text from every other."""
    return hashlib.sha256(text.encode()).hexdigest()


def with_material(form: Mapping[str, str], material: str, locale: Locale) -> dict[str, str]:
    """The form with the attached text after the objective, word for word, under its length and digest."""
    head = say("form.material", locale, n=len(material), sha256=digest_of(material))
    return {**form, "objective": f"{form.get('objective', '').strip()}\n\n{head}\n{material}"}


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
        if name == "cost_cap":
            parameters[parameter] = _micros(value.strip())
            continue
        if _is_list(known[parameter].annotation):
            parameters[parameter] = [line.strip() for line in _LINE_END.split(value) if line.strip()]
        else:
            parameters[parameter] = value.strip()
    return parameters


def as_typed(refusal: Refusal, form: Mapping[str, str]) -> Refusal:
    """The refusal of a parameter that is typed in another measure, in the measure that the input asks for."""
    if refusal.details.get("field") != _PARAMETERS["cost_cap"] or "cost_cap" not in form:
        return refusal
    return refuse(GeneralRefusal.MALFORMED_PARAMS, field="cost_cap", problem="is no amount")


def _micros(text: str) -> int | str:
    """An amount as people write it, in millionths; what is none becomes no number either, for the model to refuse."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return f"({text})"
    return int(found["whole"] + (found["part"] or "").ljust(MICRO_DIGITS, "0"))


def _is_list(annotation: object) -> bool:
    found = get_origin(annotation)
    if found is Annotated:
        return _is_list(get_args(annotation)[0])
    if found in {Union, UnionType}:
        return any(_is_list(one) for one in get_args(annotation))
    return found in {list, tuple} or annotation in {list, tuple}


def shown_details(details: Mapping[str, object]) -> dict[str, str]:
    """A refusal's details as texts."""
    return {name: _shown(value) for name, value in details.items()}


def _shown(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
