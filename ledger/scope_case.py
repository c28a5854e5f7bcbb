"""Write scopes where case counts for nothing: another spelling of each, by which all the rules compare as ever.

Letters become their folded ones, composed with their accents. A set such as `[A-C_]` becomes the set of what its
characters fold to; one that leaves characters out leaves out both cases of them in a boundary, and none where two
scopes might meet. A set that cannot be spelled again, because of a sign that has a meaning in sets, is taken for any
character where two scopes might meet, and for none where a boundary would have to hold something: on both sides the
answer is the careful one.
"""

import unicodedata
from functools import lru_cache
from typing import Final

REMEMBERED_MAX: Final = 4_096
SET_CHARS_MAX: Final = 512
"""A set of more characters is one that cannot be spelled again."""
_ANY: Final = "?"
_NONE: Final = "[b-a]"


@lru_cache(maxsize=REMEMBERED_MAX)
def folded(scope: str) -> str:
    """The scope, for the question whether it meets another: it names no less than before."""
    return _spelled(_composed(scope), _ANY)


@lru_cache(maxsize=REMEMBERED_MAX)
def folded_boundary(scope: str) -> str:
    """The scope, for the question whether it holds another: it names no more than before, but for case."""
    return _spelled(_composed(scope), _NONE)


def _composed(scope: str) -> str:
    """One spelling of what reads the same, as disks that ignore case compare a letter and its accent."""
    return scope if scope.isascii() else unicodedata.normalize("NFC", scope)


def _spelled(scope: str, otherwise: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(scope):
        end = scope.find("]", at + 2) if scope[at] == "[" else -1
        if end > 0:
            parts.append(_set(scope[at + 1 : end], otherwise))
            at = end + 1
        else:
            parts.append(_small(scope[at]))
            at += 1
    return "".join(parts)


def _set(text: str, otherwise: str) -> str:
    """A set again, of folded characters."""
    inverted = text[0] == "!" and len(text) > 1
    chars = _chars(text[1:] if inverted else text)
    # What a set leaves out in one case it may name in another: where scopes might meet, it is any character.
    unsure = chars is None or (inverted and otherwise == _ANY)
    spelling = None if unsure or chars is None else _written(chars, inverted=inverted)
    return otherwise if spelling is None else spelling


def _small(char: str) -> str:
    """One character for one, so that `?` goes on meaning one: `ß` and `ss` are two names, as they are on disks."""
    return next((small for small in (char.casefold(), char.lower()) if len(small) == 1), char)


def _chars(text: str) -> set[str] | None:
    """What the characters of a set fold to; None where they are too many."""
    found: set[str] = set()
    while text:
        is_range = len(text) > 2 and text[1] == "-"
        low, high = ord(text[0]), ord(text[2] if is_range else text[0])
        if high - low >= SET_CHARS_MAX:
            return None
        found |= {_small(chr(code)) for code in range(low, high + 1)}
        text = text[3 if is_range else 1 :]
    return found


def _written(chars: set[str], *, inverted: bool) -> str | None:
    """These characters as a set; None where one of them would mean something else there."""
    if not chars:
        # What holds nothing leaves nothing out.
        return _ANY if inverted else _NONE
    if chars & set("]!-[") or len(chars) > SET_CHARS_MAX:
        return None
    return f"[{'!' if inverted else ''}{''.join(sorted(chars))}]"
