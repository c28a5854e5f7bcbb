"""Turns: whoever asks for the same thing at the same moment does it one after the other."""

import asyncio
from weakref import WeakValueDictionary


class Turns:
    """One lock a key, for as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, key: str) -> asyncio.Lock:
        """The lock to hold while it is one's turn."""
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        return lock
