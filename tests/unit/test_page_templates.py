"""The page's templates, read as text: nothing in them acts, runs, or lets words out of their place."""

import re
from pathlib import Path

import pytest

from tests.tidy.sources import ROOT

TEMPLATES = sorted((ROOT / "daemon" / "web" / "templates").glob("*.html"))
SCRIPTS = sorted((ROOT / "daemon" / "web" / "static").glob("*.js"))
SHEETS = sorted((ROOT / "daemon" / "web" / "static").glob("*.css"))
FORBIDDEN = {
    "words let through unescaped": r"\|\s*safe\b|\bMarkup\(|autoescape",
    "a style of an element": r"\sstyle\s*=",
    "a style sheet in the page": r"<style",
    "a script in the page": r"<script(?![^>]*\bsrc=)",
    "a handler of an element": r"\son[a-z]+=[\"'{]",
    "a form that is no question": r"<form(?![^>]*\bmethod=\"get\")",
    "a button that sends elsewhere": r"\bform(action|method)\s*=",
    "a frame, a plug-in or another base": r"<(iframe|object|embed|base|meta\s+http-equiv)",
    "a ping": r"\sping\s*=",
    "words in an address": r"(href|src|action)=[\"'][^\"']*\|\s*words",
    "JSON between double quotes, which it may hold": r"\"\{\{[^{}]*\|\s*tojson",
    "an address that is not ours": r"(href|src|action)=[\"'](?!\{\{ ?(url|here|asset)\(|#|\{\{ ?[\w. ]+ ?\}\})",
}
NOT_IN_SCRIPTS = (
    r"innerHTML", r"outerHTML\s*=[^=]", r"insertAdjacentHTML", r"document\.write", r"\beval\(", r"new Function",
    r"XMLHttpRequest", r"sendBeacon", r"WebSocket", r"\bmethod\s*:", r"(local|session)Storage", r"document\.cookie",
    r"https?://",
)  # fmt: skip


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_holds_nothing_that_it_must_not(path: Path) -> None:
    source = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = {why: match.group()[:120] for why, what in FORBIDDEN.items() if (match := re.search(what, source))}
    assert found == {}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_reads_and_draws_and_sends_nothing(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert re.findall("|".join(NOT_IN_SCRIPTS), source) == []


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_a_style_sheet_asks_for_nothing_from_elsewhere(path: Path) -> None:
    assert re.findall(r"@import|url\(|https?://", path.read_text(encoding="utf-8")) == []
