"""`frontstage stop`: tell the daemon of a home to end, and wait until its lock is free.

The lock, not the number in its file, says whether somebody is there: a number may belong to another process by now.
"""

import fcntl
import os
import signal
import socket
import time
from pathlib import Path

from daemon import lock
from daemon.cli.output import EXIT_FAULT, STDOUT, tell, write
from daemon.cli.parse import Command
from daemon.local.homes import home_of

TIMEOUT_S_DEFAULT = 30
POLL_S = 0.02


def is_held(path: Path) -> bool:
    """Whether a process holds the lock at this moment."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def main(command: Command) -> int:
    """Signal the holder and wait."""
    home = home_of(command)
    path = Path(home.lock)
    if not is_held(path):
        write(STDOUT, f"no daemon runs in {home.path}\n".encode())
        return 0
    holder = lock.read_holder(path)
    if holder is None:
        tell("frontstage: the lock is held but names nobody; try again in a moment")
        return EXIT_FAULT
    if holder.host != socket.gethostname():
        tell(f"frontstage: the daemon runs on {holder.host}, process {holder.pid}: stop it there")
        return EXIT_FAULT
    try:
        os.kill(holder.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass  # It ended between the two looks; the wait below says so.
    except PermissionError:
        tell(f"frontstage: process {holder.pid} belongs to another user")
        return EXIT_FAULT
    timeout = command.values.get("timeout_seconds", TIMEOUT_S_DEFAULT)
    assert isinstance(timeout, int)
    return _wait(path, holder.pid, timeout)


def _wait(path: Path, pid: int, timeout_s: int) -> int:
    give_up_at_s = time.monotonic() + timeout_s
    while is_held(path):
        if time.monotonic() >= give_up_at_s:
            tell(f"frontstage: process {pid} did not end within {timeout_s} s; look at its log, or kill -9 {pid}")
            return EXIT_FAULT
        time.sleep(POLL_S)
    write(STDOUT, f"stopped (process {pid})\n".encode())
    return 0
