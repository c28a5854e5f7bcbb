"""Putting our part into a configuration that is somebody's, and taking it out again, without losing anything of theirs.

A file that cannot be read as what it should be is left alone and refused: nobody guesses what its owner meant. JSON is
read and written anew with its names in their order; TOML is changed line by line, so that comments stay, and what comes
out must read back as what went in with exactly our part changed.
"""

import json
import re
import tomllib
from collections.abc import Callable
from typing import Final

Document = dict[str, object]
OURS: Final = "  # set by frontstage"
"""Stands behind a line of TOML that was added, so that this very line can be taken out again."""
_HEADER: Final = re.compile(r"^[ \t]*\[")


class NotOurShape(Exception):
    """The file holds something that only a person can change; the text says what."""


def parsed_json(text: str, name: str) -> Document:
    """A JSON object that names nothing twice; an empty file is an empty one. Raises NotOurShape."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise NotOurShape(f"{name} is not a JSON document: {error}") from error
    if not isinstance(found, dict):
        raise NotOurShape(f"{name} is not a JSON object")
    return found


def _once(pairs: list[tuple[str, object]]) -> Document:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given twice")
    return found


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is no JSON value")


def written_json(document: Document) -> str:
    """A document as a person can read it. Raises NotOurShape."""
    written = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if any(0xD800 <= ord(char) <= 0xDFFF for char in written):
        raise NotOurShape("the file holds half a character, which no file in UTF-8 can hold")
    return written


def inner(document: Document, name: str, where: str) -> Document:
    """A part that is an object; a new one where there is none. Raises NotOurShape."""
    found = document.setdefault(name, {})
    if not isinstance(found, dict):
        raise NotOurShape(f"{where}: {name} is not an object")
    return found


def inner_list(document: Document, name: str, where: str) -> list[object]:
    """A part that is a list; a new one where there is none. Raises NotOurShape."""
    found = document.setdefault(name, [])
    if not isinstance(found, list):
        raise NotOurShape(f"{where}: {name} is not a list")
    return found


def parsed_toml(text: str, name: str) -> Document:
    """A TOML document. Raises NotOurShape."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NotOurShape(f"{name} is not TOML: {error}") from error


def with_table(text: str, header: str, lines: list[str], name: str) -> str:
    """The document with this table in place of the one of that name, if any, at its end. Raises NotOurShape."""
    kept = without_table(text, header).rstrip("\r\n")
    written = kept + ("\n\n" if kept else "") + "\n".join([f"[{header}]", *lines]) + "\n"
    parsed_toml(written, name)
    return written


def without_table(text: str, header: str) -> str:
    """The lines of all other tables, with all comments but those between our own lines."""
    ours = re.compile(rf"^[ \t]*\[[ \t]*{re.escape(header)}(\.[^\]]*)?[ \t]*\][ \t]*(#.*)?$")
    kept: list[str] = []
    behind: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if inside and (bare.lstrip(" \t").startswith("#") or (behind and not bare.strip())):
            # It stands behind our lines, so it may be about what comes next, which is not ours.
            behind.append(line)
            continue
        if _HEADER.match(bare):
            kept, behind, inside = [*kept, *behind], [], ours.match(bare) is not None
        if inside:
            behind = []
        else:
            kept.append(line)
    return "".join([*kept, *behind])


def with_setting(text: str, table: str, setting: str, name: str) -> str:
    """The document with one more line, marked as ours, in a table that may be there already. Raises NotOurShape."""
    setting += OURS
    header = re.compile(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][ \t]*(#.*)?$")
    lines = text.splitlines(keepends=True)
    at = next((number for number, line in enumerate(lines) if header.match(line.rstrip("\r\n"))), None)
    if at is None:
        kept = text.rstrip("\r\n")
        written = kept + ("\n\n" if kept else "") + f"[{table}]{OURS}\n{setting}\n"
    else:
        end = "" if lines[at].endswith("\n") else "\n"
        written = "".join([*lines[: at + 1], f"{end}{setting}\n", *lines[at + 1 :]])
    parsed_toml(written, name)
    return written


def without_setting(text: str, table: str, setting: str) -> str:
    """The document without a line that was added to it, and without its table where that was added for it alone."""
    lines = text.splitlines(keepends=True)
    bare = [line.rstrip("\r\n") for line in lines]
    if setting + OURS not in bare:
        return text
    first = last = bare.index(setting + OURS)
    if first > 0 and bare[first - 1] == f"[{table}]{OURS}":
        behind = next((line for line in bare[last + 1 :] if line.strip()), "[")
        if _HEADER.match(behind):
            first -= 1
            while first > 0 and not bare[first - 1].strip():
                first -= 1
        else:
            lines[first - 1] = lines[first - 1].replace(OURS, "")
    return "".join([*lines[:first], *lines[last + 1 :]])


def require_only(before: Document, after: Document, change: Callable[[Document], None], name: str) -> None:
    """What was written must be what was there with exactly this changed. Raises NotOurShape."""
    expected = json.loads(json.dumps(before, default=str))
    change(expected)
    if json.loads(json.dumps(after, default=str)) != expected:
        raise NotOurShape(f"{name} is written in a way that only a person can change")
