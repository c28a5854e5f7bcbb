"""The reconciler: makes the cards in the chats equal to what the ledger says, and then stays silent.

It is no queue of messages. Something happened to a goal: its cards are *dirty*. A dirty card is taken up: the bot asks
for its view, draws it, and compares the content with what was delivered; only a difference is sent. So it does not
matter how often, in which order or how late it learns that something happened, and after a restart it looks at
everything once and finds most of it done. All of this happens only while this bot leads.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable
from contextlib import aclosing
from typing import Final

from bot.backend import Backend, BackendFault, BackendFaultKind, Slot
from bot.clock import Clock
from bot.delivery import CardDelivery
from bot.dirty import DirtyCards
from bot.holds import PressHolds
from bot.journal import Journal
from bot.lark import LarkFault, NotTakenError
from bot.leader import Leadership
from bot.logs import where
from bot.outbox import NotLeadingError, Outbox
from bot.patience import Patience
from bot.routes import is_direct, slot_goal, urgency_of
from bot.steps import IN_DOUBT, resumed
from bot.wanted import WantedSlots
from ledger.text.say import Locale

# A card in work mostly waits for its turn. Some places are kept for urgent cards, so that a hundred goals that changed
# do not stand before one decision.
IN_WORK_MAX: Final = 224
URGENT_IN_WORK_MAX: Final = 32
# How long the events of one moment are gathered before a goal's cards are looked at.
GATHER_S: Final = 0.05
AGE_CHECK_EVERY_S: Final = 3_600.0
SETTLED_S_MAX: Final = 10.0

_log = logging.getLogger("frontstage.bot.sync")


class Sync:
    """One per process. `run` runs it; the inbound side names cards that somebody just touched."""

    def __init__(
        self,
        backend: Backend,
        outbox: Outbox,
        leadership: Leadership,
        clock: Clock,
        *,
        holds: PressHolds,
        locale: Locale = "en",
    ) -> None:
        """`locale` is what clients see that know neither of a card's languages."""
        self._backend = backend
        self._outbox = outbox
        self._leadership = leadership
        self._clock = clock
        self._journal = Journal(backend)
        self._delivery = CardDelivery(backend, outbox, self._journal, holds, clock, locale=locale)
        self._wanted = WantedSlots(self._journal)
        self._dirty = DirtyCards()
        self._stale: set[str | None] = set()
        self._some_stale = asyncio.Event()
        self._loaded = asyncio.Event()
        self._sent: Counter[str] = Counter()
        self._seq = 0
        self._card_patience = Patience(first_s=5.0, most_s=300.0)
        self._daemon_patience = Patience(first_s=0.2, most_s=5.0)

    @property
    def pending(self) -> int:
        """How many cards are not known to be true."""
        return len(self._dirty)

    async def run(self) -> None:
        """Reconcile whenever this bot leads, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._outbox.run())
            group.create_task(self._journal.run())
            while True:
                await self._leadership.gained()
                await self._lead()

    def want(self, slots: Iterable[str]) -> None:
        """Look at these cards now: somebody just touched them and is watching."""
        if not self._leadership.holds():
            return
        for key in slots:
            slot = self._wanted.find(key)
            if slot is not None:
                self._dirty.add(key, (0, urgency_of(slot)[1]))
            else:
                # A card that is new to us: the list says where it goes.
                self._stale.add(slot_goal(key))
                self._some_stale.set()

    async def pressed(self, slots: Iterable[str], message_id: str) -> None:
        """Somebody pressed this message, which carries the one card that is named."""
        if not self._leadership.holds():
            return
        for key in slots:
            slot = self._wanted.find(key)
            if slot is not None:
                await self._delivery.adopt(slot, message_id)

    async def settled(self, slots: Iterable[str]) -> bool:
        """Look at these cards and wait until they are done with, within reason; says whether any was changed."""
        keys = tuple(slots)
        before = sum(self._sent[key] for key in keys)
        self.want(keys)
        try:
            async with asyncio.timeout(SETTLED_S_MAX):
                for key in keys:
                    await self._dirty.settled(key)
        except TimeoutError:
            _log.warning("cards that somebody waits for are late")
        return sum(self._sent[key] for key in keys) > before

    async def posted(self, slot: str) -> bool:
        """Look at this card and say whether its chat has it now, or what stands in for it."""
        if is_direct(slot) and not self._wanted.lists(slot) and self._leadership.holds():
            await self._refresh_goal(None)
        await self.settled((slot,))
        delivered = self._journal.get(slot)
        return delivered is not None and delivered.state not in IN_DOUBT

    async def heard_from(self, chat_id: str) -> None:
        """A chat that could not be reached can be again: its cards are looked at anew."""
        for delivery in self._journal:
            if delivery.state == "paused" and delivery.chat_id == chat_id:
                await self._journal.remember(resumed(delivery))
                self.want((delivery.slot,))

    async def loaded(self) -> None:
        """Wait until this bot leads and knows what was delivered."""
        await self._loaded.wait()

    async def taken_away(self, message_id: str) -> None:
        """Somebody took a message back: the card that it was is looked at, and replaced once if it is still needed.

        Raises NotTakenError where the daemon could not be told: the event comes again, to whichever bot lives then.
        """
        slot = await self._delivery.taken_away(message_id)
        if slot is None:
            return
        self.want((slot,))
        if not self._journal.is_written(slot):
            raise NotTakenError("it could not be written down that a card was taken away")

    async def _reached_again(self) -> None:
        """Cards that are asked for again after they were not: what they waited for is over."""
        for key in self._wanted.came_back:
            delivery = self._journal.get(key)
            if delivery is not None and delivery.state == "paused":
                await self._journal.remember(resumed(delivery))
                self.want((key,))

    async def _lead(self) -> None:
        """Everything that is done while leading; over as soon as this bot no longer does."""
        try:
            async with asyncio.TaskGroup() as group:
                leading = group.create_task(self._reconcile())
                await self._leadership.lost()
                leading.cancel()
        finally:
            self._loaded.clear()
            self._dirty.close()
            self._dirty = DirtyCards()

    async def _reconcile(self) -> None:
        await self._load()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow())
            group.create_task(self._hear_of_touched())
            group.create_task(self._refresh())
            group.create_task(self._watch_ages())
            group.create_task(self._hand_out(group, URGENT_IN_WORK_MAX, urgent_only=True))
            group.create_task(self._hand_out(group, IN_WORK_MAX, urgent_only=False))

    async def _load(self) -> None:
        """Learn what was delivered and what is wanted; everything is looked at once."""
        while True:
            try:
                await self._journal.load()
                listed = await self._backend.slots()
            except BackendFault as fault:
                _log.warning("what to show could not be read: %s", fault)
                await asyncio.sleep(self._daemon_patience.failed("load"))
                continue
            self._daemon_patience.succeeded("load")
            self._seq = listed.seq
            slots = self._wanted.replace_all(listed.slots, self._clock.now_ms())
            self._delivery.taken_over()
            self._loaded.set()
            self._mark(slots)
            return

    async def _follow(self) -> None:
        """Hear of everything that is committed, from where the list was true."""
        while True:
            try:
                async with aclosing(self._backend.feed(self._seq)) as events:
                    async for event in events:
                        self._seq = max(self._seq, event.seq)
                        self._daemon_patience.succeeded("feed")
                        self._stale.add(event.goal_id or None)
                        self._some_stale.set()
            except BackendFault as fault:
                if fault.kind is BackendFaultKind.REFUSED:
                    # It does not know this place in its history: look at everything again.
                    self._stale.add(None)
                    self._some_stale.set()
                _log.info("the feed ended: %s", fault)
            await asyncio.sleep(self._daemon_patience.failed("feed"))

    async def _hear_of_touched(self) -> None:
        """Look at the cards of presses that another bot relayed: where nothing is committed the feed says nothing."""
        while True:
            self.want(await self._leadership.touched())

    async def _refresh(self) -> None:
        """Turn goals that something happened to into dirty cards."""
        while True:
            await self._some_stale.wait()
            await asyncio.sleep(GATHER_S)
            stale, self._stale = self._stale, set()
            self._some_stale.clear()
            try:
                for goal_id in (None,) if None in stale else sorted(filter(None, stale)):
                    await self._refresh_goal(goal_id)
            except BackendFault as fault:
                _log.info("the slots could not be read: %s", fault)
                await asyncio.sleep(self._daemon_patience.failed("slots"))
                self._stale |= stale
                self._some_stale.set()
            else:
                self._daemon_patience.succeeded("slots")

    async def _refresh_goal(self, goal_id: str | None) -> None:
        listed = await self._backend.slots(goal_id)
        if goal_id is None:
            self._seq = min(self._seq, listed.seq)
            self._mark(self._wanted.replace_all(listed.slots, self._clock.now_ms()))
            await self._reached_again()
        else:
            self._mark(self._wanted.replace_goal(goal_id, listed.slots))

    async def _watch_ages(self) -> None:
        """The platform changes no old message; those that are still needed are posted anew in time."""
        while True:
            await asyncio.sleep(AGE_CHECK_EVERY_S)
            old = self._wanted.ageing(self._clock.now_ms())
            self._mark(slot for slot in old if not self._delivery.is_closed(slot.slot))

    async def _hand_out(self, group: asyncio.TaskGroup, in_work_max: int, *, urgent_only: bool) -> None:
        dirty, room = self._dirty, asyncio.Semaphore(in_work_max)
        while True:
            await room.acquire()
            key = await dirty.take(urgent_only=urgent_only)
            group.create_task(self._work(key, dirty, room))

    async def _work(self, key: str, dirty: DirtyCards, room: asyncio.Semaphore) -> None:
        try:
            await self._look(key, dirty)
        finally:
            dirty.done(key)
            room.release()

    async def _look(self, key: str, dirty: DirtyCards) -> None:
        slot = self._wanted.find(key)
        if slot is None:
            return
        try:
            if await self._delivery.bring_up(slot, dirty):
                self._sent[key] += 1
        except NotLeadingError:
            return
        except (LarkFault, BackendFault) as fault:
            delay_s = self._card_patience.failed(key)
            _log.warning("a card is tried again in %d s: %s", delay_s, fault)
            dirty.add_later(key, urgency_of(slot), delay_s)
        except Exception as error:  # noqa: BLE001 - the top of a card's work
            # One card that cannot be drawn must not stop the others; it is looked at when something happens to it.
            _log.error("a card could not be made: %s", where(error))
        else:
            self._card_patience.succeeded(key)

    def _mark(self, slots: Iterable[Slot]) -> None:
        for slot in slots:
            self._dirty.add(slot.slot, urgency_of(slot))
