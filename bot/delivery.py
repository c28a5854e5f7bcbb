"""One card of one slot: look, draw, compare, and do the one step that makes the chat say what the ledger says.

Which step that is, and what is remembered of it, is decided in `bot/steps.py`; here it is done, and each fault of the
platform gets its one consequence:

    rate limit, unknown outcome   again, a few times, then later         gone          one new message, if still needed
    token, fatal                  later, with growing patience           chat lost     the slot pauses
    card refused                  one short text, then other content     bad request   this content is not tried again
"""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from bot.backend import Backend, Delivery, Slot, SlotView
from bot.clock import Clock
from bot.dirty import DirtyCards
from bot.heard import HeardEvent
from bot.holds import PressHolds
from bot.journal import Journal
from bot.lark import LarkFault, LarkFaultKind, SentMessage
from bot.outbox import Outbox
from bot.routes import ONCE, card_uuid, route_of_slot, slot_goal, slot_kind, text_uuid, urgency_of
from bot.steps import (
    LATER,
    LEFT_ALONE,
    Patch,
    Post,
    Step,
    Wanted,
    adopted,
    after_gone,
    doubted,
    given_up,
    intended,
    next_step,
    patched,
    paused,
    posted,
    texted,
    wanted_of,
)
from bot.texts import fallback_text
from cards.draw import draw, encode, fingerprint
from cards.elements import Card
from ledger.projections.views import CardView
from ledger.text.say import Locale

# After a restart everything is looked at once; the daemon has others to serve.
VIEWS_ASKED_MAX: Final = 8
# The platform says with this that a person left the organisation.
RESIGNED: Final = 230029
TAKEN_AWAY_MAX: Final = 1_000
"""Messages that somebody took away and that no card has been found to have; the oldest are forgotten."""

_log = logging.getLogger("frontstage.bot.delivery")


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """A card as it should be now."""

    wanted: Wanted
    card: bytes
    title: str


