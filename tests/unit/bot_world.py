"""A bot's whole world in memory: time that passes only when everybody waits, a daemon, and a platform that breaks."""

import asyncio
import json
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, replace

import msgspec

from bot.assembly import assemble
from bot.backend import BackendFault, BackendFaultKind, FeedEvent, Lease, PressResult, Slot, SlotList, SlotView, Toast
from bot.lark import InboundMessage, InboundPress, LarkFault, LarkFaultKind, LarkUser
from bot.steps import DAY_MS
from tests.contract.lark_fake import FakeLark, FakeMessage, _Planned
from tests.golden.card_views import ACCEPTANCE, NOW_MS, REVIEW, goal, tokens
from tests.golden.card_views import card as card_view
from tests.unit.virtual_time import now_s

CHAT = "oc_team"


class LoopClock:
    """Both clocks are the loop's; the wall's can be set forward."""

    def __init__(self):
        self.forward_ms = 0

    def now_ms(self):
        return NOW_MS + self.forward_ms + self.steady_ms()

    def steady_ms(self):
        return round(asyncio.get_running_loop().time() * 1_000)


class FakeDaemon:
    """The daemon behind the `Backend` protocol: a little ledger of views, and faults that are asked for."""

    def __init__(self, clock):
        self.clock = clock
        self.seq = 10
        self.button_key_id = 1
        self.views = {}
        self.listed = {}
        self.stored = {}
        self.events = []
        self.grown = asyncio.Event()
        self.holder, self.expires_at_ms = "", 0
        self.touched = ()
        self.faults = defaultdict(deque)
        self.calls = Counter()
        self.heard_events = []
        self.delays_s = {}
        self.presses = {}
        self.replies = {}
        self.outcome = PressResult(ok=True, toast=Toast(type="success", en="Done.", zh="已完成。"))
        self.on_press = None
        self.healths = []

    # What happens in the ledger.

    def commit(self, goal_id, **slots):
        """Something happened to a goal: these slots (by kind) show these views now; None closes the listing."""
        self.seq += 1
        for key, view in slots.items():
            self.show(f"{key}@{CHAT}", view)
        self.events.append(FeedEvent(seq=self.seq, kind="goal.changed", goal_id=goal_id))
        self.grown.set()
        self.grown = asyncio.Event()

    def show(self, key, view, *, listed=True):
        self.views[key] = view
        if listed:
            chat = key.rpartition("@")[2]
            priority = 1 if key.startswith("goal:") else 0
            self.listed[key] = Slot(slot=key, chat_id=chat, receive_id=chat, priority=priority)

    # The protocol.

    async def _begin(self, call):
        self.calls[call] += 1
        await asyncio.sleep(self.delays_s.get(call, 0.001))
        if self.faults[call]:
            fault = self.faults[call].popleft()
            if fault is not None:
                raise fault

    async def press(self, event):
        await self._begin("press")
        if event.event_id not in self.presses:
            if self.on_press is not None:
                self.on_press(event)
            self.presses[event.event_id] = self.outcome
        return self.presses[event.event_id]

    async def message(self, event):
        await self._begin("message")
        return self.replies.get(event.message_id)

    async def answered(self, event):
        await self._begin("answered")
        self.replies.pop(event.message_id, None)

    async def heard(self, event):
        await self._begin("heard")
        self.heard_events.append(event)

    async def slots(self, goal_id=None):
        await self._begin("slots")
        found = [
            slot for key, slot in self.listed.items() if goal_id is None or key.split(":")[1].split("@")[0] == goal_id
        ]
        return SlotList(seq=self.seq, slots=tuple(found))

    async def view(self, slot):
        await self._begin("view")
        view = self.views.get(slot)
        return None if view is None else SlotView(seq=self.seq, view=view, button_key_id=self.button_key_id)

    async def deliveries(self):
        await self._begin("deliveries")
        return tuple(self.stored.values())

    async def put_delivery(self, delivery):
        await self._begin("put_delivery")
        known = self.stored.get(delivery.slot)
        if known is None or known.version <= delivery.version:
            self.stored[delivery.slot] = delivery

    async def leader(self, holder, ttl_ms):
        await self._begin("leader")
        if holder == self.holder or self.clock.now_ms() >= self.expires_at_ms:
            self.holder, self.expires_at_ms = holder, self.clock.now_ms() + ttl_ms
        leads = self.holder == holder
        touched = self.touched if leads else ()
        return Lease(leader=leads, holder=self.holder, expires_at_ms=self.expires_at_ms, touched=touched)

    async def feed(self, after):
        await self._begin("feed")
        while True:
            grown = self.grown
            for event in [event for event in self.events if event.seq > after]:
                after = event.seq
                yield event
            await grown.wait()

    async def put_health(self, health):
        await self._begin("put_health")
        self.healths.append(health)


