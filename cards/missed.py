"""Missed: what arrived too late to act on, shown with a way to do it now."""

from cards.answers import number_of, numbered, opener
from cards.budget import Clipper, fit
from cards.elements import Card, Clock, Header, Paragraph, Part, Rule, Size
from cards.sections import note
from cards.text import Copy, Moment, Text, copy, name_of
from ledger.projections.chat_views import MissedRow, MissedView
from ledger.projections.views import CardView
from ledger.text.say import Locale

TEXT_CHARS_MAX = 200


def missed_card(view: CardView, missed: MissedView, *, locale: Locale) -> Card:
    """Draw the late messages of one place."""
    heading: Size = "heading"

    def draw(clip: Clipper) -> Card:
        shown = missed.rows[: clip.limits.rows]
        hidden = missed.left_out + len(missed.rows) - len(shown)
        parts: list[Part] = [Paragraph(text=_first(missed), size=heading)]
        for at, row in enumerate(shown, 1):
            parts += [Rule(), *_row(view, row, clip, at=at, of=len(shown))]
        if hidden:
            parts += [Rule(), note(copy("card.missed.more", n=hidden))]
        parts += [Rule(), note(copy("card.missed.truth"))]
        return Card(
            locale=locale,
            header=Header(
                title=_title(len(missed.rows) + missed.left_out),
                subtitle=copy("card.missed.subtitle"),
                template="yellow" if missed.open else "grey",
            ),
            parts=tuple(parts),
            summary=_title(len(missed.rows) + missed.left_out),
        )

    return fit(draw)


def _first(missed: MissedView) -> Copy:
    """What is needed; what was written is kept in memory, and may be gone."""
    if not missed.rows:
        return copy("card.missed.forgotten")
    return copy("card.missed.need" if missed.open else "card.missed.done")


def _title(count: int) -> Copy:
    if count == 0:
        return copy("card.missed.title.forgotten")
    return copy("card.missed.title.one") if count == 1 else copy("card.missed.title", n=count)


def _row(view: CardView, row: MissedRow, clip: Clipper, *, at: int, of: int) -> tuple[Part, ...]:
    text: Text = copy("card.missed.code") if row.is_code else clip.text(row.text, TEXT_CHARS_MAX)
    parts: list[Part] = [
        Paragraph(text=text),
        note(_by(row, at, of)),
        Clock(moment=Moment(row.at_ms), size="notation"),
    ]
    if row.done:
        parts.append(note(copy("card.missed.opened")))
    return (*parts, *opener(view, row.button, numbered(copy("card.missed.open"), at, of)))


def _by(row: MissedRow, at: int, of: int) -> Copy:
    """Whose message it is, under its number."""
    by, number = copy("card.missed.by", who=name_of(row.by)), number_of(at, of)
    return Copy(number + by.en, number + by.zh)
