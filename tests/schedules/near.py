"""The daemon of a schedule: the real service and relay on records that outlive it, reached over a line that breaks.

There is no socket: what a route would be handed is handed to the relay itself, and the bot's own adapter reads what
comes back. Time belongs to the schedule's loop; the disk's thread is replaced by the loop, so that a kill can fall
between a commit and its answer.
"""

import asyncio
import atexit
import os
import tempfile
from collections import Counter, deque
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from daemon import wire
from daemon.app import build
from daemon.client import Refused
from daemon.clock import LedgerClock
from daemon.config import Config, LarkSection
from daemon.paths import Home
from daemon.relay.wire import Answered, BotHealth, Delivery, Heard, Lead, Message, Press
from daemon.service import Service, replay
from daemon.sse import FeedEvent
from ledger.codec import decode_body
from ledger.refusals import Refusal
from ledger.store.memory import MemoryStore
from tests.schedules.ground import APP, WALL_MS, fresh_records, request

SECRET = bytes(range(32)).hex()
ANSWER_S_MAX = 20.0


@cache
def _home():
    """A folder with the one secret that the relay reads; it is as good for a thousand schedules as for one."""
    folder = tempfile.TemporaryDirectory(prefix="fs-")
    atexit.register(folder.cleanup)
    home = Home(folder.name)
    Path(home.button_key).write_text(SECRET)
    return home


class DaemonTime:
    """The daemon's two clocks, on the loop's time; the wall's can be set."""

    def __init__(self):
        self.wall_off_ms = 0
        self.boot_off_ms = 0

    def wall_ms(self):
        return WALL_MS + self.wall_off_ms + self.boot_ms()

    def boot_ms(self):
        return self.boot_off_ms + round(asyncio.get_running_loop().time() * 1_000)


class LoopDisk:
    """In place of the disk's thread: one job after the other, on the loop, until the daemon is killed."""

    at_hand = False

    def __init__(self, written):
        """`written` is called after each job, when what it wrote is on the disk and nobody has been told."""
        self.dead = False
        self._written = written

    def put(self, job):
        asyncio.get_running_loop().call_soon(self._do, job)

    def _do(self, job):
        if not self.dead:
            job()
            self._written()

    def took(self, elapsed_ns):
        """How long something took is nothing that a schedule rests on."""


class Life:
    """One life of the daemon: everything that a kill takes away."""

    def __init__(self, records, time, written):
        store = MemoryStore(records)
        committed = replay(store)
        term = store.open_term("unused")
        self.store = store
        self.fatal = []
        self.began_s = asyncio.get_running_loop().time()
        self.service = Service(
            store, term, committed, LedgerClock(time, committed.at_ms), os.urandom, "test", self.fatal.append
        )
        self.disk = self.service._disk = LoopDisk(written)
        self.over = asyncio.get_running_loop().create_future()
        self.tasks = set()
        self.relay = build(_home(), self.service, time, Config(lark=LarkSection(app_id=APP))).relay
        self.deliveries, self.views = self.relay._deliveries, self.relay._views

    def end(self):
        self.disk.dead = True
        for task in tuple(self.tasks):
            task.cancel()
        self.over.set_result(None)


class NearDaemon:
    """A daemon that is up or down."""

    def __init__(self, chance):
        self.records = fresh_records()
        self.time = DaemonTime()
        self.chance = chance
        self.life = None
        self.lost = Counter()
        """Answers that get lost after the work was done, by call."""
        self.unheard = Counter()
        """Calls that never arrive, by call."""
        self.slow_s = deque()
        self.killed_after_presses = 0
        self.presses = []
        self.pressed_s = {}
        """When the daemon first did what each press asked for, by event."""
        self.messages = []
        self.drawn = {}
        self.keys = 0

    def start(self):
        assert self.life is None
        self.life = Life(self.records, self.time, self._written)

    def kill(self):
        life, self.life = self.life, None
        life.end()

    def _written(self):
        """Fall over after the commit of a press, if that is planned, and be back soon."""
        if self.killed_after_presses and decode_body(self.records.events[-1].body).proof.kind == "lark":
            self.killed_after_presses -= 1
            self.kill()
            asyncio.get_running_loop().call_later(self.chance.choice((0.1, 0.2, 2.0)), self.back)

    def back(self):
        """Be there again, unless somebody has seen to it already."""
        if self.life is None:
            self.start()

    async def commit(self, who, action, /, **params):
        """What an agent or the operator does on the command line, with the patience of its client."""
        self.keys += 1
        asked = request(who, action, f"line-{self.keys}", **params)
        while True:
            if self.life is not None:
                life = self.life
                task = asyncio.ensure_future(life.service.submit(asked))
                await asyncio.wait({task, life.over}, return_when=asyncio.FIRST_COMPLETED)
                if task.done() and not task.cancelled() and task.exception() is None:
                    return task.result()
                task.cancel()
            await asyncio.sleep(0.3)

    async def ask(self, call, work):
        """One call over the line: it may not arrive, and its answer may be lost."""
        await asyncio.sleep(0.001 + self.chance.random() * 0.02)
        life = self.life
        if life is None or self.unheard[call] > 0:
            self.unheard[call] -= 1 if life is not None else 0
            raise wire.NobodyListens("nobody listens")
        task = asyncio.ensure_future(work(life))
        life.tasks.add(task)
        task.add_done_callback(life.tasks.discard)
        await asyncio.wait({task, life.over}, return_when=asyncio.FIRST_COMPLETED)
        if life.over.done() or task.cancelled():
            raise wire.Dropped("the daemon ended")
        document = task.result()
        if self.slow_s:
            await asyncio.sleep(self.slow_s.popleft())
        if self.lost[call] > 0:
            self.lost[call] -= 1
            raise wire.Dropped("the answer was lost")
        if isinstance(document, Refusal):
            raise Refused(document.status.http_status, document.code.value)
        return document


