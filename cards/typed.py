"""What a person typed before: back in the field it was typed into, with what was wrong, or shown as not sent."""

from collections.abc import Mapping

from cards.actions import key_of, offered
from cards.budget import Clipper
from cards.elements import Paragraph, Part
from cards.sections import more
from cards.text import Words, copy, named, refused
from ledger.projections.form_views import TypedView
from ledger.projections.views import CardView
from ledger.text.say import plain

UNSENT_CHARS_MAX = 1000
UNSENT_MAX = 4
FIELDS_MAX = 4


def value(view: CardView, field: str, chars_max: int, *names: str) -> Words | None:
    """What stands in a field of the form that sends one of these actions, if something was typed."""
    typed = (one.values.get(field, "") for one in _of(view, names))
    text = next((text for text in typed if text.strip()), "")
    return Words(plain(text)[:chars_max]) if text else None


def problem(view: CardView, *names: str) -> tuple[Paragraph, ...]:
    """Why what was typed for one of these actions was not done, and what to do."""
    found = next((one for one in _of(view, names) if one.problem_code is not None), None)
    if found is None or found.problem_code is None:
        return ()
    message = refused(found.problem_code, "message", found.problem_details)
    return (
        Paragraph(text=copy("card.typed.problem", message=message), color="red"),
        Paragraph(text=refused(found.problem_code, "hint", found.problem_details), size="notation"),
    )


def unsent(view: CardView, clip: Clipper) -> tuple[Part, ...]:
    """What was typed for an action that this card no longer has: it was not sent, and it is not lost."""
    parts: list[Part] = []
    late = [one for one in view.typed if offered(view, key_of(one.action)) is None]
    shown, hidden = clip.rows(late, UNSENT_MAX)
    for one in shown:
        action = named("action", key_of(one.action))
        parts.append(Paragraph(text=copy("card.typed.unsent", action=action), color="red", apart=True))
        parts += [Paragraph(text=clip.text(text, UNSENT_CHARS_MAX)) for text in _texts(one.values)[:FIELDS_MAX]]
    return (*parts, *more(hidden))


def _of(view: CardView, names: tuple[str, ...]) -> list[TypedView]:
    return [one for one in view.typed if key_of(one.action) in names]


def _texts(values: Mapping[str, str]) -> list[str]:
    return [text for text in values.values() if text.strip()]
