"""What was delivered: known here at once, and written into the daemon as soon as it takes it.

A post is written down before it is made, and must be; what became of it is written after the platform's answer. If the
daemon cannot take that, it waits here and the newest of a slot replaces the older; if the bot dies first, the next one
finds the post in doubt, and the key of the send finds the message.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from typing import Final

from bot.backend import Backend, BackendFault, BackendFaultKind, Delivery
from bot.routes import slot_goal

RETRY_S_MIN: Final = 0.5
RETRY_S_MAX: Final = 30.0

_log = logging.getLogger("frontstage.bot.journal")


class Journal:
    """Deliveries by slot. Versions only grow."""

    def __init__(self, backend: Backend) -> None:
        """Empty until `load`."""
        self._backend = backend
        self._known: dict[str, Delivery] = {}
        self._of_goal: dict[str | None, set[str]] = {}
        self._of_message: dict[str, str] = {}
        self._unwritten: dict[str, Delivery] = {}
        self._some = asyncio.Event()

    def __iter__(self) -> Iterator[Delivery]:
        """All that is known."""
        return iter(tuple(self._known.values()))

    def get(self, slot: str) -> Delivery | None:
        """What was delivered for this slot."""
        return self._known.get(slot)

    def of_goal(self, goal_id: str) -> tuple[str, ...]:
        """The slots of this goal that something was delivered for."""
        return tuple(self._of_goal.get(goal_id, ()))

    def is_written(self, slot: str) -> bool:
        """Whether the daemon has all that is known of this slot: what it has not dies with this process."""
        return slot not in self._unwritten

    def slot_of_message(self, message_id: str) -> str | None:
        """The slot whose message this is."""
        return self._of_message.get(message_id)

    async def load(self) -> None:
        """Learn what was delivered before, by whomever; what is not written yet stays the newer truth."""
        loaded = await self._backend.deliveries()
        self._known, self._of_goal, self._of_message = {}, {}, {}
        self._learn(loaded)
        self._learn(self._unwritten.values())

    async def intend(self, delivery: Delivery) -> None:
        """Write down what is about to be posted. Raises BackendFault: what is not written must not be done."""
        if self._known.get(delivery.slot) == delivery:
            return
        await self._backend.put_delivery(delivery)
        self._unwritten.pop(delivery.slot, None)
        self._learn((delivery,))

    async def remember(self, delivery: Delivery) -> None:
        """Take in what the platform has confirmed, and write it if the daemon is there."""
        self._learn((delivery,))
        self._unwritten[delivery.slot] = delivery
        if not await self._write(delivery):
            self._some.set()

    async def run(self) -> None:
        """Write what could not be written, until cancelled."""
        delay_s = RETRY_S_MIN
        while True:
            await self._some.wait()
            await asyncio.sleep(delay_s)
            written = [await self._write(delivery) for delivery in tuple(self._unwritten.values())]
            if all(written):
                self._some.clear()
            delay_s = RETRY_S_MIN if all(written) else min(delay_s * 2, RETRY_S_MAX)

    def _learn(self, deliveries: Iterable[Delivery]) -> None:
        for delivery in deliveries:
            self._known[delivery.slot] = delivery
            self._of_goal.setdefault(slot_goal(delivery.slot), set()).add(delivery.slot)
            if delivery.message_id:
                self._of_message[delivery.message_id] = delivery.slot

    async def _write(self, delivery: Delivery) -> bool:
        """Write one; says whether it is off the list. Only the newest of a slot is ever on it."""
        try:
            await self._backend.put_delivery(delivery)
        except BackendFault as fault:
            if fault.kind is not BackendFaultKind.REFUSED:
                return False
            _log.error("the daemon does not take a delivery record: %s", fault.code)
        if self._unwritten.get(delivery.slot) is delivery:
            del self._unwritten[delivery.slot]
        return True
