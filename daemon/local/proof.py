"""The proof of a long history, in a process of its own beside the one that folds it.

Each takes about as long as the other, and a start that has no snapshot to begin with waits for both. The other process
opens the file for reading, computes every hash again as `frontstage ledger verify` does, and says by its exit code
whether all of them hold; whoever folded meanwhile does nothing with the state before that.

    python -m daemon.local.proof LEDGER AFTER_SEQ AFTER_HASH THROUGH_SEQ
"""

import subprocess
import sys
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from daemon.cli.spawn import module_argv, module_environment
from ledger.ports import Head, StoreUnusable
from ledger.store.sqlite import open_sqlite_reader
from ledger.verify import verify_events

EXIT_HOLDS, EXIT_BROKEN = 0, 1


class Proof:
    """One such process at most. Leaving it waits for the answer; a history that does not hold is StoreUnusable."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, after: Head, through_seq: int) -> None:
        """Prove the events after one that is trusted."""
        words = [str(self._ledger), str(after.seq), after.hash.hex(), str(through_seq)]
        self._process = subprocess.Popen(
            [*module_argv("daemon.local.proof"), *words], stdin=subprocess.DEVNULL, env=module_environment()
        )

    def __enter__(self) -> Self:
        """Itself; nothing has begun yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What could not be folded may be a history that does not hold: then that is the error."""
        if self._process is None:
            return
        code = self._process.wait()
        if code != EXIT_HOLDS:
            raise StoreUnusable("the history does not hold, or cannot be read: see `frontstage ledger verify`")


def holds(ledger: Path, after: Head, through_seq: int) -> bool:
    """Whether every event up to there goes on from `after`."""
    store = open_sqlite_reader(ledger)
    try:
        report = verify_events(islice(store.events(after.seq), through_seq - after.seq), after=after)
    finally:
        store.close()
    return report.holds and report.head.seq == through_seq


def main(argv: list[str]) -> int:
    """What the other process does; the exit code."""
    ledger, after_seq, after_hash, through_seq = argv
    after = Head(int(after_seq), bytes.fromhex(after_hash))
    return EXIT_HOLDS if holds(Path(ledger), after, int(through_seq)) else EXIT_BROKEN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
