"""A daemon with one goal and one todo, and seats for workers at it."""

import asyncio
from contextlib import asynccontextmanager

from tests.support.served import served
from tests.support.worker import GOOD, Seat

GOAL = {"goal_id": "docs"}


def seed(review="owner", mode="optional_lease"):
    """The goal and its todo."""

    def play(scribe):
        words = {"objective": "Check the docs", "criterion": ("Every link leads somewhere",)}
        scopes = ("src/**", "reports/**")
        scribe.do("ann", "goal.propose", **GOAL, **words, write_scope=scopes, review=review, handoff_mode=mode)
        scribe.do("ann", "goal.confirm", **GOAL, basis=scribe.state.goals["docs"].intents[-1].basis)
        scribe.do("ann", "todo.add", **GOAL, todo_id="todo_links", text="Check the links")

    return play


class Place:
    """The daemon, and who works there."""

    def __init__(self, daemon, folder):
        self.daemon = daemon
        self.folder = folder
        self.seat = self.of("builder")

    def of(self, who):
        """A seat for somebody's worker."""
        folder = self.folder / who
        folder.mkdir()
        return Seat(self.daemon.made.home.socket, self.daemon.made.tokens[who], folder, who)

    async def turn(self, text=GOOD, **more):
        """One turn of the builder's."""
        return await asyncio.to_thread(self.seat.turn, text, **more)

    async def rows(self, action, name, query="?goal_id=docs"):
        """The rows of a list."""
        return (await self.daemon.read(action, query)).document[name]

    async def kinds(self):
        """What happened, by the kinds of events."""
        events = await self.rows("history.list", "events", "?goal_id=docs&limit=200")
        return [event["kind"] for event in events]

    async def todo(self):
        """The one todo."""
        (todo,) = await self.rows("todo.list", "todos")
        return todo

    async def artifacts(self):
        """All evidence."""
        return await self.rows("artifact.list", "artifacts")

    async def runs(self):
        """All runs, the newest first."""
        return await self.rows("run.list", "runs")

    async def lease(self):
        """The lease of the one todo."""
        return (await self.daemon.read("task-lease.inspect", "?goal_id=docs&todo_id=todo_links")).document


@asynccontextmanager
async def worker_place(folder, **seeded):
    """One of these."""
    async with served(seed(**seeded)) as daemon:
        yield Place(daemon, folder)
