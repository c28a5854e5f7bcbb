"""A million events of a thousand goals: start to ready, replay with proof, memory, and what a closed goal costs.

A replay is the whole way from the log to a state that may be served: every event read, folded and proved, the proof in
a process of its own as at a start without a snapshot. Its rate is by the clock on the wall, so it wants two idle cores;
the note says what each of the two processes computed. Starts are measured as in `bench_start`.

    python -m tests.bench.bench_size
"""

import gc
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

from daemon.local.proof import Proof
from daemon.paths import Home
from ledger.ports import GENESIS
from ledger.snapshot import restore
from ledger.store.sqlite import open_sqlite_reader
from ledger.verify import verify_events
from tests.bench.asked import action, answer, get
from tests.bench.large import large
from tests.bench.preload import copy_of
from tests.bench.processes import POLL_S, ROOT, ready
from tests.bench.row import Row

EVENTS, GOALS = 1_000_000, 1_000
STARTS, REPLAYS = 5, 3
READY_S_MAX, READY_GIVEN_UP_S = 2.0, 300.0
REPLAY_K_MIN, VERIFY_K_MIN = 150.0, 150.0
RESIDENT_MIB_MAX = 200.0
CLOSED_READ_MS_MAX = 25.0
CLOSED_READ = range(3, 203)
"""Goals that are read once each; nearly all of them are closed."""


def run() -> list[Row]:
    """Replay, then start without a snapshot, then with one."""
    with tempfile.TemporaryDirectory() as folder:
        home = copy_of(large(EVENTS, GOALS), Path(folder) / "home")
        replays = [_elsewhere("replay", home) for _ in range(REPLAYS)]
        proofs = [_elsewhere("verify", home) for _ in range(REPLAYS)]
        first = _started(home, Path(folder) / "log")
        (Path(folder) / "log").unlink()
        starts = [_started(home, Path(folder) / "log") for _ in range(STARTS)]
        assert "passed over" not in (Path(folder) / "log").read_text(), "a start did without the snapshot"
    beside = f"{EVENTS:,} events, {GOALS:,} goals, from a snapshot"
    begun = median(start["ready_s"] for start in starts)
    held = median(start["resident_mib"] for start in starts)
    read = median(start["closed_ms"] for start in starts)
    return [
        Row("a million events: start to ready", begun, READY_S_MAX, "at most", beside, unit="s"),
        _rate(
            "a million events: replay with proof",
            replays,
            REPLAY_K_MIN,
            f"; the first start took {first['ready_s']:.1f} s",
        ),
        _rate("a million events: ledger verify", proofs, VERIFY_K_MIN, ""),
        Row(
            "a million events: resident",
            held,
            RESIDENT_MIB_MAX,
            "at most",
            f"{beside}, after {len(CLOSED_READ)} goals were read; {starts[0]['at_start_mib']:.0f} MiB before",
            unit="MiB",
        ),
        Row(
            "a closed goal: first read",
            read,
            CLOSED_READ_MS_MAX,
            "at most",
            "goal.show, from outside memory",
            unit="ms",
        ),
    ]


def _rate(name: str, found: list[dict[str, float]], limit: float, more: str) -> Row:
    rate = median(one["events"] / one["wall_s"] for one in found) / 1_000
    computed = median(one["cpu_s"] / one["events"] for one in found) * 1e6
    other = median(one["other_cpu_s"] / one["events"] for one in found) * 1e6
    beside = f", {other:.1f} in the one that proves" if other else ""
    note = f"thousand events a second; {computed:.1f} us computed for each{beside}{more}"
    return Row(name, rate, limit, "at least", note, unit="k/s")


def _elsewhere(what: str, home: Home) -> dict[str, float]:
    """In a process of its own, so that its memory is gone afterwards."""
    argv = [sys.executable, "-m", "tests.bench.bench_size", what, home.ledger]
    return json.loads(subprocess.run(argv, check=True, capture_output=True, cwd=ROOT).stdout)


def _replayed(ledger: Path) -> int:
    store = open_sqlite_reader(ledger)
    with Proof(ledger) as proof:
        return restore(store, "of no snapshot", lambda _: None, None, proof.begin).seq


def _verified(ledger: Path) -> int:
    report = verify_events(open_sqlite_reader(ledger).events(0), after=GENESIS)
    assert report.holds, report.first_break
    return report.events


def _started(home: Home, log: Path) -> dict[str, float]:
    """Start a daemon, read closed goals, stop it."""
    with log.open("ab") as errors:
        began = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "daemon.start", "--home", home.path], stderr=errors, cwd=ROOT)
        try:
            while not ready(home.socket, "/readyz"):
                assert process.poll() is None, log.read_text()[-2_000:]
                assert time.perf_counter() - began < READY_GIVEN_UP_S, "the daemon did not become ready"
                time.sleep(POLL_S / 2)
            ready_s = time.perf_counter() - began
            held = psutil.Process(process.pid).memory_info().rss / 2**20
            return {"ready_s": ready_s, "at_start_mib": held, **_read_closed(home, process.pid)}
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(READY_GIVEN_UP_S)


def _read_closed(home: Home, pid: int) -> dict[str, float]:
    took_ms = []
    for number in CLOSED_READ:
        began = time.perf_counter()
        status, body = answer(home.socket, get(action("goal.show"), goal_id=f"g{number:06d}"))
        took_ms.append((time.perf_counter() - began) * 1_000)
        assert status == 200, body
    return {"closed_ms": median(took_ms), "resident_mib": psutil.Process(pid).memory_info().rss / 2**20}


def _main(argv: list[str]) -> None:
    if not argv:
        for row in run():
            print(row)
        return
    gc.disable()  # As the daemon does until it has its state.
    began = time.perf_counter()
    events = {"replay": _replayed, "verify": _verified}[argv[0]](Path(argv[1]))
    wall_s = time.perf_counter() - began
    other = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = {"events": events, "wall_s": wall_s, "cpu_s": time.process_time()}
    print(json.dumps(figures | {"other_cpu_s": other.ru_utime + other.ru_stime}))


if __name__ == "__main__":
    _main(sys.argv[1:])
