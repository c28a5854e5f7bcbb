"""Keeps a card still while somebody's press on it is being answered.

A patch that overtakes the acknowledgement of a press is reverted on the presser's device. So from the moment a press
arrives until its acknowledgement was written, and a moment longer, the pressed message is not changed. The gateway
acknowledges by itself at its deadline, so no hold lasts much longer than that.
"""

import asyncio
from typing import Final

from bot.lark import PRESS_ANSWER_MS_MAX

# From a handler's answer to its bytes on the wire there are two event loops and one write.
SETTLE_S: Final = 0.2
UNANSWERED_S_MAX: Final = PRESS_ANSWER_MS_MAX / 1_000 + SETTLE_S
# Somebody who never stops pressing must not keep everybody else from reading the truth.
HELD_S_MAX: Final = 5.0


class PressHolds:
    """The presses that are being answered, by the message they were made on."""

    def __init__(self) -> None:
        self._until_s: dict[str, dict[str, float]] = {}
        self._changed = asyncio.Event()

    def pressed(self, message_id: str, event_id: str) -> None:
        """Note that a press arrived."""
        self._set(message_id, event_id, UNANSWERED_S_MAX)

    def answered(self, message_id: str, event_id: str) -> None:
        """Note that its answer is on the way."""
        if event_id in self._until_s.get(message_id, {}):
            self._set(message_id, event_id, SETTLE_S)

    async def clear(self, message_id: str) -> None:
        """Wait until no press on this message is being answered, but not for ever."""
        loop = asyncio.get_running_loop()
        give_up_s = loop.time() + HELD_S_MAX
        while (left_s := min(self._latest(message_id), give_up_s) - loop.time()) > 0:
            try:
                async with asyncio.timeout(left_s):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def is_held(self, message_id: str) -> bool:
        """Whether a press on this message is being answered now."""
        return self._latest(message_id) > asyncio.get_running_loop().time()

    def _set(self, message_id: str, event_id: str, seconds: float) -> None:
        self._forget_old()
        self._until_s.setdefault(message_id, {})[event_id] = asyncio.get_running_loop().time() + seconds
        self._changed.set()
        self._changed = asyncio.Event()

    def _latest(self, message_id: str) -> float:
        return max(self._until_s.get(message_id, {}).values(), default=0.0)

    def _forget_old(self) -> None:
        now_s = asyncio.get_running_loop().time()
        for message_id in [key for key, presses in self._until_s.items() if max(presses.values()) <= now_s]:
            del self._until_s[message_id]
