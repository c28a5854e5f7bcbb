"""Who held what, from when to when: terms of leases, folded from the events that tell of them.

A term is one holder's time on one todo under one epoch. It ends when it is given back, passed on, or over: a lease that
passed its end is over from that moment on, whenever that was written down, and whether or not it ever was.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Literal

from ledger.text.pieces import Doc, as_map

Beginning = Literal["acquired", "transferred", "taken_over", "earlier"]
"""`taken_over`: somebody else had it before. `earlier`: before the first event that was read."""
Ending = Literal["running", "released", "expired", "transferred"]


@dataclass(frozen=True, kw_only=True)
class Term:
    """One holder's time on one todo; moments are milliseconds."""

    goal_id: str
    todo_id: str
    owner: str
    lease_epoch: int | None
    begun: Beginning
    begun_ms: int
    expires_ms: int
    renewed_ms: tuple[int, ...] = ()
    ended: Ending = "running"
    ended_ms: int | None = None

    @property
    def last_ms(self) -> int:
        """Where it ends, or will end if nobody renews it."""
        return self.expires_ms if self.ended_ms is None else self.ended_ms


def moment_ms(moment: object) -> int:
    """A moment of a document, RFC 3339, in milliseconds."""
    return _moment_ms(str(moment))


@lru_cache(maxsize=4_096)
def _moment_ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1_000)


def terms_of(events: Iterable[Doc], now: str, owner: str | None = None) -> tuple[Term, ...]:
    """The terms that events of `history.list` tell of, in whatever order they come; one holder's, where one is named.

    `now` is the moment that the page is true at.
    """
    now_ms = moment_ms(now)
    found: list[Term] = []
    last: dict[tuple[str, str], int] = {}
    for event in sorted(events, key=lambda event: int(str(event["seq"]))):
        lease = as_map(event.get("lease"))
        if lease:
            _take(found, last, event, lease)
    seen = [_over(term, now_ms) for term in found]
    return tuple(term for term in seen if owner is None or term.owner == owner)


def _take(found: list[Term], last: dict[tuple[str, str], int], event: Doc, lease: Doc) -> None:
    """One event more: it begins a term, or changes the one that its todo has."""
    kind, at_ms = str(event["kind"]), moment_ms(event["at"])
    key = (str(event.get("goal_id")), str(lease["todo_id"]))
    before = found[last[key]] if key in last else None
    if kind in {"lease.acquired", "lease.transferred"}:
        handed = kind == "lease.transferred"
        if before is not None and before.ended_ms is None:
            found[last[key]] = _ended(before, at_ms, "transferred" if handed else "released")
        taken = before is not None and before.owner != lease["owner"]
        found.append(_begun(key, event, lease, "transferred" if handed else "taken_over" if taken else "acquired"))
        last[key] = len(found) - 1
        return
    if before is None or before.ended_ms is not None:
        # It began before the first event that was read: all that is known is that it was there by now.
        found.append(_begun(key, event, lease, "earlier"))
        last[key] = len(found) - 1
        before = found[-1]
    at = last[key]
    if kind == "lease.renewed":
        found[at] = replace(before, expires_ms=moment_ms(lease["expires_at"]), renewed_ms=(*before.renewed_ms, at_ms))
    else:
        ended_ms = moment_ms(lease["ended_at"])
        found[at] = _ended(before, ended_ms, "released" if kind == "lease.released" else "expired")


def _begun(key: tuple[str, str], event: Doc, lease: Doc, begun: Beginning) -> Term:
    at_ms = moment_ms(event["at"])
    epoch, expires = lease.get("lease_epoch"), lease.get("expires_at") or lease.get("ended_at")
    expires_ms = moment_ms(expires)
    return Term(
        goal_id=key[0],
        todo_id=key[1],
        owner=str(lease.get("owner") or (event.get("actor") if event["kind"] == "lease.renewed" else "")),
        lease_epoch=epoch if isinstance(epoch, int) else None,
        begun=begun,
        begun_ms=min(at_ms, expires_ms),
        expires_ms=expires_ms,
    )


def _ended(term: Term, at_ms: int, how: Ending) -> Term:
    """Ended at this moment; what was over by then was over when its time had passed."""
    if at_ms > term.expires_ms:
        return replace(term, ended="expired", ended_ms=term.expires_ms)
    return replace(term, ended=how, ended_ms=at_ms)


def _over(term: Term, now_ms: int) -> Term:
    over = term.ended_ms is None and term.expires_ms <= now_ms
    return replace(term, ended="expired", ended_ms=term.expires_ms) if over else term
