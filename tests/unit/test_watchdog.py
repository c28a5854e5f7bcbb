"""The watchdog: what it makes of each state of health, and what it does about it."""

import asyncio

import pytest

from bot.lark import LarkHealth
from bot.watchdog import Verdict, Watchdog, WatchdogLimits, judge

LIMITS = WatchdogLimits(down_ms_max=180_000, quiet_ms_max=1_800_000, look_every_ms=10_000)
UP = {"connected": True, "since_ms": 1_000, "ping_interval_ms": 120_000}
DEAF_AFTER_MS = 2 * 120_000 + 30_000


@pytest.mark.parametrize(
    ("health", "now_ms", "verdict"),
    [
        ({"connected": False, "since_ms": 1_000}, 181_000, Verdict.FINE),
        ({"connected": False, "since_ms": 1_000}, 181_001, Verdict.DOWN),
        (
            {"connected": False, "since_ms": 1_000, "fatal": "the app belongs to the other domain"},
            9_999_999,
            Verdict.FATAL,
        ),
        (UP, 1_000 + DEAF_AFTER_MS, Verdict.FINE),
        (UP, 1_001 + DEAF_AFTER_MS, Verdict.DEAF),
        ({**UP, "last_pong_ms": 50_000}, 50_000 + DEAF_AFTER_MS, Verdict.FINE),
        ({**UP, "last_pong_ms": 50_000}, 50_001 + DEAF_AFTER_MS, Verdict.DEAF),
        # Events without a pong: the peer is alive in one direction only, and our pings do not arrive.
        ({**UP, "last_event_ms": 400_000}, 400_000, Verdict.DEAF),
        ({**UP, "ping_interval_ms": 600_000}, 1_001 + DEAF_AFTER_MS, Verdict.FINE),
        ({**UP, "last_pong_ms": 1_790_000}, 1_801_000, Verdict.FINE),
        ({**UP, "last_pong_ms": 1_790_000}, 1_801_001, Verdict.QUIET),
        ({**UP, "last_pong_ms": 1_790_000, "last_event_ms": 1_000_000}, 1_801_001, Verdict.FINE),
        # A webhook has nothing to renew but its socket; a quiet night is no reason.
        ({"transport": "webhook", "listening": True, "since_ms": 1_000}, 9_999_999, Verdict.FINE),
        ({"transport": "webhook", "listening": True, "connected": True, "since_ms": 1_000}, 9_999_999, Verdict.FINE),
        ({"transport": "webhook", "listening": False, "since_ms": 1_000}, 181_000, Verdict.FINE),
        ({"transport": "webhook", "listening": False, "since_ms": 1_000}, 181_001, Verdict.DOWN),
        ({"transport": "webhook", "since_ms": 1_000, "fatal": "the port is taken"}, 9_999_999, Verdict.FATAL),
    ],
)
def test_each_state_has_its_verdict(health, now_ms, verdict):
    assert judge(LarkHealth(**health), 0, now_ms, LIMITS) is verdict


@pytest.mark.parametrize(
    ("health", "verdict"),
    [
        ({"connected": False, "since_ms": 0}, Verdict.FINE),
        ({**UP, "last_pong_ms": 2_000}, Verdict.FINE),
    ],
)
def test_what_was_before_this_run_is_no_evidence(health, verdict):
    assert judge(LarkHealth(**health), 5_000_000, 5_000_001, LIMITS) is verdict


class Gateway:
    """A gateway whose health is a script, one state for each run."""

    def __init__(self, clock, *runs):
        self.clock, self.runs, self.started, self.cancelled = clock, list(runs), 0, 0
        self.current = LarkHealth()

    def health(self):
        return self.current

    async def run(self, handlers):
        self.started += 1
        self.current = self.runs.pop(0)(self.clock.ms)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


class Clock:
    """Sleeping moves it at once; at the end of the script whoever sleeps is stopped."""

    def __init__(self, until_ms):
        self.ms, self.until_ms, self.over = 0, until_ms, asyncio.Event()

    def now_ms(self):
        return self.ms

    async def sleep(self, delay_s):
        if self.ms >= self.until_ms:
            self.over.set()
            await asyncio.Event().wait()
        self.ms += round(delay_s * 1_000)
        await asyncio.sleep(0)


async def watched(until_ms, *runs):
    clock = Clock(until_ms)
    gateway = Gateway(clock, *runs)
    dog = Watchdog(gateway, now_ms=clock.now_ms, sleep=clock.sleep, limits=LIMITS)
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(dog.run(handlers=None))
        await clock.over.wait()
        watching.cancel()
    assert gateway.cancelled == gateway.started, "no run is left behind"
    return gateway, dog


def down(ms):
    return LarkHealth(connected=False, since_ms=ms)


def fine(ms):
    return LarkHealth(connected=True, since_ms=ms, last_pong_ms=10**12, last_event_ms=10**12)


def deaf(ms):
    return LarkHealth(connected=True, since_ms=ms, last_event_ms=10**12)


def zombie(ms):
    return LarkHealth(connected=True, since_ms=ms, last_pong_ms=10**12)


def fatal(ms):
    return LarkHealth(connected=False, since_ms=ms, fatal="the app secret is wrong")


async def test_a_good_run_is_left_alone_for_a_week():
    gateway, dog = await watched(7 * 86_400_000, fine)
    assert (gateway.started, dog.restarts) == (1, {})


@pytest.mark.parametrize(("bad", "verdict"), [(down, Verdict.DOWN), (deaf, Verdict.DEAF), (zombie, Verdict.QUIET)])
async def test_a_bad_run_is_replaced_once_and_the_next_left_alone(bad, verdict):
    gateway, dog = await watched(4_000_000, bad, fine)
    assert (gateway.started, dog.restarts) == (2, {verdict: 1})


async def test_a_fatal_run_is_not_restarted():
    gateway, dog = await watched(86_400_000, fatal)
    assert (gateway.started, dog.restarts) == (1, {})


async def test_a_peer_that_stays_bad_is_not_hammered():
    gateway, dog = await watched(3_600_000, *[down] * 100)
    assert dog.restarts[Verdict.DOWN] <= 20, "one run for each three minutes"
    assert gateway.started == dog.restarts[Verdict.DOWN] + 1


async def test_a_bug_in_the_gateway_is_not_hidden():
    class Broken(Gateway):
        async def run(self, handlers):
            raise KeyError("a bug")

    clock = Clock(100_000)
    with pytest.raises(ExceptionGroup) as raised:
        await Watchdog(Broken(clock), now_ms=clock.now_ms, sleep=clock.sleep).run(handlers=None)
    assert raised.group_contains(KeyError)
