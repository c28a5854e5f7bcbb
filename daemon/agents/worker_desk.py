"""A worker's own folder: who works here, which turn is under way, and what was printed. All of it private.

    <folder>/lock         held by the one worker of this agent; names its process
    <folder>/turn.json    the turn under way, written before each step: whoever comes next takes it up
    <folder>/status.json  how it goes, for `worker status`
    <folder>/turns/       the folder of the turn under way
    <folder>/logs/        what programs printed, the newest few

A turn is written whole or not at all. It holds no secret: the credential is in no file of the worker's.
"""

import fcntl
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

from daemon.agents.worker_saved import saved, turn_of
from daemon.agents.worker_turn import Turn

LOGS_KEPT = 50
LOCK_BYTES_MAX = 32


class DeskTaken(Exception):
    """Another worker of this agent has the folder."""

    def __init__(self, process: str) -> None:
        self.process = process
        super().__init__(f"process {process} works for this agent already")


class Desk:
    """The folder of one worker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: int | None = None

    def take(self) -> None:
        """Take the folder for this process, until it ends. Raises DeskTaken and OSError."""
        for one in (self.folder, self.folder / "turns", self.folder / "logs"):
            one.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            process = os.read(descriptor, LOCK_BYTES_MAX).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise DeskTaken(process or "?") from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, b"%d\n" % os.getpid())
        self._lock = descriptor

    def leave(self) -> None:
        """Let the next one in."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def holder(self) -> str | None:
        """The process that works here now, if any."""
        try:
            descriptor = os.open(self.folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return os.read(descriptor, LOCK_BYTES_MAX).decode("ascii", "replace").strip() or "?"
        finally:
            os.close(descriptor)
        return None

    def turn_folder(self, turn_id: str) -> Path:
        """Where a turn is done."""
        return self.folder / "turns" / turn_id

    def log_of(self, turn_id: str) -> Path:
        """What its program printed."""
        return self.folder / "logs" / f"{turn_id}.log"

    def save(self, turn: Turn) -> None:
        """Remember the turn under way. Raises OSError."""
        self._write("turn.json", saved(turn))

    def load(self) -> Turn | None:
        """The turn that was under way; None where there is none that can be read."""
        document = self._read("turn.json")
        return None if document is None else turn_of(document)

    def done(self) -> None:
        """There is no turn under way any longer."""
        (self.folder / "turn.json").unlink(missing_ok=True)
        logs = sorted((self.folder / "logs").glob("*.log"))
        for old in logs[:-LOGS_KEPT]:
            old.unlink(missing_ok=True)

    def leftovers(self) -> list[Path]:
        """Folders of turns that another process left."""
        turns = self.folder / "turns"
        return sorted(turns.iterdir()) if turns.is_dir() else []

    def tell(self, status: dict[str, object]) -> None:
        """Say how it goes; that this cannot be said stops nobody."""
        with suppress(OSError):
            self._write("status.json", status)

    def told(self) -> dict[str, object]:
        """What was last said."""
        return self._read("status.json") or {}

    def _write(self, name: str, document: dict[str, object]) -> None:
        passing = self.folder / f".{name}.{os.getpid()}"
        with os.fdopen(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
            json.dump(document, file)
            file.flush()
            os.fsync(file.fileno())
        passing.rename(self.folder / name)

    def _read(self, name: str) -> dict[str, object] | None:
        try:
            document = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return document if isinstance(document, dict) else None


def sweep(folder: Path) -> None:
    """Take a turn's folder away, whatever its program made of it."""
    for path, folders, _ in os.walk(folder):
        for one in folders:
            with suppress(OSError):
                # A folder that may not be entered could not be emptied.
                os.chmod(os.path.join(path, one), 0o700, follow_symlinks=False)  # noqa: PTH101, PTH118
    shutil.rmtree(folder, ignore_errors=True)
