"""Files that only their user can read: an agent's credential, and what is known of its connection on this machine.

Paths of this machine stay here and never reach the ledger. A file is written beside its place and then takes it, so
that a power cut leaves the old one or the new one.
"""

import json
import os
import re
import tempfile
from pathlib import Path

from daemon.cli.parse import UsageError
from daemon.paths import Home

RECORD_BYTES_MAX = 262_144
_NAME = re.compile(r"[a-z][a-z0-9_.:@-]{0,79}")


def folder_of(home: Home) -> Path:
    """Where the files of connected agents are; it is made where it is not there. Raises UsageError."""
    folder = Path(home.path) / "agents"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            raise UsageError(f"others may look into {folder}", hint=f"chmod 700 {folder}", code="agents_not_private")
    except OSError as error:
        raise UsageError(f"{folder} cannot be used: {error.strerror}", code="agents_not_private") from error
    return folder


def agent_named(text: str) -> str:
    """A member's id as it may stand in the name of a file. Raises UsageError."""
    if not _NAME.fullmatch(text):
        raise UsageError(f"{text[:80]!r} is no id of a member", field="agent_id")
    return text


def token_path(home: Home, agent_id: str) -> Path:
    """The file with an agent's credential."""
    return Path(home.path) / "agents" / f"{agent_id}.token"


def record_path(home: Home, agent_id: str) -> Path:
    """The file that says how an agent is connected from this machine."""
    return Path(home.path) / "agents" / f"{agent_id}.json"


def write_whole(path: Path, text: str, mode: int) -> None:
    """Put a text in its place, whole or not at all. Raises UsageError."""
    path = path.resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = path.stat().st_mode & 0o777 if path.exists() else mode
        descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(draft).chmod(kept)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", code="config_not_written") from error


def read_text(path: Path) -> str:
    """What is in a file; nothing where there is none. Raises UsageError."""
    try:
        with path.open("rb") as file:
            data = file.read(RECORD_BYTES_MAX + 1)
        if len(data) > RECORD_BYTES_MAX:
            raise UsageError(f"{path} is larger than {RECORD_BYTES_MAX} bytes", code="config_malformed")
        return data.decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", code="config_malformed") from error


def read_record(home: Home, agent_id: str) -> dict[str, object] | None:
    """What is known of an agent's connection; None where nothing is. Raises UsageError."""
    text = read_text(record_path(home, agent_id))
    if not text:
        return None
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{record_path(home, agent_id)} is damaged: {error}", code="config_malformed") from error
    return found if isinstance(found, dict) else None
