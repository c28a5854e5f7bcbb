"""The forms of a goal's promise: to propose one, or to revise it.

Blank or filled with what holds now, filled again after a refusal, or closed once it was submitted.
"""

from dataclasses import dataclass, replace
from typing import Literal

from cards import actions, sections
from cards.budget import LEVELS, Clipper, fit
from cards.elements import Button, Card, Form, Header, Inner, Input, Paragraph, Part, PersonPicker, Select
from cards.text import Copy, Text, Words, copy, name_of, named, refused, short_digest
from ledger.projections.form_views import FormView
from ledger.projections.revision_form import ROOM
from ledger.projections.views import CardView
from ledger.text.say import Locale, one_line, plain

# Name, characters, rows, required. Together they stay within the budget even when every one is full of
# four-byte characters.
INPUTS = (
    ("title", ROOM["title"], 1, True),
    ("objective", ROOM["objective"], 5, True),
    ("criteria", ROOM["criteria"], 4, True),
    ("non_goals", ROOM["non_goals"], 3, False),
    ("write_scopes", ROOM["write_scopes"], 2, False),
    ("allowed_slots", ROOM["allowed_slots"], 1, False),
    ("token_cap", ROOM["token_cap"], 1, False),
    ("cost_cap", ROOM["cost_cap"], 1, False),
    ("budget", ROOM["budget"], 1, False),
    ("stop_conditions", ROOM["stop_conditions"], 2, False),
)
PRIORITIES = ("P0", "P1", "P2", "P3", "P4")
PEOPLE_MAX = 20
PEOPLE_OF_A_FULL_FORM = 2
CHOICE_CHARS_MAX = 24


@dataclass(frozen=True, slots=True)
class _Kind:
    """What one of the two forms is called, and what it sends."""

    action: Literal["goal.propose", "goal.revise"]
    texts: Literal["card.form", "card.revise"]


_PROPOSAL = _Kind("goal.propose", "card.form")
_REVISION = _Kind("goal.revise", "card.revise")


def form_card(view: CardView, form: FormView, *, locale: Locale) -> Card:
    """Draw the form. A submitted one has no inputs, so that it cannot be sent again."""
    kind = _REVISION if form.revision else _PROPOSAL

    def draw(clip: Clipper) -> Card:
        parts = (*_top(kind, form), *_inputs(kind, view, form, clip)) if form.open else _closed(kind, form)
        return Card(
            locale=locale,
            header=Header(
                title=_title(kind, view, form),
                subtitle=copy(f"{kind.texts}.subtitle.{form.status}"),
                template=_template(form),
            ),
            parts=parts,
            summary=copy(f"card.summary{kind.texts.removeprefix('card')}{'' if form.open else f'.{form.status}'}"),
        )

    return fit(draw)


def _template(form: FormView) -> Literal["green", "grey", "orange", "blue"]:
    if form.status == "submitted":
        return "green"
    if form.status == "over":
        return "grey"
    return "orange" if form.problem_code else "blue"


def _title(kind: _Kind, view: CardView, form: FormView) -> Words | Copy:
    title = one_line(form.values.get("title", ""))[:120]
    if kind is _REVISION and view.goal is not None:
        title = one_line(view.goal.title)[:120]
        return Words(title or view.goal.goal_id)
    return Words(title) if form.status == "submitted" and title else copy("card.form.title")


def _closed(kind: _Kind, form: FormView) -> tuple[Part, ...]:
    key = f"{kind.texts}.{'done' if form.status == 'submitted' else 'over'}"
    if form.goal_id is None:
        return (Paragraph(text=copy(f"{key}.bare"), size="heading"),)
    return (Paragraph(text=copy(key, goal_id=form.goal_id, revision=form.revision), size="heading"),)


def _top(kind: _Kind, form: FormView) -> tuple[Part, ...]:
    """What is needed, or what was wrong with the last attempt and what to do."""
    if form.problem_code is None:
        return (Paragraph(text=copy(f"{kind.texts}.need"), size="heading"),)
    problem = refused(form.problem_code, "message", form.problem_details)
    return (
        Paragraph(text=copy("card.form.problem", message=problem), size="heading", color="red"),
        Paragraph(text=refused(form.problem_code, "hint", form.problem_details)),
    )


