"""What a durable write costs when there is much around it, against the same write with little around it.

Two daemons, one ledger each, in turns: a goal of a hundred todos and one of ten thousand; one lease in force and a
thousand, each with a scope that a new one must be held against, folders and globs of several kinds. Compared is what
the daemon computes for one write, which noise moves less than it moves rates.

    python -m tests.bench.bench_flat
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.asked import action, post
from tests.bench.load import Script
from tests.bench.preload import SCOPES, copy_of, preloaded
from tests.bench.processes import Processes, Server, load
from tests.bench.row import Row

EVENTS = 20_000
CLIENTS = 32
ROUNDS = 9
SECONDS = 0.5
RATIO_MAX = 1.3
"""What the noise of a busy machine needs; a cost that grew with what is around would be many times this."""

SUPPLY_PER_S = 30_000
TODOS_FEW, TODOS_MANY = 100, 10_000
LEASES_FEW, LEASES_MANY = 1, 1_000
GLOBS_FEW = 10
TODOS_BESIDE_LEASES = 3_000

ScriptOf = Callable[[int], Script]


@dataclass
class Side:
    """One of the two that are compared."""

    server: Server
    script_of: ScriptOf
    played: int = 0
    cpu_us: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    def play(self) -> None:
        """One round; it goes on with the scripts where the last one stopped."""
        ahead = range(self.played, self.played + int(SECONDS * SUPPLY_PER_S))
        run = load(self.server, CLIENTS, SECONDS, [self.script_of(number) for number in ahead])
        self.played += run.taken
        self.cpu_us.append(run.cpu_us)
        self.rates.append(run.writes.rate)


def run() -> list[Row]:
    """Both comparisons."""
    return [
        _compared(
            f"write flat: {TODOS_FEW:,} -> {TODOS_MANY:,} todos",
            ((TODOS_FEW, 1, _todo_script(TODOS_FEW)), (TODOS_MANY, 1, _todo_script(TODOS_MANY))),
        ),
        _compared(
            f"write flat: {LEASES_FEW:,} -> {LEASES_MANY:,} leases",
            (
                (TODOS_BESIDE_LEASES, LEASES_FEW, _lease_script("folders")),
                (TODOS_BESIDE_LEASES, LEASES_MANY, _lease_script("folders")),
            ),
        ),
        _compared(
            f"acquire flat: {GLOBS_FEW:,} -> {LEASES_MANY:,} leases on globs",
            (
                (TODOS_BESIDE_LEASES, GLOBS_FEW, _lease_script("globs")),
                (TODOS_BESIDE_LEASES, LEASES_MANY, _lease_script("globs")),
            ),
            "globs",
        ),
    ]


def _compared(
    name: str, pair: tuple[tuple[int, int, ScriptOf], tuple[int, int, ScriptOf]], scopes: str = "folders"
) -> Row:
    with tempfile.TemporaryDirectory() as folder, Processes(Path(folder)) as processes:
        sides: list[Side] = []
        for number, (todos, leases, script_of) in enumerate(pair):
            home = copy_of(preloaded(EVENTS, 1, todos, leases, scopes=scopes), Path(folder) / f"home-{number}")
            sides.append(Side(processes.daemon(home.path), script_of))
        little, much = sides
        for number in range(ROUNDS):
            for side in (little, much) if number % 2 else (much, little):
                side.play()
        ratios = [one / other for one, other in zip(much.cpu_us, little.cpu_us, strict=True)]
        note = (
            f"{median(much.cpu_us):.0f} / {median(little.cpu_us):.0f} us of CPU a write; "
            f"{median(much.rates):,.0f} / {median(little.rates):,.0f} a second with {CLIENTS} clients"
        )
        return Row(name, median(ratios), RATIO_MAX, "at most", note)


def _todo_script(todos: int) -> ScriptOf:
    def script(number: int) -> Script:
        """Claim, say something, give back: each moves the todo within what is sorted."""
        todo_id = f"todo_0-{1 + number * 37 % (todos - 1)}"
        return [
            post(action("todo.claim"), f"claim-{number}", goal_id="g0", todo_id=todo_id),
            post(action("todo.update"), f"update-{number}", goal_id="g0", todo_id=todo_id, note=f"Step {number}"),
            post(action("todo.release"), f"release-{number}", goal_id="g0", todo_id=todo_id),
        ]

    return script


def _lease_script(scopes: str) -> ScriptOf:
    def script(number: int) -> Script:
        """Take a lease with scopes of its own on a todo beside those that are held, and give it back."""
        free = TODOS_BESIDE_LEASES - LEASES_MANY
        ask = {"goal_id": "g0", "todo_id": f"todo_0-{LEASES_MANY + number % free}", "idempotency_key": f"run-{number}"}
        times = 1 + number // free
        scope = [held.format(f"new{number % free}") for held in SCOPES[scopes]]
        return [
            post(action("task-lease.acquire"), f"acquire-{number}", **ask, write_scope=scope, ttl_seconds=3_600),
            post(action("task-lease.release"), f"give-{number}", **ask, expected_version=times),
        ]

    return script


if __name__ == "__main__":
    for row in run():
        print(row)
