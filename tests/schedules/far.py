"""The platform of a schedule: the simulator's world, rules, limits and chat, without its sockets.

A bot's gateway calls the simulator's own message rules; events go through the simulator's own deliveries (acknowledged
within three seconds or pushed again) and the bot's own courier. A call that has left is carried out even if the bot
that made it is dead by then.
"""

import asyncio
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field, replace

import orjson

from bot.lark import LarkFault, LarkFaultKind, checked_message, checked_reply, checked_send
from bot.lark_courier import Courier
from bot.lark_faults import read_answer, sent_message
from bot.lark_pulse import Pulse
from bot.lark_text import literal_text
from bot.simulator import events
from bot.simulator.chat import ChatClient
from bot.simulator.clock import SimClock
from bot.simulator.delivery import Deliveries
from bot.simulator.errors import PlatformError
from bot.simulator.faults import Faults
from bot.simulator.gate import Gate
from bot.simulator.longlink import read_ack
from bot.simulator.messages import Messages
from bot.simulator.press import Presses
from tests.schedules.ground import APP, WALL_MS, group_of, platform_world

NEVER_QUIET_MS = 10**12
_REFUSALS = {
    "token": (99991663, 400, {}, "Invalid access token"),
    "limit": (99991400, 429, {"x-ogw-ratelimit-reset": "2"}, "request trigger frequency limit"),
    "refused": (230099, 400, {}, "Failed to create card content, ext=ErrCode: 11310; ErrMsg: tables"),
}


@dataclass(frozen=True)
class Made:
    """One card that the bot made a message of, or put into one."""

    message_id: str
    uuid: str
    card: bytes


@dataclass(frozen=True)
class Called:
    """One call as the platform counted it."""

    at_ms: int
    api: str
    place: str
    code: int


@dataclass
class Connection:
    """One bot's long connection."""

    courier: Courier
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Wire(Deliveries):
    """Pushes events to whichever bot is connected: late, twice, or with the acknowledgement lost, as planned."""

    def __init__(self, clock, tasks, chance):
        super().__init__(None, None, clock, tasks)
        self.connections = []
        self.chance = chance
        self.plan = deque()
        self.pushed = Counter()

    async def push_once(self, app, payload):
        fate = self.plan.popleft() if self.plan else ""
        if fate == "late":
            await asyncio.sleep(self.chance.uniform(0.5, 8.0))
        if fate in ("again", "again_fresh"):
            self._tasks.create_task(self._again(app, payload, fresh=fate == "again_fresh"))
        return await self._push(app, payload, ack_lost=fate == "ack_lost")

    async def _push(self, app, payload, *, ack_lost=False):
        del app
        if not self.connections:
            return "offline"
        connection = self.chance.choice(self.connections)
        taken = asyncio.ensure_future(connection.courier.take(payload))
        ended = asyncio.ensure_future(connection.ended.wait())
        either = asyncio.ensure_future(asyncio.wait({taken, ended}, return_when=asyncio.FIRST_COMPLETED))
        try:
            if not await self._clock.within(either, 3_000):
                return "timeout"
        finally:
            ended.cancel()
            either.cancel()
        if connection.ended.is_set() or taken.cancelled() or ack_lost:
            return "lost"
        return read_ack(taken.result())

    async def _again(self, app, payload, *, fresh):
        await asyncio.sleep(self.chance.choice((0.0, 0.005, 0.3, 4.0, 40.0)))
        if fresh:
            body = orjson.loads(payload)
            body["header"]["event_id"] += f"-{self.chance.randrange(10**6)}"
            payload = orjson.dumps(body)
        await self._push(app, payload)


class FarPlatform:
    """Everything that is the platform's; its faults are planned by call."""

    def __init__(self, chance, tasks, seed):
        loop = asyncio.get_running_loop()
        self.clock = SimClock(wall_ns=lambda: WALL_MS * 1_000_000 + round(loop.time() * 1e9))
        self.chance = chance
        self.world = platform_world(self.clock, str(seed))
        self.app = self.world.apps[APP]
        self.group = group_of(self.world)
        self.gate = Gate(self.clock, self.world.ids, Faults())
        self.messages = Messages(self.world)
        self.wire = Wire(self.clock, tasks, chance)
        self.presses = Presses(self.world, self.wire)
        self.chat = ChatClient(self.world, self.wire, self.presses)
        self.tasks = tasks
        self.plan = defaultdict(deque)
        self.calls = []
        self.made = []
        self.taken = set()
        """The keys of sends that the platform has taken."""
        self.on_made = lambda made: None

    def next_fault(self, api):
        return self.plan[api].popleft() if self.plan[api] else ""

    async def call(self, api, place, work, limits, uuid=""):
        """Carry a call out, in a task of the platform's own: whoever made it may be gone."""
        await asyncio.sleep(self.chance.uniform(0.005, 0.06))
        fault = self.next_fault(api)
        if fault == "refused" and uuid in self.taken:
            fault = ""  # What was taken once is not refused when it comes again.
        if fault == "slow":
            await asyncio.sleep(self.chance.uniform(0.5, 1.9))
        served = self.tasks.create_task(self._serve(api, place, work, limits, fault))
        status, headers, body = await asyncio.shield(served)
        await asyncio.sleep(self.chance.uniform(0.0, 0.03))
        if fault == "dropped":
            await asyncio.sleep(self.chance.choice((0.0, 3.0, 9.0)))
            raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason="ReadTimeout")
        return read_answer(status, headers, body)

    async def _serve(self, api, place, work, limits, fault):
        code = 0
        try:
            if fault == "html":
                return 502, {}, b"<html>Bad Gateway</html>"
            if fault in _REFUSALS:
                code = _REFUSALS[fault][0]
                return _refused(*_REFUSALS[fault])
            self.gate.charge(api, APP, **limits)
            body = {"code": 0, "msg": "success", **work()}
        except PlatformError as refusal:
            code = refusal.code
            return _refused(refusal.code, refusal.status, refusal.headers or {}, refusal.msg)
        else:
            return 200, {}, orjson.dumps(body)
        finally:
            self.calls.append(Called(self.clock.now_ms(), api, place, code))

    # What people and administrators do.

    def tell(self, body):
        self.wire.emit(self.app, body)

    def take_away(self, message):
        """A manager of the group takes a message back."""
        self.world.recall(message)
        self.tell(events.message_recalled(self.app, self.world.ids, message, self.clock.now_ms()))

    def bot_in_group(self, *, present):
        chat = self.world.chats[self.group]
        (chat.apps.add if present else chat.apps.discard)(APP)
        operator, now_ms = self.world.people["ann"], self.clock.now_ms()
        self.tell(events.bot_membership(self.app, self.world.ids, chat, operator, now_ms=now_ms, added=present))

    def bots_cards(self, chat_id=None):
        """Cards of the bot's that can still be seen."""
        return [
            one
            for one in self.world.messages.values()
            if one.from_app and one.kind == "interactive" and not one.recalled and chat_id in (None, one.chat_id)
        ]


