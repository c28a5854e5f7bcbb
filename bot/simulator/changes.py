"""A counter of changes that readers can wait on: the page's live updates and a program's long poll."""

import asyncio


class Changes:
    """Counts up with every change and wakes all who wait for the next one."""

    def __init__(self) -> None:
        self.revision = 0
        self._waiters: set[asyncio.Future[None]] = set()

    def bump(self) -> None:
        """Something has changed."""
        self.revision += 1
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def after(self, revision: int) -> int:
        """Return the revision as soon as it is beyond the one given."""
        while self.revision <= revision:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await waiter
            finally:
                self._waiters.discard(waiter)
        return self.revision
