"""The files of this project as the tidy tests see them: from the checkout, without what tools left behind."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "cards", "daemon", "ledger")
TEXT_SUFFIXES = frozenset(
    {".css", ".example", ".html", ".js", ".json", ".md", ".po", ".py", ".service", ".sql", ".svg", ".toml", ".txt"}
)
TOP_FILES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "Makefile", "README.md", "constraints.txt", "pyproject.toml")


def _under(folder, pattern):
    return sorted(path for path in (ROOT / folder).rglob(pattern) if "__pycache__" not in path.parts)


@cache
def product_modules():
    return [path for package in PACKAGES for path in _under(package, "*.py")]


@cache
def modules_of_tests():
    return _under("tests", "*.py")


@cache
def text_files():
    """Everything a person may read: code, tests, pages, catalogues, docs, configuration."""
    folders = (*PACKAGES, "tests", "docs", "config")
    found = [path for folder in folders for path in _under(folder, "*") if path.suffix in TEXT_SUFFIXES]
    return [*found, *(ROOT / name for name in TOP_FILES), ROOT / ".ci" / "run"]


@cache
def documents():
    return [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *_under("docs", "*.md")]


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(path):
    """Every module that a file names in an import, wherever the import stands."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def shown(path):
    return str(path.relative_to(ROOT))
