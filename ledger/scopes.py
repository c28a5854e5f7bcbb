"""Write scopes: which files a piece of work may touch, and whether two of them meet.

A scope is a relative glob. Overlap is conservative: two globs meet when their literal beginnings do. The index
finds the leases a scope could meet without looking at all of them.
"""

import re
from collections.abc import Iterator

SCOPE_CHARS_MAX = 160
SCOPES_MAX = 64
_FORBIDDEN = re.compile(r"[\s<>\\\x00-\x1f\x7f]")
_GLOB = re.compile(r"[*?\[]")


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
    if left == right or left in {"*", "**"} or right in {"*", "**"}:
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


def within(scope: str, boundary: tuple[str, ...]) -> bool:
    """Whether everything `scope` can name lies inside one of the boundary's scopes; an empty boundary holds nothing."""
    return any(_inside(scope, outer) for outer in boundary)


def _inside(scope: str, outer: str) -> bool:
    if scope == outer or outer in {"*", "**"}:
        return True
    glob = _GLOB.search(outer)
    if glob is None:
        return scope.startswith(outer + "/")
    tail = outer[glob.start() :]
    if tail in {"*", "**"}:
        return f"{scope}/".startswith(outer[: glob.start()])
    return _GLOB.search(scope) is None and _pattern(outer).fullmatch(scope) is not None


def _glob_meets(glob: str, literal: str) -> bool:
    """A glob meets a path it matches; a bare directory means its subtree, so its inside counts too."""
    if _pattern(glob).fullmatch(literal):
        return True
    match = _GLOB.search(glob)
    start = glob[: match.start()] if match else glob
    return start.startswith(literal + "/")


def _pattern(glob: str) -> re.Pattern[str]:
    """`*` and `**` cross `/`, as in the contract this is compatible with."""
    out: list[str] = []
    index = 0
    while index < len(glob):
        char = glob[index]
        if char == "*":
            out.append(".*")
        elif char == "?":
            out.append(".")
        elif char == "[" and (end := glob.find("]", index + 1)) > index + 1:
            out.append("[" + re.escape(glob[index + 1 : end]).replace(r"\-", "-").replace("!", "^", 1) + "]")
            index = end
        else:
            out.append(re.escape(char))
        index += 1
    return re.compile("".join(out), re.DOTALL)


def literal_path(scope: str) -> tuple[str, ...]:
    """The segments before the first one with a glob character: where a scope hangs in the index."""
    segments: list[str] = []
    for segment in scope.split("/"):
        if _GLOB.search(segment):
            break
        segments.append(segment)
    return tuple(segments)


class ScopeNode:
    """One directory of the index: who holds a scope that begins exactly here."""

    __slots__ = ("children", "holders")

    def __init__(self) -> None:
        self.children: dict[str, ScopeNode] = {}
        self.holders: dict[str, set[str]] = {}


class ScopeIndex:
    """Which holders' scopes could meet a scope: those on its way from the root, and those below it."""

    __slots__ = ("root",)

    def __init__(self) -> None:
        self.root = ScopeNode()

    def add(self, holder: str, scopes: tuple[str, ...]) -> None:
        """Enter a holder's canonical scopes."""
        for scope in scopes:
            node = self.root
            for segment in literal_path(scope):
                node = node.children.setdefault(segment, ScopeNode())
            node.holders.setdefault(holder, set()).add(scope)

    def remove(self, holder: str, scopes: tuple[str, ...]) -> None:
        """Take them out again, and the branches nobody holds any more."""
        for scope in scopes:
            trail = [self.root]
            path = literal_path(scope)
            for segment in path:
                if (child := trail[-1].children.get(segment)) is None:
                    break
                trail.append(child)
            else:
                trail[-1].holders.pop(holder, None)
                for parent, child, segment in zip(trail[-2::-1], trail[:0:-1], reversed(path), strict=True):
                    if not child.children and not child.holders:
                        del parent.children[segment]

    def conflicts(self, holder: str, scopes: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        """Each (other holder, its scope, the scope asked for) that overlaps."""
        for scope in scopes:
            for node in self._near(scope):
                for other, held in node.holders.items():
                    if other != holder:
                        yield from ((other, their, scope) for their in sorted(held) if overlap(their, scope))

    def _near(self, scope: str) -> Iterator[ScopeNode]:
        node = self.root
        for segment in literal_path(scope):
            yield node
            if (child := node.children.get(segment)) is None:
                return
            node = child
        stack = [node]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())
