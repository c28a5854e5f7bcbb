"""What changed between two texts, word by word, and between two lists, entry by entry.

Words of scripts without blanks are compared character by character. Two texts that are too long to compare in the
time that a page may take are shown as what went and what came, whole.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, NamedTuple

WORDS_MAX = 400
ENTRIES_MAX = 60
ALIKE_MIN = 0.3
"""Two entries that share less than this are two entries, not one that was changed."""

_SIGNS = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
"""Scripts that set no blanks between words."""
_LETTERS = rf"[^\W{_SIGNS}]+"
_WORD = re.compile(rf"[{_SIGNS}]|\s*{_LETTERS}(?:[.,'-]{_LETTERS})*|\s+|.", re.DOTALL)
"""A word goes with the blanks before it: what is added at an end leaves the word before it as it was."""


class Piece(NamedTuple):
    """A stretch of text that stayed, came or went."""

    kind: Literal["same", "came", "went"]
    text: str


Change = tuple[Piece, ...]


@lru_cache(maxsize=512)
def word_diff(was: str, becomes: str) -> Change:
    """The pieces of both, in reading order: what went stands before what came in its place."""
    if was == becomes:
        return (Piece("same", was),) if was else ()
    old, new = _WORD.findall(was), _WORD.findall(becomes)
    if len(old) > WORDS_MAX or len(new) > WORDS_MAX:
        return _whole(was, becomes)
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(old[i1:i2])))
            continue
        pieces += _whole("".join(old[i1:i2]), "".join(new[j1:j2]))
    return tuple(pieces)


@lru_cache(maxsize=256)
def list_diff(was: tuple[str, ...], becomes: tuple[str, ...]) -> tuple[Change, ...]:
    """The entries of both, in reading order; one that was changed is one entry with what changed in it."""
    if len(was) > ENTRIES_MAX or len(becomes) > ENTRIES_MAX:
        return tuple(_whole(one, "") for one in was) + tuple(_whole("", one) for one in becomes)
    entries: list[Change] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, was, becomes, autojunk=False).get_opcodes():
        if tag == "equal":
            entries += [(Piece("same", one),) for one in was[i1:i2]]
        else:
            entries += _replaced(was[i1:i2], becomes[j1:j2])
    return tuple(entries)


def _replaced(was: Sequence[str], becomes: Sequence[str]) -> list[Change]:
    """Entries that stand in one another's place: paired while they are alike, else one after the other."""
    entries: list[Change] = []
    for old, new in zip(was, becomes, strict=False):
        change = word_diff(old, new)
        kept = sum(len(piece.text) for piece in change if piece.kind == "same")
        if kept >= ALIKE_MIN * max(len(old), len(new)):
            entries.append(change)
        else:
            entries += [_whole(old, ""), _whole("", new)]
    entries += [_whole(one, "") for one in was[len(becomes) :]]
    return entries + [_whole("", one) for one in becomes[len(was) :]]


def _whole(was: str, becomes: str) -> Change:
    pieces = (Piece("went", was), Piece("came", becomes))
    return tuple(piece for piece in pieces if piece.text)
