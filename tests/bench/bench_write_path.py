"""The whole write path over the socket against an aiohttp echo of the same request: parse, rules, chain, receipt, sync.

The ledger has a million events before the first measured one, for a young database hides what grows. Daemon, echo and
load generator are processes of their own; each round measures both sides one after the other.

    python -m tests.bench.bench_write_path
"""

import tempfile
from pathlib import Path
from statistics import median

from tests.bench.asked import action, post
from tests.bench.bench_store import probe
from tests.bench.load import Script
from tests.bench.preload import copy_of, preloaded
from tests.bench.processes import Processes, Server, load
from tests.bench.row import Row

EVENTS = 1_000_000
GOALS = 20
ROUNDS = 9
SECONDS = 0.7
RATE_MIN = {32: 0.35, 128: 0.45}
P50_MAX, P99_MAX = 5.0, 4.0
SUPPLY_PER_S = 40_000
"""More requests than any machine of today answers."""
RECORD = b"x" * 700
ECHO = "against an aiohttp echo of the same request"


def run() -> list[Row]:
    """Rates and latencies as ratios of the same figures of the echo."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        home = copy_of(preloaded(EVENTS, GOALS, 50), root / "home")
        with Processes(root) as processes:
            return _rounds(processes.daemon(home.path), processes.echo(600), root / "probe")


def _rounds(daemon: Server, echo: Server, probe_file: Path) -> list[Row]:
    rates: dict[int, list[float]] = {32: [], 128: []}
    p50: list[float] = []
    p99: list[float] = []
    shown: dict[int, str] = {}
    synced_us: list[float] = []
    for number in range(ROUNDS):
        synced_us.append(1e6 / probe(probe_file, RECORD))
        for clients in (1, 32, 128):
            supply = scripts(f"{number}-{clients}", int(SECONDS * SUPPLY_PER_S), action("todo.update"))
            mine = load(daemon, clients, SECONDS, supply)
            theirs = load(echo, clients, SECONDS, scripts("echo", 32, "/echo"), again=True)
            if clients == 1:
                p50.append(mine.writes.p50 / theirs.writes.p50)
            else:
                rates[clients].append(mine.writes.rate / theirs.writes.rate)
            if clients == 32:
                p99.append(mine.writes.p99 / theirs.writes.p99)
            shown[clients] = (
                f"{mine.writes.rate:,.0f} / {theirs.writes.rate:,.0f} a second, "
                f"{mine.cpu_us:.0f} / {theirs.cpu_us:.0f} us of CPU each; "
            )
    disk = f"a synced record alone takes {median(synced_us):.0f} us here; "
    return [
        Row("durable action, rate, 32 clients", median(rates[32]), RATE_MIN[32], "at least", shown[32] + ECHO),
        Row("durable action, rate, 128 clients", median(rates[128]), RATE_MIN[128], "at least", shown[128] + ECHO),
        Row("durable action, p50, 1 client", median(p50), P50_MAX, "at most", shown[1] + disk + ECHO),
        Row("durable action, p99, 32 clients", median(p99), P99_MAX, "at most", ECHO),
    ]


def scripts(tag: str, count: int, path: str) -> list[Script]:
    """Single requests, each with a key of its own."""
    made = []
    for number in range(count):
        goal = number % GOALS
        todo = f"todo_{goal}-{1 + number // GOALS % 49}"
        made.append([post(path, f"{tag}-{number}", goal_id=f"g{goal}", todo_id=todo, note=f"Step {tag} {number}")])
    return made


if __name__ == "__main__":
    for row in run():
        print(row)
