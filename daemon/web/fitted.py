"""Words that fit into a picture: how wide they are, about, and where a line of them ends.

Nobody here knows the reader's font, so widths are estimated on the broad side, and what is drawn is clipped besides.
"""

import re
from unicodedata import combining, east_asian_width

from ledger.text.say import one_line

ELLIPSIS = "…"
READ_CHARS_MAX = 400
"""Letters that are looked at; nothing longer fits anywhere."""
_NARROW = frozenset("fijlrtI.,:;'|!()[] -`\"")
_BROAD = frozenset("mwMW@%—…")
_WORDS = re.compile(r"\S+\s*|\s+")


def width_of(text: str) -> float:
    """The width of a line in units of the size of its letters."""
    return sum(map(_width, text))


def _width(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.0
    if letter in _NARROW:
        return 0.4
    if letter in _BROAD:
        return 1.0
    if combining(letter):
        return 0.0
    return 0.7 if letter.isupper() or ord(letter) > 0x24F else 0.62


def cut(text: str, width: float) -> str:
    """As much of a line as fits, with a mark where something is missing."""
    read = one_line(text[:READ_CHARS_MAX]).strip()
    if width_of(read) <= width and len(text) <= READ_CHARS_MAX:
        return read
    return _upto(read, width - _width(ELLIPSIS)).rstrip() + ELLIPSIS


def cut_front(text: str, width: float) -> str:
    """The end of a line where the whole does not fit: names of things differ at their ends."""
    read = one_line(text[-READ_CHARS_MAX:])
    return read if width_of(read) <= width else ELLIPSIS + _upto(read[::-1], width - _width(ELLIPSIS))[::-1]


def _upto(text: str, width: float) -> str:
    taken = 0.0
    for at, letter in enumerate(text):
        taken += _width(letter)
        if taken > width:
            return text[:at]
    return text


def lines_of(text: str, width: float, lines_max: int) -> tuple[str, ...]:
    """A text on a few lines, broken between words where there are any, the last one cut."""
    rest = one_line(text[:READ_CHARS_MAX]).strip()
    lines: list[str] = []
    while rest and len(lines) < lines_max - 1 and width_of(rest) > width:
        line = ""
        for word in _WORDS.findall(rest):
            if width_of((line + word).rstrip()) > width:
                break
            line += word
        line = line or _upto(rest, width) or rest[:1]
        lines.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    return (*lines, cut(rest + text[READ_CHARS_MAX:], width)) if rest else tuple(lines)
