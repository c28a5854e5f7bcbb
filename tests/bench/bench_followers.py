"""Durable actions while twenty pages follow, against the same without them, by turns in one run.

A page that follows is told that something was committed and asks for itself again. Nobody who writes may feel that:
each round measures the writers alone, then with everybody following, then alone again, so that the second pair says how
far apart two runs lie in which nothing is different.

    python -m tests.bench.bench_followers
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.asked import action, post
from tests.bench.bench_page import opened, settled
from tests.bench.load import Script
from tests.bench.preload import copy_of
from tests.bench.processes import ROOT, Processes, Run, Server, load
from tests.bench.row import Row
from tests.bench.wide import GOALS, wide

FOLLOWERS, WRITERS = 20, 32
ROUNDS = 9
SECONDS = 1.5
RATE_MIN, P99_MAX, DRAGGED_MIN = 0.9, 1.5, 0.7
SUPPLY_PER_S = 20_000
OPEN_TODOS = 3
"""Todos of each goal that nobody holds: the last ones."""
FIRST_OPEN = 17


@dataclass
class Seen:
    """The writers' figures with others, in multiples of theirs alone."""

    rates: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)

    def add(self, run: Run, alone: Run) -> None:
        """One round."""
        self.rates.append(run.writes.rate / alone.writes.rate)
        self.p99.append(run.writes.p99 / alone.writes.p99)


def run() -> list[Row]:
    """Ratios of rates and latencies, with followers and, for comparison, without."""
    with tempfile.TemporaryDirectory() as folder:
        home = copy_of(wide(), Path(folder) / "home")
        with Processes(Path(folder)) as processes:
            daemon = processes.daemon(home.path)
            url = opened(daemon)
            settled(daemon)
            return _rounds(daemon, url)


def _rounds(daemon: Server, url: str) -> list[Row]:
    followed, dragged, same, told, asked, moments = Seen(), Seen(), Seen(), 0, 0, 0
    for number in range(ROUNDS):
        alone = _written(daemon, f"{number}-alone")
        with following(url) as found:
            with_them = _written(daemon, f"{number}-followed")
        with following(url, 1, "drag") as seen:
            beside_the_past = _written(daemon, f"{number}-dragged")
        again = _written(daemon, f"{number}-again")
        dragged.add(beside_the_past, alone)
        moments += seen["asked"]
        followed.add(with_them, alone)
        same.add(again, alone)
        told, asked = told + found["told"], asked + found["asked"]
    assert asked >= ROUNDS * FOLLOWERS, "nobody followed"
    note = (
        f"{with_them.writes.rate:,.0f} / {alone.writes.rate:,.0f} a second in the last round, {WRITERS} clients; "
        f"each page looked {asked / (ROUNDS * FOLLOWERS * SECONDS):.1f} times a second"
    )
    apart = f"two runs without them lie {median(same.rates):.2f} apart in rate, {median(same.p99):.2f} in p99"
    return [
        Row(f"writes while {FOLLOWERS} pages follow, rate", median(followed.rates), RATE_MIN, "at least", note),
        Row(f"writes while {FOLLOWERS} pages follow, p99", median(followed.p99), P99_MAX, "at most", apart),
        Row(
            "writes while somebody looks through the past, rate",
            median(dragged.rates),
            DRAGGED_MIN,
            "at least",
            f"of everything, {moments / (ROUNDS * SECONDS):.1f} moments a second; p99 {median(dragged.p99):.2f}",
        ),
    ]


def _written(daemon: Server, tag: str) -> Run:
    return load(daemon, WRITERS, SECONDS, scripts(tag, int(SECONDS * SUPPLY_PER_S)))


def scripts(tag: str, count: int) -> list[Script]:
    """Single requests to all goals in turn, each with a key of its own."""
    path, made = action("todo.update"), []
    for number in range(count):
        goal_id, todo = f"g{1 + number % (GOALS - 1):06d}", FIRST_OPEN + number // GOALS % OPEN_TODOS
        asked = {"goal_id": goal_id, "todo_id": f"todo_{todo:04d}", "note": f"Step {tag} {number}"}
        made.append([post(path, f"{tag}-{number}", **asked)])
    return made


@contextmanager
def following(url: str, count: int = FOLLOWERS, *how: str) -> Iterator[dict[str, int]]:
    """Pages that follow; what they were told and did is there afterwards."""
    argv = [sys.executable, "-m", "tests.bench.followers", url, str(count), *how]
    process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None, "it is a pipe"
    found: dict[str, int] = {}
    try:
        assert process.stdout.readline() == "ready\n", "nobody follows"
        yield found
    finally:
        process.terminate()
        said = process.stdout.read()
        process.wait()
    found.update(json.loads(said))


if __name__ == "__main__":
    for row in run():
        print(row)
