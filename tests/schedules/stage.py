"""The stage of one schedule: daemon, platform and bots on one loop, and a note of everything that was shown."""

import asyncio
import random
from collections import defaultdict

from bot.assembly import assemble
from bot.daemon_backend import DaemonBackend
from bot.routes import card_uuid
from bot.steps import DAY_MS, IN_DOUBT
from cards.draw import draw, encode
from tests.schedules.far import FarPlatform, Gateway
from tests.schedules.ground import WALL_MS
from tests.schedules.near import Line, NearDaemon

BOTS_MAX = 2


class BotTime:
    """A bot's clocks, on the loop's time; the wall's can be set."""

    def __init__(self):
        self.off_ms = 0

    def now_ms(self):
        return WALL_MS + self.off_ms + self.steady_ms()

    def steady_ms(self):
        return round(asyncio.get_running_loop().time() * 1_000)


class WatchedBackend(DaemonBackend):
    """The bot's own way to the daemon; it tells which cards it was given to draw, and of which moment they were."""

    def __init__(self, line, clock, shown):
        super().__init__(line)
        self._clock = clock
        self._shown = shown

    async def view(self, slot):
        seen = await super().view(slot)
        if seen is not None:
            self._shown(seen, encode(draw(seen.view, locale="en", now_ms=self._clock.now_ms())))
        return seen


class Running:
    """One bot that runs."""

    def __init__(self, name, bot, gateway, line, task):
        self.name = name
        self.bot = bot
        self.gateway = gateway
        self.line = line
        self.task = task


class Stage:
    """Everything of one schedule."""

    def __init__(self, seed):
        self.seed = seed
        self.chance = random.Random(seed)
        random.seed(seed)
        self.group = asyncio.TaskGroup()
        self.clock = BotTime()
        self.daemon = NearDaemon(self.chance)
        self.platform = FarPlatform(self.chance, self.group, seed)
        self.platform.on_made = self._made
        self.bots = {}
        self.told = []
        self.true_at = defaultdict(int)
        """The last seq at which the daemon gave these bytes to a bot."""
        self.drawn_of = {}
        """The view that these bytes were drawn of."""
        self.shown = defaultdict(list)
        """The views that each message showed in turn, and since when."""
        self.uuid_of = {}
        self.versions = defaultdict(list)
        """What each message showed in turn: of which seq it was."""
        self.out_ms = []
        """When the bot was out of the group: from and to, in turn."""
        self._numbers = 0

    def tell(self, what):
        """Note what happened, for whoever reads about a schedule that failed."""
        self.told.append(f"{asyncio.get_running_loop().time() - 1_000:9.3f}  {what}")

    async def __aenter__(self):
        await self.group.__aenter__()
        self.daemon.start()
        self.start_bot()
        return self

    async def __aexit__(self, *what):
        for running in tuple(self.bots.values()):
            await self.kill_bot(running.name)
        self.platform.wire.stop()
        if self.daemon.life is not None:
            self.daemon.kill()
        return await self.group.__aexit__(*what)

    # Bots.

    def start_bot(self):
        self._numbers += 1
        name = f"bot-{self._numbers}"
        line = Line(self.daemon)
        gateway = Gateway(self.platform, self.clock.steady_ms)
        backend = WatchedBackend(line, self.clock, self._shown)
        bot = assemble(gateway, backend, self.clock, holder=name, locale="en", home=None)
        self.bots[name] = Running(name, bot, gateway, line, self.group.create_task(bot.run()))
        self.tell(f"{name} starts")

    async def kill_bot(self, name, *, cleanly=False):
        """End a bot: on the spot, without giving its lease back, or as an operator does."""
        running = self.bots.pop(name)
        if not cleanly:
            running.bot.leadership.holds = lambda: False
        running.task.cancel()
        await asyncio.wait([running.task])
        self.tell(f"{name} is {'stopped' if cleanly else 'killed'}")

    @property
    def leaders(self):
        return [one for one in self.bots.values() if one.bot.leadership.holds()]

    def days(self, days):
        """Days pass at once, for everybody."""
        self.clock.off_ms += round(days * DAY_MS)
        self.daemon.time.wall_off_ms += 0
        self.daemon.time.boot_off_ms += round(days * DAY_MS)
        self.platform.clock.advance(round(days * DAY_MS))

    @property
    def is_out(self):
        return len(self.out_ms) % 2 == 1

    def out_now(self):
        self.out_ms.append(self.platform.clock.now_ms())

    def was_out_at(self, at_ms):
        """Whether what was written at this moment may have been lost because the bot was not there to answer it."""
        spans = zip(self.out_ms[::2], self.out_ms[1::2], strict=True)
        return any(begun - 30_000 <= at_ms <= ended for begun, ended in spans)

    # What was shown.

    def _shown(self, seen, card):
        self.true_at[card] = max(self.true_at[card], seen.seq)
        self.drawn_of[card] = seen.view

    def _made(self, made):
        seq = self.true_at.get(made.card)
        assert seq is not None, "a card was sent that nobody had drawn"
        self.shown[made.message_id].append((self.drawn_of[made.card], asyncio.get_running_loop().time()))
        shown = self.versions[made.message_id]
        if made.uuid:
            self.uuid_of[made.message_id] = made.uuid
        self.tell(f"the chat shows {made.message_id[:9]} of seq {seq}{' (new)' if made.uuid else ''}")
        shown.append(seq)

    @property
    def replaced(self):
        """Messages that another one took the place of: posted anew before they grew too old, or after a recall."""
        known = [row.slot for row in self.daemon.life.deliveries.all()]
        ours = {self.uuid_of[one] for one in self.uuid_of}
        found = set()
        for message_id in self.uuid_of:
            found.update(message_id for slot in known if card_uuid(slot, message_id) in ours)
        return found

    @property
    def unacknowledged(self):
        """Messages of forms that the daemon has forgotten before it was known that they stand: a press finds them."""
        lost = {
            card_uuid(row.slot, row.message_id) for row in self.daemon.life.deliveries.all() if row.state in IN_DOUBT
        }
        return {message_id for message_id, uuid in self.uuid_of.items() if uuid in lost}

    def subject_of(self, message):
        """What a card is about, for a reader."""
        return message.content.get("header", {}).get("title", {}).get("content", "")

    @property
    def busy(self):
        """Whether anything is still on its way."""
        return self._bots_are_busy or any(not one.settled for one in self.platform.wire.log)

    @property
    def _bots_are_busy(self):
        return self.daemon.life is None or not self.leaders or any(one.bot.sync.pending for one in self.leaders)

    @property
    def posts_in_doubt(self):
        """Whether nobody knows of some message yet whether it was posted."""
        life = self.daemon.life
        answering = any(one.gateway.is_answering for one in self.bots.values())
        return life is None or answering or any(row.state in IN_DOUBT for row in life.deliveries.all())

    @property
    def waits_for_the_platform(self):
        """Whether all that is still to come is an event that will be pushed again in hours."""
        open_ones = [one for one in self.platform.wire.log if not one.settled]
        long_ago_ms = self.platform.clock.now_ms() - 400_000
        return (
            bool(open_ones) and not self._bots_are_busy and all(one.pushed_at_ms[-1] < long_ago_ms for one in open_ones)
        )