class Gateway:
    """One bot's `Lark`, on this platform."""

    def __init__(self, platform, now_ms):
        self.platform = platform
        self._now_ms = now_ms
        self._pulse = Pulse(now_ms)
        self.connection = None

    async def send_card(self, receive_id, receive_id_type, card, uuid):
        checked_send(receive_id, receive_id_type, uuid)
        return await self._create(receive_id, receive_id_type, "interactive", card, uuid)

    async def send_text(self, receive_id, receive_id_type, text, uuid):
        checked_send(receive_id, receive_id_type, uuid)
        return await self._create(receive_id, receive_id_type, "text", _content(text), uuid)

    async def reply_card(self, message_id, card, uuid, in_thread):
        checked_reply(message_id, uuid)
        return await self._reply(message_id, "interactive", card, uuid, in_thread)

    async def reply_text(self, message_id, text, uuid, in_thread):
        checked_reply(message_id, uuid)
        return await self._reply(message_id, "text", _content(text), uuid, in_thread)

    async def patch_card(self, message_id, card):
        checked_message(message_id)
        platform, body = self.platform, {"content": card.decode()}

        def work():
            done = platform.messages.patch(platform.app, message_id, body, len(card))
            platform.on_made(Made(message_id, "", card))
            return {"data": done}

        await platform.call("patch", message_id, work, {"message_id": message_id})

    def health(self):
        # A connection that is never quiet: the watchdog has tests of its own.
        return replace(self._pulse.health(), ping_interval_ms=NEVER_QUIET_MS, last_event_ms=self._now_ms())

    async def run(self, handlers):
        platform = self.platform
        courier = Courier(
            handlers, asyncio.get_running_loop(), self._pulse, bot_open_id=platform.app.bot_open_id, locale="en"
        )
        try:
            while True:
                self.connection = Connection(courier)
                platform.wire.connections.append(self.connection)
                self._pulse.connected(NEVER_QUIET_MS)
                await self.connection.ended.wait()
                self._pulse.disconnected()
                await asyncio.sleep(platform.chance.uniform(0.2, 4.0))
        finally:
            self.cut()
            # The process is gone: so is whatever its handlers were about.
            await courier.drain(0)

    @property
    def is_answering(self):
        """Whether some handler is still about what came in."""
        return self.connection is not None and bool(self.connection.courier._in_flight)

    def cut(self):
        """The connection ends."""
        if self.connection in self.platform.wire.connections:
            self.platform.wire.connections.remove(self.connection)
            self.connection.ended.set()

    async def _create(self, receive_id, receive_id_type, kind, content, uuid):
        platform = self.platform
        body = {"receive_id": receive_id, "msg_type": kind, "content": content.decode(), "uuid": uuid}
        chat = platform.messages.chat_of_receiver(platform.app, receive_id_type, receive_id)

        def work():
            return platform.messages.create(platform.app, receive_id_type, body, len(content))

        return await self._sent("create", chat, work, kind, content, uuid)

    async def _reply(self, message_id, kind, content, uuid, in_thread):
        platform = self.platform
        body = {"msg_type": kind, "content": content.decode(), "uuid": uuid, "reply_in_thread": in_thread}
        parent = platform.world.messages.get(message_id)

        def work():
            return platform.messages.reply(platform.app, message_id, body, len(content))

        return await self._sent(
            "reply", platform.world.chats[parent.chat_id] if parent else None, work, kind, content, uuid
        )

    async def _sent(self, api, chat, work, kind, content, uuid):
        platform = self.platform

        def made():
            data = work()
            is_new = uuid not in platform.taken
            platform.taken.add(uuid)
            message = platform.world.messages[data["message_id"]]
            if kind == "interactive" and is_new:
                platform.on_made(Made(message.message_id, uuid, content))
            return {"data": data}

        return sent_message(await platform.call(api, chat.chat_id if chat else "", made, {"chat": chat}, uuid))


def _content(text):
    return orjson.dumps({"text": literal_text(text)})


def _refused(code, status, headers, said):
    return status, headers, orjson.dumps({"code": code, "msg": said})
