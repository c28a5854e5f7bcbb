"""Which goal: one button a goal, none of which changes anything."""

from cards.answers import line, opener
from cards.budget import Clipper, fit
from cards.elements import Card, Header, Paragraph, Part
from cards.sections import note
from cards.text import copy, name_of, named
from ledger.projections.chat_views import WhichView
from ledger.projections.views import CardView
from ledger.text.say import Locale

TITLE_CHARS_MAX = 80


def which_card(view: CardView, which: WhichView, *, locale: Locale) -> Card:
    """Draw the question. A goal's own card is what a press opens."""

    def draw(clip: Clipper) -> Card:
        shown = which.rows[: clip.limits.rows]
        hidden = which.left_out + len(which.rows) - len(shown)
        first = copy("card.which.need" if which.open else "card.which.none")
        parts: list[Part] = [Paragraph(text=first, size="heading")]
        for row in shown:
            said = line(name_of(row.goal_id), named("state", row.state), clip.line(row.title, TITLE_CHARS_MAX))
            parts += [
                Paragraph(text=said, apart=True),
                *opener(view, row.button, copy("card.which.button", goal_id=name_of(row.goal_id, 64))),
            ]
        if hidden:
            parts.append(note(copy("card.which.more", n=hidden)))
        parts.append(note(copy("card.which.how", verb=named("card.which.verb", which.verb))))
        return Card(
            locale=locale,
            header=Header(
                title=copy("card.which.title"),
                subtitle=copy("card.which.subtitle", verb=named("card.which.verb", which.verb)),
                template="blue" if which.open else "grey",
            ),
            parts=tuple(parts),
            summary=copy("card.which.title"),
        )

    return fit(draw)
