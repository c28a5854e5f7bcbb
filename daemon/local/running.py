"""Running a validator: a program of somebody's own, for a bounded time, with bounded output, and without our secrets.

No shell reads its words. It gets a group of processes of its own, so that what it started ends with it; an environment
of a few harmless names, so that no credential reaches it; and a private home, so that none lies where it would look.
What it prints goes into a file that only its user can read. A program that is not there is told by the exit code that
shells give (127, and 126 where it may not be run), and nothing here says more about evidence than how a program ended.
"""

import hashlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

OUTPUT_BYTES_MAX = 1_048_576
READ_BYTES = 65_536
LOOK_S = 0.05
"""How often a program that has closed its output is looked at."""
EXIT_NOT_FOUND, EXIT_NOT_RUN = 127, 126
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "VIRTUAL_ENV")
CUT = b"\n[the rest of the output was not kept]\n"


@dataclass(frozen=True)
class Ended:
    """How it ended: by itself with an exit code (below zero for a signal), or by the time-out without one."""

    exit_code: int | None
    duration_ms: int
    output_bytes: int
    """All that it printed, kept or not."""
    remark: str = ""

    @property
    def timed_out(self) -> bool:
        """Whether it was ended."""
        return self.exit_code is None

    @property
    def passed(self) -> bool:
        """Whether it said yes."""
        return self.exit_code == 0


def words_sha256(argv: Sequence[str]) -> str:
    """The digest that names what was run: every word, each ended by a NUL."""
    return hashlib.sha256(b"".join(os.fsencode(word) + b"\0" for word in argv)).hexdigest()


def environment(private: Path, more: Mapping[str, str]) -> dict[str, str]:
    """What a validator sees: a few names of ours, a home and a folder for scratch of its own, and what it is told."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "HOME": str(private), "TMPDIR": str(private), **more}


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    variables: dict[str, str],
    seconds: float,
    output: Path,
    given: IO[bytes] | None = None,
) -> Ended:
    """Run it to its end or the time-out; `given` is its input. Raises OSError where the output cannot be kept."""
    started = time.monotonic()
    with os.fdopen(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        try:
            process = subprocess.Popen(
                argv, cwd=cwd, env=variables, stdin=given or subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError:
            return Ended(EXIT_NOT_FOUND, _since(started), 0, "there is no such program")
        except OSError as error:
            return Ended(EXIT_NOT_RUN, _since(started), 0, f"it cannot be run: {error.strerror}")
        assert process.stdout is not None
        try:
            with process.stdout as stream:
                count = _kept(process, stream.fileno(), file.write, started + seconds)
                # Asked while its output is still open: one that goes on talking would end by the closing of it.
                by_itself = _has_ended(process)
        finally:
            code = _end(process)
    if not by_itself:
        return Ended(None, _since(started), count, "it did not end in time")
    return Ended(code, _since(started), count)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _kept(process: "subprocess.Popen[bytes]", descriptor: int, keep: Callable[[bytes], object], deadline: float) -> int:
    """Keep what it prints until it has ended or its time is over; how much it printed comes back."""
    count, reading = 0, True
    while (left := deadline - time.monotonic()) > 0:
        ended = _has_ended(process)
        if reading and select.select([descriptor], [], [], 0 if ended else min(left, LOOK_S))[0]:
            data = os.read(descriptor, READ_BYTES)
            reading = bool(data)
            room = OUTPUT_BYTES_MAX - count
            if room >= 0:
                # The first that is beyond the limit is where the remark stands, once.
                keep(data[:room] + (CUT if len(data) > room else b""))
            count += len(data)
        elif ended:
            # Whatever it left behind may hold the output open; it is not waited for.
            break
        elif not reading:
            time.sleep(min(left, LOOK_S))
    return count


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it has ended. It stays in the table of processes, so that its group is still its own."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(process: "subprocess.Popen[bytes]") -> int:
    """End it and whatever it started that is still in its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()
