"""The audit of attempts that changed nothing: refusals, denials and wishes that already held.

They have a chain of their own, which may be pruned, and repeats are coalesced per actor, action and reason: the
first is written at once, those that follow within the window are counted and written as one. Nobody can grow it
at will.
"""

from dataclasses import dataclass

import msgspec

from ledger.canonical import canonical
from ledger.chain import link
from ledger.events import Proof, Surface
from ledger.ids import MemberId
from ledger.ports import Head, RefusalRow

WINDOW_MS = 60_000
TRACKED_MAX = 4_096


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """Who tried what, from where, and why nothing came of it."""

    actor: MemberId
    proof: Proof
    surface: Surface
    on_behalf_of: MemberId | None
    action: str
    goal_id: str | None
    basis: str | None
    outcome: str
    code: str


class _Entry(Attempt, frozen=True, kw_only=True):
    number: int
    at_ms: int
    repeated: int


@dataclass
class _Window:
    ends_at_ms: int
    repeated: int
    last: Attempt
    last_at_ms: int


class Audit:
    """The end of the refusals' chain and the repeats not yet written."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._kept = head
        self._windows: dict[tuple[str, str, str, str], _Window] = {}

    def note(self, attempt: Attempt, at_ms: int) -> list[RefusalRow]:
        """Take one attempt; the rows to write now, in order."""
        key = (attempt.actor, attempt.action, attempt.code, attempt.surface)
        window = self._windows.get(key)
        if window is not None and at_ms < window.ends_at_ms:
            window.repeated += 1
            window.last, window.last_at_ms = attempt, at_ms
            return []
        rows = self.flush(at_ms) if len(self._windows) >= TRACKED_MAX else []
        if window is not None and window.repeated:
            rows.append(self._row(window.last, window.last_at_ms, window.repeated))
        self._windows[key] = _Window(at_ms + WINDOW_MS, 0, attempt, at_ms)
        rows.append(self._row(attempt, at_ms, 1))
        return rows

    def flush(self, at_ms: int | None = None) -> list[RefusalRow]:
        """Rows for the repeats whose window has ended by `at_ms`; for all of them when it is None."""
        rows: list[RefusalRow] = []
        over = [key for key, window in self._windows.items() if at_ms is None or window.ends_at_ms <= at_ms]
        if at_ms is not None and len(self._windows) >= TRACKED_MAX and not over:
            over = list(self._windows)
        for key in over:
            window = self._windows.pop(key)
            if window.repeated:
                rows.append(self._row(window.last, window.last_at_ms, window.repeated))
        return rows

    def settle(self, *, written: bool) -> None:
        """Say whether the rows handed out since the last time became durable."""
        if written:
            self._kept = self._head
        else:
            self._head = self._kept

    def _row(self, attempt: Attempt, at_ms: int, repeated: int) -> RefusalRow:
        number = self._head.seq + 1
        entry = _Entry(**msgspec.structs.asdict(attempt), number=number, at_ms=at_ms, repeated=repeated)
        body = canonical(entry)
        self._head = Head(number, link(self._head.hash, body))
        return RefusalRow(number=number, at_ms=at_ms, body=body, hash=self._head.hash)
