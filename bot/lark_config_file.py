"""Writing the `[lark]` part of `config.toml`, and the private file with the app's secret.

The rest of the file is somebody's and stays as it is, comments included. Nothing is written in place: a
draft beside it is flushed and then takes its place, so that a power cut leaves the old file or the new one. What would
not be read back as it was meant is not written.
"""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.config import CONFIG_BYTES_MAX, ConfigError

SECRET_FILE: Final = "lark.secret"  # noqa: S105 - a name
_HEADER: Final = re.compile(r"^[ \t]*\[")
_LARK_HEADER: Final = re.compile(r"^[ \t]*\[[ \t]*lark[ \t]*\][ \t]*(#.*)?$")


def has_lark(text: str) -> bool:
    """Whether these settings have a `[lark]` section. Raises ConfigError if they are no settings."""
    return "lark" in _parsed(text)


def with_lark(text: str, section: Mapping[str, str]) -> str:
    """The settings with this `[lark]` section in place of the one they have, if any. Raises ConfigError."""
    before = _parsed(text)
    kept = _without_lark(text) if "lark" in before else text
    kept = kept.rstrip("\r\n")
    lines = [f"{name} = {json.dumps(value)}" for name, value in section.items()]
    written = kept + ("\n\n" if kept else "") + "\n".join(["[lark]", *lines]) + "\n"
    try:
        meant = tomllib.loads(written) == {**before, "lark": dict(section)}
    except tomllib.TOMLDecodeError:
        meant = False
    if not meant:
        raise ConfigError("config.toml: its [lark] section is written in a way that only a person can change")
    return written


def _without_lark(text: str) -> str:
    """The lines of all other sections; those of `[lark]` go, up to the next header."""
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if _LARK_HEADER.match(line.rstrip("\r\n")):
            inside = True
        elif inside and _HEADER.match(line):
            inside = False
        if not inside:
            kept.append(line)
    return "".join(kept)


def _parsed(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # The parser's own words may quote the line, and the line may be a secret.
        raise ConfigError("config.toml is not TOML") from error


def read_text(home: Path) -> str:
    """The settings as they stand; empty if there are none. Raises ConfigError."""
    path = home / "config.toml"
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError(f"{path.name} cannot be read: {error.strerror}") from None
    if len(raw) > CONFIG_BYTES_MAX:
        raise ConfigError(f"{path.name} is larger than {CONFIG_BYTES_MAX} bytes")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path.name} is not TOML") from error


def write_private(path: Path, text: str) -> None:
    """Put a text into a file that only its owner can read. Raises ConfigError."""
    draft = path.with_name(f"{path.name}.new")
    try:
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise ConfigError(f"{path.name} cannot be written: {error.strerror}") from None
