"""What the privacy filter adds to a document that is made anew: with it, as a multiple of without it.

python -m tests.bench.bench_privacy
"""

import time
from statistics import median

import msgspec

from daemon.service import replay
from ledger.catalogue import ACTIONS
from ledger.params import Params
from ledger.projections.documents import READERS
from ledger.projections.outlet import filtered
from ledger.refusals import Refusal
from ledger.state import Workspace
from ledger.store.sqlite import open_sqlite
from tests.bench.busy import Size, busy
from tests.bench.preload import AGENT
from tests.bench.row import Row

ROUNDS = 9
ASKED = {"quota.should-run": (200, 1.5), "goal.show": (60, 2.0), "todo.list": (40, 3.0), "status.show": (6, 2.0)}
"""How many in a round, and how much the filter may multiply their cost by."""
_encode = msgspec.json.Encoder().encode


def run() -> list[Row]:
    """One row for each of the reads that are asked most."""
    store = open_sqlite(busy(Size()) / "ledger.sqlite3")
    try:
        workspace = replay(store)
    finally:
        store.close()
    return [_row(workspace, name, count, limit) for name, (count, limit) in ASKED.items()]


def _row(workspace: Workspace, name: str, count: int, limit: float) -> Row:
    kind = ACTIONS[name]
    given = [{"goal_id": goal_id} for goal_id in workspace.goals] if kind.goal_bound else [{}]
    asks = [kind.params.model_validate(one) for one in given]
    rounds = [_round(workspace, name, asks, count) for _ in range(ROUNDS)]
    whole_us, filter_us = (median(values) for values in zip(*rounds, strict=True))
    ratio = median(whole / (whole - alone) for whole, alone in rounds)
    note = f"{whole_us:.0f} us of CPU to draw up, filter and encode, of which the filter {filter_us:.0f} us"
    return Row(f"privacy filter, {name} made anew", ratio, limit, "at most", note)


def _round(workspace: Workspace, name: str, asks: list[Params], count: int) -> tuple[float, float]:
    """Microseconds of one document in all, and of one pass of the filter over it."""
    reader, started = READERS[name], time.process_time()
    for number in range(count):
        made = reader(workspace, AGENT, asks[number % len(asks)], workspace.at_ms)
        assert not isinstance(made, Refusal), made
        _encode(made)
    whole = time.process_time() - started
    documents = [(ask, reader(workspace, AGENT, ask, workspace.at_ms)) for ask in asks]
    started = time.process_time()
    for number in range(count):
        ask, document = documents[number % len(documents)]
        filtered(workspace, AGENT, ask, document)
    return whole / count * 1e6, (time.process_time() - started) / count * 1e6


if __name__ == "__main__":
    for row in run():
        print(row)
