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
    """The goal it was about; what names a list of goals, like a grant, is about a member and of no goal."""
    basis: str | None
    outcome: str
    code: str


class Entry(Attempt, frozen=True, kw_only=True):
    """An attempt as it is kept. `repeated` says how often it was made: 1, or as often again within the window."""

    number: int
    at_ms: int
    repeated: int


_entry_in = msgspec.json.Decoder(Entry).decode


def entry_of(row: RefusalRow) -> Entry:
    """What a row of the chain says.

    Rows are never rewritten, and some were written with the list of goals that a request named: those are of no goal.
    """
    try:
        return _entry_in(row.body)
    except msgspec.ValidationError:
        said = msgspec.json.decode(row.body)
        if not isinstance(said["goal_id"], list):
            raise
        return msgspec.convert(said | {"goal_id": None}, Entry)


@dataclass
class _Window:
    ends_at_ms: int
    repeated: int
    last: Attempt
    last_at_ms: int


@dataclass(frozen=True, slots=True)
class _Handed:
    """What a row handed out stands for, until it is known to be written."""

    attempt: Attempt
    at_ms: int
    repeated: int


_Key = tuple[str, str, str, str]


class Audit:
    """The end of the refusals' chain and the repeats not yet written."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._kept = head
        self._windows: dict[_Key, _Window] = {}
        self._handed: list[_Handed] = []

    def note(self, attempt: Attempt, at_ms: int) -> list[RefusalRow]:
        """Take one attempt; the rows to write now, in order."""
        key = _key(attempt)
        rows = self.flush(at_ms)
        window = self._windows.get(key)
        if window is not None:
            window.repeated += 1
            window.last, window.last_at_ms = attempt, at_ms
            return rows
        if len(self._windows) >= TRACKED_MAX:
            rows += self._close(next(iter(self._windows)))
        self._windows[key] = _Window(at_ms + WINDOW_MS, 0, attempt, at_ms)
        rows.append(self._row(attempt, at_ms, 1))
        return rows

    def flush(self, at_ms: int | None = None) -> list[RefusalRow]:
        """Rows for the repeats whose window has ended by `at_ms`; for all of them when it is None."""
        rows: list[RefusalRow] = []
        # Windows are as long as each other and are kept in the order they began, so the first open one ends the search.
        while self._windows:
            key, window = next(iter(self._windows.items()))
            if at_ms is not None and window.ends_at_ms > at_ms:
                break
            rows += self._close(key)
        return rows

    def settle(self, *, written: bool) -> None:
        """Say whether the rows handed out since the last time became durable; if not, they are counted again."""
        handed, self._handed = self._handed, []
        if written:
            self._kept = self._head
            return
        self._head = self._kept
        for lost in handed:
            window = self._windows.get(_key(lost.attempt))
            if window is None and len(self._windows) < TRACKED_MAX:
                window = self._windows[_key(lost.attempt)] = _Window(lost.at_ms, 0, lost.attempt, lost.at_ms)
            if window is not None:
                window.repeated += lost.repeated

    def _close(self, key: _Key) -> list[RefusalRow]:
        window = self._windows.pop(key)
        return [self._row(window.last, window.last_at_ms, window.repeated)] if window.repeated else []

    def _row(self, attempt: Attempt, at_ms: int, repeated: int) -> RefusalRow:
        number = self._head.seq + 1
        entry = Entry(**msgspec.structs.asdict(attempt), number=number, at_ms=at_ms, repeated=repeated)
        body = canonical(entry)
        self._head = Head(number, link(self._head.hash, body))
        self._handed.append(_Handed(attempt, at_ms, repeated))
        return RefusalRow(number=number, at_ms=at_ms, body=body, hash=self._head.hash)


def _key(attempt: Attempt) -> _Key:
    return (attempt.actor, attempt.action, attempt.code, attempt.surface)
