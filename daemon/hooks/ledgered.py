"""Writing down how far hooks have come: together, a moment later, and through the one writer.

A row for each delivery would cost a sync each. So the rows of a quarter of a second are written together, and rows of
events that were only passed wait for a thousand of them: what is lost of these by a crash is looked at again, and what
is lost of deliveries is delivered again, which is what `at least once` says.
"""

import asyncio

from daemon.service import Service
from ledger.ports import HookRow
from ledger.writer import Keep

GATHER_S = 0.25
AGAIN_S = 1.0
PASSED_MAX = 1_000


class Ledgered:
    """What was written, and what is yet to be."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._written = {row.name: row for row in service.reader.hooks()}
        self._latest = dict(self._written)
        self._due = asyncio.Event()

    def known(self) -> dict[str, HookRow]:
        """Every hook that was ever here, by name, as it stands now."""
        return dict(self._latest)

    def keep(self, row: HookRow) -> None:
        """Remember it, and write it soon where it is worth a sync."""
        self._latest[row.name] = row
        before = self._written.get(row.name)
        if before is None or before._replace(seq=row.seq) != row or row.seq - before.seq >= PASSED_MAX:
            self._due.set()

    async def run(self) -> None:
        """Write what is due until the service ends."""
        while not self._service.ended:
            await self._due.wait()
            await asyncio.sleep(GATHER_S)
            self._due.clear()
            if not await self.flush():
                self._due.set()
                await asyncio.sleep(AGAIN_S)

    async def flush(self) -> bool:
        """Write all that differs; whether that was possible."""
        rows = tuple(row for name, row in self._latest.items() if self._written.get(name) != row)
        if not rows:
            return True
        answer = await self._service.submit(Keep(hooks=rows))
        if answer.refusal is not None:
            return False
        self._written.update((row.name, row) for row in rows)
        return True
