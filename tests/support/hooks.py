"""Hooks under test: a carrier that does as it is told, and hooks followed inside the test."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from daemon.hook_settings import HookSection
from daemon.hooks.hooks import Hooks
from daemon.hooks.porter import Order, Outcome

DONE = Outcome()
FAILED = Outcome("exit_code", 1)


def hook(name="build", **given):
    """The settings of one hook, as the file says them."""
    return HookSection.model_validate({"name": name, "command": ["tell"], "retry_seconds": 0.05, **given})


class FakeCarrier:
    """Remembers what it was given; answers as queued, and else that it arrived."""

    def __init__(self):
        self.carried: list[dict] = []
        self.orders: list[Order] = []
        self.outcomes: deque[Outcome] = deque()
        self.arrived = asyncio.Event()
        self.held: asyncio.Event | None = None
        self.ended = 0

    async def carry(self, order):
        self.orders.append(order)
        self.carried.append(json.loads(order.body))
        self.arrived.set()
        if self.held is not None:
            await self.held.wait()
        return self.outcomes.popleft() if self.outcomes else DONE

    async def end(self):
        self.ended += 1

    @property
    def seqs(self):
        return [document["seq"] for document in self.carried]


@asynccontextmanager
async def followed(daemon, *settings) -> AsyncIterator[tuple[Hooks, dict[str, FakeCarrier]]]:
    """Hooks of these settings on a daemon inside the test, with a fake carrier each."""
    carriers = {one.name: FakeCarrier() for one in settings}
    made = iter(carriers.values())
    hooks = Hooks(daemon.made.home, daemon.service, settings, lambda: next(made))
    task = asyncio.ensure_future(hooks.run())
    try:
        yield hooks, carriers
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
