"""A process between a worker and its program: it outlives neither, and lets nothing of the program outlive it.

    worker --lifeline--> guard --starts--> program and whatever that starts

The worker holds the only writing end of a pipe, the lifeline. When it is closed, because the worker wants the program
to end or because the worker is no more, the guard ends the program: politely first, then not. The guard adopts whatever
the program leaves behind, also what made itself a session of its own, and ends that too. Were the guard itself killed,
the kernel ends the program. What is printed is kept in one private file up to a limit; the rest is read and forgotten,
so that no program waits for a reader.

It is run as a file of its own, with the standard library alone: it starts in a moment, and knows nothing.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

OUTPUT_BYTES_MAX = 4 * 1024 * 1024
READ_BYTES = 65_536
GRACE_S = 3.0
LOOK_S = 0.05
EXIT_NOT_FOUND, EXIT_NOT_RUN = 127, 126
UNHEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CUT = b"\n[the rest of the output was not kept]\n"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


class Guard:
    """One program, its output and the lifeline."""

    def __init__(self, lifeline: int, output: int) -> None:
        self._lifeline = lifeline
        self._output = output
        self._kept = 0
        self._end_at: float | None = None

    def run(self, argv: list[str]) -> int:
        """Run it to its end; its exit code, below zero for a signal."""
        _prctl(_PR_SET_CHILD_SUBREAPER)
        try:
            process = subprocess.Popen(
                argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=_die_with_the_guard,  # noqa: PLW1509  (this process has one thread)
            )  # fmt: skip
        except FileNotFoundError:
            return EXIT_NOT_FOUND
        except OSError:
            return EXIT_NOT_RUN
        assert process.stdout is not None
        try:
            self._watch(process, process.stdout.fileno())
        finally:
            code = _end_all(process)
            # What it had printed before it ended is still in the pipe; nobody is left to add to it.
            os.set_blocking(process.stdout.fileno(), False)
            while self._keep(process.stdout.fileno()):
                pass
        return code

    def _watch(self, process: "subprocess.Popen[bytes]", printed: int) -> None:
        reading = [self._lifeline, printed]
        while not _has_ended(process):
            for descriptor in select.select(reading, [], [], LOOK_S)[0]:
                if descriptor == printed and not self._keep(printed):
                    reading.remove(printed)
                elif descriptor == self._lifeline and not os.read(self._lifeline, 1):
                    reading.remove(self._lifeline)
                    self._end_at = time.monotonic() + GRACE_S
                    _signal_group(process, signal.SIGTERM)
            if self._end_at is not None and time.monotonic() >= self._end_at:
                return

    def _keep(self, printed: int) -> bool:
        """Keep what it printed, up to the limit; whether there was anything."""
        try:
            data = os.read(printed, READ_BYTES)
        except BlockingIOError:
            return False
        room = OUTPUT_BYTES_MAX - self._kept
        if room >= 0 and data:
            with suppress(OSError):
                # A full disk costs the output, never the turn.
                os.write(self._output, data[:room] + (CUT if len(data) > room else b""))
        self._kept += len(data)
        return bool(data)


def _die_with_the_guard() -> None:
    for number in UNHEARD:
        # What is not heard here would not be heard by the program either, which is told to end by one of them.
        signal.signal(number, signal.SIG_DFL)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int = 1) -> None:
    """Ask the kernel, where there is one that can be asked."""
    if sys.platform == "linux":
        _LIBRARY.prctl(option, value, 0, 0, 0)


_LIBRARY = ctypes.CDLL(None)


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it has ended. It stays in the table of processes, so that its group is still its own."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _signal_group(process: "subprocess.Popen[bytes]", number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _end_all(process: "subprocess.Popen[bytes]") -> int:
    """End it, its group, and every process that it left to us."""
    _signal_group(process, signal.SIGKILL)
    code = process.wait()
    deadline = time.monotonic() + GRACE_S
    while (left := _left_behind()) and time.monotonic() < deadline:
        for one in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)
    return code


def _left_behind() -> list[int]:
    """Children that are still there, by the kernel's own list."""
    try:
        return [int(one) for one in Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()]
    except OSError:
        return []


def main(argv: list[str]) -> int:
    """`worker_guard.py LIFELINE OUTPUT WORD …`: run the words, and say on standard output how they ended."""
    for number in UNHEARD:
        # A signal to the whole group of the worker is the worker's to answer.
        signal.signal(number, signal.SIG_IGN)
    code = Guard(int(argv[0]), int(argv[1])).run(argv[2:])
    os.write(1, b"%d\n" % code)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
