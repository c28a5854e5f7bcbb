"""One daemon per ledger: a lock that names its holder.

The lock is on a file of its own, never on the database: POSIX locks on a database file are dropped when anything in
the process closes another handle to it.
"""

import fcntl
import os
import socket
from pathlib import Path
from typing import IO

import msgspec

VERSION = "0.1.0"


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds the lock."""

    pid: int
    host: str
    started_at_ms: int
    version: str
    socket: str


class LedgerHeld(Exception):
    """Another daemon has this ledger."""

    def __init__(self, holder: Holder | None) -> None:
        self.holder = holder
        who = "another process" if holder is None else f"process {holder.pid} on {holder.host}"
        super().__init__(f"the ledger is held by {who}")


def read_holder(path: Path) -> Holder | None:
    """Who the lock file names, or None if it names nobody."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Holder)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def take(path: Path, *, started_at_ms: int, socket_path: str) -> IO[bytes]:
    """Take the lock for as long as the returned file is open. Raises LedgerHeld, naming the holder."""
    handle = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b", buffering=0)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        handle.close()
        raise LedgerHeld(read_holder(path)) from error
    holder = Holder(
        pid=os.getpid(), host=socket.gethostname(), started_at_ms=started_at_ms, version=VERSION, socket=socket_path
    )
    handle.truncate(0)
    handle.write(msgspec.json.encode(holder))
    return handle
