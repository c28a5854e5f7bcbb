"""Thirty-two processes of the command line at once, each for a lease: how many a second are granted.

As people's scripts do it, each is a process from its start to its end, from an installed wheel, and all are begun
together. In turns with as many bare starts of the same interpreter, which say how much of it is the machine.

    python -m tests.bench bench_race
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from daemon.client import Client
from tests.bench.bench_cli import AGENT_SECRET, GOAL, begin, daemon_running, done, install
from tests.bench.row import Row

PROCESSES = 32
ROUNDS = 7
RATE_MIN = 30.0
"""Five times what the control plane that this one follows was measured to grant, on a machine at rest."""
SHARE_MIN = 0.3
"""Of the bare starts of as many interpreters; this holds on a busy machine too."""


def run() -> list[Row]:
    """Build, install, start, race."""
    with tempfile.TemporaryDirectory(prefix="frontstage-bench-") as folder:
        programs = install(Path(folder))
        home = Path(folder) / "home"
        with daemon_running(home):
            owner = Client(str(home / "daemon.sock"), (home / "owner.token").read_text().strip())
            begin(owner, home)
            for number in range(ROUNDS * PROCESSES):
                done(owner.act("todo.add", {"goal_id": GOAL, "todo_id": _todo(number), "text": f"Piece {number}"}))
            environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "FRONTSTAGE_HOME": str(home)}
            environment["FRONTSTAGE_TOKEN"] = AGENT_SECRET
            return _rows(programs, environment)


def _todo(number: int) -> str:
    return f"todo_race_{number:04d}"


def _rows(programs: Path, environment: dict[str, str]) -> list[Row]:
    rates: list[float] = []
    bare_rates: list[float] = []
    bare = [str(programs / "python"), "-c", "pass"]
    for number in range(ROUNDS):
        bare_rates.append(PROCESSES / _together([bare] * PROCESSES, environment))
        rates.append(PROCESSES / _together(_lines(programs, number), environment))
    share = median(rate / bare_rate for rate, bare_rate in zip(rates, bare_rates, strict=True))
    beside = f"{median(rates):.0f} leases a second / {median(bare_rates):.0f} bare starts of the interpreter"
    name = f"cli: {PROCESSES} processes for {PROCESSES} leases"
    return [
        Row(name, median(rates), RATE_MIN, "at least", "granted to as many processes begun together", "/s"),
        Row(f"{name}, of bare starts", share, SHARE_MIN, "at least", beside),
    ]


def _lines(programs: Path, number: int) -> list[list[str]]:
    first = number * PROCESSES
    held = [["--goal-id", GOAL, "--todo-id", _todo(one)] for one in range(first, first + PROCESSES)]
    command = [str(programs / "frontstage"), "task-lease", "acquire"]
    return [[*command, *todo, "--idempotency-key", f"run-{number}"] for todo in held]


def _together(lines: list[list[str]], environment: dict[str, str]) -> float:
    """How long it takes until all have ended; each must have done what it was asked."""
    started = time.perf_counter()
    running = [
        subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for line in lines
    ]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    took = time.perf_counter() - started
    failed = [errors.decode() for errors, code in ended if code]
    assert not failed, failed[0]
    return took


if __name__ == "__main__":
    for row in run():
        print(row)
