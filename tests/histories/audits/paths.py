"""An oracle for write scopes that knows nothing of how the ledger compares them: it tries one path after the other."""

from fnmatch import fnmatchcase
from functools import cache

PATHS = (
    "reports/a", "reports/a/b", "reports/x", "docs", "docs/a.md", "docs/b.md", "docs/x", "docs/deep/a.md", "src/x",
    "src/y", "src/a/x", "src/a", "Docs/a.md", "reports/A", "top",
)  # fmt: skip
"""Paths that the scopes of a walk can name, and some that only few of them can."""


@cache
def paths_of(scopes: tuple[str, ...], *, fold_case: bool = False) -> frozenset[str]:
    """The known paths that these scopes name: a glob by matching, a literal with everything below it."""
    found: set[str] = set()
    for path in PATHS:
        for scope in scopes:
            name, named = (path.lower(), scope.lower()) if fold_case else (path, scope)
            below = name.startswith(named.removesuffix("/**") + "/")
            if fnmatchcase(name, named) or name == named.removesuffix("/**") or below:
                found.add(name)
    return frozenset(found)
