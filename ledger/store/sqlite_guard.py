"""What stands between the ledger and a database that would betray it.

An SQLite that can corrupt the write-ahead log is refused, the file belongs to its owner alone, and every error
of the library becomes one of three answers: nothing was written (`StoreFull`), the outcome is unknown
(`StoreFault`), or this cannot be opened (`StoreUnusable`).
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from ledger.ports import StoreFault, StoreFull, StoreUnusable

FILE_MODE = 0o600

_FIRST_WITH_LOG_BUG = (3, 7, 0)
_FIRST_FIXED = (3, 51, 3)
_FIXED_IN_OLDER_LINES = ((3, 44, 6), (3, 50, 7))

_NOTHING_WRITTEN = (apsw.FullError, apsw.ReadOnlyError, apsw.BusyError)
"""A full disk is found while the log is written, before anything could count as committed; a read-only file
and a held lock are found before that. All three leave the log as it was."""


def require_safe_library(version: str) -> None:
    """Refuse an SQLite whose write-ahead log two connections can corrupt (the WAL-reset bug), or that has none."""
    parts = tuple(int(part) for part in version.split(".")[:3])
    if parts >= _FIRST_FIXED or any(parts[:2] == fixed[:2] and parts >= fixed for fixed in _FIXED_IN_OLDER_LINES):
        return
    why = "can corrupt a log that two connections share" if parts >= _FIRST_WITH_LOG_BUG else "has no write-ahead log"
    raise StoreUnusable(
        f"SQLite {version} {why}; install apsw 3.51.3.0 or later (pip install --upgrade 'apsw>=3.51.3.0')",
    )


def prepare_file(path: Path) -> None:
    """Create the database file for its owner alone, or take rights away from an existing one.

    An existing file is never opened here: closing it would drop the locks that another connection of this
    process holds on it (POSIX locks belong to the process).
    """
    try:
        _create(path)
    except FileExistsError:
        _tighten(path)
    except OSError as error:
        raise StoreUnusable(f"{path.name} cannot be created: {error.strerror}") from error


def no_ledger(path: Path) -> StoreUnusable:
    """The answer to a file in which no ledger was ever made, or of which nothing is left."""
    return StoreUnusable(
        f"{path.name} is empty and no ledger: put the last good copy in place, or remove it and run `frontstage init`"
    )


def require_content(path: Path) -> None:
    """Refuse an empty file before SQLite sees it, which would throw away the log beside it. Raises StoreUnusable."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise StoreUnusable(f"{path.name} cannot be used: {error.strerror}") from error
    if not size:
        raise no_ledger(path)


def _create(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE))
    # SQLite syncs the folder for its log, which it creates; this file was created here.
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _tighten(path: Path) -> None:
    """The log and its index take the mode of the database file, so those left by a crash are tightened too."""
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        try:
            status = file.stat()
            if not stat.S_ISREG(status.st_mode):
                raise StoreUnusable(f"{file.name} is not a file")
            if stat.S_IMODE(status.st_mode) & 0o077:
                file.chmod(FILE_MODE)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreUnusable(f"{file.name} cannot be made private: {error.strerror}") from error


def open_connection(path: Path, *, vfs: str | None, read_only: bool) -> apsw.Connection:
    """Connect to an existing file. Raises StoreUnusable."""
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
    try:
        return apsw.Connection(str(path), flags=flags, vfs=vfs)
    except apsw.Error as error:
        raise unusable(path, error) from error


@contextmanager
def closed_if_unusable(connection: apsw.Connection, path: Path) -> Iterator[None]:
    """Whatever fails while a connection is made ready, leave no half-open handle behind."""
    try:
        yield
    except apsw.Error as error:
        connection.close()
        raise unusable(path, error) from error
    except BaseException:
        connection.close()
        raise


def unusable(path: Path, error: apsw.Error) -> StoreUnusable:
    """The answer to an error met while opening."""
    if isinstance(error, apsw.NotADBError):
        return StoreUnusable(f"{path.name} is not a database")
    return StoreUnusable(f"{path.name} cannot be used: {told(error)}")


class Place:
    """Where the ledger's files lie: removed or replaced under a writer, they would take every later commit along.

    SQLite goes on writing into files that no longer have a name, and says that all is well.
    """

    def __init__(self, path: Path) -> None:
        self._names = (str(path), f"{path}-wal")
        self._seen: dict[str, tuple[int, ...]] = {}

    def require(self) -> None:
        """Every file is the one that it was. Raises StoreFault."""
        # Right after a sync this is looked up anew, and every step of it is waited for: there are as few as can be.
        for name in self._names:
            try:
                found = os.stat(name)[1:3]  # noqa: PTH116  (the file's number and its device, once for every commit)
            except FileNotFoundError:
                found = None
            if found != self._seen.get(name):
                self._first_or_lost(name, found)

    def _first_or_lost(self, name: str, found: tuple[int, ...] | None) -> None:
        if name in self._seen:
            raise StoreFault(f"{Path(name).name} was removed or replaced while it was written")
        assert found is not None, "a file that was never seen is missed by nobody"
        self._seen[name] = found


def outcome(error: apsw.Error) -> StoreFull | StoreFault:
    """The answer to an error met while writing: only what surely wrote nothing may be tried again."""
    if isinstance(error, _NOTHING_WRITTEN) and _code(error) != apsw.SQLITE_READONLY_DBMOVED:
        return StoreFull(told(error))
    return StoreFault(told(error))


def told(error: apsw.Error) -> str:
    """The library's own name for what happened, without the values of the statement."""
    return f"{apsw.mapping_extended_result_codes.get(_code(error), type(error).__name__)}: {error}"


def _code(error: apsw.Error) -> int:
    # An error that Python code raised inside the library (a file system of one's own) carries no code.
    return getattr(error, "extendedresult", 0)
