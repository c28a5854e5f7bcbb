"""From nothing to ready: the daemon's start against a bare interpreter's, what it holds, and log against snapshot.

Twenty goals with ten thousand todos and a log of more than a hundred thousand events. The daemon starts from the
snapshot that a graceful stop left, as it does every day; each start ends when the socket says that it is ready. What it
holds is measured after it has shown every goal.

    python -m tests.bench.bench_start
"""

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from daemon.paths import Home
from ledger.ports import Store
from ledger.snapshot import WORKSPACE, restore, rows
from ledger.store.sqlite import open_sqlite, open_sqlite_reader
from tests.bench.asked import action, answer, get
from tests.bench.preload import copy_of, preloaded
from tests.bench.processes import POLL_S, READY_S_MAX, ROOT, Server, ready
from tests.bench.row import Row

EVENTS, GOALS, TODOS_EACH = 120_000, 20, 500
ROUNDS = 9
BARE_STARTS = 5
"""Bare starts in a round, for they are short."""
READY_MAX = 40.0
RESIDENT_MIB_MAX = 80.0
LOG_ROUNDS, SNAPSHOT_ROUNDS = 3, 9
SNAPSHOT_MIN = 10.0
REDUCER, OTHER_REDUCER = "of this bench", "of no snapshot"


def run() -> list[Row]:
    """Start, look, stop, again and again; then replay."""
    with tempfile.TemporaryDirectory() as folder:
        home = copy_of(preloaded(EVENTS, GOALS, TODOS_EACH), Path(folder) / "home")
        _started(home, Path(folder) / "log")
        _assert_snapshot(home)
        ratios, starts_ms, bare_ms, resident_mib = [], [], [], []
        for _ in range(ROUNDS):
            bare = median(_bare_ms() for _ in range(BARE_STARTS))
            ready_ms, held_mib = _started(home, Path(folder) / "log")
            ratios.append(ready_ms / bare)
            starts_ms.append(ready_ms)
            bare_ms.append(bare)
            resident_mib.append(held_mib)
        assert "passed over" not in (Path(folder) / "log").read_text(), "a start did without the snapshot"
        beside = f"{GOALS} goals, {GOALS * TODOS_EACH:,} todos, from a snapshot"
        against = f"{median(starts_ms):.0f} ms / {median(bare_ms):.1f} ms for python -c pass; {beside}"
        return [
            Row("daemon: start to ready", median(ratios), READY_MAX, "at most", against),
            Row("daemon: resident", median(resident_mib), RESIDENT_MIB_MAX, "at most", beside, unit="MiB"),
            _replay(home),
        ]


def _bare_ms() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, cwd=ROOT)
    return (time.perf_counter() - began) * 1_000


def _started(home: Home, log: Path) -> tuple[float, float]:
    """Start a daemon, let it show every goal, stop it: the time until it was ready, and what it then held."""
    with log.open("ab") as errors:
        began = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "daemon.start", "--home", home.path], stderr=errors, cwd=ROOT)
        try:
            while not ready(home.socket, "/readyz"):
                assert process.poll() is None, log.read_text()[-2_000:]
                assert time.perf_counter() - began < READY_S_MAX, "the daemon did not become ready"
                time.sleep(POLL_S / 2)
            took_ms = (time.perf_counter() - began) * 1_000
            for goal in range(GOALS):
                status, body = answer(home.socket, get(action("goal.show"), goal_id=f"g{goal}"))
                assert status == 200, body
            return took_ms, Server(home.socket, process).resident_mib
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(READY_S_MAX)


def _assert_snapshot(home: Home) -> None:
    store = open_sqlite_reader(Path(home.ledger))
    try:
        kept = store.snapshot(WORKSPACE)
        assert kept is not None, "a graceful stop left no snapshot"
        assert (kept.seq, kept.hash) == store.head(), "the snapshot is not of the head"
    finally:
        store.close()


def _replay(home: Home) -> Row:
    """The same state from the log and from a snapshot, in this process."""
    store = open_sqlite(Path(home.ledger))
    try:
        events = store.head().seq
        from_log_s = [_restored_s(store, OTHER_REDUCER, events) for _ in range(LOG_ROUNDS)]
        term = store.open_term("unused")
        for row in rows(restore(store, OTHER_REDUCER, lambda _: None), REDUCER, 0):
            store.save_snapshots(term, [row])
        from_snapshot_s = [_restored_s(store, REDUCER, events) for _ in range(SNAPSHOT_ROUNDS)]
    finally:
        store.close()
    log_s, snapshot_s = median(from_log_s), median(from_snapshot_s)
    note = (
        f"{log_s:.2f} s for {events:,} events of the log ({events / log_s:,.0f} a second) / "
        f"{snapshot_s * 1_000:.0f} ms from the snapshot"
    )
    return Row("replay: log over snapshot", log_s / snapshot_s, SNAPSHOT_MIN, "at least", note)


def _restored_s(store: Store, reducer: str, events: int) -> float:
    passed_over: list[str] = []
    began = time.process_time()
    workspace = restore(store, reducer, passed_over.append)
    took_s = time.process_time() - began
    assert workspace.seq == events
    assert bool(passed_over) == (reducer == OTHER_REDUCER), passed_over
    return took_s


if __name__ == "__main__":
    for row in run():
        print(row)
