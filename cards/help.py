"""Help: what one can write here, and what only a press can do."""

from typing import Final

from cards.answers import lines
from cards.budget import Clipper, fit
from cards.elements import Card, Header, Paragraph, Part
from cards.sections import label, note
from cards.text import copy
from ledger.projections.chat_views import HelpView
from ledger.text.say import Locale

COMMANDS: Final = (
    "propose", "goals", "status", "pause", "attention", "digest", "members", "pair", "invite", "bind", "help",
)  # fmt: skip
"""The commands that are explained, in the order in which one needs them."""


def help_card(shown: HelpView, *, locale: Locale) -> Card:
    """Draw the help for somebody who is known here, or for somebody who is not yet."""

    def draw(clip: Clipper) -> Card:
        del clip
        return Card(
            locale=locale,
            header=Header(title=copy("card.help.title"), subtitle=copy("card.help.subtitle"), template="blue"),
            parts=(*_first(shown), *_words(shown), note(copy("card.help.nothing_written"))),
            summary=copy("card.help.title"),
        )

    return fit(draw)


def _first(shown: HelpView) -> tuple[Part, ...]:
    """What is needed of the reader first."""
    if shown.paired:
        return (Paragraph(text=copy("card.help.need.direct" if shown.direct else "card.help.need"), size="heading"),)
    how = "card.help.pair.direct" if shown.direct else "card.help.pair"
    return (
        Paragraph(text=copy("card.help.unpaired"), size="heading"),
        Paragraph(text=copy(how)),
        Paragraph(text=copy("card.help.word.pair")),
    )


def _words(shown: HelpView) -> tuple[Part, ...]:
    """One line a command."""
    title = copy("card.help.words" if shown.paired else "card.help.words.later")
    # Who is not known yet reads of pairing above: it is the one word that counts before.
    said = lines([copy(f"card.help.word.{name}") for name in COMMANDS if shown.paired or name != "pair"])
    return (label(title), Paragraph(text=said), Paragraph(text=copy("card.help.free_text")))
