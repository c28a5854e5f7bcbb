"""The program of a turn, running behind its guard: started, ended, and told of when it is gone."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

GUARD = Path(__file__).with_name("worker_guard.py")
GUARD_S_MAX = 10.0
"""How long a guard that was told to end may take; one that a program has stopped would take for ever."""
EXIT_GUARD_LOST = -9
"""Where the guard was killed, the kernel has killed the program."""


class Running:
    """One program that was started. `ended` is called once, from a thread of its own, with the exit code."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        variables: Mapping[str, str],
        packet: Path,
        output: Path,
        ended: Callable[[int], None],
    ) -> None:
        reading, self._lifeline = os.pipe()
        kept = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            with packet.open("rb") as stdin:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", str(GUARD), str(reading), str(kept), *argv], cwd=cwd, env=dict(variables),
                    stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                    pass_fds=(reading, kept),
                )  # fmt: skip
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(reading)
            os.close(kept)
        self._lock = threading.Lock()
        self._held = True
        self._waiting = threading.Thread(target=self._wait, args=(ended,), daemon=True)
        self._waiting.start()

    @property
    def guard_pid(self) -> int:
        """The guard's process."""
        return self._process.pid

    def end(self) -> None:
        """Let go of the lifeline: the guard ends the program and all that it started."""
        with self._lock:
            if self._held:
                self._held = False
                os.close(self._lifeline)
                threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        self._waiting.join(GUARD_S_MAX)
        if self._waiting.is_alive():
            self._process.kill()

    def join(self) -> None:
        """Wait until it is gone."""
        self._waiting.join()

    def _wait(self, ended: Callable[[int], None]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            told = stream.read()
        self._process.wait()
        self.end()
        try:
            code = int(told)
        except ValueError:
            code = EXIT_GUARD_LOST
        ended(code)