class Line:
    """One bot's client of this daemon, behind the names of the asynchronous client."""

    def __init__(self, daemon):
        self._daemon = daemon
        self.cuts = set()
        self.is_cut_off = False
        """Whether this bot reaches the daemon with nothing at all."""

    async def _ask(self, call, work):
        if self.is_cut_off:
            raise wire.NobodyListens("nobody listens")
        return await self._daemon.ask(call, work)

    async def relay_press(self, body):
        async def work(life):
            document = await life.relay._press(Press.model_validate(body))
            self._daemon.presses.append((body, document))
            if document["envelope"].get("ok"):
                self._daemon.pressed_s.setdefault(body["event_id"], asyncio.get_running_loop().time())
            return document

        return await self._ask("press", work)

    async def relay_message(self, body):
        async def work(life):
            document = await life.relay._message(Message.model_validate(body))
            self._daemon.messages.append((body, document))
            return document

        return await self._ask("message", work)

    async def relay_answered(self, app_id, message_id):
        async def work(life):
            return await life.relay._answered_message(Answered(app_id=app_id, message_id=message_id))

        return await self._ask("answered", work)

    async def relay_heard(self, body):
        async def work(life):
            return await life.relay._heard(Heard.model_validate(body))

        return await self._ask("heard", work)

    async def slots(self, goal_id=None):
        async def work(life):
            asked = SimpleNamespace(query={} if goal_id is None else {"goal_id": goal_id})
            return life.relay._slots(asked)

        return await self._ask("slots", work)

    async def view(self, slot):
        async def work(life):
            return life.relay._view(SimpleNamespace(query={"slot": slot}))

        try:
            return await self._ask("view", work)
        except Refused as refused:
            if refused.status == 404:
                return None
            raise

    async def deliveries(self):
        async def work(life):
            return life.relay._all_deliveries(None)

        return await self._ask("deliveries", work)

    async def put_delivery(self, delivery):
        async def work(life):
            before = life.deliveries._by_slot.get(delivery["slot"])
            document = await life.relay._put_delivery(Delivery.model_validate(delivery))
            after = life.deliveries._by_slot.get(delivery["slot"])
            assert before is None or after.version >= before.version, f"a record went back: {before} to {after}"
            return document

        return await self._ask("put_delivery", work)

    async def leader(self, holder, ttl_ms):
        async def work(life):
            return await life.relay._lead(Lead(holder=holder, ttl_ms=ttl_ms))

        return await self._ask("leader", work)

    async def put_health(self, health):
        async def work(life):
            return await life.relay._health(BotHealth.model_validate(health))

        return await self._ask("health", work)

    async def feed(self, after):
        async def work(life):
            return life

        life = await self._ask("feed", work)
        cut = asyncio.get_running_loop().create_future()
        self.cuts.add(cut)
        try:
            while not life.over.done() and not cut.done():
                for row in life.store.events(after):
                    if row.seq > life.service.committed.seq:
                        break
                    after = row.seq
                    yield FeedEvent(seq=row.seq, kind=row.kind, goal_id=row.goal_id)
                changed = asyncio.ensure_future(life.service.changed(after))
                try:
                    await asyncio.wait({changed, life.over, cut}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    changed.cancel()
        finally:
            self.cuts.discard(cut)
        raise wire.Dropped("the feed ended")
