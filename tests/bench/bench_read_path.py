"""Reading while others write, against an aiohttp echo that answers with a body of exactly that size.

Twenty goals and a thousand todos; one request in ten is a durable write that changes what is read, by the same clients.
Only the reads count: their rate and latency are compared with an echo that has nothing but reads to answer. Whether an
answer is true is not asked while time is taken, but in a pass of its own before it.

    python -m tests.bench.bench_read_path
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.asked import action, answer, get, post
from tests.bench.fresh import assert_fresh
from tests.bench.load import Script
from tests.bench.preload import copy_of, preloaded
from tests.bench.processes import Processes, Run, Server, load
from tests.bench.row import Row

EVENTS, GOALS, TODOS_EACH = 20_000, 20, 50
ROUNDS = 9
SECONDS = 0.5
WRITES_EVERY = 10
"""One request in this many is a write."""
READS = ("goal.show", "quota.should-run")
RATE_MIN, P50_MAX = 0.5, 2.0
SUPPLY_PER_S = 100_000
"""More requests than any machine of today answers."""


@dataclass
class Seen:
    """What one document came to, round by round."""

    rates: list[float]
    p50: list[float]
    runs: dict[int, tuple[Run, Run]]


def run() -> list[Row]:
    """Rates and medians of the reads as ratios of the echo's."""
    with tempfile.TemporaryDirectory() as folder:
        home = copy_of(preloaded(EVENTS, GOALS, TODOS_EACH), Path(folder) / "home")
        with Processes(Path(folder)) as processes:
            daemon = processes.daemon(home.path)
            checked = assert_fresh(daemon.socket, READS, GOALS)
            sizes = {name: size_of(daemon, name) for name in READS}
            echoes = {name: processes.echo(sizes[name]) for name in READS}
            seen = {name: Seen([], [], {}) for name in READS}
            for number in range(ROUNDS):
                for name in READS:
                    for clients in (32, 1):
                        _one(seen[name], name, daemon, echoes[name], clients, number)
            return [row for name in READS for row in _rows(seen[name], name, sizes[name], checked)]


def size_of(daemon: Server, name: str) -> int:
    """The size of a document of the first goal, in bytes."""
    status, body = answer(daemon.socket, get(action(name), goal_id="g0"))
    assert status == 200, body
    return len(body)


def _one(seen: Seen, name: str, daemon: Server, echo: Server, clients: int, number: int) -> None:
    supply = scripts(name, f"{name}-{number}-{clients}", int(SECONDS * SUPPLY_PER_S))
    mine = load(daemon, clients, SECONDS, supply, awake=True)
    theirs = load(echo, clients, SECONDS, [[get("/echo", goal_id="g0")]], again=True, awake=True)
    if clients == 1:
        seen.p50.append(mine.reads.p50 / theirs.reads.p50)
    else:
        seen.rates.append(mine.reads.rate / theirs.reads.rate)
    seen.runs[clients] = (mine, theirs)


def scripts(name: str, tag: str, count: int) -> list[Script]:
    """Reads of all goals in turn with a write to one of them between."""
    made: list[Script] = []
    for number in range(count):
        if number % WRITES_EVERY:
            made.append([get(action(name), goal_id=f"g{number * 7 % GOALS}")])
        else:
            goal = number // WRITES_EVERY % GOALS
            todo = f"todo_{goal}-{number // WRITES_EVERY // GOALS % TODOS_EACH}"
            note = f"Step {tag} {number}"
            made.append([post(action("todo.update"), f"{tag}-{number}", goal_id=f"g{goal}", todo_id=todo, note=note)])
    return made


def _rows(seen: Seen, name: str, size: int, checked: int) -> list[Row]:
    mine, theirs = seen.runs[32]
    against = f"against an aiohttp echo of {size} bytes"
    many = (
        f"{mine.reads.rate:,.0f} reads and {mine.writes.rate:,.0f} writes a second / {theirs.reads.rate:,.0f}, "
        f"{mine.cpu_us:.0f} / {theirs.cpu_us:.0f} us of CPU each; {checked} answers seen to be fresh; {against}"
    )
    one = f"{seen.runs[1][0].reads.p50 * 1e6:.0f} / {seen.runs[1][1].reads.p50 * 1e6:.0f} us; {against}"
    return [
        Row(f"read {name}, rate, 32 clients", median(seen.rates), RATE_MIN, "at least", many),
        Row(f"read {name}, p50, 1 client", median(seen.p50), P50_MAX, "at most", one),
    ]


if __name__ == "__main__":
    for row in run():
        print(row)
