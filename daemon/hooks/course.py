"""How far a hook has come, as a value that only these steps change.

A hook stands before one event at a time. Delivered, it goes on; in vain, it is tried again after a pause that grows;
tried in vain too often, it is parked and says why, until somebody says `retry`. No event is passed over but by a person
who says so, and then the record tells. A daemon that dies between a delivery and this record delivers again: the same
event has the same delivery id, by which a receiver knows it.
"""

import hashlib
from typing import Protocol

from ledger.ports import HookRow

PAUSE_S_MAX = 300.0
SKIPPED = "skipped_by_a_person"


class Tried(Protocol):
    """What of a hook's settings decides how often it is tried."""

    @property
    def attempts(self) -> int:
        """After how many attempts in vain it is parked."""
        ...

    @property
    def retry_seconds(self) -> float:
        """The first pause."""
        ...


def begun(name: str, begin: str | int, head_seq: int, now_ms: int) -> HookRow:
    """A hook that is new here: it stands at its beginning, and never behind what there is."""
    seq = head_seq if begin == "now" else 0 if begin == "start" else min(int(begin), head_seq)
    return HookRow(name, seq, 0, 0, "", 0, now_ms)


def passed(row: HookRow, seq: int) -> HookRow:
    """Past an event that it does not ask for. What it was tried for before is none that it asks for any more."""
    return row._replace(seq=seq, attempts=0, parked=0)


def delivered(row: HookRow, seq: int, now_ms: int) -> HookRow:
    """Past an event that arrived."""
    return row._replace(seq=seq, attempts=0, parked=0, reason="", delivered=row.delivered + 1, changed_at_ms=now_ms)


def failed(row: HookRow, reason: str, tried: Tried, now_ms: int) -> HookRow:
    """Still before the event; parked where it was tried often enough."""
    attempts = row.attempts + 1
    parked = int(attempts >= tried.attempts)
    return row._replace(attempts=attempts, parked=parked, reason=reason, changed_at_ms=now_ms)


def released(row: HookRow, now_ms: int) -> HookRow:
    """To be tried again at once, with all its attempts before it."""
    return row._replace(attempts=0, parked=0, changed_at_ms=now_ms)


def skipped(row: HookRow, seq: int, now_ms: int) -> HookRow:
    """Past the event that it was parked before, undelivered, because a person said so."""
    return row._replace(seq=seq, attempts=0, parked=0, reason=SKIPPED, changed_at_ms=now_ms)


def pause_s(attempts: int, tried: Tried) -> float:
    """How long to wait after so many attempts in vain: doubled each time, spread, and bounded."""
    # Loaded by the first failure: a daemon whose hooks are well starts without it.
    from tenacity import RetryCallState, Retrying, wait_exponential, wait_random  # noqa: PLC0415

    first = tried.retry_seconds
    wait = wait_exponential(multiplier=first, max=PAUSE_S_MAX) + wait_random(0, first)
    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = attempts
    return min(PAUSE_S_MAX, wait(state))


def delivery_id(name: str, event_hash: bytes) -> str:
    """The same event has the same id for the same hook, however often it is delivered."""
    return "dlv_" + hashlib.sha256(name.encode() + b"\0" + event_hash).hexdigest()[:32]
