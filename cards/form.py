"""The proposal form: blank, filled again after a refusal, or closed once it was submitted."""

from cards import actions
from cards.budget import Clipper, fit
from cards.elements import Card, Form, Header, Inner, Input, Paragraph, Part
from cards.text import Copy, Words, copy, named, refused
from ledger.projections.views import CardView, FormView
from ledger.text.say import Locale, one_line, plain

# Name, characters, rows, required. Together they stay within the budget even when every one is full of
# four-byte characters.
INPUTS = (
    ("title", 120, 1, True),
    ("objective", 1000, 5, True),
    ("criteria", 1000, 4, True),
    ("non_goals", 600, 3, False),
    ("write_scopes", 400, 2, False),
    ("budget", 120, 1, False),
    ("stop_conditions", 500, 2, False),
)


def form_card(view: CardView, form: FormView, *, locale: Locale) -> Card:
    """Draw the form. A submitted one has no inputs, so that it cannot be sent again."""

    def draw(clip: Clipper) -> Card:
        submitted = form.status == "submitted"
        parts = _submitted(form) if submitted else (*_top(form), *_inputs(view, form, clip))
        return Card(
            locale=locale,
            header=Header(
                title=_title(form, submitted=submitted),
                subtitle=copy(f"card.form.subtitle.{form.status}"),
                template="green" if submitted else ("orange" if form.problem_code else "blue"),
            ),
            parts=parts,
            summary=copy("card.summary.form.submitted" if submitted else "card.summary.form"),
        )

    return fit(draw)


def _title(form: FormView, *, submitted: bool) -> Words | Copy:
    title = one_line(form.values.get("title", ""))[:120]
    return Words(title) if submitted and title else copy("card.form.title")


def _submitted(form: FormView) -> tuple[Part, ...]:
    if form.goal_id is None:
        return (Paragraph(text=copy("card.form.done.bare"), size="heading"),)
    return (Paragraph(text=copy("card.form.done", goal_id=form.goal_id), size="heading"),)


def _top(form: FormView) -> tuple[Part, ...]:
    """What is needed, or what was wrong with the last attempt and what to do."""
    if form.problem_code is None:
        return (Paragraph(text=copy("card.form.need"), size="heading"),)
    problem = refused(form.problem_code, "message", form.problem_details)
    return (
        Paragraph(text=copy("card.form.problem", message=problem), size="heading", color="red"),
        Paragraph(text=refused(form.problem_code, "hint", form.problem_details)),
    )


def _inputs(view: CardView, form: FormView, clip: Clipper) -> tuple[Part, ...]:
    """All inputs and the submit button; without a token the form is inert, so it is not drawn."""
    name = actions.offered(view, "goal.propose")
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
        fields.append(
            Input(
                name=field,
                label=copy(f"card.form.input.{field}"),
                placeholder=copy(f"card.form.input.{field}.hint"),
                chars_max=chars_max,
                value=Words(value[:room]),
                rows=rows,
                required=required,
            )
        )
    return (*notes, Form(name="proposal", parts=(*fields, actions.button(view, name, submits=True))))
