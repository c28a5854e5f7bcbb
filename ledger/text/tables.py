"""Columns of text that line up on a terminal, whatever the script of their letters.

A Chinese character is two cells wide there and a mark that combines is none; counting letters would break every table
that has a name in it.
"""

import unicodedata
from collections.abc import Sequence

from ledger.text.say import one_line

GAP = "  "
CELL_CHARS_MAX = 72


def width(text: str) -> int:
    """How many cells a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1 for sign in text
    )


def cell(value: object, chars_max: int = CELL_CHARS_MAX) -> str:
    """A value on one line; a longer one ends in a mark."""
    text = one_line(str(value))
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def table(rows: Sequence[Sequence[object]], indent: str = "") -> list[str]:
    """Rows whose columns line up; the last column is as long as it is."""
    shown = [
        [cell(value, CELL_CHARS_MAX if place < len(row) - 1 else 10_000) for place, value in enumerate(row)]
        for row in rows
    ]
    columns = max((len(row) for row in shown), default=0)
    widths = [max((width(row[place]) for row in shown if place < len(row)), default=0) for place in range(columns)]
    return [(indent + GAP.join(_padded(row, widths))).rstrip() for row in shown]


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    last = len(row) - 1
    return [text if place == last else text + " " * (widths[place] - width(text)) for place, text in enumerate(row)]


def pairs(facts: Sequence[tuple[str, object]], indent: str = "  ") -> list[str]:
    """Names and values, one pair a line; a value of several lines is indented under its first."""
    wide = max((width(name) for name, _ in facts), default=0)
    lines: list[str] = []
    for name, value in facts:
        first, *rest = value if isinstance(value, list) and value else [value]
        lines.append(f"{indent}{name}{' ' * (wide - width(name))}{GAP}{first}".rstrip())
        lines.extend(f"{indent}{' ' * wide}{GAP}{line}" for line in rest)
    return lines
