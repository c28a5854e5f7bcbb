"""Keeps one long connection up: dial, stay, wait, dial again; in a thread of its own.

The SDK's loop of reconnects waits up to two and a half minutes, dies silently on a fatal code and never stops, so
this one is ours. Waits grow to a cap and are spread by chance, so that many bots do not return at once. A fatal
refusal is not the end (an operator may repair it in the console while we run) but is asked again only rarely, and
health says why meanwhile.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_pulse import Pulse

# How long a stop may take before the thread is left to itself; the interpreter does not wait for it either.
STOP_S_MAX: Final = 5.0
# A connection that stood this long was a good one: the next wait starts small again.
STEADY_MS: Final = 60_000

_log = logging.getLogger("frontstage.lark")


@dataclass(frozen=True, kw_only=True, slots=True)
class Backoff:
    """How long to wait after a failure: doubling from `first_s` to `max_s`, and halved at most by chance."""

    first_s: float
    max_s: float

    def delay_s(self, failures: int, chance: float) -> float:
        """`chance` is a number from 0 to 1."""
        return min(self.max_s, self.first_s * float(1 << min(max(failures - 1, 0), 32))) * (0.5 + chance / 2)


PASSING: Final = Backoff(first_s=1.0, max_s=60.0)
FATAL: Final = Backoff(first_s=30.0, max_s=600.0)


class Link(Protocol):
    """One connection that stands."""

    async def until_ended(self) -> None:
        """Return when the connection is over, for whatever reason."""

    async def close(self) -> None:
        """Let go of it within a bounded time, even if the peer ignores us. May be called twice."""


async def keep_connected(
    dial: Callable[[], Awaitable[Link]],
    *,
    pulse: Pulse,
    now_ms: Callable[[], int],
    chance: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Dial for ever. `dial` raises `LarkFault` when there is no connection; it notes in `pulse` that there is one."""
    failures = 0
    while True:
        started_ms = now_ms()
        backoff, at_least_s = PASSING, 0.0
        try:
            link = await dial()
        except LarkFault as fault:
            backoff, at_least_s = note_fault(pulse, fault), fault.retry_after_s or 0.0
        else:
            try:
                await link.until_ended()
            finally:
                pulse.disconnected()
                await link.close()
            if now_ms() - started_ms >= STEADY_MS:
                failures = 0
            _log.warning("the long connection ended")
        failures += 1
        await sleep(max(at_least_s, backoff.delay_s(failures, chance())))


def note_fault(pulse: Pulse, fault: LarkFault) -> Backoff:
    """Log a failed attempt, put into health what an operator must repair, and say how to wait."""
    if fault.kind is LarkFaultKind.FATAL:
        pulse.fatal(f"{fault.reason or 'the platform refused the app'} (code {fault.code})")
        _log.error("no long connection: %s", fault)
        return FATAL
    pulse.fatal(None)
    _log.warning("no long connection: %s", fault)
    return PASSING


async def in_own_thread(
    main: Callable[[], Coroutine[Any, Any, None]], *, name: str, stop_s: float = STOP_S_MAX
) -> None:
    """Run `main` in a thread with its own loop until it ends; cancelling this cancels it and waits `stop_s` at most."""
    home = asyncio.get_running_loop()
    ended: asyncio.Future[None] = home.create_future()
    inside: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
    is_stopping = threading.Event()

    async def body() -> None:
        task = asyncio.current_task()
        assert task is not None
        inside.append((asyncio.get_running_loop(), task))
        if not is_stopping.is_set():
            await main()

    def settle(error: BaseException | None) -> None:
        if not ended.done():
            ended.set_result(None) if error is None else ended.set_exception(error)

    def thread() -> None:
        error: BaseException | None = None
        try:
            asyncio.run(body())
        except asyncio.CancelledError:
            error = None
        except BaseException as raised:  # noqa: BLE001 - the top of a thread: whatever it is belongs to the awaiting task
            error = raised
        # A closed loop at home: nobody waits for this thread any more.
        with contextlib.suppress(RuntimeError):
            home.call_soon_threadsafe(settle, error)

    threading.Thread(target=thread, name=name, daemon=True).start()
    try:
        await asyncio.shield(ended)
    except asyncio.CancelledError:
        is_stopping.set()
        for loop, task in inside:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        done, _ = await asyncio.wait({ended}, timeout=stop_s)
        if not done:
            _log.error("the connection's thread did not stop within %g s and is left behind", stop_s)
        elif ended.exception() is not None:
            _log.error("the connection's thread failed while stopping: %s", type(ended.exception()).__name__)
        raise


class RunningLoop:
    """Stands in for the SDK's module-wide loop, which is whatever loop there was at import.

    Tasks go to the loop they are made on, so any number of connections can live in any number of threads; and they are
    held here, as a loop by itself holds them only weakly.
    """

    def __init__(self) -> None:
        """It begins without a task."""
        self._tasks: set[asyncio.Task[Any]] = set()

    def create_task(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Make a task on the loop that runs here."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
