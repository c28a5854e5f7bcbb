"""Many agents claim ready work at once: ours over the socket against PostgreSQL's `FOR UPDATE SKIP LOCKED`.

A table of work with an index of what is ready, and a transaction that locks the most urgent free row nobody else is
about to take, marks it and commits, is how a queue is made of a database. It runs on the same machine in turns with
ours, with as many connections and as durable, and is begun anew for each round, so that it never has old rows to step
over. What it does is less: no rules, no proof of who asks, no history, no receipt for a retry.

    python -m tests.bench.bench_claims
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from daemon.paths import Home
from tests.bench.claimer import secret_of
from tests.bench.postgres import Postgres, postgres
from tests.bench.preload import OPERATOR, Maker, copy_of, kept
from tests.bench.processes import ROOT, Processes, Server
from tests.bench.row import Row

CLIENTS = 32
GOALS, TODOS_EACH = 20, 3_000
ROUNDS = 7
SECONDS = 1
RATE_MIN = 1.0
NAME = f"claims of ready work, {CLIENTS} agents"
TABLE = f"""
DROP TABLE IF EXISTS todo;
CREATE TABLE todo (
    goal_id text NOT NULL, todo_id text PRIMARY KEY, text text NOT NULL, priority text NOT NULL, seq integer NOT NULL,
    status text NOT NULL DEFAULT 'open', claimed_by text, claimed_at timestamptz
);
CREATE INDEX ready ON todo (goal_id, priority, seq) WHERE status = 'open' AND claimed_by IS NULL;
INSERT INTO todo (goal_id, todo_id, text, priority, seq)
    SELECT 'g' || n % {GOALS}, 'todo_' || n, 'Piece ' || n || ' of it', 'P2', n
    FROM generate_series(1, {GOALS * TODOS_EACH}) n;
"""
SETTLE = "VACUUM ANALYZE todo"
FREE = "goal_id = 'g' || :goal AND status = 'open' AND claimed_by IS NULL ORDER BY priority, seq LIMIT 1"
CLAIM = f"""
\\set goal random(0, {GOALS - 1})
BEGIN;
SELECT todo_id FROM todo WHERE {FREE} FOR UPDATE SKIP LOCKED \\gset
UPDATE todo SET claimed_by = 'worker-' || :client_id, claimed_at = now() WHERE todo_id = :todo_id;
COMMIT;
"""
_RATE = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)


def run() -> list[Row]:
    """Rates in turns."""
    with tempfile.TemporaryDirectory() as folder, Processes(Path(folder)) as processes, postgres() as peer:
        if peer is None:
            return [Row(NAME, 0.0, RATE_MIN, "at least", "PostgreSQL is not at hand", measured=False)]
        home = copy_of(kept(f"claims-{GOALS}-{TODOS_EACH}-", _make, Path(__file__)), Path(folder) / "home")
        daemon = processes.daemon(home.path)
        ours: list[dict[str, float]] = []
        theirs: list[float] = []
        for number in range(ROUNDS):
            ours.append(_claimed(daemon, number))
            theirs.append(_taken(peer))
        return [_row(ours, theirs, peer.version())]


def _row(ours: list[dict[str, float]], theirs: list[float], version: str) -> Row:
    ratio = median(mine["rate"] / their for mine, their in zip(ours, theirs, strict=True))
    note = (
        f"{median(mine['rate'] for mine in ours):,.0f} / {median(theirs):,.0f} a second, against SELECT ... FOR UPDATE "
        f"SKIP LOCKED, UPDATE and COMMIT by {CLIENTS} connections of PostgreSQL {version}"
    )
    return Row(NAME, ratio, RATE_MIN, "at least", note)


def _claimed(daemon: Server, number: int) -> dict[str, float]:
    argv = [sys.executable, "-m", "tests.bench.claimer", daemon.socket]
    argv += [str(CLIENTS), str(SECONDS), str(GOALS), f"round-{number}"]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-1_000:]
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _taken(peer: Postgres) -> float:
    peer.ask(TABLE)
    peer.ask(SETTLE)
    peer.ask("CHECKPOINT")
    said = peer.bench(CLAIM, CLIENTS, SECONDS)
    found = _RATE.search(said)
    assert found is not None, said
    taken = int(peer.ask("SELECT count(*) FROM todo WHERE claimed_by IS NOT NULL"))
    assert 0 < taken < GOALS * TODOS_EACH, f"{taken} rows were taken"
    return float(found[1])


def _make(home: Home) -> None:
    maker = Maker(home)
    maker.begin()
    for number in range(CLIENTS):
        name, digest = f"worker-{number}", hashlib.sha256(secret_of(number).encode()).hexdigest()
        maker.run([maker.ask(OPERATOR, "member.add", member_id=name, kind="agent", display_name=name.title())])
        maker.run([maker.ask(OPERATOR, "token.issue", member_id=name, secret_digest=digest)])
    for goal in range(GOALS):
        maker.add_goal(goal)
        maker.in_groups([maker.todo(goal, number) for number in range(TODOS_EACH)])
    maker.close()


if __name__ == "__main__":
    for row in run():
        print(row)
