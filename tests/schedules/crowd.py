"""A crowd: two hundred goals that are shown in five chats each, on a platform that counts every call.

The ledger is a table of views here, so that a thousand cards can change at one moment; bot, platform, limits and time
are those of the schedules.
"""

import asyncio
import random

from bot.assembly import assemble
from tests.schedules.far import FarPlatform, Gateway
from tests.schedules.stage import BotTime
from tests.unit.bot_world import FakeDaemon, goal_card, review_view

GOALS, CHATS = 200, 5


class Crowd:
    """The bot, its thousand cards, and the platform's book of calls."""

    def __init__(self):
        random.seed(0)
        self.group = asyncio.TaskGroup()
        self.clock = BotTime()
        self.daemon = FakeDaemon(self.clock)
        self.platform = FarPlatform(random.Random(0), self.group, "crowd")
        self.platform.on_made = self._made
        app = next(iter(self.platform.world.apps.values()))
        people = list(self.platform.world.people)
        self.chats = [
            self.platform.world.add_group(f"Room {number}", app.tenant_key, people, {app.app_id}).chat_id
            for number in range(CHATS)
        ]
        self.made_at_s = {}

    async def __aenter__(self):
        await self.group.__aenter__()
        bot = assemble(
            Gateway(self.platform, self.clock.steady_ms), self.daemon, self.clock, holder="one", locale="en", home=None
        )
        self.bot = bot
        self.task = self.group.create_task(bot.run())
        return self

    async def __aexit__(self, *what):
        self.task.cancel()
        return await self.group.__aexit__(*what)

    def change_all(self, done):
        """Something happens to every goal at one moment; each has a card in each chat."""
        for number in range(GOALS):
            goal_id = f"goal-{number}"
            for chat in self.chats:
                self.daemon.show(f"goal:{goal_id}@{chat}", goal_card(goal_id, done=done))
            self.daemon.commit(goal_id)

    def ask_for_a_decision(self, goal_id):
        """An urgent card in each chat."""
        for chat in self.chats:
            self.daemon.show(f"review:{goal_id}:2@{chat}", review_view(goal_id))
        self.daemon.commit(goal_id)

    def calls(self, since_ms=0):
        return [call for call in self.platform.calls if call.at_ms >= since_ms]

    async def at_rest(self, seconds_max):
        """How long it takes until every card is true."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        while loop.time() - began_s < seconds_max:
            await asyncio.sleep(0.5)
            if self.bot.sync.pending == 0 and self.task and not self.task.done():
                return loop.time() - began_s
        raise AssertionError(f"{self.bot.sync.pending} cards are not true after {seconds_max} s")

    def shown(self):
        """How often each card that can be seen was changed, and what it says now."""
        return {one.message_id: one for one in self.platform.bots_cards()}

    def _made(self, made):
        self.made_at_s[made.card] = asyncio.get_running_loop().time()
