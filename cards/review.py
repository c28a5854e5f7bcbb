"""The proposal review: one revision of the intent, every field with its class, and the decision on it.

What a person confirms is what stands here. If it had to be shortened, the card says so above the buttons.
"""

import msgspec

from cards import actions, sections, theme, typed
from cards.before import before
from cards.budget import Clipper, fit
from cards.elements import Card, Paragraph, Part, Rule
from cards.reasons import reason_form
from cards.text import Copy, Words, copy, name_of, named
from ledger.projections.views import CardView, FieldView, GoalView, ReviewView
from ledger.text.say import Locale

CRITERIA_FIELDS = frozenset({"criteria", "acceptance_criteria"})
FIELDS_MAX = 20
HEADER_FIELDS = frozenset({"title", "priority"})


def review_card(view: CardView, goal: GoalView, review: ReviewView, *, locale: Locale) -> Card:
    """Draw one revision as it is put before its owners."""
    goal = _as_promised(goal, review)
    is_open = review.status == "open"
    state = named("state.review", review.status)

    def draw(clip: Clipper) -> Card:
        # The header is made first: what it cuts is told in the note below.
        header = sections.header(
            goal,
            clip,
            subtitle=copy("card.subtitle.review", state=state),
            template=theme.REVIEW[review.status],
            revision=review.revision,
            waits=is_open,
        )
        parts: list[Part] = [
            *sections.first(view, goal, clip, state, review.decision, family="state.review", is_open=is_open),
            *typed.unsent(view, clip),
            sections.pair(
                sections.fact("proposed_by", Paragraph(text=Words(name_of(review.proposed_by)))),
                sections.fact("criteria", sections.number(len(review.criteria))),
            ),
            *_question(goal, review, clip),
            *before(review.before, clip),
            Rule(),
            *_fields(review, clip),
            *_legend(review),
        ]
        parts += clip.note(goal.goal_id)
        if is_open:
            parts += actions.rows(view, without=frozenset({"goal.decline"}))
            parts += reason_form(view, "goal.decline", label="card.reason.decline.label", required=False)
        parts += sections.foot(review.cause)
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.review", goal_id=goal.goal_id, state=state),
            basis=review.basis,
        )

    return fit(draw)


def _question(goal: GoalView, review: ReviewView, clip: Clipper) -> tuple[Part, ...]:
    """The open question that holds a yes up; it is answered on the goal's own card."""
    if not review.open or goal.question is None:
        return ()
    asked = copy("card.review.question", who=name_of(goal.question.asked_by))
    return (
        sections.label(asked),
        Paragraph(text=clip.text(goal.question.text, 500)),
        sections.note(copy("card.review.answer")),
    )


def _as_promised(goal: GoalView, review: ReviewView) -> GoalView:
    """The goal under the title and priority of this very revision: another may be in force while this one waits."""
    own = {field.name: field.items[0] for field in review.fields if field.name in HEADER_FIELDS and field.items}
    return msgspec.structs.replace(goal, **own)


def _fields(review: ReviewView, clip: Clipper) -> tuple[Part, ...]:
    """Every field under its name and class; the criteria stand where their field does, with their ids."""
    shown, hidden = clip.rows(review.fields, FIELDS_MAX)
    parts: list[Part] = []
    criteria_drawn = False
    for field in shown:
        if field.name in CRITERIA_FIELDS and review.criteria:
            parts += [_name(field), _criteria(review, clip)]
            criteria_drawn = True
        else:
            parts += [_name(field), _value(field, clip)]
    if review.criteria and not criteria_drawn:
        parts += [sections.label(copy("field.criteria")), _criteria(review, clip)]
    if hidden:
        parts.append(sections.label(copy("card.more.fields", n=hidden)))
    return tuple(parts)


def _name(field: FieldView) -> Paragraph:
    return sections.label(
        copy("card.field.class", field=named("field", field.name), label=copy(f"class.{field.field_class}"))
    )


def _value(field: FieldView, clip: Clipper) -> Paragraph:
    if not any(item.strip() for item in field.items):
        return Paragraph(text=copy("card.none"))
    if field.name in theme.CODES:
        return Paragraph(text=named(theme.CODES[field.name], field.items[0]))
    if field.name in theme.SWITCHES:
        return Paragraph(text=copy("card.switch.on"))
    if len(field.items) == 1:
        return Paragraph(text=clip.text(field.items[0]))
    return Paragraph(text=Words(sections.bullets(field.items, clip)))


def _criteria(review: ReviewView, clip: Clipper) -> Paragraph:
    shown, hidden = clip.rows(review.criteria)
    lines = [sections.criterion(one, clip).text for one in shown]
    return Paragraph(text=Words("\n".join([*lines, *([f"[…+{hidden}]"] if hidden else [])])))


def _legend(review: ReviewView) -> tuple[Paragraph, ...]:
    """What the classes on this card mean."""
    used = {field.field_class for field in review.fields}
    notes = [copy(f"class.{name}.note") for name in theme.CLASS_ORDER if name in used]
    if not notes:
        return ()
    return (sections.label(Copy("\n".join(one.en for one in notes), "\n".join(one.zh for one in notes))),)