@dataclass(frozen=True)
class Call:
    """A call that reached the platform."""

    at_s: float
    what: str
    place: str
    by: str


class Shown:
    """A message of the bot's as a reader has it."""

    def __init__(self, platform, message):
        self._platform = platform
        self._message = message

    @property
    def content(self):
        shown = self._message.shown
        return shown["text"] if self._message.kind == "text" else json.dumps(shown, ensure_ascii=False)

    @property
    def message_id(self):
        return self._message.message_id

    @property
    def reply_to(self):
        return self._message.reply_to or None

    @property
    def at_s(self):
        return self._platform.posted_at_s[self.message_id]

    @property
    def uuid(self):
        return next(uuid for uuid, message_id in self._platform.uuids.items() if message_id == self.message_id)

    def take_away(self):
        self._message.recalled = True


class Platform:
    """What the gateways of several bots have in common."""

    def __init__(self):
        self.tables = {}
        self.uuids = {}
        self.planned = deque()
        self.lost_chats = set()
        self.calls = []
        self.posted_at_s = {}
        self.faults = deque()
        """For each call in turn: None, a fault, or ("after", fault): it happens, and the answer is lost."""
        self._said = {"om_in_1"}
        for message_id in self._said:
            self.tables[message_id] = FakeMessage(message_id=message_id, chat_id=CHAT, kind="text", versions=[{}])

    @property
    def messages(self):
        return [Shown(self, one) for key, one in self.tables.items() if key not in self._said]

    def cards(self):
        return [one for one in self.messages if one._message.kind == "card" and not one._message.recalled]

    def texts(self):
        return [one for one in self.messages if one._message.kind == "text"]

    def take_back_questions(self):
        for message_id in self._said:
            self.tables[message_id].recalled = True


class Gateway(FakeLark):
    """One bot's gateway: the fake of the contract suite, on a platform that is shared and takes its time."""

    call_s = 0.01

    def __init__(self, platform, name, now_ms):
        super().__init__(now_ms=now_ms)
        self.platform = platform
        self.name = name
        self.messages, self._uuids, self._planned = platform.tables, platform.uuids, platform.planned
        self.lost_chats = platform.lost_chats

    async def send_card(self, receive_id, receive_id_type, card, uuid):
        await self._arrive("card", receive_id)
        return await super().send_card(receive_id, receive_id_type, card, uuid)

    async def reply_card(self, message_id, card, uuid, in_thread):
        await self._arrive("card", CHAT)
        return await super().reply_card(message_id, card, uuid, in_thread)

    async def send_text(self, receive_id, receive_id_type, text, uuid):
        await self._arrive("text", receive_id)
        return await super().send_text(receive_id, receive_id_type, text, uuid)

    async def reply_text(self, message_id, text, uuid, in_thread):
        await self._arrive("text", CHAT)
        return await super().reply_text(message_id, text, uuid, in_thread)

    async def patch_card(self, message_id, card):
        await self._arrive("patch", message_id)
        await super().patch_card(message_id, card)

    def health(self):
        # A connection that is never quiet: the watchdog has tests of its own.
        return replace(super().health(), ping_interval_ms=10**12, last_event_ms=self._now_ms())

    def _next(self, prefix):
        message_id = f"{prefix}_{len(self.platform.posted_at_s) + 1}"
        self.platform.posted_at_s[message_id] = now_s()
        return message_id

    async def _arrive(self, what, place):
        await asyncio.sleep(self.call_s)
        self.platform.calls.append(Call(now_s(), what, place, self.name))
        fault = self.platform.faults.popleft() if self.platform.faults else None
        if isinstance(fault, tuple):
            self._planned.append(_Planned(fault=fault[1], after_commit=True))
        elif fault is not None:
            self._planned.append(_Planned(fault=fault, after_commit=False))


