"""Pieces of the text that documents are shown as: labels, names, moments, lists and their ends.

A document reaches a renderer as plain mappings and lists, possibly from the wire: every piece takes what it is given
for untrusted and shows it on its own line, literally.
"""

from collections.abc import Mapping, Sequence

from ledger.text.say import Locale, has, one_line, plain, say
from ledger.text.tables import pairs
from ledger.text.times import short_utc

Doc = Mapping[str, object]
Fact = tuple[str, object]
TEXT_LINES_MAX = 12
ITEMS_MAX = 6
SHORT_DIGEST_CHARS = 12
COLON: dict[Locale, str] = {"en": ": ", "zh": "："}
COMMA: dict[Locale, str] = {"en": ", ", "zh": "、"}


def as_map(value: object) -> Doc:
    """A part of a document, or nothing."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> list[object]:
    """A list of a document, or an empty one."""
    return list(value) if isinstance(value, list | tuple) else []


def rows_of(doc: Doc, name: str) -> list[Doc]:
    """The rows of a list."""
    return [as_map(row) for row in as_list(doc.get(name))]


def number(value: object) -> int:
    """A count, or 0 where there is none."""
    return value if isinstance(value, int) else 0


def label(name: str, locale: Locale) -> str:
    """What stands before a value."""
    return say(f"field.{name}" if has(f"field.{name}") else f"cli.label.{name}", locale)


def named(family: str, name: object, locale: Locale) -> str:
    """A name of the wire in the reader's language; one that has no sentence is shown as it is."""
    key = f"{family}.{name}"
    return say(key, locale) if has(key) else one_line(str(name))


def moment(value: object) -> str:
    """A moment as people read it, or a dash."""
    return short_utc(str(value)) if value else "-"


def short(digest: object) -> str:
    """The beginning of a digest."""
    return one_line(str(digest))[:SHORT_DIGEST_CHARS]


def joined(values: object, locale: Locale, items_max: int = ITEMS_MAX) -> str:
    """Names on one line, and how many more there are; a dash for none."""
    shown = [one_line(str(value)) for value in as_list(values)]
    more = [say("card.more", locale, n=len(shown) - items_max)] if len(shown) > items_max else []
    return COMMA[locale].join([*shown[:items_max], *more]) or "-"


def text_lines(text: object, lines_max: int = TEXT_LINES_MAX) -> list[str]:
    """A text of several lines, each shown literally; a mark stands for those that are left out."""
    if not text:
        return []
    lines = [one_line(line) for line in plain(str(text)).split("\n")]
    return [*lines[:lines_max], *(["…"] if len(lines) > lines_max else [])]


def paragraph(text: object) -> list[str]:
    """A text that stands by itself, indented: a line of it never looks like one of ours."""
    return [f"  {line}" for line in text_lines(text)]


def facts(given: Sequence[Fact], indent: str = "  ") -> list[str]:
    """Names and values; what has no value is left out."""
    return pairs([(name, value) for name, value in given if value not in (None, "", [], "-")], indent)


def head(*parts: object) -> str:
    """The first line: what it is, in a few words."""
    return " · ".join(one_line(str(part)) for part in parts if part not in (None, ""))


def listed(rows: list[str], doc: Doc, empty: str, locale: Locale) -> list[str]:
    """Rows with how much of the list they are, or that there are none."""
    return [*rows, *page(len(rows), doc.get("total"), doc.get("next_after"), locale)] or [say(empty, locale)]


def page(shown: int, total: object, next_after: object, locale: Locale) -> list[str]:
    """How much of a list this is, where it is not all of it."""
    if number(total) <= shown:
        return []
    if next_after is None:
        return [say("cli.more.bare", locale, shown=shown, total=total)]
    return [say("cli.more", locale, shown=shown, total=total, next_after=next_after)]
