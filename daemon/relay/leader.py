"""The one bot that sends: a lease that outlives the daemon.

Whoever holds it is written down when that changes. A daemon that starts anew does not know how long ago the lease was
last renewed, so it keeps it for that holder once more as long: otherwise another bot could begin to send while the
holder, who was told nothing, still does, and an older card would follow a newer one.

A press may reach the bot that does not lead, and change a card without any event: what was typed is kept, a form is
refused. Whoever leads hears of such cards with the answer to its next renewal. They are named for as long as a lease
lasts, so that answers may be lost: a bot that had none for so long leads no more, and looks at every card when it
leads again.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from daemon.service import Service
from ledger.ports import JournalRow
from ledger.writer import Keep

APP: Final = ""
KEY: Final = "leader"
"""Where it is written down, among what came in; no platform's event has an app without a name."""
TOUCHED_MAX: Final = 1_000
"""Far more cards than people press between two renewals; beyond that the oldest give way."""


class _Held(msgspec.Struct, frozen=True):
    holder: str = ""
    ttl_ms: int = 0


class Leader:
    """Who leads, until when."""

    def __init__(self, service: Service) -> None:
        """As the daemon before left it."""
        self._service = service
        self._kept = _read(service)
        self._held = self._kept
        self._expires_at_ms = service.clock.now_ms() + self._held.ttl_ms
        self._touched: dict[str, int] = {}
        """The cards that presses named, oldest first, and when; a later touch has a later time, whatever the clock."""
        self._touched_at_ms = 0

    def touched(self, slots: Iterable[str]) -> None:
        """These cards may look different now: whoever leads is to look at them, whichever bot was told."""
        for slot in slots:
            self._touched_at_ms = max(self._service.clock.now_ms(), self._touched_at_ms + 1)
            self._touched.pop(slot, None)
            self._touched[slot] = self._touched_at_ms
        while len(self._touched) > TOUCHED_MAX:
            del self._touched[next(iter(self._touched))]

    async def claim(self, holder: str, ttl_ms: int) -> dict[str, object]:
        """Take or keep the lead if nobody else has it."""
        now_ms = self._service.clock.now_ms()
        if self._held.holder == holder or now_ms >= self._expires_at_ms:
            self._held, self._expires_at_ms = _Held(holder, ttl_ms), now_ms + ttl_ms
            await self._keep()
        leads = self._held.holder == holder
        return {
            "leader": leads,
            "holder": self._held.holder,
            "expires_at_ms": self._expires_at_ms,
            "touched": self._named(now_ms) if leads else [],
        }

    def _named(self, now_ms: int) -> list[dict[str, object]]:
        """What was touched within one lease; what was touched before is forgotten."""
        old_ms = now_ms - self._held.ttl_ms
        self._touched = {slot: at_ms for slot, at_ms in self._touched.items() if at_ms >= old_ms}
        return [{"slot": slot, "at_ms": at_ms} for slot, at_ms in self._touched.items()]

    async def _keep(self) -> None:
        """Write it down if it is not what is written there. A full disk stops no bot."""
        held = self._held
        if held == self._kept:
            return
        row = JournalRow(APP, KEY, self._service.clock.now_ms(), msgspec.json.encode(held))
        if (await self._service.submit(Keep(journal=(row,)))).refusal is None:
            self._kept = held


def _read(service: Service) -> _Held:
    row = service.reader.journal_entry(APP, KEY)
    return _Held() if row is None or row.answer is None else msgspec.json.decode(row.answer, type=_Held)
