"""Change notes: what one says of a patch, and the check of one against the patch that it is about.

A note names the patch by its digest, every file that it changes, and what the changed lines said before and say now.
Where the promise asks for an input that came out wrong before, it names one, and what came out then and comes out now.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

INPUT = re.compile(r"\binputs?\b", re.IGNORECASE)
"""What a promise says that wants one."""
SHOWN = re.compile(r"^- `[a-z_]+\.[a-z_]+\(.*\)` gave `(?P<before>.*)` and gives `(?P<now>.*)`\.$", re.MULTILINE)
HUNK = re.compile(r"^\+\+\+ b/(?P<path>.+)$")


@dataclass(frozen=True)
class Change:
    """One file of a patch: the lines that went and those that came."""

    path: str
    gone: tuple[str, ...]
    come: tuple[str, ...]


def changes(patch: str) -> list[Change]:
    """What a patch changes, file by file."""
    found: list[Change] = []
    for line in patch.splitlines():
        if (begins := HUNK.match(line)) is not None:
            found.append(Change(begins["path"], (), ()))
        elif found and line.startswith("-") and not line.startswith("---"):
            last = found[-1]
            found[-1] = Change(last.path, (*last.gone, line[1:].strip()), last.come)
        elif found and line.startswith("+") and not line.startswith("+++"):
            last = found[-1]
            found[-1] = Change(last.path, last.gone, (*last.come, line[1:].strip()))
    return found


def wants_input(texts: Sequence[str]) -> bool:
    """Whether a promise asks for an input that came out wrong before."""
    return any(INPUT.search(text) for text in texts)


def written(patch: Path, promise: str, shown: Sequence[tuple[str, object, object]]) -> str:
    """A note: the patch, its files, its lines, and inputs with what came out before and comes out now."""
    text = patch.read_text(encoding="utf-8")
    lines = ["# Change note", "", f"Patch `{sha256(patch.read_bytes()).hexdigest()}`.", "", promise, ""]
    for one in changes(text):
        lines.append(f"- `{one.path}`: {len(one.gone)} line(s) went, {len(one.come)} came.")
        if not one.path.startswith("tests/"):
            lines += [f"  - before: `{line}`" for line in one.gone] + [f"  - now: `{line}`" for line in one.come]
    if shown:
        lines += ["", "Inputs that came out wrong:", ""]
        lines += [f"- `{call}` gave `{before!r}` and gives `{now!r}`." for call, before, now in shown]
    return "\n".join(lines) + "\n"


def faults(note: str, patch: Path, *, with_input: bool) -> list[str]:
    """What a note lacks or says wrongly of a patch; nothing where it is good."""
    found = []
    if sha256(patch.read_bytes()).hexdigest() not in note:
        found.append("It does not name the patch by its digest.")
    for one in changes(patch.read_text(encoding="utf-8")):
        if f"`{one.path}`" not in note:
            found.append(f"It says nothing of {one.path}.")
        if not one.path.startswith("tests/"):
            found += [f"It leaves out that `{line}` came." for line in one.come if f"`{line}`" not in note]
    if with_input and not any(one["before"] != one["now"] for one in SHOWN.finditer(note)):
        found.append("It names no input that came out wrong before.")
    return found