class CardDelivery:
    """Does the steps. One per process; `taken_over` starts each leadership."""

    def __init__(
        self, backend: Backend, outbox: Outbox, journal: Journal, holds: PressHolds, clock: Clock, *, locale: Locale
    ) -> None:
        """`locale` is what clients see that know neither of the card's languages."""
        self._backend = backend
        self._outbox = outbox
        self._journal = journal
        self._holds = holds
        self._clock = clock
        self._locale = locale
        self._hopeless_digest: dict[str, str] = {}
        self._closed: set[str] = set()
        self._taken_away: OrderedDict[str, None] = OrderedDict()
        self._drawing = asyncio.Semaphore(VIEWS_ASKED_MAX)

    def taken_over(self) -> None:
        """Begin to lead: what was hopeless before may not be so any more."""
        self._hopeless_digest.clear()

    async def adopt(self, slot: Slot, message_id: str) -> None:
        """Take a message that somebody pressed for this slot's, if none is known."""
        found = adopted(slot.slot, slot.chat_id, message_id, self._journal.get(slot.slot), self._clock.now_ms())
        if found is not None:
            await self._journal.remember(found)

    async def taken_away(self, message_id: str) -> str | None:
        """Doubt that a message is still there: the next look at its card finds out. The card's slot, if it is one."""
        # Whose message it is may not be known yet: the answer to a post can be slower than who takes it away.
        self._taken_away[message_id] = None
        if len(self._taken_away) > TAKEN_AWAY_MAX:
            self._taken_away.popitem(last=False)
        slot = self._journal.slot_of_message(message_id)
        delivered = None if slot is None else self._journal.get(slot)
        if delivered is None or delivered.message_id != message_id or delivered.state in LEFT_ALONE:
            return None
        await self._journal.remember(doubted(delivered))
        return slot

    def is_closed(self, slot: str) -> bool:
        """Whether the last look at this card found that nobody needs it any more."""
        return slot in self._closed

    async def bring_up(self, slot: Slot, dirty: DirtyCards) -> bool:
        """Make the card of this slot true; says whether anything was sent. Raises what calls for a later try."""
        return await self._outbox.repeated(lambda: self._attempt(slot, dirty))

    async def _attempt(self, slot: Slot, dirty: DirtyCards) -> bool:
        await self._unheld(slot)
        drawn = await self._draw(slot)
        step = self._step(drawn)
        if drawn is None or step is None:
            return False
        await self._outbox.turn(_place(step, slot), urgency_of(slot))
        if slot.slot in dirty or self._is_held(slot):
            # It waited, and something happened meanwhile: what was drawn before is not worth sending.
            dirty.taken_up(slot.slot)
            await self._unheld(slot)
            drawn = await self._draw(slot)
            step = self._step(drawn)
            if drawn is None or step is None:
                return False
        await (self._post(slot, drawn, step) if isinstance(step, Post) else self._patch(slot, drawn, step))
        now = self._journal.get(slot.slot)
        if now is not None and now.message_id and not now.digest:
            dirty.add(slot.slot, urgency_of(slot))
        return True

    async def _draw(self, slot: Slot) -> Drawn | None:
        async with self._drawing:
            seen = await self._backend.view(slot.slot)
        if seen is None:
            return None
        card = draw(seen.view, locale=self._locale, now_ms=self._clock.now_ms())
        (self._closed.discard if seen.view.open else self._closed.add)(slot.slot)
        wanted = wanted_of(
            seen.view, slot=slot.slot, chat_id=slot.chat_id, digest=_digest(card, seen), version=seen.seq
        )
        return Drawn(wanted=wanted, card=encode(card), title=_title(seen.view))

    def _step(self, drawn: Drawn | None) -> Step:
        if drawn is None or self._hopeless_digest.get(drawn.wanted.slot) == drawn.wanted.digest:
            return None
        return next_step(drawn.wanted, self._journal.get(drawn.wanted.slot), self._clock.now_ms())

    async def _post(self, slot: Slot, drawn: Drawn, step: Post) -> None:
        wanted, now_ms = drawn.wanted, self._clock.now_ms()
        intent = intended(wanted, step, self._journal.get(slot.slot), now_ms)
        await self._journal.intend(intent)
        try:
            sent = await self._post_somewhere(slot, drawn.card, card_uuid(slot.slot, step.replaces))
        except LarkFault as fault:
            await self._consequence(slot, drawn, fault)
            return
        await self._remember(posted(wanted, step, intent, sent.message_id, self._clock.now_ms()))

    async def _post_somewhere(self, slot: Slot, card: bytes, uuid: str) -> SentMessage:
        route = route_of_slot(slot)
        try:
            return await self._outbox.once(slot.chat_id, lambda lark: route.post_card(lark, card, uuid))
        except LarkFault as fault:
            if fault.kind is not LarkFaultKind.GONE or route.reply_to is None:
                raise
        # What it answers was taken back; the card stands by itself then.
        await self._outbox.turn(slot.chat_id, urgency_of(slot))
        return await self._outbox.once(slot.chat_id, lambda lark: route.without_reply().post_card(lark, card, uuid))

    async def _patch(self, slot: Slot, drawn: Drawn, step: Patch) -> None:
        delivered = self._journal.get(slot.slot)
        if delivered is None:
            raise AssertionError("only what was delivered is patched")
        self._taken_away.pop(step.message_id, None)
        try:
            await self._outbox.once(step.message_id, lambda lark: lark.patch_card(step.message_id, drawn.card))
        except LarkFault as fault:
            if fault.kind is not LarkFaultKind.GONE:
                await self._consequence(slot, drawn, fault)
                return
            then = after_gone(drawn.wanted, delivered)
            if not isinstance(then, Post):
                await self._journal.remember(then)
                return
            await self._outbox.turn(slot.chat_id, urgency_of(slot))
            await self._post(slot, drawn, then)
            return
        await self._remember(patched(drawn.wanted, delivered))

    async def _remember(self, done: Delivery) -> None:
        """Remember a card that is up, unless it was taken away while it was made: nobody knows which came first."""
        await self._journal.remember(doubted(done) if done.message_id in self._taken_away else done)

    async def _consequence(self, slot: Slot, drawn: Drawn, fault: LarkFault) -> None:
        """What follows from a fault that is not cured by doing the same again; the others are raised."""
        wanted, delivered, now_ms = drawn.wanted, self._journal.get(slot.slot), self._clock.now_ms()
        if fault.kind in LATER:
            raise fault
        _log.warning("a card was not delivered: %s", fault)
        match fault.kind:
            case LarkFaultKind.CHAT_LOST:
                if fault.code == RESIGNED:
                    event_id = card_uuid(slot.slot, f"resigned {wanted.version}")
                    await self._backend.heard(HeardEvent(event_id=event_id, kind="resigned", slot=slot.slot))
                await self._journal.remember(paused(wanted, delivered, now_ms))
            case LarkFaultKind.REFUSED_CARD:
                await self._fall_back(slot, drawn)
            case _:
                # The call is wrong in a way that no repetition cures; other content may have better luck.
                self._hopeless_digest[slot.slot] = wanted.digest
                if slot_kind(slot.slot) in ONCE:
                    await self._journal.remember(given_up(wanted, delivered, now_ms))

    async def _fall_back(self, slot: Slot, drawn: Drawn) -> None:
        delivered, wanted = self._journal.get(slot.slot), drawn.wanted
        if delivered is None or delivered.state != "text":
            text = fallback_text(slot_goal(slot.slot), drawn.title, self._locale)
            try:
                await self._outbox.say(route_of_slot(slot), text, text_uuid(slot.slot))
            except LarkFault as fault:
                if fault.kind in LATER:
                    raise
                _log.warning("nor was the text in its place: %s", fault)
        await self._journal.remember(texted(wanted, delivered, self._clock.now_ms()))

    async def _unheld(self, slot: Slot) -> None:
        delivered = self._journal.get(slot.slot)
        if delivered is not None:
            await self._holds.clear(delivered.message_id)

    def _is_held(self, slot: Slot) -> bool:
        delivered = self._journal.get(slot.slot)
        return delivered is not None and self._holds.is_held(delivered.message_id)


def _place(step: Post | Patch, slot: Slot) -> str:
    return slot.chat_id if isinstance(step, Post) else step.message_id


def _digest(card: Card, seen: SlotView) -> str:
    """The content's digest; buttons that another key signed are other buttons, as the old key's end with its grace."""
    signed = bool(seen.view.tokens) and seen.button_key_id > 0
    return f"{fingerprint(card)}{f'-k{seen.button_key_id}' if signed else ''}"


def _title(view: CardView) -> str:
    return view.goal.title if view.goal is not None else ""
