"""From a press to its toast, over the simulator's chat, long connection, bot and daemon, at twenty presses a second.

Each press goes all the way: the platform's callback, the bot, the daemon, which verifies the button and writes down
what it decided, and the toast back. The presser is nobody the ledger knows, so that the same buttons can be pressed
again and again. In every other round somebody else's presses are held by a handler that takes its time: whatever that
does to the others is measured against the round beside it.

    python -m tests.bench.bench_press
"""

import asyncio
import tempfile
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from bot.assembly import assemble
from bot.clock import SystemClock
from bot.daemon_backend import open_backend
from bot.lark_api import LarkSettings, open_lark
from tests.bench.row import Row
from tests.e2e.people import Room, pair
from tests.e2e.world import running_stack

PER_S, SECONDS, ROUNDS, CARDS = 20, 5.0, 2, 4
SPREAD_MAX, HELD_MAX = 5.0, 2.0
HELD_S, HELD_EVERY_S = 2.0, 0.5
PRESSER, SLOW = "sam", "bo"


class Holding:
    """The bot's way to the daemon, on which the presses of one person take their time."""

    def __init__(self, backend):
        self._backend = backend
        self.slow_open_id = ""
        self.held = 0

    def __getattr__(self, name):
        return getattr(self._backend, name)

    async def press(self, event):
        if event.operator.open_id == self.slow_open_id:
            self.held += 1
            await asyncio.sleep(HELD_S)
        return await self._backend.press(event)


@asynccontextmanager
async def _bot(stack):
    """The bot in this process, so that a handler can be held."""
    clock = SystemClock()
    settings = LarkSettings(
        app_id=stack.greeting["app_id"], app_secret=stack.greeting["app_secret"], domain=stack.base_url
    )
    token = (stack.home / "bot.token").read_text().strip()
    async with (
        open_backend(str(stack.home / "daemon.sock"), token) as backend,
        open_lark(settings, now_ms=clock.steady_ms) as lark,
    ):
        holding = Holding(backend)
        bot = assemble(lark, holding, clock, holder="bench", locale="en", home=None)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(bot.run())
            await stack.connected()
            yield holding
            running.cancel()


async def _pressed_ms(stack, card, label):
    """How long one press took; it must have been answered, and by a toast."""
    began = perf_counter()
    answer = await stack.press(PRESSER, card, label)
    assert answer["toast"], answer
    return (perf_counter() - began) * 1_000


async def _round(stack, cards, *, held):
    """The times of a round, in milliseconds, with somebody's held presses beside them or without."""
    times = []
    async with asyncio.TaskGroup() as group:

        async def one(card):
            times.append(await _pressed_ms(stack, card, "Confirm"))

        for number, card in zip(range(round(PER_S * SECONDS)), cycle(cards)):
            group.create_task(one(card))
            if held and number % round(PER_S * HELD_EVERY_S) == 0:
                group.create_task(stack.press(SLOW, card, "确认"))
            await asyncio.sleep(1 / PER_S)
    return times


async def _measured(folder):
    async with running_stack(folder, bot=False) as stack, _bot(stack) as holding:
        holding.slow_open_id = next(one["open_id"] for one in stack.greeting["people"] if one["key"] == SLOW)
        await pair(stack, "ann", "ann", "Paired")
        await stack.control("limits", {"on": False})
        room = Room(stack, await stack.chat_of("ann", "group"), None)
        cards = [(await room.proposed())[1] for _ in range(CARDS)]
        await _round(stack, cards[:1], held=False)
        pairs = []
        for _ in range(ROUNDS):
            plain = await _round(stack, cards, held=False)
            pairs.append((plain, await _round(stack, cards, held=True)))
        assert holding.held >= ROUNDS * SECONDS / HELD_EVERY_S, holding.held
        return pairs


def run():
    """Spread of the times, and what held presses do to the others."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = asyncio.run(_measured(Path(folder)))
    plain = [time for one, _ in pairs for time in one]
    p50, p99 = median(plain), quantiles(plain, n=100)[98]
    beside = median(median(held) / median(one) for one, held in pairs)
    held_p99 = quantiles([time for _, held in pairs for time in held], n=100)[98]
    note = f"p99 {p99:.1f} ms / p50 {p50:.1f} ms of {len(plain)} presses at {PER_S} a second"
    return [
        Row("press to toast, spread", p99 / p50, SPREAD_MAX, "at most", note),
        Row(
            "press beside held presses",
            beside,
            HELD_MAX,
            "at most",
            f"median while others are held {HELD_S:g} s (their p99: {held_p99:.1f} ms) / median of the round beside it",
        ),
    ]


if __name__ == "__main__":
    from tests.bench.row import table

    print(table(run()))
