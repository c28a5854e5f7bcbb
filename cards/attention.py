"""Attention: all that waits for one person, most urgent first, each with a way to settle it.

The count stands in the header, where a list of chats shows it. A row without a card of its own has its line
for a shell.
"""

from cards.answers import line, number_of, numbered, opener
from cards.budget import Clipper, fit
from cards.elements import Card, Clock, Header, Paragraph, Part, Rule, TagColor, Template
from cards.sections import label, note
from cards.text import Copy, Moment, Text, copy, name_of, named
from ledger.projections.chat_views import AttentionRow, AttentionView
from ledger.projections.views import CardView
from ledger.text.lines import need_line
from ledger.text.packet_text import command_line
from ledger.text.say import LOCALES, Locale

TITLE_CHARS_MAX = 80
TEXT_CHARS_MAX = 200
COMMAND = "frontstage attention"


def attention_card(view: CardView, attention: AttentionView, *, locale: Locale) -> Card:
    """Draw the list. It says nothing of the moment, so that it stays the same while nothing happens."""

    def draw(clip: Clipper) -> Card:
        shown = () if attention.superseded else attention.rows[: clip.limits.rows]
        parts: list[Part] = [Paragraph(text=_first(attention), size="heading")]
        for at, row in enumerate(shown, 1):
            parts += [Rule(), *_row(view, row, clip, at=at, of=len(shown))]
        hidden = attention.total - len(shown)
        if hidden and not attention.superseded:
            parts += [Rule(), note(copy("card.attention.more", n=hidden, command=COMMAND))]
        if shown:
            parts += clip.note(shown[0].goal_id, color="grey")
        return Card(locale=locale, header=_header(attention), parts=tuple(parts), summary=_title(attention))

    return fit(draw)


def _header(attention: AttentionView) -> Header:
    tags: tuple[tuple[Text, TagColor], ...] = ()
    if attention.high and attention.open:
        tags = ((copy("card.attention.high", n=attention.high), "red"),)
    waiting: Template = "red" if attention.high else "orange"
    return Header(
        title=_title(attention),
        subtitle=copy("card.attention.subtitle"),
        template=waiting if attention.open else ("grey" if attention.superseded else "green"),
        tags=tags,
    )


def _title(attention: AttentionView) -> Copy:
    if attention.superseded:
        return copy("card.attention.title.before")
    if attention.total == 0:
        return copy("card.attention.title.none")
    return copy("card.attention.title.one" if attention.total == 1 else "card.attention.title", n=attention.total)


def _first(attention: AttentionView) -> Copy:
    if attention.superseded:
        return copy("card.attention.superseded")
    return copy("card.attention.need" if attention.open else "card.attention.nothing")


def _row(view: CardView, row: AttentionRow, clip: Clipper, *, at: int, of: int) -> tuple[Part, ...]:
    number = number_of(at, of)
    need = Copy(*(number + need_line(row.kind, row.code, row.subject, language) for language in LOCALES))
    where = line(
        name_of(row.goal_id),
        clip.line(row.title, TITLE_CHARS_MAX),
        named("cli.severity", row.severity),
        f"#{row.seq}" if row.seq else "",
    )
    parts: list[Part] = [Paragraph(text=need), note(where)]
    if row.text:
        parts.append(Paragraph(text=clip.text(row.text, TEXT_CHARS_MAX), inset=True))
    if row.until_ms is not None:
        parts += [label(copy("card.attention.until")), Clock(moment=Moment(row.until_ms), size="notation")]
    buttons = opener(view, row.button, numbered(copy("card.attention.open"), at, of))
    return (*parts, *(buttons or (_by_shell(row),)))


def _by_shell(row: AttentionRow) -> Paragraph:
    """The line that settles it, made of ids and numbers alone."""
    return note(copy("card.attention.shell", command=command_line(row.action, row.flags)))
