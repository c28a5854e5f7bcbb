"""`kill -9` of the daemon at random moments, again and again, under load from several processes.

Hammers keep asking through every restart, each command under one key until it is answered. After each restart the
ledger is read by an auditor that trusts nothing it was told: every acknowledged command must be there exactly once, at
the seq and under the receipt it was acknowledged with, nothing may be there twice, and the chain must go on from where
it was last proved.

    python -m tests.faults.kill_cycles --cycles 500
"""

import argparse
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from daemon.cli.spawn import module_argv, module_environment
from ledger.ports import GENESIS, EventRow, Head
from ledger.store.sqlite import open_sqlite_reader
from ledger.verify import verify_events
from tests.faults.hammer import TODOS
from tests.support.daemons import ENDS_S_MAX, DaemonProcess, fresh_home, proved
from tests.support.homes import Made, activate

HAMMERS, THREADS = 3, 2
LOAD_S_MAX = 0.2
"""A daemon is killed at a random moment of this time after it is ready."""
START_S_MAX = 0.6
"""One in six is killed before it can be ready, within this time of its start."""
START_KILLED_SHARE = 6


@dataclass
class Result:
    """What happened, for the test to judge and for a person to read."""

    cycles: int = 0
    acknowledged: int = 0
    asked_again: int = 0
    lost: int = 0
    lost_and_replayed: int = 0
    events: int = 0
    killed_while_starting: int = 0
    wrong: list[str] = field(default_factory=list)


class Hammer:
    """One client process and what it was told."""

    def __init__(self, made: Made, who: str, name: str) -> None:
        self.told: list[dict[str, object]] = []
        self._process = subprocess.Popen(
            [*module_argv("tests.faults.hammer"), made.home.socket, made.tokens[who], name, str(THREADS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=module_environment(),
            cwd="/",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self.told.append(json.loads(line))

    def finish(self) -> int:
        """Let it settle what it asked; its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(ENDS_S_MAX)
        self._reader.join(ENDS_S_MAX)
        return code

    def kill(self) -> None:
        """Nothing of it may outlive the test."""
        self._process.kill()
        self._process.wait()


class Auditor:
    """Reads the ledger's own rows and compares them with what was acknowledged."""

    def __init__(self, made: Made, result: Result) -> None:
        self._path = Path(made.home.ledger)
        self._result = result
        self._head = GENESIS
        self._by_label: dict[str, tuple[int, str]] = {}
        self._checked: dict[int, int] = {}

    def look(self, hammers: list[Hammer]) -> None:
        """Prove what is new, then look for everything that was acknowledged before this look began."""
        ends = [len(hammer.told) for hammer in hammers]
        store = open_sqlite_reader(self._path)
        try:
            if self._head.seq:
                self._require_same_head(next(iter(store.events(self._head.seq - 1, limit=1)), None))
            rows = list(store.events(self._head.seq))
        finally:
            store.close()
        report = verify_events(rows, after=self._head)
        if not report.holds:
            self._result.wrong.append(f"the chain breaks: {report.first_break}")
        self._head = report.head
        self._result.events = report.head.seq
        for row in rows:
            self._note(row.seq, row.body, row.words)
        for number, hammer in enumerate(hammers):
            for told in hammer.told[self._checked.get(number, 0) : ends[number]]:
                self._require(told)
            self._checked[number] = ends[number]

    def _require_same_head(self, row: EventRow | None) -> None:
        if row is None or Head(row.seq, row.hash) != self._head:
            self._result.wrong.append(f"what was proved at {self._head.seq} is no longer there")

    def _note(self, seq: int, body: bytes, words: bytes | None) -> None:
        event = json.loads(body)
        label = _label_of(event["kind"], json.loads(words or b"{}"))
        if label is None:
            return
        if label in self._by_label:
            self._result.wrong.append(f"{label} is there twice: {self._by_label[label][0]} and {seq}")
        self._by_label[label] = (seq, event["cause"])

    def _require(self, told: dict[str, object]) -> None:
        result, label = self._result, str(told["label"])
        if told["status"] != 200:
            result.wrong.append(f"{label} was refused: {told['code']}")
            return
        seq, receipt = self._by_label.get(label, (None, None))
        if [seq] != told["seqs"] or receipt != told["receipt"]:
            result.wrong.append(f"{label} was acknowledged as {told['seqs']} {told['receipt']}, found {seq} {receipt}")
        if told.get("again"):
            result.asked_again += 1
            if not told["replayed"]:
                result.wrong.append(f"{label} was asked again and not answered from its receipt")
            return
        result.acknowledged += 1
        result.lost += bool(told["lost"])
        result.lost_and_replayed += bool(told["lost"] and told["replayed"])
        if told["replayed"] and not told["lost"]:
            result.wrong.append(f"{label} was new and answered from a receipt")


def _label_of(kind: str, words: dict[str, str]) -> str | None:
    if kind == "todo.updated":
        return words["note"]
    label = words.get("title", "")
    return label if kind == "todo.added" and label.startswith("hammer") else None


def run(cycles: int, seed: int = 7) -> Result:
    """Kill as often as asked; everything that was wrong is in the result."""
    rng, result = Random(seed), Result()
    with fresh_home(lambda scribe: activate(scribe, todos=TODOS)) as made:
        hammers = [Hammer(made, "ann", f"hammer{number}-") for number in range(HAMMERS)]
        auditor = Auditor(made, result)
        try:
            for _ in range(cycles):
                result.cycles += 1
                _one_cycle(made, rng, result, lambda: auditor.look(hammers))
            with DaemonProcess(made) as daemon:
                codes = [hammer.finish() for hammer in hammers]
                auditor.look(hammers)
                codes.append(daemon.stop())
            if any(codes):
                result.wrong.append(f"exit codes {codes}")
            report = proved(made)
            if not report.holds or report.head.seq != result.events:
                result.wrong.append(f"after the last stop: {report.first_break} at {report.head.seq}")
        finally:
            for hammer in hammers:
                hammer.kill()
    return result


def _one_cycle(made: Made, rng: Random, result: Result, look: Callable[[], None]) -> None:
    if rng.randrange(START_KILLED_SHARE) == 0:
        with DaemonProcess(made, wait=False) as daemon:
            _let_run(daemon, rng.uniform(0, START_S_MAX))
            daemon.kill()
        result.killed_while_starting += 1
        return
    with DaemonProcess(made) as daemon:
        look()
        _let_run(daemon, rng.uniform(0, LOAD_S_MAX))
        daemon.kill()


def _let_run(daemon: DaemonProcess, seconds: float) -> None:
    """The random moment: let the daemon go on; one that ends by itself is a failure."""
    try:
        code = daemon.process.wait(seconds)
    except subprocess.TimeoutExpired:
        return
    raise AssertionError(f"the daemon ended by itself with {code}: {daemon.log}")


def main() -> int:
    """Run and say what happened."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.kill_cycles")
    parser.add_argument("--cycles", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    result = run(options.cycles, options.seed)
    print(result)
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
