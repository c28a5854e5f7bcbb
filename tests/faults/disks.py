# ruff: noqa: N802  (SQLite names these methods)
"""Two disks to put under the real store: one that remembers what was never synced, and one that breaks.

Both are apsw file systems over the ordinary one, so that SQLite's own code runs unchanged above them.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import apsw

SECTOR_BYTES = 512
"""What a disk writes whole or not at all."""


def _base_name(name) -> str | None:
    text = name.filename() if isinstance(name, apsw.URIFilename) else name
    return None if text is None else Path(text).name


@dataclass
class _Remembered:
    """One file: what a power loss cannot take, and what came after the last sync."""

    durable: bytearray | None = None
    pending: list[tuple] = field(default_factory=list)

    def sync(self) -> None:
        for operation in self.pending:
            self._apply(operation)
        self.pending.clear()

    def sync_folder(self) -> None:
        """A deletion is the folder's: what was written to the file before it no longer matters."""
        if ("delete",) in self.pending:
            last = max(at for at, operation in enumerate(self.pending) if operation == ("delete",))
            del self.pending[: last + 1]
            self.durable = None

    def lose_power(self, rng: Random) -> None:
        """Keep of what is pending nothing, the beginning with a torn end, or any sectors in any order."""
        match rng.choice(["nothing", "beginning", "scattered"]):
            case "nothing":
                kept = []
            case "beginning":
                sectors = [sector for operation in self.pending for sector in _sectors(operation)]
                kept = sectors[: rng.randint(0, len(sectors))]
            case _:
                share = rng.choice([0.1, 0.5, 0.9])
                sectors = [sector for operation in self.pending for sector in _sectors(operation)]
                kept = [sector for sector in sectors if rng.random() < share]
        for operation in kept:
            self._apply(operation)
        self.pending.clear()

    def _apply(self, operation: tuple) -> None:
        match operation:
            case ("write", offset, data):
                self.durable = bytearray() if self.durable is None else self.durable
                self.durable.extend(bytes(max(0, offset - len(self.durable))))
                self.durable[offset : offset + len(data)] = data
            case ("truncate", size) if self.durable is not None:
                del self.durable[size:]
            case ("delete",):
                self.durable = None


def _sectors(operation: tuple) -> list[tuple]:
    if operation[0] != "write":
        return [operation]
    _, offset, data = operation
    parts, start = [], 0
    while start < len(data):
        stop = min(len(data), start + SECTOR_BYTES - (offset + start) % SECTOR_BYTES)
        parts.append(("write", offset + start, data[start:stop]))
        start = stop
    return parts


class RememberingDisk(apsw.VFS):
    """Records every write, sync and deletion on one tape, between the marks that a test puts on it.

    It syncs nothing itself: only the tape decides what would have survived.
    """

    def __init__(self, name: str) -> None:
        self.tape: list[tuple] = []
        self.name = name
        super().__init__(name, "")

    def xOpen(self, name, flags):
        return _RememberingFile(self.tape, name, flags)

    def xDelete(self, filename, syncdir):
        self.tape.append((_base_name(filename), "delete"))
        if syncdir:
            self.tape.append((_base_name(filename), "sync folder"))
        super().xDelete(filename, syncdir)

    def mark(self, what: object) -> None:
        """Note on the tape what the store had answered by then."""
        self.tape.append((None, what))

    def image(self, length: int, rng: Random) -> tuple[dict[str, bytes], list[object]]:
        """The files after a power loss when the tape was this long, and the marks made until then."""
        files: dict[str, _Remembered] = {}
        marks: list[object] = []
        for file_name, *operation in self.tape[:length]:
            if file_name is None:
                marks.append(operation[0])
                continue
            file = files.setdefault(file_name, _Remembered())
            if operation == ["sync folder"]:
                for each in files.values():
                    each.sync_folder()
            elif operation == ["sync"]:
                file.sync()
            else:
                file.pending.append(tuple(operation))
        for file in files.values():
            file.lose_power(rng)
        return {name: bytes(file.durable) for name, file in files.items() if file.durable is not None}, marks


class _RememberingFile(apsw.VFSFile):
    def __init__(self, tape, name, flags) -> None:
        self._tape = tape
        self._name = _base_name(name)
        # SQLite's Unix file system syncs the folder with the first sync of a log or journal it may have created.
        logs = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL
        self._folder_too = bool(flags[0] & logs and flags[0] & apsw.SQLITE_OPEN_CREATE)
        super().__init__("", name, flags)

    def xWrite(self, data, offset):
        self._tape.append((self._name, "write", offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize):
        self._tape.append((self._name, "truncate", newsize))
        super().xTruncate(newsize)

    def xSync(self, flags):
        self._tape.append((self._name, "sync"))
        if self._folder_too:
            self._tape.append((self._name, "sync folder"))
            self._folder_too = False


class BreakingDisk(apsw.VFS):
    """Fails the operations it is told to, on files whose name ends as told, after letting some pass."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.read_only = False
        self.broken = 0
        self._fault: tuple[str, str, type[apsw.Error]] | None = None
        self._passes = 0
        super().__init__(name, "")

    def fail(self, operation: str, suffix: str, error: type[apsw.Error], *, passes: int = 0) -> None:
        """From the operation after the next `passes` on, fail until `mend`."""
        self._fault, self._passes = (operation, suffix, error), passes

    def mend(self) -> None:
        self._fault = None

    def meet(self, operation: str, file_name: str | None) -> type[apsw.Error] | None:
        """The error this operation must fail with."""
        if self._fault is None or file_name is None:
            return None
        wanted, suffix, error = self._fault
        if operation != wanted or not file_name.endswith(suffix):
            return None
        if self._passes > 0:
            self._passes -= 1
            return None
        self.broken += 1
        return error

    def xOpen(self, name, flags):
        if self.read_only and flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            flags[0] = flags[0] & ~apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_READONLY
        return _BreakingFile(self, name, flags)


class _BreakingFile(apsw.VFSFile):
    def __init__(self, disk: BreakingDisk, name, flags) -> None:
        self._disk = disk
        self._name = _base_name(name)
        super().__init__("", name, flags)

    def xRead(self, amount, offset):
        self._raise_if_met("read")
        return super().xRead(amount, offset)

    def xWrite(self, data, offset):
        error = self._disk.meet("write", self._name)
        if error is not None:
            # A disk that fills up takes a part of the data first.
            super().xWrite(bytes(data)[: len(data) // 2], offset)
            raise error
        super().xWrite(data, offset)

    def xSync(self, flags):
        self._raise_if_met("sync")
        super().xSync(flags)

    def _raise_if_met(self, operation: str) -> None:
        error = self._disk.meet(operation, self._name)
        if error is not None:
            raise error


@contextmanager
def mounted(make: Callable[[str], apsw.VFS], name: str):
    """A disk that exists for a `with` block."""
    disk = make(name)
    try:
        yield disk
    finally:
        disk.unregister()
