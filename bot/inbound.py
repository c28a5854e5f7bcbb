"""What comes in: relayed at once, answered in time, and never decided here.

A press is relayed to the daemon, which decides, and its toast is the answer. Whoever was told "still working" is told
the result afterwards: by the card if it changed, otherwise by a reply. A message is acknowledged after its answer was
posted; if the daemon cannot be asked, or if this bot may not answer because another one leads, the handler raises and
the platform delivers the message again, to the same outcome under the same key.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Final

from bot.backend import Backend, BackendFault, BackendFaultKind, PressResult, Reply, Toast
from bot.clock import Clock
from bot.heard import HeardEvent, heard_in
from bot.holds import PressHolds
from bot.lark import PRESS_ANSWER_MS_MAX, InboundMessage, InboundPress, LarkFault, NotTakenError, toast
from bot.leader import Leadership
from bot.outbox import NotLeadingError, Outbox
from bot.routes import answer_uuid, late_uuid, route_of_answer, route_of_late_result, said
from bot.steps import LATER
from bot.sync import Sync
from bot.texts import PRESS_TOASTS

TOAST_CHARS_MAX: Final = 300
EVENT_TYPES_MAX: Final = 100
PRESS_TRIES_MAX: Final = 2
PRESS_RETRY_S: Final = 0.3
LEAD_S_MAX: Final = 1.0
# The platform says with this event that a chat can be reached (again).
BOT_ADDED: Final = "im.chat.member.bot.added_v1"
# And with this one that somebody took a message back.
RECALLED: Final = "im.message.recalled_v1"

_log = logging.getLogger("frontstage.bot.inbound")


class UnansweredError(NotTakenError):
    """A message could not be answered now; raised so that it is delivered again."""


class Inbound:
    """The gateway's handlers."""

    def __init__(
        self,
        backend: Backend,
        outbox: Outbox,
        sync: Sync,
        leadership: Leadership,
        clock: Clock,
        *,
        holds: PressHolds,
    ) -> None:
        """Nothing is kept here but counts."""
        self._backend = backend
        self._outbox = outbox
        self._sync = sync
        self._leadership = leadership
        self._clock = clock
        self._holds = holds
        self.others: Counter[str] = Counter()
        """How many events of each kind came that are neither messages nor presses."""

    async def on_press(self, event: InboundPress) -> Mapping[str, object]:
        """Relay a press and answer with its toast; the cards follow once the answer is on its way."""
        started_ms = self._clock.steady_ms()
        self._holds.pressed(event.message_id, event.event_id)
        try:
            result = await self._relay(event)
        finally:
            self._holds.answered(event.message_id, event.event_id)
        if len(result.slots) == 1:
            await self._sync.pressed(result.slots, event.message_id)
        if self._clock.steady_ms() - started_ms >= PRESS_ANSWER_MS_MAX:
            await self._tell_late(event, result)
        else:
            self._sync.want(result.slots)
        await self._sync.heard_from(event.chat_id)
        return toast(result.toast.type, en=_clipped(result.toast.en), zh=_clipped(result.toast.zh))

    async def on_message(self, event: InboundMessage) -> None:
        """Relay a message and post its answer. Raises when it has to be delivered again."""
        try:
            reply = await self._backend.message(event)
        except BackendFault as fault:
            if fault.kind is BackendFaultKind.REFUSED:
                # The daemon will never take it; delivering it again would only repeat that.
                _log.error("the daemon does not take a message: %s", fault.code)
                return
            raise
        if reply is not None:
            await self._answer(event, reply)
            await self._answered(event)
            self._sync.want(reply.slots)
        await self._sync.heard_from(event.chat_id)

    async def on_other(self, event_type: str, event_id: str, body: Mapping[str, object]) -> None:
        """Relay what is said of people and chats, and look at a chat that is new and at a card that was taken away.

        The cards are the leader's: another bot leaves such an event to be delivered again.
        """
        known = event_type if event_type in self.others or len(self.others) < EVENT_TYPES_MAX else "(others)"
        self.others[known] += 1
        heard = heard_in(event_type, event_id, body)
        if heard is not None:
            await self._hear(heard)
        if event_type not in (BOT_ADDED, RECALLED):
            return
        if not await self._knows_soon():
            raise NotTakenError("another bot sends")
        chat_id, message_id = body.get("chat_id"), body.get("message_id")
        if event_type == RECALLED and isinstance(message_id, str):
            await self._sync.taken_away(message_id)
        elif event_type == BOT_ADDED and isinstance(chat_id, str):
            await self._sync.heard_from(chat_id)

    async def _hear(self, heard: HeardEvent) -> None:
        """What comes of it is the daemon's to say; whoever looked in for the first time gets a card."""
        try:
            reply = await self._backend.heard(heard)
        except BackendFault as fault:
            if fault.kind is not BackendFaultKind.REFUSED:
                raise NotTakenError("the daemon could not be told") from fault
            _log.error("the daemon does not take what was heard: %s", fault.code)
            return
        if reply is None or reply.kind != "card":
            return
        if not await self._leads_soon():
            raise NotTakenError("another bot sends")
        await self._sync.posted(reply.slot)

    async def _relay(self, event: InboundPress) -> PressResult:
        """Ask the daemon, once more if nobody knows what came of it: the same event has its first outcome again."""
        tries = 0
        while True:
            tries += 1
            try:
                return await self._backend.press(event)
            except BackendFault as fault:
                _log.warning("a press was not relayed: %s", fault)
                if fault.kind is not BackendFaultKind.UNKNOWN or tries >= PRESS_TRIES_MAX:
                    kind, en, zh = PRESS_TOASTS[fault.kind]
                    return PressResult(ok=False, toast=Toast(type=kind, en=en, zh=zh))
            await asyncio.sleep(PRESS_RETRY_S)

    async def _tell_late(self, event: InboundPress, result: PressResult) -> None:
        """The presser reads "still working": show the result on the card, or say it when the card shows nothing new."""
        if not self._leadership.holds():
            return
        changed = await self._sync.settled(result.slots)
        if changed or result.ok:
            return
        text = said(event.locale, en=result.toast.en, zh=result.toast.zh)
        try:
            await self._outbox.say(
                route_of_late_result(event.chat_id, event.message_id), text, late_uuid(event.event_id)
            )
        except (LarkFault, NotLeadingError) as fault:
            _log.warning("the late result of a press could not be said: %s", type(fault).__name__)

    async def _answered(self, event: InboundMessage) -> None:
        """Say that it is answered. The platform knows the key of a send for an hour and delivers for longer."""
        try:
            await self._backend.answered(event)
        except BackendFault as fault:
            _log.info("it was not kept that a message is answered: %s", fault)

    async def _leads_soon(self) -> bool:
        """Whether this bot may send, or may in a moment, because it has only just begun."""
        try:
            async with asyncio.timeout(LEAD_S_MAX):
                await self._leadership.gained()
        except TimeoutError:
            return False
        return self._leadership.holds()

    async def _knows_soon(self) -> bool:
        """The same, and whether this bot knows what was delivered."""
        try:
            async with asyncio.timeout(LEAD_S_MAX):
                await self._sync.loaded()
        except TimeoutError:
            return False
        return self._leadership.holds()

    async def _answer(self, event: InboundMessage, reply: Reply) -> None:
        if not await self._leads_soon():
            raise UnansweredError("another bot sends")
        if reply.kind == "card":
            if not await self._sync.posted(reply.slot):
                raise UnansweredError("the card is not posted yet")
            return
        text = said(event.locale, en=reply.en, zh=reply.zh)
        try:
            await self._outbox.say(route_of_answer(event), text, answer_uuid(event.message_id))
        except LarkFault as fault:
            if fault.kind in LATER:
                raise
            _log.warning("a message cannot be answered: %s", fault)


def _clipped(text: str) -> str:
    return text if len(text) <= TOAST_CHARS_MAX else f"{text[:TOAST_CHARS_MAX]}…"
