"""Carries what arrives on the connection's thread to handlers on the bot's loop, and brings the acknowledgement back.

The two loops never wait for each other: a press is answered in time by the connection's thread even while the bot's
loop stands still, and a handler that outlives its press goes on undisturbed. What may run at once is bounded;
beyond that a presser is told to try again and an event is left to be delivered again.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from bot.lark import (
    PRESS_ANSWER_MS_MAX,
    PRESS_FAILED,
    PRESS_NOT_OURS,
    PRESS_TOO_MANY,
    STILL_WORKING,
    Handlers,
    InboundMessage,
    InboundPress,
    Locale,
    NotTakenError,
)
from bot.lark_events import MESSAGE_EVENT, PRESS_EVENT, OtherEvent, StrayPress, read_event
from bot.lark_frames import acknowledged, answer_text, framed, refused
from bot.lark_needs import EVENT_TYPES
from bot.lark_pulse import Pulse

IN_FLIGHT_MAX: Final = 256
# A handler that runs longer than this hangs; it is cancelled so that its place becomes free.
HANDLER_S_MAX: Final = 60.0

_log = logging.getLogger("frontstage.lark")
_Result = TypeVar("_Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """What came of one event, for whichever transport brought it."""

    taken: bool
    """Whether it is acknowledged; if not, the platform is to deliver it again."""
    answer: bytes | None = None
    """The JSON object that a presser waits for; None where nobody does."""


TAKEN: Final = Heard(taken=True)
LEFT: Final = Heard(taken=False)


class Courier:
    """One per run of the connection. `take` is called on the connection's loop, the handlers run on the bot's."""

    def __init__(
        self,
        handlers: Handlers,
        bot_loop: asyncio.AbstractEventLoop,
        pulse: Pulse,
        *,
        bot_open_id: str,
        locale: Locale,
        answer_within_ms: int = PRESS_ANSWER_MS_MAX,
    ) -> None:
        """`answer_within_ms` bounds how long a presser waits for a handler's own answer."""
        self._handlers = handlers
        self._bot_loop = bot_loop
        self._pulse = pulse
        self._bot_open_id = bot_open_id
        self._locale = locale
        self._answer_within_s = answer_within_ms / 1_000
        self._in_flight: set[Future[Any]] = set()

    async def take(self, payload: bytes, *, is_card: bool = False, frame_id: str = "") -> bytes:
        """Hand one event of the long connection over and return its acknowledgement, as a frame carries it."""
        heard = await self.hear(payload, is_card=is_card, frame_id=frame_id)
        if not heard.taken:
            return refused()
        return acknowledged() if heard.answer is None else framed(heard.answer)

    async def hear(
        self, payload: bytes, *, is_card: bool = False, frame_id: str = "", within_s: float | None = None
    ) -> Heard:
        """Hand one event over. `is_card`: a card is waiting; `within_s`: how long the transport can wait at all."""
        self._pulse.event()
        event = read_event(payload, bot_open_id=self._bot_open_id, locale=self._locale)
        match event:
            case InboundPress():
                self._pulse.callback()
                return await self._press(event, within_s)
            case StrayPress():
                self._pulse.callback()
                return _answer(PRESS_NOT_OURS)
            case InboundMessage():
                self._pulse.seen(MESSAGE_EVENT)
                return await self._message(event, within_s)
            case OtherEvent():
                self._note(event.event_type)
                taken = await self._other(event, frame_id, within_s)
                if is_card or event.event_type == PRESS_EVENT:
                    # Whoever pressed something we cannot read still waits for an object.
                    return _answer(PRESS_NOT_OURS)
                return TAKEN if taken else LEFT

    def _note(self, event_type: str) -> None:
        """A kind that was asked for has proved its subscription; any other, or one nobody can read, is parked."""
        if event_type in EVENT_TYPES:
            self._pulse.seen(event_type)
        else:
            self._pulse.parked()

    async def drain(self, grace_s: float) -> None:
        """Give running handlers their grace, then cancel them. Called on the bot's loop after the connection ended."""
        running = {asyncio.wrap_future(future) for future in tuple(self._in_flight)}
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=grace_s)
        for future in late:
            future.cancel()

    async def _press(self, press: InboundPress, within_s: float | None) -> Heard:
        future = self._submit("press", lambda: self._handlers.on_press(press))
        if future is None:
            return _answer(PRESS_TOO_MANY)
        if not await self._settled(future, self._bounded_s(within_s)):
            return _answer(STILL_WORKING)
        if future.cancelled() or future.exception() is not None:
            return _answer(PRESS_FAILED)
        answer: object = future.result()
        try:
            # A handler that forgot its answer must not show an error on the presser's device.
            return _answer(answer if isinstance(answer, Mapping) else {})
        except ValueError:
            # What the handler did stands; only its words cannot be sent.
            _log.error("a press was handled, but its answer cannot be sent")
            return _answer({})

    async def _message(self, message: InboundMessage, within_s: float | None) -> Heard:
        future = self._submit("message", lambda: self._handlers.on_message(message))
        if future is None:
            return LEFT
        # On the long connection there is no deadline: an acknowledgement in three seconds spares a repeated delivery, a
        # later one does no harm, and one before the message is safe would lose it. A request that must be answered
        # meanwhile is answered "not yet": the message comes again, and the ledger knows it by then.
        if not await self._settled(future, within_s):
            return LEFT
        return LEFT if future.cancelled() or future.exception() is not None else TAKEN

    async def _other(self, event: OtherEvent, frame_id: str, within_s: float | None) -> bool:
        """Hand it over; false only if the handler says that it is to come again: what merely fails would never end."""
        event_id = event.event_id or frame_id
        future = self._submit("other event", lambda: self._handlers.on_other(event.event_type, event_id, event.body))
        if future is None or not await self._settled(future, self._bounded_s(within_s)) or future.cancelled():
            return True
        return not isinstance(future.exception(), NotTakenError)

    def _bounded_s(self, within_s: float | None) -> float:
        return self._answer_within_s if within_s is None else min(within_s, self._answer_within_s)

    def _submit(self, what: str, work: Callable[[], Coroutine[Any, Any, _Result]]) -> Future[_Result] | None:
        if len(self._in_flight) >= IN_FLIGHT_MAX:
            _log.warning("%d handlers are running: a %s was turned away", IN_FLIGHT_MAX, what)
            return None
        future = asyncio.run_coroutine_threadsafe(_guarded(what, work), self._bot_loop)
        self._in_flight.add(future)
        future.add_done_callback(self._in_flight.discard)
        return future

    async def _settled(self, future: Future[Any], within_s: float | None) -> bool:
        """Wait for a handler without owning it: giving up, or the end of this loop, must not cancel it."""
        loop, settled = asyncio.get_running_loop(), asyncio.Event()

        def tell(_: Future[Any]) -> None:
            # A closed loop means that the connection is gone, and with it whoever waited.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(settled.set)

        future.add_done_callback(tell)
        try:
            async with asyncio.timeout(within_s):
                await settled.wait()
        except TimeoutError:
            return future.done()
        return True


def _answer(answer: Mapping[str, object]) -> Heard:
    return Heard(taken=True, answer=answer_text(answer))


async def _guarded(what: str, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
    """Run a handler on the bot's loop, bounded in time; its failure is logged by type, its text may be a person's."""
    try:
        async with asyncio.timeout(HANDLER_S_MAX):
            return await work()
    except Exception as error:
        _log.error("handling a %s failed: %s", what, type(error).__name__)
        raise
