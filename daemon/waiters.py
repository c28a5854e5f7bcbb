"""Waiters: who is told what came of a command, whether they await it or are called."""

import asyncio
from typing import Protocol

from ledger.writer import Answer


class Waiter(Protocol):
    """Whoever waits for a command's answer. It is told on the event loop, and raises nothing."""

    def tell(self, answer: Answer) -> None:
        """The answer, which is durable."""
        ...

    def fail(self, error: BaseException) -> None:
        """The outcome is unknown."""
        ...


class Patient:
    """Waits with a future."""

    __slots__ = ("_future",)

    def __init__(self, future: asyncio.Future[Answer]) -> None:
        self._future = future

    def tell(self, answer: Answer) -> None:
        """Wake up, unless nobody waits any more."""
        if not self._future.done():
            self._future.set_result(answer)

    def fail(self, error: BaseException) -> None:
        """Wake up with an error, unless nobody waits any more."""
        if not self._future.done():
            self._future.set_exception(error)
