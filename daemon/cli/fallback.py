"""A call with no daemon running: one is started for this call alone.

It gets one end of a private socket pair, serves the request there and ends. So there is one write path, with the same
lock, rules and receipts; only the start of a process makes it slower. If the ledger turns out to be held, a daemon is
starting or stopping at this moment, and its socket is asked again.
"""

import os
import socket
import subprocess
import time

from daemon import wire
from daemon.cli.parse import UsageError
from daemon.cli.spawn import module_argv, module_environment
from daemon.paths import Home

START_MS_MAX = 30_000
ROUNDS_MAX = 5
BETWEEN_ROUNDS_MS = 200
REMARK_CHARS_MAX = 600
EXIT_HELD = 7
"""What it ends with when another process has the ledger."""


def ask_once(home: Home, request: bytes) -> wire.Answer:
    """Answer a request without a running daemon. Raises UsageError for a home that is none, and WireFault."""
    if not os.path.exists(home.ledger):  # noqa: PTH110  (pathlib is not needed for this)
        raise UsageError(
            f"there is no ledger in {home.path}",
            hint="run frontstage init, or name another folder with --home or FRONTSTAGE_HOME",
            code="home_not_initialised",
        )
    remark = ""
    for round_number in range(ROUNDS_MAX):
        if round_number:
            time.sleep(BETWEEN_ROUNDS_MS / 1000)
            try:
                return wire.exchange(wire.connect(home.socket), request)
            except (wire.NobodyListens, wire.Dropped):
                pass  # The next round starts a process again.
        answer, held, remark = _one_process(home, request)
        if answer is not None:
            return answer
        if not held:
            break
    raise wire.NobodyListens(f"no daemon runs in {home.path} and none could be started{remark}")


def _one_process(home: Home, request: bytes) -> tuple[wire.Answer | None, bool, str]:
    """Start one, ask it; its answer, or whether the ledger was held by another, and its last words."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [*module_argv("daemon.start"), "--home", home.path, "--once", "--fd", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=module_environment(),
            cwd="/",
        )
    try:
        return wire.exchange(wire.adopt(ours.detach()), request, START_MS_MAX), False, ""
    except wire.Dropped:
        _, errors = process.communicate()
        last = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
        said = f": {last[0][:REMARK_CHARS_MAX]}" if last else f" (exit code {process.returncode})"
        return None, process.returncode == EXIT_HELD, said
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The process ends by itself when its socket closes; one that does not is made to."""
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
    if process.stderr is not None:
        process.stderr.close()
