"""Whether a path lies inside what work may write, said of real paths and as strictly as it can be.

A scope is a relative glob in which `*` crosses `/`, `**/` may stand for nothing, and a bare folder means what is in it.
Case counts, whatever the file system thinks of it, unless the goal says that it counts for nothing. The ledger decides
whether scopes meet; here only paths are held against them, each as it is spelled, or as it is compared by such a goal:
one character for one, so that `ß` and `ss` are two names there as well.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Scopes:
    """What a turn may write: both what its todo says and what its goal says."""

    todo: Sequence[str]
    goal: Sequence[str]
    fold_case: bool = False

    def outside(self, paths: Iterable[str]) -> list[str]:
        """Paths that the todo, or the goal that it belongs to, does not let anybody write."""
        return [path for path in paths if not self.hold(path)]

    def hold(self, path: str) -> bool:
        """Whether the path lies in both."""
        return all(inside(path, scopes, fold_case=self.fold_case) for scopes in (self.todo, self.goal))


def inside(path: str, scopes: Sequence[str], *, fold_case: bool = False) -> bool:
    """Whether one of the scopes holds the path; none holds nothing."""
    parts = path.split("/")
    if path.startswith("/") or not path or any(part in {"", ".", ".."} for part in parts):
        return False
    if parts[0].casefold() == ".git":
        return False
    if fold_case:
        path, scopes = _folded(path), [_folded(scope) for scope in scopes]
    return any(_holds(scope, path, fold_case) for scope in scopes)


def _folded(text: str) -> str:
    """One spelling of all that differ by case alone, or by how an accent is written."""
    return "".join(map(_small, unicodedata.normalize("NFC", text)))


def _small(char: str) -> str:
    return next((small for small in (char.casefold(), char.lower()) if len(small) == 1), char)


def _holds(scope: str, path: str, fold_case: bool) -> bool:  # noqa: FBT001  (it is handed on)
    if _GLOB.search(scope) is None:
        return path == scope or path.startswith(f"{scope}/")
    return _pattern(scope, fold_case).fullmatch(path) is not None


@lru_cache(maxsize=1_024)
def _pattern(scope: str, fold_case: bool) -> re.Pattern[str]:  # noqa: FBT001  (it is handed on)
    pieces: list[str] = []
    place = 0
    while place < len(scope):
        if scope.startswith("**/", place) and (place == 0 or scope[place - 1] == "/"):
            pieces.append("(?:.*/)?")
            place += 3
        elif scope[place] == "*":
            pieces.append(".*")
            place += 1
        elif scope[place] == "?":
            pieces.append(".")
            place += 1
        elif scope[place] == "[" and (close := scope.find("]", place + 2)) > 0:
            pieces.append(_set(scope[place + 1 : close]))
            place = close + 1
        else:
            pieces.append(re.escape(scope[place]))
            place += 1
    # What a set names or leaves out, it does in both cases.
    return re.compile("".join(pieces), re.DOTALL | (re.IGNORECASE if fold_case else 0))


def _set(body: str) -> str:
    """A set of characters; one that cannot be read as such matches nothing."""
    inverted, chars = body[:1] in {"!", "^"}, body[1:] if body[:1] in {"!", "^"} else body
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", chars)
    try:
        re.compile(f"[{escaped}]")
    except re.error:
        return "(?!)"
    return f"[^{escaped}]" if inverted else f"[{escaped}]"
