"""The reconnect loop and the thread it lives in, without an SDK or a network."""

import asyncio
import logging
import threading

import pytest

from bot.lark import LarkFault, LarkFaultKind
from bot.lark_connection import FATAL, PASSING, STEADY_MS, Backoff, in_own_thread, keep_connected
from bot.lark_pulse import Pulse

BUSY = LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, code=1, reason="the platform is busy")
WRONG_DOMAIN = LarkFault(LarkFaultKind.FATAL, code=1000040351, reason="the app belongs to the other domain")


class EnoughError(Exception):
    """Ends a loop that has no end."""


class World:
    """A clock that only sleeping moves, and a script of dials: a fault, or how long the connection stands."""

    def __init__(self, *script):
        self.ms = 0
        self.script = list(script)
        self.slept_s = []
        self.closed = 0
        self.pulse = Pulse(self.now_ms)
        self.seen = []

    def now_ms(self):
        return self.ms

    async def sleep(self, delay_s):
        self.seen.append(self.pulse.health())
        self.slept_s.append(delay_s)
        self.ms += round(delay_s * 1_000)

    async def dial(self):
        if not self.script:
            raise EnoughError
        step = self.script.pop(0)
        if isinstance(step, LarkFault):
            raise step
        self.pulse.connected(120_000)
        return self.Link(self, step)

    class Link:
        def __init__(self, world, stands_ms):
            self.world, self.stands_ms = world, stands_ms

        async def until_ended(self):
            self.world.seen.append(self.world.pulse.health())
            self.world.ms += self.stands_ms

        async def close(self):
            self.world.closed += 1

    async def play(self, chance=1.0):
        with pytest.raises(EnoughError):
            await keep_connected(
                self.dial, pulse=self.pulse, now_ms=self.now_ms, chance=lambda: chance, sleep=self.sleep
            )
        return self


@pytest.mark.parametrize(
    ("backoff", "failures", "chance", "expected"),
    [
        (PASSING, 1, 1.0, 1.0),
        (PASSING, 1, 0.0, 0.5),
        (PASSING, 2, 1.0, 2.0),
        (PASSING, 6, 1.0, 32.0),
        (PASSING, 7, 1.0, 60.0),
        (PASSING, 7, 0.0, 30.0),
        (PASSING, 10_000_000, 1.0, 60.0),
        (PASSING, 0, 1.0, 1.0),
        (FATAL, 1, 0.0, 15.0),
        (FATAL, 100, 1.0, 600.0),
        (Backoff(first_s=2.0, max_s=3.0), 2, 1.0, 3.0),
    ],
)
def test_waits_double_to_a_cap_and_are_spread(backoff, failures, chance, expected):
    assert backoff.delay_s(failures, chance) == expected


async def test_failures_wait_longer_each_time():
    world = await World(BUSY, BUSY, BUSY, BUSY).play()
    assert world.slept_s == [1.0, 2.0, 4.0, 8.0]
    assert world.pulse.health().fatal is None


async def test_a_good_connection_starts_the_waits_anew_and_a_flapping_one_does_not():
    world = await World(BUSY, BUSY, STEADY_MS, BUSY).play()
    assert world.slept_s == [1.0, 2.0, 1.0, 2.0]
    world = await World(0, 0, 0, 0).play()
    assert world.slept_s == [1.0, 2.0, 4.0, 8.0]
    assert world.closed == 4


async def test_health_follows_the_connection():
    world = await World(BUSY, 5_000, 5_000).play()
    assert [(health.connected, health.reconnects) for health in world.seen] == [
        (False, 0),
        (True, 0),
        (False, 0),
        (True, 1),
        (False, 1),
    ]
    assert world.seen[1].since_ms == 1_000
    assert world.seen[2].since_ms == 6_000


async def test_a_fatal_refusal_is_told_and_asked_again_only_rarely(caplog):
    world = await World(*[WRONG_DOMAIN] * 20).play()
    assert world.slept_s[0] == 30.0
    assert set(world.slept_s[5:]) == {600.0}
    assert sum(asked_ms <= 3_600_000 for asked_ms in running_sum(world.slept_s)) <= 10, "attempts in an hour"
    fatal = world.pulse.health().fatal
    assert "other domain" in fatal
    assert "1000040351" in fatal
    assert "1000040351" in caplog.text


def running_sum(delays_s):
    total_ms = 0
    for delay_s in delays_s:
        yield total_ms
        total_ms += round(delay_s * 1_000)


async def test_once_connected_nothing_is_fatal_any_more():
    world = await World(WRONG_DOMAIN, 5_000).play()
    assert [health.fatal is None for health in world.seen] == [False, True, True]


async def test_the_platforms_own_wait_is_kept():
    limited = LarkFault(LarkFaultKind.RATE_LIMITED, code=99991400, retry_after_s=45.0)
    assert (await World(limited).play()).slept_s == [45.0]


async def test_a_cancelled_connection_is_closed():
    world = World()
    stands = asyncio.Event()

    class Endless(World.Link):
        async def until_ended(self):
            stands.set()
            await asyncio.Event().wait()

    async def dial():
        world.pulse.connected(1)
        return Endless(world, 0)

    async with asyncio.TaskGroup() as group:
        running = group.create_task(
            keep_connected(dial, pulse=world.pulse, now_ms=world.now_ms, chance=lambda: 0.0, sleep=world.sleep)
        )
        await stands.wait()
        running.cancel()
    assert (world.closed, world.pulse.health().connected) == (1, False)


async def test_the_thread_runs_its_own_loop_and_ends_when_cancelled():
    home = asyncio.get_running_loop()
    started = asyncio.Event()
    seen = {}

    async def main():
        seen["thread"], seen["loop"] = threading.current_thread(), asyncio.get_running_loop()
        home.call_soon_threadsafe(started.set)
        try:
            await asyncio.Event().wait()
        finally:
            seen["cleaned"] = True

    async with asyncio.TaskGroup() as group:
        running = group.create_task(in_own_thread(main, name="test-thread"))
        await started.wait()
        running.cancel()
    assert running.cancelled()
    assert seen["cleaned"]
    assert seen["loop"] is not home
    assert seen["loop"].is_closed()
    seen["thread"].join(timeout=5.0)
    assert not seen["thread"].is_alive()


async def test_an_error_in_the_thread_reaches_who_waits():
    async def main():
        raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        await in_own_thread(main, name="test-thread")


async def test_a_thread_that_ends_by_itself_ends_the_wait():
    async def main():
        return

    await in_own_thread(main, name="test-thread")


async def test_a_thread_that_does_not_stop_is_left_behind(caplog):
    home = asyncio.get_running_loop()
    started, release = asyncio.Event(), threading.Event()

    async def main():
        home.call_soon_threadsafe(started.set)
        release.wait(timeout=30.0)

    with caplog.at_level(logging.ERROR):
        async with asyncio.TaskGroup() as group:
            running = group.create_task(in_own_thread(main, name="test-thread", stop_s=0.05))
            await started.wait()
            running.cancel()
    release.set()
    assert running.cancelled()
    assert "left behind" in caplog.text
