"""Whether a path lies inside what work may write, said of real paths and as strictly as it can be.

A scope is a relative glob in which `*` crosses `/`, `**/` may stand for nothing, and a bare folder means what is in it.
Case counts, whatever the file system thinks of it. The ledger decides whether scopes meet; here only paths are held
against them, each as it is spelled.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_GLOB = re.compile(r"[*?\[]")


def outside(paths: Iterable[str], todo_scopes: Sequence[str], goal_scopes: Sequence[str]) -> list[str]:
    """Paths that the todo, or the goal that it belongs to, does not let anybody write."""
    return [path for path in paths if not (inside(path, todo_scopes) and inside(path, goal_scopes))]


def inside(path: str, scopes: Sequence[str]) -> bool:
    """Whether one of the scopes holds the path; none holds nothing."""
    parts = path.split("/")
    if path.startswith("/") or not path or any(part in {"", ".", ".."} for part in parts) or parts[0] == ".git":
        return False
    return any(_holds(scope, path) for scope in scopes)


def _holds(scope: str, path: str) -> bool:
    if _GLOB.search(scope) is None:
        return path == scope or path.startswith(f"{scope}/")
    return _pattern(scope).fullmatch(path) is not None


@lru_cache(maxsize=1_024)
def _pattern(scope: str) -> re.Pattern[str]:
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
    return re.compile("".join(pieces), re.DOTALL)


def _set(body: str) -> str:
    """A set of characters; one that cannot be read as such matches nothing."""
    inverted, chars = body[:1] in {"!", "^"}, body[1:] if body[:1] in {"!", "^"} else body
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", chars)
    try:
        re.compile(f"[{escaped}]")
    except re.error:
        return "(?!)"
    return f"[^{escaped}]" if inverted else f"[{escaped}]"
