"""Write scopes: which files a piece of work may touch, and whether two of them meet.

A scope is a relative glob in which `*` crosses `/`, and a bare directory means its subtree. Overlap is conservative:
two globs meet when their literal beginnings do, and a glob meets a directory when it could match anything in it.
`ledger.scope_index` finds what a scope could meet without looking at all there is.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ledger.scope_case import folded, folded_boundary

SCOPE_CHARS_MAX = 160
SCOPES_MAX = 64
SCOPES_REMEMBERED_MAX = 4_096
_FORBIDDEN = re.compile(r"[\s<>\\\x00-\x1f\x7f]")
_GLOB = re.compile(r"[*?\[]")
_EXTENSION = re.compile(r"[^/]\.[A-Za-z][A-Za-z0-9]{0,9}$")
EVERYTHING = frozenset({"*", "**"})
_WHOLE_SUBTREE = frozenset({"*", "**", "**/*", "**/**"})


@lru_cache(maxsize=SCOPES_REMEMBERED_MAX)
def canonical_scope(text: str) -> str | None:
    """The one spelling of a scope (`./a//b` becomes `a/b`), or None if it is not a relative glob.

    Upward steps, absolute and home paths are refused rather than dropped: a scope that silently became
    something else would let work out of its bounds.
    """
    if not text or len(text) > SCOPE_CHARS_MAX or _FORBIDDEN.search(text) or text[0] in "/~":
        return None
    parts = [part for part in text.split("/") if part not in {"", "."}]
    if ".." in parts or any(part.startswith("~") for part in parts[:1]):
        return None
    return "/".join(parts) if parts else "**"


def overlap(left: str, right: str) -> bool:
    """Whether two canonical scopes can name a common path."""
    if left == right or left in EVERYTHING or right in EVERYTHING:
        return True
    left_glob, right_glob = _GLOB.search(left), _GLOB.search(right)
    if left_glob and right_glob:
        left_start, right_start = left[: left_glob.start()], right[: right_glob.start()]
        return left_start.startswith(right_start) or right_start.startswith(left_start)
    if left_glob:
        return _glob_meets(left, right)
    if right_glob:
        return _glob_meets(right, left)
    return right.startswith(left + "/") or left.startswith(right + "/")


def within(scope: str, boundary: tuple[str, ...], *, fold_case: bool = False) -> bool:
    """Whether what `scope` can name lies inside one of the boundary's scopes; an empty boundary holds nothing.

    A glob is inside only what holds a whole subtree. A literal that a glob of the boundary matches is inside, as the
    one path that it names.
    """
    if fold_case:
        # The same spelling is inside itself, though a set in it may be one that cannot be folded.
        small = folded(scope)
        return any(scope == outer or _inside(small, folded_boundary(outer)) for outer in boundary)
    return any(_inside(scope, outer) for outer in boundary)


def _inside(scope: str, outer: str) -> bool:
    if scope == outer or outer in EVERYTHING:
        return True
    glob = _GLOB.search(outer)
    if glob is None:
        return scope.startswith(outer + "/")
    if outer[glob.start() :] in _WHOLE_SUBTREE:
        return f"{scope}/".startswith(outer[: glob.start()])
    return _GLOB.search(scope) is None and matches(outer, scope)


@lru_cache(maxsize=SCOPES_REMEMBERED_MAX)
def _glob_meets(glob: str, literal: str) -> bool:
    """A glob meets a path it matches; a bare directory means its subtree, so all that it could match in there counts.

    A last segment with an extension is taken for a file, so that `*.py` leaves `notes.md` alone, unless the glob itself
    goes into it: `conf.d/**` meets `conf.d`.
    """
    tokens = _tokens(glob)
    places = _after(tokens, literal)
    if len(tokens) in places:
        return True
    if _EXTENSION.search(literal) is None:
        return bool(_after(tokens, literal + "/"))
    return any(_goes_into(tokens, place) for place in places)


def _goes_into(tokens: "tuple[_Token, ...]", place: int) -> bool:
    """Whether a `/` that somebody wrote stands here, not one that `**/` may stand for."""
    return place < len(tokens) and tokens[place] == _SLASH and (place < 2 or tokens[place - 2] != _MAYBE)


def matches(glob: str, path: str) -> bool:
    """Whether the glob names exactly this path."""
    tokens = _tokens(glob)
    return len(tokens) in _after(tokens, path)


@dataclass(frozen=True, slots=True)
class _One:
    """Exactly one character: any, or one of a set, or one outside of it."""

    ranges: tuple[tuple[str, str], ...] = ()
    inverted: bool = False

    def takes(self, char: str) -> bool:
        """Whether the character fits."""
        return any(low <= char <= high for low, high in self.ranges) != self.inverted


_ANY = _One(inverted=True)
_SLASH = _One(ranges=(("/", "/"),))
_STAR = "*"
"""Anything, across `/`."""
_MAYBE = "("
"""The two tokens that follow may be left out: `**/` is any directories, or none."""
_Token = _One | str


@lru_cache(maxsize=4_096)
def _tokens(glob: str) -> tuple[_Token, ...]:
    found: list[_Token] = []
    at = 0
    while at < len(glob):
        char = glob[at]
        end = glob.find("]", at + 2) if char == "[" else -1
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            found += (_MAYBE, _STAR, _SLASH)
            at += 3
        elif end > 0:
            found.append(_set(glob[at + 1 : end]))
            at = end + 1
        else:
            found.append(_STAR if char == "*" else _ANY if char == "?" else _One(ranges=((char, char),)))
            at += 1
    return tuple(found)


def _set(text: str) -> _One:
    """A set such as `a-z_` or `!0-9`; a range that runs backwards holds nothing."""
    inverted = text[0] == "!" and len(text) > 1
    chars = text[1:] if inverted else text
    ranges: list[tuple[str, str]] = []
    while chars:
        is_range = len(chars) > 2 and chars[1] == "-"
        ranges.append((chars[0], chars[2] if is_range else chars[0]))
        chars = chars[3 if is_range else 1 :]
    return _One(ranges=tuple(ranges), inverted=inverted)


def _after(tokens: tuple[_Token, ...], text: str) -> set[int]:
    """Where in the glob one can stand after reading the text; nowhere, if nothing that it matches begins like this."""
    here = _resting(tokens, {0})
    for char in text:
        read: set[int] = set()
        for place in here:
            token = tokens[place] if place < len(tokens) else _MAYBE
            if token == _STAR:
                read.add(place)
            elif isinstance(token, _One) and token.takes(char):
                read.add(place + 1)
        here = _resting(tokens, read)
    return here


def _resting(tokens: tuple[_Token, ...], places: set[int]) -> set[int]:
    """These places, and those that can be reached from them without reading anything."""
    found: set[int] = set()
    open_places = list(places)
    while open_places:
        place = open_places.pop()
        if place in found:
            continue
        found.add(place)
        token = tokens[place] if place < len(tokens) else None
        if token in {_STAR, _MAYBE}:
            open_places.append(place + 1)
        if token == _MAYBE:
            open_places.append(place + 3)
    return found


@lru_cache(maxsize=SCOPES_REMEMBERED_MAX)
def literal_beginning(scope: str) -> str | None:
    """What stands before the first wildcard; None where there is none, so that the scope is a plain path."""
    glob = _GLOB.search(scope)
    return None if glob is None else scope[: glob.start()]


def is_file(literal: str) -> bool:
    """Whether the last segment has an extension, so that it is taken for a file."""
    return _EXTENSION.search(literal) is not None


@lru_cache(maxsize=SCOPES_REMEMBERED_MAX)
def endings(glob: str) -> tuple[str, ...]:
    """How a file has to end, in one of these ways, for the glob to match it or to go into it."""
    tokens = _tokens(glob)
    ends = [place for place in range(len(tokens)) if _goes_into(tokens, place)]
    return tuple(dict.fromkeys(_run_before(tokens, place) for place in (*ends, len(tokens))))


def _run_before(tokens: tuple[_Token, ...], place: int) -> str:
    """The plain characters that must have been read right before one stands at this place."""
    run = ""
    while place and (char := _plain(tokens[place - 1])) is not None and tokens[max(0, place - 3)] != _MAYBE:
        run = char + run
        place -= 1
    return run


def _plain(token: _Token) -> str | None:
    """The one character that the token takes, if it is one."""
    if isinstance(token, _One) and not token.inverted and len(token.ranges) == 1:
        low, high = token.ranges[0]
        return low if low == high else None
    return None
