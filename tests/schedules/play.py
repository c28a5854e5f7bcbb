"""Plays one schedule from its seed, and says what went wrong."""

import asyncio
import logging
import random
from dataclasses import dataclass

from bot.simulator.delivery import REPUSH_AFTER_MS
from tests.schedules.holds import faults_of
from tests.schedules.people import People
from tests.schedules.stage import Stage
from tests.schedules.trouble import AMONG, FAULTS_MIN, cease
from tests.unit.virtual_time import VirtualLoop

ACTS = (6, 14)
FAULTS_MAX = 10
SPAN_S = 45.0
SETTLE_S_MAX = 900.0
QUIET_S = 12.0


@dataclass(frozen=True)
class Played:
    """How one schedule ended."""

    seed: int
    faults: tuple[str, ...]
    wrong: tuple[str, ...]
    told: tuple[str, ...]


def play(seed, among="all"):
    """Play the schedule of this seed, with faults from this choice of them."""
    log = logging.getLogger("frontstage")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            return runner.run(_play(seed, among))
    finally:
        log.setLevel(level)


async def _play(seed, among):
    names = []
    stage = None
    try:
        async with asyncio.timeout(50_000):
            stage = Stage(seed)
            async with stage:
                people = People(stage)
                await asyncio.sleep(stage.chance.uniform(0.0, 4.0))
                names = await _trouble(stage, people, among)
                await cease(stage)
                stage.tell("the faults are over")
                await people.everything_moves()
                wrong = await _settled(stage)
                wrong.extend(faults_of(stage, people))
    except TimeoutError:
        wrong = ["it does not come to an end"]
    except BaseExceptionGroup as error:
        wrong = [f"something broke: {leaf!r}" for leaf in _leaves(error)]
    return Played(seed, tuple(names), tuple(wrong), tuple(stage.told if stage else ()))


def planned(seed, among="all"):
    """The faults of a schedule, in no order."""
    chance = random.Random(f"faults of {seed}")
    return [chance.choice(AMONG[among]) for _ in range(chance.randint(FAULTS_MIN, FAULTS_MAX))]


async def _trouble(stage, people, among):
    chance, faults = stage.chance, planned(stage.seed, among)
    moves = [(chance.uniform(0.0, SPAN_S), people.act, "") for _ in range(chance.randint(*ACTS))]
    moves += [(chance.uniform(0.0, SPAN_S * 0.9), _bound(fault, stage), fault.__name__) for fault in faults]

    async def later(at_s, move, name):
        await asyncio.sleep(at_s)
        if name:
            stage.tell(f"fault: {name.replace('_', ' ')}")
        await move()

    async with asyncio.TaskGroup() as group:
        for at_s, move, name in moves:
            group.create_task(later(at_s, move, name))
    return [fault.__name__ for fault in faults]


def _bound(fault, stage):
    return lambda: fault(stage)


async def _settled(stage):
    """Let time flow until nothing is on its way any more, and a while longer."""
    loop = asyncio.get_running_loop()
    give_up_s = loop.time() + SETTLE_S_MAX
    calm_s = 0.0
    while calm_s < QUIET_S:
        if loop.time() > give_up_s:
            left = [one.outcomes for one in stage.platform.wire.log if not one.settled]
            return [f"it does not come to rest: {[one.bot.sync.pending for one in stage.bots.values()]}, {left}"]
        await asyncio.sleep(1.0)
        calm_s = 0.0 if stage.busy else calm_s + 1.0
        if stage.waits_for_the_platform:
            stage.platform.clock.advance(REPUSH_AFTER_MS[-1])
    return []


def _leaves(error):
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    return [error]
