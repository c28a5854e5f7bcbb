"""A steward: a loop around a pure function. It reads a goal, wishes, asks, and sleeps until the feed tells of more.

It keeps nothing that matters: what it did is in the ledger, and each wish carries a key made of what it is about. So it
may be killed at any moment and started anew, or run twice, and nothing is done a second time. A wish that was refused
is put off until the goal has moved; the daemon's word about why is told and no other way is tried.
"""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from daemon import wire
from daemon.aclient import AsyncClient
from daemon.agents.steward_core import decide_next
from daemon.agents.steward_facts import Value, Wish
from daemon.agents.steward_planner import PlannerFailed, ask_planner, lanes_of, question_of
from daemon.agents.steward_reader import Reader, ReadRefused
from daemon.agents.steward_template import packet, template
from daemon.agents.steward_view import NotReadable, View
from daemon.agents.steward_words import Words
from daemon.client import Refused

IDLE_S = 30.0
"""A look without an event: some things become so by time alone."""
BACK_OFF_S = (0.5, 1.0, 2.0, 5.0, 10.0)
ROUNDS_MAX = 20
"""Looks at one goal in a row, each of which did something."""
LIVING = ("proposed", "clarifying", "active", "changes_requested", "delivered")
Say = Callable[[str], None]


def _now_ms() -> int:
    """By the clock that the ledger's times are told by: both are on one machine."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Whose steward it is, for which goals, and who plans."""

    agent_id: str
    goal_id: str | None = None
    planner: tuple[str, ...] = ()
    locale: str = "en"


@dataclass
class Steward:
    """One steward at one daemon."""

    client: AsyncClient
    setting: Setting
    say: Say
    clock_ms: Callable[[], int] = _now_ms
    refusals: int = 0
    _done: set[str] = field(default_factory=set)
    _put_off: dict[str, int] = field(default_factory=dict)
    """Wishes that were refused, with the seq up to which the goal has been seen since."""

    def __post_init__(self) -> None:
        """The sentences of its language, and what it reads with."""
        self.words = Words(self.setting.locale)
        self.reader = Reader(self.client, self.setting.agent_id, has_planner=bool(self.setting.planner))

    async def look(self) -> bool:
        """Look at every goal once, until nothing more is wished; whether anything was done. Raises WireFault."""
        did = False
        try:
            goals = await self._goals()
        except ReadRefused as error:
            self._refused(str(error))
            return False
        for goal_id in goals:
            for _ in range(ROUNDS_MAX):
                if not await self._on_goal(goal_id):
                    break
                did = True
        return did

    async def _goals(self) -> list[str]:
        if self.setting.goal_id is not None:
            return [self.setting.goal_id]
        return [goal_id for state in LIVING for goal_id in await self.reader.goals(state)]

    async def _on_goal(self, goal_id: str) -> bool:
        try:
            view, seq = await self.reader.view(goal_id, self.clock_ms())
        except (NotReadable, ReadRefused) as error:
            self._refused(f"{goal_id}: {error}")
            return False
        if view.agent(view.me) is None:
            # Whoever does not have the goal is refused everything; it is not asked for.
            return False
        did = False
        for one in decide_next(view, self.words):
            if one.key not in self._done and self._put_off.get(one.key) != seq:
                did |= await self._ask(view, one, seq)
        return did

    async def _ask(self, view: View, one: Wish, seq: int) -> bool:
        """Ask for one thing; whether it changed anything."""
        ready = await self._planned(view, one) if one.asks_planner else one
        if ready is None:
            self._done.add(one.key)
            return False
        reply = await self.client.act(ready.action, ready.params, ready.key)
        if reply.ok:
            self._done.add(one.key)
            new = reply.body.get("outcome") != "noop" and reply.body.get("replayed") is not True
            if new:
                self.say(f"{view.goal_id}: {one.why}: {ready.action} {one.key.rpartition('/')[2]}")
            return new
        self._put_off[one.key] = seq
        self._refused(f"{view.goal_id}: {one.why}: {ready.action} was refused: {reply.code}")
        return False

    def _refused(self, told: str) -> None:
        self.refusals += 1
        self.say(told)

    async def _planned(self, view: View, one: Wish) -> Wish | None:
        """The wish with what a planner says to it, or with the template's lanes; None where nothing is to be asked."""
        stage = "plan" if one.action == "plan.propose" else "clarify"
        document: dict[str, object] = {}
        if self.setting.planner:
            given = {**packet(view, self.words), "stage": stage}
            try:
                document = await asyncio.to_thread(ask_planner, self.setting.planner, given)
                if stage == "clarify":
                    question = question_of(document)
                    return None if question is None else _with(one, question=question[0], option=question[1])
                return _with(one, lane=[json.dumps(lane) for lane in lanes_of(document)])
            except PlannerFailed as error:
                self.say(f"{view.goal_id}: the planner failed: {error}; {_INSTEAD[stage]}")
        if stage == "clarify":
            return None
        return _with(one, lane=[json.dumps(lane) for lane in template(view, self.words)])


_INSTEAD = {"plan": "the template plans instead", "clarify": "nothing is asked"}


def _with(one: Wish, **params: Value) -> Wish:
    return replace(one, params={**one.params, **params})


async def serve(steward: Steward, stop: asyncio.Event) -> None:
    """Look, then wait for the feed or for a while, until told to stop. A daemon that is away is waited for."""
    moved = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        feed = group.create_task(_listen(steward, moved), name="steward-feed")
        failures = 0
        while not stop.is_set():
            moved.clear()
            try:
                await steward.look()
                failures, pause = 0, IDLE_S
            except wire.WireFault as fault:
                pause = BACK_OFF_S[min(failures, len(BACK_OFF_S) - 1)]
                failures += 1
                steward.say(f"the daemon is not there ({fault}); next try in {pause:g} s")
                moved.clear()
            await _first(pause, stop, moved)
        feed.cancel()


async def _first(pause: float, *events: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waiting:
            one.cancel()


async def _listen(steward: Steward, moved: asyncio.Event) -> None:
    """Every event wakes the loop; what it says is read anew."""
    after = 0
    while True:
        with suppress(Refused, wire.WireFault):
            after = max(after, (await steward.client.read("status.show", {"limit": 1})).seq or 0)
            # What was committed between the last look and this seq is told by no event that is still to come.
            moved.set()
            async for event in steward.client.follow(after, lambda _fault: moved.set()):
                after = event.seq
                moved.set()
        await asyncio.sleep(BACK_OFF_S[2])
