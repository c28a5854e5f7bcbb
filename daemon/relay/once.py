"""Once: whatever the platform delivers again has its first outcome again.

A delivery is known by its app and key. What came of it is kept in the journal, so that it outlives a restart. A second
copy that arrives while the first is still being acted on waits for it, and does not act beside it. What is settled has
another outcome from then on: there is nothing left to do about it.
"""

import logging
from collections.abc import Awaitable, Callable

import msgspec

from daemon.relay.turns import Turns
from daemon.service import Service
from ledger.ports import JournalRow
from ledger.writer import Keep

Document = dict[str, object]
_PASSING = frozenset({"busy", "storage_full", "shutting_down", "fault"})
"""Outcomes that a redelivery tries again."""
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger("frontstage.relay")


class Once:
    """Inbound deliveries by app and key."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._turns = Turns()

    async def act(self, app_id: str, key: str, act: Callable[[], Awaitable[Document]]) -> Document:
        """The first outcome of this delivery; `act` makes it if there is none yet."""
        async with self._turns.of(f"{app_id}\0{key}"):
            return await self._first(app_id, key, act)

    async def settle(self, app_id: str, key: str, outcome: Document) -> bool:
        """From now on this delivery has another outcome; says whether it was known, and whether that is kept."""
        delivery = f"{app_id}\0{key}"
        async with self._turns.of(delivery):
            known = self._service.reader.journal_entry(app_id, key)
            if known is None or known.answer is None:
                return False
            row = JournalRow(app_id, key, known.received_at_ms, _encode(outcome))
            return (await self._service.submit(Keep(journal=(row,)))).refusal is None

    async def _first(self, app_id: str, key: str, act: Callable[[], Awaitable[Document]]) -> Document:
        known = self._service.reader.journal_entry(app_id, key)
        if known is not None and known.answer is not None:
            return msgspec.json.decode(known.answer, type=dict[str, object])
        at_ms = self._service.clock.now_ms()
        if known is None:
            kept = await self._service.submit(Keep(journal=(JournalRow(app_id, key, at_ms, None),)))
            if kept.refusal is not None:
                _log.warning("an inbound event could not be recorded", extra={"code": kept.refusal.code.value})
        document = await act()
        if not _passing(document):
            await self._service.submit(Keep(journal=(JournalRow(app_id, key, at_ms, _encode(document)),)))
        return document


def _passing(document: Document) -> bool:
    envelope = document.get("envelope", document)
    return isinstance(envelope, dict) and envelope.get("code") in _PASSING
