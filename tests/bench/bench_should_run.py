"""`quota should-run` in a workspace in the middle of its work, against an aiohttp echo of a body of the same size.

Twenty goals, a thousand todos, five thousand runs, a hundred gates and two hundred leases. One request in ten is a
durable write to one of the goals, by the same clients, so that verdicts go stale while they are asked for; only the
reads count. A last row takes no answer from memory: what it costs to make one anew is held against what the echo
computes for one of its own.

    python -m tests.bench.bench_should_run
"""

import tempfile
import time
from pathlib import Path
from statistics import median

import msgspec

from daemon.service import replay
from ledger.projections.documents import READERS, valid_until_ms
from ledger.rules.quota import ShouldRun
from ledger.store.sqlite import open_sqlite
from tests.bench.asked import action, answer, get, post
from tests.bench.busy import Size, busy
from tests.bench.fresh import assert_fresh
from tests.bench.load import Script
from tests.bench.preload import AGENT, copy_of
from tests.bench.processes import Processes, Run, Server, load
from tests.bench.row import Row

ASKED = "quota.should-run"
SIZE = Size()
ROUNDS = 9
SECONDS = 0.5
WRITES_EVERY = 10
RATE_MIN, P50_MAX, ANEW_MAX = 0.5, 2.0, 4.0
SUPPLY_PER_S = 100_000
ANEW = 400
"""Answers made anew in each round."""


def run() -> list[Row]:
    """Rate and median as ratios of the echo's, and the cost of an answer that is not in memory."""
    home = busy(SIZE)
    with tempfile.TemporaryDirectory() as folder, Processes(Path(folder)) as processes:
        daemon = processes.daemon(copy_of(home, Path(folder) / "home").path)
        checked = _checked(daemon)
        size = len(_body(daemon))
        echo = processes.echo(size)
        many: list[tuple[Run, Run]] = []
        one: list[tuple[Run, Run]] = []
        anew_us: list[float] = []
        for number in range(ROUNDS):
            many.append(_both(daemon, echo, 32, number))
            one.append(_both(daemon, echo, 1, number))
            anew_us.append(_anew_us(home))
        return _rows(many, one, anew_us, f"{checked} answers seen to be fresh; against an aiohttp echo of {size} bytes")


def _body(daemon: Server) -> bytes:
    status, body = answer(daemon.socket, get(action(ASKED), goal_id="g0"))
    assert status == 200, body
    return body


def _checked(daemon: Server) -> int:
    """The verdict is the one that this workspace was made for, and answers are fresh."""
    verdict = msgspec.json.decode(_body(daemon))
    assert verdict["decision"] == "run", verdict["reason_codes"]
    assert verdict["selected_todo"]["todo_id"] == f"todo_0-{SIZE.first_free}", verdict["selected_todo"]
    return assert_fresh(daemon.socket, ("goal.show", ASKED), SIZE.goals, SIZE.first_free)


def _both(daemon: Server, echo: Server, clients: int, number: int) -> tuple[Run, Run]:
    supply = _scripts(f"{number}-{clients}", int(SECONDS * SUPPLY_PER_S))
    mine = load(daemon, clients, SECONDS, supply, awake=True)
    theirs = load(echo, clients, SECONDS, [[get("/echo", goal_id="g0")]], again=True, awake=True)
    return mine, theirs


def _scripts(tag: str, count: int) -> list[Script]:
    """Questions about all goals in turn, with a write to one of them between."""
    made: list[Script] = []
    for number in range(count):
        goal = number * 7 % SIZE.goals
        if number % WRITES_EVERY:
            made.append([get(action(ASKED), goal_id=f"g{goal}")])
        else:
            goal = number // WRITES_EVERY % SIZE.goals
            # Of the work behind the first that is free, so that what is selected stays the same.
            todo = f"todo_{goal}-{SIZE.first_free + 1 + number % 20}"
            note = f"Step {tag} {number}"
            made.append([post(action("todo.update"), f"{tag}-{number}", goal_id=f"g{goal}", todo_id=todo, note=note)])
    return made


def _anew_us(home: Path) -> float:
    """What one answer takes to decide, to draw up and to encode, in this process."""
    store = open_sqlite(home / "ledger.sqlite3")
    try:
        workspace = replay(store)
    finally:
        store.close()
    reader, encode = READERS[ASKED], msgspec.json.Encoder().encode
    asks = [ShouldRun(goal_id=goal_id) for goal_id in workspace.goals]
    started = time.process_time()
    for number in range(ANEW):
        ask = asks[number % len(asks)]
        encode(reader(workspace, AGENT, ask, workspace.at_ms))
        valid_until_ms(workspace, ask.goal_id, workspace.at_ms)
    return (time.process_time() - started) / ANEW * 1e6


def _rows(many: list[tuple[Run, Run]], one: list[tuple[Run, Run]], anew_us: list[float], against: str) -> list[Row]:
    rates = [mine.reads.rate / theirs.reads.rate for mine, theirs in many]
    halves = [mine.reads.p50 / theirs.reads.p50 for mine, theirs in one]
    anew = [ours / theirs.cpu_us for ours, (_, theirs) in zip(anew_us, many, strict=True)]
    mine, theirs = many[-1]
    shown = (
        f"{mine.reads.rate:,.0f} reads and {mine.writes.rate:,.0f} writes a second / {theirs.reads.rate:,.0f}, "
        f"{mine.cpu_us:.0f} / {theirs.cpu_us:.0f} us of CPU each; {against}"
    )
    alone = f"{one[-1][0].reads.p50 * 1e6:.0f} / {one[-1][1].reads.p50 * 1e6:.0f} us; {against}"
    made = f"{median(anew_us):.0f} us to decide, draw up and encode / {theirs.cpu_us:.0f} us of CPU for an echo"
    return [
        Row("should-run among much, rate, 32 clients", median(rates), RATE_MIN, "at least", shown),
        Row("should-run among much, p50, 1 client", median(halves), P50_MAX, "at most", alone),
        Row("should-run among much, made anew", median(anew), ANEW_MAX, "at most", made),
    ]


if __name__ == "__main__":
    for row in run():
        print(row)
