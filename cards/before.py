"""What a revision changes, and what was turned down before it: read before the whole of it."""

from cards import sections
from cards.budget import Clipper
from cards.elements import Paragraph, Part
from cards.text import Copy, copy, named
from cards.theme import CODES, SWITCHES
from ledger.projections.promise_views import BeforeView, RevisedView

CHANGES_MAX = 12
ITEMS_MAX = 6
SHORT_CHARS_MAX = 160


def before(seen: BeforeView | None, clip: Clipper) -> tuple[Part, ...]:
    """The differences, field by field; nothing for the first revision."""
    if seen is None:
        return ()
    parts: list[Part] = []
    if seen.turned_down is not None:
        parts.append(sections.label(copy("card.before.turned_down")))
        parts += sections.decision(seen.turned_down, clip, family="state.review")
    shown, hidden = clip.rows(seen.changes, CHANGES_MAX)
    parts.append(sections.label(copy("card.before.changed", revision=seen.revision)))
    parts += [Paragraph(text=_change(one, clip)) for one in shown]
    if not shown:
        parts.append(Paragraph(text=copy("card.none")))
    return (*parts, *sections.more(hidden))


def _change(one: RevisedView, clip: Clipper) -> Copy:
    """One field: a list by what came and what went, a value by what it was and what it becomes."""
    name = named("field", one.name)
    if one.name in SWITCHES:
        return copy("card.before.on" if one.becomes else "card.before.off", field=name)
    if len(one.was) > 1 or len(one.becomes) > 1:
        came = [f"+ {clip.line(item, SHORT_CHARS_MAX)}" for item in one.becomes if item not in one.was]
        went = [f"− {clip.line(item, SHORT_CHARS_MAX)}" for item in one.was if item not in one.becomes]
        rows, hidden = clip.rows((*came, *went), ITEMS_MAX)
        more = [f"+{hidden}"] if hidden else []
        # The same items in another order are said to be that.
        items = " · ".join([*rows, *more])
        return copy("card.before.list", field=name, items=items or copy("card.before.order"))
    return copy(
        "card.before.value",
        field=name,
        was=_value(one.was, one.name, clip),
        becomes=_value(one.becomes, one.name, clip),
    )


def _value(items: tuple[str, ...], name: str, clip: Clipper) -> str | Copy:
    if not any(item.strip() for item in items):
        return copy("card.none")
    if name in CODES:
        return named(CODES[name], items[0])
    return clip.line(items[0], SHORT_CHARS_MAX)
