"""Result and refusal: what came of one attempt, and what to do next."""

from cards import actions
from cards.budget import Clipper, fit
from cards.elements import Card, Header, Paragraph, Part
from cards.text import Words, copy, named, refused
from ledger.projections.views import CardView, ResultView
from ledger.text.say import Locale, has

TITLE_CHARS_MAX = 120


def result_card(view: CardView, result: ResultView, *, locale: Locale) -> Card:
    """Draw one outcome."""
    action = named("action", actions.key_of(result.action))

    def draw(clip: Clipper) -> Card:
        subtitle = copy("card.result.done" if result.ok else "card.result.refused", action=action)
        title = clip.line(result.title, TITLE_CHARS_MAX) or clip.line(result.goal_id or "", TITLE_CHARS_MAX)
        parts: list[Part] = [*_said(result), *actions.rows(view)]
        return Card(
            locale=locale,
            header=Header(
                title=Words(title) if title else subtitle,
                subtitle=subtitle,
                template="green" if result.ok else "orange",
            ),
            parts=tuple(parts),
            summary=copy("card.summary.result.ok" if result.ok else "card.summary.result.refused"),
        )

    return fit(draw)


def _said(result: ResultView) -> tuple[Part, ...]:
    if not result.ok:
        return (
            Paragraph(text=refused(result.code, "message", result.details), size="heading"),
            Paragraph(text=refused(result.code, "hint", result.details)),
            Paragraph(text=copy("card.result.nothing_lost"), size="notation", color="grey"),
        )
    key = f"toast.done.{actions.key_of(result.action)}"
    if has(key) and "name" not in result.details:
        return (Paragraph(text=copy(key, **result.details), size="heading"),)
    done = copy("toast.done.other", action=named("action", actions.key_of(result.action)))
    return (Paragraph(text=done, size="heading"),)
