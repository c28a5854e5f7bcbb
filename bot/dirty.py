"""The set of cards that may have to change: each at most once, most urgent first, one worker at a time for each.

Only so many cards of one chat are worked on at once, so that a chat that is slow or held keeps no other waiting.

It is a set and no queue: however often a card is named while it waits, it is looked at once, with what is true then.
A card that is named while a worker has it is handed out again afterwards, so nothing that happened meanwhile is lost.
"""

import asyncio
import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

CARDS_MAX: Final = 100_000
BUSY_IN_CHAT_MAX: Final = 8
# Kept in each chat for what somebody waits for.
URGENT_IN_CHAT_MAX: Final = 4
Urgency = tuple[int, int]


@dataclass(order=True, slots=True)
class _Entry:
    urgency: Urgency
    number: int
    card: str = field(compare=False)


class DirtyCards:
    """One per leadership; everything in it can be found again by comparing wanted with delivered."""

    def __init__(self) -> None:
        self._urgency: dict[str, Urgency] = {}
        self._heaps: dict[str, list[_Entry]] = {}
        self._busy: set[str] = set()
        self._busy_in: Counter[str] = Counter()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._watchers: list[asyncio.Future[None]] = []
        self._numbers = 0

    def __len__(self) -> int:
        """How many wait, now or for a later try, or are being worked on."""
        return len(self._urgency.keys() | self._busy | self._timers.keys())

    def __contains__(self, card: str) -> bool:
        """Whether something about this card happened that no worker has looked at."""
        return card in self._urgency

    def add(self, card: str, urgency: Urgency) -> None:
        """Name a card; naming it again changes nothing but that it may become more urgent."""
        self._forget_timer(card)
        known = self._urgency.get(card)
        if known is not None and known <= urgency:
            return
        if known is None and len(self._urgency) >= CARDS_MAX:
            raise OverflowError(f"more than {CARDS_MAX} cards")
        self._push(card, urgency)
        self._tell()

    def add_later(self, card: str, urgency: Urgency, delay_s: float) -> None:
        """Name a card in a while, unless it is named before."""
        self._forget_timer(card)
        if card not in self._urgency:
            loop = asyncio.get_running_loop()
            self._timers[card] = loop.call_later(delay_s, self.add, card, urgency)

    async def take(self, *, urgent_only: bool = False) -> str:
        """Wait for the most urgent card that nobody works on; it is the taker's until `done`."""
        while (card := self._pop(urgent_only=urgent_only)) is None:
            await self._change()
        self._busy.add(card)
        self._busy_in[_chat_of(card)] += 1
        return card

    def taken_up(self, card: str) -> None:
        """Its worker looks again: what was named until now is covered by that look."""
        self._urgency.pop(card, None)

    def done(self, card: str) -> None:
        """Give a card back."""
        if card in self._busy:
            self._busy.remove(card)
            self._busy_in[_chat_of(card)] -= 1
            self._busy_in = +self._busy_in
        urgency = self._urgency.get(card)
        if urgency is not None:
            self._push(card, urgency)
        self._tell()

    async def settled(self, card: str) -> None:
        """Wait until nothing is to be done about this card now."""
        while card in self._urgency or card in self._busy:
            await self._change()

    def close(self) -> None:
        """Let go of everything that waits for its time."""
        for card in tuple(self._timers):
            self._forget_timer(card)

    def _push(self, card: str, urgency: Urgency) -> None:
        self._numbers += 1
        self._urgency[card] = urgency
        heapq.heappush(self._heaps.setdefault(_chat_of(card), []), _Entry(urgency, self._numbers, card))

    def _pop(self, *, urgent_only: bool) -> str | None:
        heads = [entry for chat in tuple(self._heaps) if (entry := self._head(chat)) is not None]
        entry = min(
            (one for one in heads if self._has_room(one) and not (urgent_only and one.urgency[0])), default=None
        )
        if entry is None:
            return None
        heapq.heappop(self._heaps[_chat_of(entry.card)])
        del self._urgency[entry.card]
        return entry.card

    def _head(self, chat: str) -> _Entry | None:
        """A chat's first entry that still stands. The entry of a busy card is dropped: `done` puts a new one."""
        heap = self._heaps[chat]
        while heap and (self._urgency.get(heap[0].card) != heap[0].urgency or heap[0].card in self._busy):
            heapq.heappop(heap)
        if heap:
            return heap[0]
        del self._heaps[chat]
        return None

    def _has_room(self, entry: _Entry) -> bool:
        most = BUSY_IN_CHAT_MAX + (0 if entry.urgency[0] else URGENT_IN_CHAT_MAX)
        return self._busy_in[_chat_of(entry.card)] < most

    def _forget_timer(self, card: str) -> None:
        timer = self._timers.pop(card, None)
        if timer is not None:
            timer.cancel()

    async def _change(self) -> None:
        watcher = asyncio.get_running_loop().create_future()
        self._watchers.append(watcher)
        await watcher

    def _tell(self) -> None:
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)


def _chat_of(card: str) -> str:
    return card.rpartition("@")[2]
