"""What the pages know already: readings of the open goals, and documents of one goal, each for as long as it is true.

A page about an agent looks into two dozen goals, and of these one has moved since it was last made. A document of one
goal stays true until that goal or the registry of members has another event, or until time alone changes it; so it is
kept with what it was true at, and is found again only where all of that still holds. Every page reads as the same
caller, so what one may see another may. Where a document says when it was asked for, it says when it was made; no page
shows that. What is kept is bounded by its size, and what nobody has wanted for longest goes.
"""

from collections import OrderedDict
from typing import NamedTuple

import msgspec

from daemon.service import Service
from daemon.web.shapes import Shapes
from ledger.ids import GoalId
from ledger.projections.documents import Document, valid_until_ms
from ledger.projections.history import Known as Told
from ledger.projections.readings import Readings

BYTES_MAX = 8 << 20
"""What all documents may take together, as they are written on the wire."""
_Key = tuple[str, GoalId, str, bytes]


class Truth(NamedTuple):
    """What a document of a goal was made from."""

    goal_seq: int
    registry_seq: int
    until_ms: int | None


class _Entry(NamedTuple):
    document: Document
    truth: Truth
    size: int


class Known:
    """What the pages of one daemon know."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._readings = Readings(valid_until_ms)
        self._kept: OrderedDict[_Key, _Entry] = OrderedDict()
        self._bytes = 0
        self.shapes = Shapes()
        self.told: Told = {}
        """Events as they were told, for what is read from the log."""

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def readings(self) -> Readings:
        """Of the open goals as they are now."""
        self._readings.registry_seq = self._service.registry_seq
        return self._readings

    def truth(self, goal_id: GoalId, now_ms: int) -> Truth:
        """What a document would be made from that is begun now; to be taken before it is read."""
        service = self._service
        until_ms = valid_until_ms(service.committed, goal_id, now_ms)
        return Truth(service.goal_seq(goal_id), service.registry_seq, until_ms)

    def find(self, key: _Key, now_ms: int) -> Document | None:
        """The document, if it is still true."""
        entry = self._kept.get(key)
        if entry is None:
            return None
        service, truth = self._service, entry.truth
        moved = truth.goal_seq != service.goal_seq(key[1]) or truth.registry_seq != service.registry_seq
        if moved or (truth.until_ms is not None and now_ms >= truth.until_ms):
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return entry.document

    def keep(self, key: _Key, document: Document, truth: Truth) -> None:
        """Keep a document of a goal that there is."""
        if truth.goal_seq == 0:
            return
        self._drop(key)
        size = len(msgspec.json.encode(document))
        self._kept[key] = _Entry(document, truth, size)
        self._bytes += size
        while self._bytes > BYTES_MAX:
            self._drop(next(iter(self._kept)))

    def forget(self) -> None:
        """Words were erased: nothing that was made of them stays."""
        self._readings.forget()
        self._kept.clear()
        self._bytes = 0
        self.shapes.forget()
        self.told = {}  # And not emptied: whoever reads just now may still enter what was true when it began.

    def _drop(self, key: _Key) -> None:
        gone = self._kept.pop(key, None)
        self._bytes -= 0 if gone is None else gone.size
