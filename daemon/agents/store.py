"""The artifact store: the bytes of evidence, each file known by its digest and by nothing else.

The ledger keeps digests and never the things themselves. Whoever has the bytes puts them here: one private file for
each SHA-256, in one folder. A file appears whole or not at all, is never changed, and is computed again whenever it is
read: a copy that is not what its name says is no copy. Several programs may share a folder and need not agree on
anything.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ARTIFACT_BYTES_MAX = 64 * 1024 * 1024
"""The largest thing that is kept; evidence is meant to be looked at."""
READ_BYTES = 1 << 20
_DIGEST = re.compile(r"[0-9a-f]{64}")


class StoreRefused(Exception):
    """What was to be kept or read cannot be, and why, in words that name no path."""


@dataclass(frozen=True)
class Kept:
    """What the ledger is told of a thing."""

    sha256: str
    size_bytes: int


class ArtifactStore:
    """One folder of evidence."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put_file(self, source: Path) -> Kept:
        """Keep a copy of a regular file; a link is refused, whatever it leads to. Raises StoreRefused and OSError."""
        with os.fdopen(open_regular(source), "rb") as file:
            size_bytes = os.fstat(file.fileno()).st_size
            if size_bytes > ARTIFACT_BYTES_MAX:
                raise StoreRefused(f"it has {size_bytes} bytes, and {ARTIFACT_BYTES_MAX} are the most")
            return self._put(iter(lambda: file.read(READ_BYTES), b""))

    def put(self, data: bytes) -> Kept:
        """Keep these bytes. Raises StoreRefused and OSError."""
        return self._put(iter((data,)))

    def path_of(self, sha256: str) -> Path | None:
        """The copy, computed again; None where there is none that is what its name says."""
        if _DIGEST.fullmatch(sha256) is None:
            return None
        path = self.folder / sha256
        try:
            with os.fdopen(open_regular(path), "rb") as file:
                digest = hashlib.file_digest(file, "sha256")
        except (OSError, StoreRefused):
            return None
        return path if digest.hexdigest() == sha256 else None

    def _put(self, parts: Iterator[bytes]) -> Kept:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        passing = self.folder / f".new-{os.getpid()}-{os.urandom(6).hex()}"
        try:
            with os.fdopen(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
                for part in parts:
                    size += len(part)
                    # Asked of what is really read: a file may grow while it is.
                    if size > ARTIFACT_BYTES_MAX:
                        raise StoreRefused(f"it has more than {ARTIFACT_BYTES_MAX} bytes")
                    digest.update(part)
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            passing.rename(self.folder / digest.hexdigest())
        finally:
            with suppress(FileNotFoundError):
                passing.unlink()
        self._settle()
        return Kept(digest.hexdigest(), size)

    def _settle(self) -> None:
        """The name itself is made durable too."""
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def open_regular(path: Path) -> int:
    """A regular file, open; a pipe is not waited for and a link not followed. Raises StoreRefused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError as error:
        raise StoreRefused("there is no such file") from error
    except OSError as error:
        raise StoreRefused(f"it cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise StoreRefused("it is no file")
    return descriptor
