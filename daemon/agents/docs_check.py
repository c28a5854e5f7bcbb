"""Checking a folder of Markdown: every heading, every link, every command, and what was found, with digests.

The report is made for somebody who doubts it: each file is named with the digest it had, each finding with its line,
and what could not be checked is counted as that and not as good.
"""

import hashlib
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

FILES_MAX = 2_000
FILE_BYTES_MAX = 2_000_000
COMMAND_SECONDS_MAX = 20
_SLUG_DROPS = re.compile(r"[^\w\- ]")
_PROMPT = re.compile(r"^\$\s+(?P<line>frontstage\b.*)$")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that is wrong, where, and what exactly."""

    file: str
    line: int
    kind: str
    detail: str


@dataclass(kw_only=True)
class Report:
    """What was looked at and what was found."""

    files: dict[str, str] = field(default_factory=dict)
    headings: int = 0
    links: int = 0
    links_outside: int = 0
    commands: int = 0
    findings: list[Finding] = field(default_factory=list)
    looked_at: list[str] = field(default_factory=list)

    def document(self, *, full: bool = False) -> dict[str, object]:
        """As it is written to a file; in full with every place that was looked at."""
        looked_at: dict[str, object] = {"looked_at": self.looked_at} if full else {}
        return looked_at | {
            "schema_version": "docs_report_v1",
            "files": [{"path": path, "sha256": digest} for path, digest in sorted(self.files.items())],
            "checked": {"headings": self.headings, "links": self.links, "commands": self.commands},
            "not_checked": {"links_outside": self.links_outside},
            "findings": [vars(finding) for finding in self.findings],
            "ok": not self.findings,
        }

    def summary(self) -> str:
        """The report in a line."""
        found = "nothing wrong" if not self.findings else f"{len(self.findings)} wrong"
        outside = f"; {self.links_outside} links lead outside and were not followed" if self.links_outside else ""
        looked_at = f"{len(self.files)} files, {self.headings} headings, {self.links} links, {self.commands} commands"
        return f"{looked_at}: {found}{outside}"


class NoDocs(ValueError):
    """There is nothing to check; an empty folder is not a good one."""


def check_folder(root: Path, runs: Callable[[Sequence[str]], bool]) -> Report:
    """Check every Markdown file below `root`. `runs` says whether a command exists. Raises NoDocs."""
    paths = sorted(path for path in root.rglob("*.md") if path.is_file() and not path.is_symlink())[: FILES_MAX + 1]
    if not paths:
        raise NoDocs(f"no Markdown file below {root.name}")
    if len(paths) > FILES_MAX:
        raise NoDocs(f"more than {FILES_MAX} Markdown files below {root.name}")
    pages = {path: _Page(path, root) for path in paths}
    report = Report()
    for page in pages.values():
        report.files[page.name] = page.digest
        _check_headings(page, report)
        _check_links(page, pages, root, report)
        _check_commands(page, runs, report)
    report.findings.sort(key=lambda finding: (finding.file, finding.line, finding.kind))
    return report


def command_exists(program: Sequence[str]) -> Callable[[Sequence[str]], bool]:
    """Ask the program itself, once for each command, whether it knows it."""
    known: dict[tuple[str, ...], bool] = {}

    def runs(words: Sequence[str]) -> bool:
        named = tuple(word for word in words[1:3] if not word.startswith("-"))
        if named not in known:
            asked = subprocess.run(
                [*program, *named, "--help"], capture_output=True, timeout=COMMAND_SECONDS_MAX, check=False
            )
            known[named] = asked.returncode == 0
        return known[named]

    return runs


class _Page:
    """One Markdown file, parsed."""

    def __init__(self, path: Path, root: Path) -> None:
        raw = path.read_bytes()
        if len(raw) > FILE_BYTES_MAX:
            raise NoDocs(f"{path.name} is larger than {FILE_BYTES_MAX} bytes")
        self.path = path
        self.name = path.relative_to(root).as_posix()
        self.digest = hashlib.sha256(raw).hexdigest()
        self.tokens = MarkdownIt("commonmark").parse(raw.decode("utf-8", errors="replace"))
        self.headings = list(_headings(self.tokens))
        self.anchors = _anchors(title for _, _, title in self.headings)


def _headings(tokens: list[Token]) -> Iterator[tuple[int, int, str]]:
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            yield int(token.tag[1:]), (token.map or [0])[0] + 1, _text_of(following)


def _text_of(token: Token) -> str:
    return "".join(child.content for child in token.children or () if child.type in {"text", "code_inline"})


def _anchors(titles: Iterator[str]) -> set[str]:
    seen: dict[str, int] = {}
    anchors: set[str] = set()
    for title in titles:
        slug = _SLUG_DROPS.sub("", title.strip().lower()).replace(" ", "-")
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        anchors.add(slug if not number else f"{slug}-{number}")
    return anchors


def _check_headings(page: _Page, report: Report) -> None:
    last = 0
    for level, line, title in page.headings:
        report.headings += 1
        if not title.strip():
            report.findings.append(Finding(file=page.name, line=line, kind="heading", detail="has no text"))
        if last and level > last + 1:
            report.findings.append(
                Finding(file=page.name, line=line, kind="heading", detail=f"level {level} follows level {last}")
            )
        last = level
    if not page.headings or page.headings[0][0] != 1:
        report.findings.append(Finding(file=page.name, line=1, kind="heading", detail="does not begin with a title"))


def _check_links(page: _Page, pages: dict[Path, _Page], root: Path, report: Report) -> None:
    for line, target in _links(page.tokens):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            report.links_outside += 1
            continue
        file = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path.resolve()
        if not file.is_relative_to(root.resolve()):
            report.links_outside += 1
            continue
        report.links += 1
        report.looked_at.append(f"{page.name}:{line} {target}")
        if not file.exists():
            report.findings.append(Finding(file=page.name, line=line, kind="link", detail=f"{target} leads nowhere"))
        elif parts.fragment and not _has_anchor(pages, file, parts.fragment):
            report.findings.append(Finding(file=page.name, line=line, kind="link", detail=f"{target} names no heading"))


def _links(tokens: list[Token]) -> Iterator[tuple[int, str]]:
    for token in tokens:
        line = (token.map or [0])[0] + 1
        for child in token.children or ():
            target = (
                child.attrGet("href")
                if child.type == "link_open"
                else child.attrGet("src")
                if child.type == "image"
                else None
            )
            if isinstance(target, str):
                yield line, target


def _has_anchor(pages: dict[Path, _Page], file: Path, fragment: str) -> bool:
    page = next((page for path, page in pages.items() if path.resolve() == file), None)
    return page is None or unquote(fragment).lower() in page.anchors


def _check_commands(page: _Page, runs: Callable[[Sequence[str]], bool], report: Report) -> None:
    for token in page.tokens:
        if token.type != "fence" or token.info.split()[:1] != ["console"]:
            continue
        first = (token.map or [0])[0] + 2
        for offset, text in enumerate(token.content.splitlines()):
            match = _PROMPT.match(text)
            if match is None:
                continue
            report.commands += 1
            report.looked_at.append(f"{page.name}:{first + offset} {match['line']}")
            problem = _problem(match["line"], runs)
            if problem:
                report.findings.append(Finding(file=page.name, line=first + offset, kind="command", detail=problem))


def _problem(line: str, runs: Callable[[Sequence[str]], bool]) -> str:
    try:
        words = shlex.split(line.removesuffix("\\"), comments=True)
    except ValueError as error:
        return f"{line}: {error}"
    return "" if runs(words) else f"{' '.join(words[:3])}: no such command"