class World:
    """A daemon, a platform, and any number of bots, running."""

    def __init__(self):
        self.clock = LoopClock()
        self.daemon = FakeDaemon(self.clock)
        self.platform = Platform()
        self.bots = {}
        self._group = asyncio.TaskGroup()

    async def __aenter__(self):
        await self._group.__aenter__()
        return self

    async def __aexit__(self, *what):
        for bot in self.bots.values():
            bot.task.cancel()
        return await self._group.__aexit__(*what)

    def start(self, name="bot"):
        lark = Gateway(self.platform, name, self.clock.steady_ms)
        bot = assemble(lark, self.daemon, self.clock, holder=name, locale="en", home=None)
        running = Running(bot, lark, self._group.create_task(bot.run()))
        self.bots[name] = running
        return running

    async def kill(self, name="bot"):
        """End a bot on the spot: its lease is not given back."""
        running = self.bots.pop(name)
        running.bot.leadership.holds = lambda: False
        running.task.cancel()
        await asyncio.wait([running.task])

    async def quiet(self, seconds=2.0):
        await asyncio.sleep(seconds)

    async def days(self, days):
        """Days pass on the wall, and an hour for everybody to notice."""
        self.clock.forward_ms += days * DAY_MS
        await self.quiet(3_700)

    @property
    def sent(self):
        return [call.what for call in self.platform.calls]


@dataclass
class Running:
    """A bot that runs."""

    bot: object
    lark: FakeLark
    task: object

    @property
    def handlers(self):
        return self.bot.inbound


def review_view(goal_id="goal-3", *, revision=2, status="open", by="Ann Li"):
    shown = goal("proposed") if status == "open" else goal("active")
    shown = msgspec.structs.replace(shown, goal_id=goal_id)
    review = msgspec.structs.replace(REVIEW, revision=revision, status=status, proposed_by=by)
    offered = ("goal.confirm", "goal.decline") if status == "open" else ()
    return card_view("review", tokens(*offered), goal=shown, review=review)


def goal_card(goal_id="goal-3", state="active", *, title=None, done=2):
    shown = msgspec.structs.replace(
        goal(state), goal_id=goal_id, todos_done=done, **({"title": title} if title else {})
    )
    return card_view("goal", tokens("goal.pause"), goal=shown)


def acceptance_card(goal_id="goal-3", *, status="open"):
    shown = msgspec.structs.replace(goal("delivered"), goal_id=goal_id)
    delivery = msgspec.structs.replace(ACCEPTANCE, status=status)
    return card_view("acceptance", tokens("goal.accept"), goal=shown, acceptance=delivery)


def press(event_id="ev_1", *, message_id="om_1", locale="en"):
    return InboundPress(
        event_id=event_id,
        app_id="cli_1",
        tenant_key="t",
        operator=LarkUser(open_id="ou_ann", union_id="on_ann"),
        chat_id=CHAT,
        message_id=message_id,
        token=tokens("goal.confirm")["goal.confirm"],
        locale=locale,
    )


def message(message_id="om_in_1", *, chat_type="group", thread_id=None, locale="en"):
    return InboundMessage(
        event_id=f"ev_{message_id}",
        message_id=message_id,
        app_id="cli_1",
        tenant_key="t",
        sender=LarkUser(open_id="ou_ann", union_id="on_ann"),
        chat_id=CHAT,
        chat_type=chat_type,
        thread_id=thread_id,
        kind="text",
        text="help",
        mentioned=True,
        create_time_ms=NOW_MS,
        locale=locale,
    )


def fault(kind, **more):
    return LarkFault(LarkFaultKind(kind), **more)


def down(kind="unreachable"):
    return BackendFault(BackendFaultKind(kind))
