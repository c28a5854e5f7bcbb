"""A decision, told to whoever asked for it: what was decided, by whom, when and in which words."""

from cards import sections, theme
from cards.budget import Clipper, fit
from cards.elements import Card, Paragraph, Part
from cards.text import copy, named
from ledger.projections.told_views import ToldView
from ledger.projections.views import CardView, GoalView
from ledger.text.say import Locale

FAMILIES = {"revision": "state.review", "delivery": "state.acceptance"}


def told_card(view: CardView, goal: GoalView, told: ToldView, *, locale: Locale) -> Card:
    """Draw one decision. It has no buttons: what comes next stands on the goal's own cards."""
    del view
    outcome, family = told.decision.outcome, FAMILIES[told.about]
    state = named(family, outcome)
    colors = theme.REVIEW if told.about == "revision" else theme.ACCEPTANCE

    def draw(clip: Clipper) -> Card:
        header = sections.header(
            goal,
            clip,
            subtitle=copy(f"card.told.subtitle.{told.about}", number=told.number, state=state),
            template=colors.get(outcome, "grey"),
            revision=None,
            waits=False,
        )
        parts: list[Part] = [
            *sections.decision(told.decision, clip, family=family, size="heading"),
            sections.label(copy("field.next")),
            Paragraph(text=named("card.told.next", outcome)),
            *clip.note(goal.goal_id, color="grey"),
            *sections.foot(told.cause),
        ]
        return Card(
            locale=locale,
            header=header,
            parts=tuple(parts),
            summary=copy("card.summary.told", goal_id=goal.goal_id, state=state),
        )

    return fit(draw)
