"""Encoded read documents, kept until something they show has changed.

A document of one goal stays true until that goal or the registry of members has another event, or until time alone
changes it (a lease ends). The seq it is true at is spliced in at each answer, so that every answer reflects the last
acknowledged event without being built again.
"""

from typing import NamedTuple

from daemon.service import Service
from ledger.ids import GoalId
from ledger.projections.documents import valid_until_ms

ENTRIES_MAX = 2_048
_Key = tuple[str, str, str]


class _Entry(NamedTuple):
    body: bytes
    goal_id: GoalId
    goal_seq: int
    registry_seq: int
    valid_until_ms: int | None


class ReadCache:
    """The documents of goals, by action, caller and query."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._entries: dict[_Key, _Entry] = {}

    def find(self, key: _Key) -> bytes | None:
        """The document, if it is still true."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        service = self._service
        stale = entry.goal_seq != service.goal_seq(entry.goal_id) or entry.registry_seq != service.registry_seq
        if stale or (entry.valid_until_ms is not None and service.clock.now_ms() >= entry.valid_until_ms):
            del self._entries[key]
            return None
        return self._with_seq(entry.body)

    def keep(self, key: _Key, body: bytes, goal_id: str | None, now_ms: int) -> bytes:
        """Keep a document of one goal; others are built each time. Returns it with its seq."""
        if goal_id is not None and goal_id in self._service.committed.goals:
            if len(self._entries) >= ENTRIES_MAX:
                del self._entries[next(iter(self._entries))]
            service, goal = self._service, GoalId(goal_id)
            until = valid_until_ms(service.committed, goal, now_ms)
            self._entries[key] = _Entry(body, goal, service.goal_seq(goal), service.registry_seq, until)
        return self._with_seq(body)

    def _with_seq(self, body: bytes) -> bytes:
        return b'{"ok":true,"seq":%d,%s' % (self._service.committed.seq, body[1:])