def _inputs(kind: _Kind, view: CardView, form: FormView, clip: Clipper) -> tuple[Part, ...]:
    """All inputs and the submit button; without a token the form is inert, so it is not drawn."""
    name = actions.offered(view, kind.action)
    if name is None:
        return ()
    notes: list[Part] = []
    fields: list[Inner] = []
    for field, chars_max, rows, required in INPUTS:
        value = plain(form.values.get(field, ""))
        room = min(chars_max, clip.limits.chars)
        if len(value) > room:
            said = copy("card.form.cut", n=len(value) - room, field=named("field", field))
            notes.append(Paragraph(text=said, color="orange"))
        if field in form.left_as_they_are:
            notes.append(sections.note(copy("card.revise.long", field=named("field", field))))
        fields.append(
            Input(
                name=field,
                label=copy(f"card.form.input.{field}"),
                placeholder=copy(f"card.form.input.{field}.hint"),
                chars_max=chars_max,
                value=Words(value[:room]),
                rows=rows,
                required=required and field not in form.left_as_they_are,
            )
        )
        if field == "objective" and form.material_chars:
            fields += _material(form)
        if field == "write_scopes":
            fields += [*(_approvers(view, form, clip) if kind is _PROPOSAL else ()), *_priority(form)]
    return (*notes, Form(name="proposal", parts=(*fields, _submit(kind, view, name))))


def _material(form: FormView) -> tuple[Inner, ...]:
    """The text that goes with the objective, and may be taken off."""
    said = copy("card.form.material", n=form.material_chars)
    kept = form.material_sha256 in form.values.get("attached", form.material_sha256).splitlines()
    return (
        sections.note(copy("card.form.material.note", digest=short_digest(form.material_sha256))),
        Select(
            name="attached",
            placeholder=copy("card.form.material.none"),
            options=((form.material_sha256, said),),
            several=True,
            chosen=(form.material_sha256,) if kept else (),
        ),
    )


def _submit(kind: _Kind, view: CardView, name: str) -> Button:
    button = actions.button(view, name, submits=True)
    return button if kind is _PROPOSAL else replace(button, label=copy("card.revise.submit"), kind="primary_filled")


def _priority(form: FormView) -> tuple[Inner, ...]:
    chosen = form.values.get("priority", "")
    return (
        _label("priority"),
        Select(
            name="priority",
            placeholder=copy("card.form.input.priority.hint"),
            options=tuple((one, copy(f"card.form.priority.{one}")) for one in PRIORITIES),
            chosen=(chosen,) if chosen in PRIORITIES else (),
        ),
    )


def _label(field: str) -> Paragraph:
    """The name of a choice, as inputs have one of their own."""
    return Paragraph(text=copy(f"card.form.input.{field}"), apart=True)


def _approvers(view: CardView, form: FormView, clip: Clipper) -> tuple[Inner, ...]:
    """Who may approve along the way: picked from the chat, or where nobody else is in it, from those who are known."""
    label = _label("approvers")
    hint = copy("card.form.input.approvers.hint")
    if view.audience == "group" and not form.people:
        return (label, PersonPicker(name="person_approvers", placeholder=hint, several=True))
    if not form.people:
        return ()
    chosen = tuple(one for one in form.values.get("approvers", "").splitlines() if one)
    known = {one.member_id: one for one in form.people}
    first = sorted(known.values(), key=lambda one: one.member_id not in chosen)
    shown = first[: PEOPLE_MAX if clip.limits == LEVELS[0] else PEOPLE_OF_A_FULL_FORM]
    options: tuple[tuple[str, Text], ...] = tuple(
        (one.member_id, Words(name_of(one.name, CHOICE_CHARS_MAX) or one.member_id)) for one in shown
    )
    still = tuple(one.member_id for one in shown if one.member_id in chosen)
    more = len(known) - len(shown)
    return (
        label,
        Select(name="approvers", placeholder=hint, options=options, several=True, chosen=still),
        *((sections.note(copy("card.form.people.more", n=more)),) if more else ()),
    )
