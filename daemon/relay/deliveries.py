"""Deliveries: which message shows which slot. Not truth; losing it costs one repeated card."""

from daemon.service import Service
from ledger.codec import decode_body
from ledger.ports import DeliveryRow
from ledger.refusals import Refusal
from ledger.writer import Keep

_IN_DOUBT = frozenset({"posting", "reposting"})
"""A message is on its way and its id is not known yet; the one on record is the one that it replaces."""


class Deliveries:
    """The delivered cards, in memory and in the store."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._by_slot = {row.slot: row for row in service.reader.deliveries()}

    def all(self) -> list[DeliveryRow]:
        """Every delivery."""
        return list(self._by_slot.values())

    def get(self, slot: str) -> DeliveryRow | None:
        """What is known of a slot's message."""
        return self._by_slot.get(slot)

    def seq_at(self, at_ms: int) -> int:
        """The last event that was recorded by this moment; 0 where none was."""
        low, high = 0, self._service.committed.seq
        while low < high:
            middle = (low + high + 1) // 2
            row = next(self._service.reader.events(middle - 1, limit=1))
            low, high = (middle, high) if decode_body(row.body).at_ms <= at_ms else (low, middle - 1)
        return low

    def is_there(self, slot: str) -> bool:
        """Whether a message of this slot was ever posted, or may have been."""
        return slot in self._by_slot

    def states(self) -> list[str]:
        """The state of every delivery, as the bot last told it."""
        return [row.state for row in self._by_slot.values()]

    def sent(self, prefix: str, place: str) -> list[DeliveryRow]:
        """The messages in one place that show subjects of this beginning."""
        rows = self._by_slot.values()
        return [
            row for row in rows if row.slot.startswith(prefix) and row.slot.endswith(f"@{place}") and row.message_id
        ]

    async def put(self, row: DeliveryRow) -> bool | Refusal:
        """Record a delivery unless a newer one is known; False if it was older. What was not kept is a refusal."""
        known = self._by_slot.get(row.slot)
        if known is not None and known.version > row.version:
            return False
        answer = await self._service.submit(Keep(deliveries=(row,)))
        if answer.refusal is not None:
            return answer.refusal
        self._by_slot[row.slot] = row
        return True

    def is_place_of(self, slot: str, message_id: str) -> bool:
        """Whether a press on this message can be one on this slot's card.

        A forwarded copy has another message id. Where the id of the card is not on record it cannot be told apart, and
        its audience has been checked already.
        """
        known = self._by_slot.get(slot)
        if known is None or not known.message_id or known.state in _IN_DOUBT:
            return True
        return known.message_id == message_id
