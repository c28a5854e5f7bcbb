"""The one bot that sends: a lease that outlives the daemon.

Whoever holds it is written down when that changes. A daemon that starts anew does not know how long ago the lease was
last renewed, so it keeps it for that holder once more as long: otherwise another bot could begin to send while the
holder, who was told nothing, still does, and an older card would follow a newer one.
"""

from typing import Final

import msgspec

from daemon.service import Service
from ledger.ports import JournalRow
from ledger.writer import Keep

APP: Final = ""
KEY: Final = "leader"
"""Where it is written down, among what came in; no platform's event has an app without a name."""


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

    async def claim(self, holder: str, ttl_ms: int) -> dict[str, object]:
        """Take or keep the lead if nobody else has it."""
        now_ms = self._service.clock.now_ms()
        if self._held.holder == holder or now_ms >= self._expires_at_ms:
            self._held, self._expires_at_ms = _Held(holder, ttl_ms), now_ms + ttl_ms
            await self._keep()
        return {
            "leader": self._held.holder == holder,
            "holder": self._held.holder,
            "expires_at_ms": self._expires_at_ms,
        }

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
