"""The store against the disk under it: durable events a second over records a second, one sync each.

N submitters are N requests that wait for one drain, each with an event, its chain link and its receipt; the
next drain starts when all have their answer. Threads and sockets are not in it: the daemon's own bench has
them. The probe appends a record of the same size to a file of the same file system and syncs it, and runs in
every round beside what it is compared with.

    python -m tests.bench.bench_store
"""

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from ledger.ports import GENESIS, EventRow, Group, Head, Store, Term
from ledger.store.sqlite import open_sqlite
from ledger.testing import event_row, event_rows, receipt_row
from tests.bench.row import Row, exit_code, table

ROUNDS = 9
PRELOADED_EVENTS = 50_000
"""Enough for the log to be folded back many times; far more would measure the disk writing the preload itself."""

PRELOAD_GROUP_EVENTS = 2_000
PROBE_RECORDS = 300
DRAINS = {1: 300, 8: 150, 32: 80, 128: 40}
RATIO_MIN = {1: 0.8, 8: 4.0, 32: 8.0, 128: 12.0}
TEXT = "A line of words as a person writes them, neither long nor short, to be kept beside the facts. " * 3
"""Makes an event and receipt of about 700 bytes."""


def run() -> list[Row]:
    """Measure all group sizes in interleaved rounds; the median of the per-round ratios counts."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("FRONTSTAGE_BENCH_DIR")) as folder:
        store = open_sqlite(Path(folder) / "ledger.sqlite3")
        try:
            return _measure(store, Path(folder) / "probe")
        finally:
            store.close()


def _measure(store: Store, probe_file: Path) -> list[Row]:
    term = store.open_term("bench")
    preload(store, term)
    record = bytes(_payload_bytes(event_row(store.head(), goal_id="goal-1", text=TEXT)))
    ratios: dict[int, list[float]] = {submitters: [] for submitters in DRAINS}
    rates: dict[int, list[float]] = {submitters: [] for submitters in DRAINS}
    for _ in range(ROUNDS):
        for submitters, drains in DRAINS.items():
            before = probe(probe_file, record)
            rate = group_commit(store, term, submitters, drains)
            after = probe(probe_file, record)
            rates[submitters].append(rate)
            ratios[submitters].append(rate / ((before + after) / 2))
    return [
        Row(
            name=f"store: {submitters} submitters",
            ratio=median(ratios[submitters]),
            limit=RATIO_MIN[submitters],
            direction="at least",
            note=f"{median(rates[submitters]):,.0f} events/s against {len(record)}-byte records synced one at a time",
        )
        for submitters in DRAINS
    ]


def preload(store: Store, term: Term) -> None:
    """A fresh database hides what growing and folding back cost."""
    for _ in range(PRELOADED_EVENTS // PRELOAD_GROUP_EVENTS):
        events = event_rows(PRELOAD_GROUP_EVENTS, after=store.head(), goal_id="goal-1", text=TEXT)
        store.append(term, Group(events=events, receipts=[receipt_row(row.seq) for row in events]))
        store.checkpoint()


def group_commit(store: Store, term: Term, submitters: int, drains: int) -> float:
    """Events a second, chained and made durable in groups of one event a submitter."""
    head = store.head()
    started = time.perf_counter()
    for _ in range(drains):
        events: list[EventRow] = []
        for _ in range(submitters):
            events.append(event_row(head, goal_id="goal-1", text=TEXT))
            head = Head(events[-1].seq, events[-1].hash)
        store.append(term, Group(events=events, receipts=[receipt_row(row.seq) for row in events]))
        store.checkpoint()
    return submitters * drains / (time.perf_counter() - started)


def probe(file: Path, record: bytes) -> float:
    """Records a second, each appended and synced by itself."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        started = time.perf_counter()
        for _ in range(PROBE_RECORDS):
            os.write(descriptor, record)
            getattr(os, "fdatasync", os.fsync)(descriptor)
        return PROBE_RECORDS / (time.perf_counter() - started)
    finally:
        os.close(descriptor)


def _payload_bytes(event: EventRow) -> int:
    """What one request leaves in the ledger: its event and its receipt."""
    receipt = receipt_row(GENESIS.seq + 1)
    parts = (event.body, event.words, event.salt, event.hash, receipt.key, receipt.params_digest)
    return sum(len(part) for part in parts if part is not None)


if __name__ == "__main__":
    rows = run()
    print(table(rows))
    raise SystemExit(exit_code(rows))
