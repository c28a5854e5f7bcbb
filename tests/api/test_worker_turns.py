"""Turns of a worker at a daemon: what is asked, what is handed in, and what is left behind."""

import asyncio

import pytest

from tests.support.served import served
from tests.support.worker import GOOD, Seat

GOAL = {"goal_id": "docs"}


def seed(review="owner", mode="optional_lease"):
    def play(scribe):
        words = {"objective": "Check the docs", "criterion": ("Every link leads somewhere",)}
        scopes = ("src/**", "reports/**")
        scribe.do("ann", "goal.propose", **GOAL, **words, write_scope=scopes, review=review, handoff_mode=mode)
        scribe.do("ann", "goal.confirm", **GOAL, basis=scribe.state.goals["docs"].intents[-1].basis)
        scribe.do("ann", "todo.add", **GOAL, todo_id="todo_links", text="Check the links")

    return play


class Place:
    def __init__(self, daemon, folder):
        self.daemon = daemon
        self.folder = folder
        self.seat = self.of("builder")

    def of(self, who):
        folder = self.folder / who
        folder.mkdir()
        return Seat(self.daemon.made.home.socket, self.daemon.made.tokens[who], folder, who)

    async def turn(self, text=GOOD, **more):
        return await asyncio.to_thread(self.seat.turn, text, **more)

    async def rows(self, action, name, query="?goal_id=docs"):
        return (await self.daemon.read(action, query)).document[name]

    async def kinds(self):
        events = await self.rows("history.list", "events", "?goal_id=docs&limit=200")
        return [event["kind"] for event in events]


@pytest.fixture
async def place(request, tmp_path):
    async with served(seed(**getattr(request, "param", {}))) as daemon:
        yield Place(daemon, tmp_path)


async def test_a_turn_is_taken_done_handed_in_and_paid_for_once(place):
    turn = await place.turn()
    assert (turn["close"], turn["problem"], turn["notes"]) == ("done", "", [])
    (artifact,) = await place.rows("artifact.list", "artifacts")
    assert (artifact["label"], artifact["criterion_ids"]) == ("report.txt", ["c1"])
    assert place.seat.store.path_of(artifact["sha256"]).read_bytes() == b"41 links"
    (todo,) = await place.rows("todo.list", "todos")
    assert (todo["status"], todo["completed_by"], todo["evidence"]) == ("done", "builder", [artifact["artifact_id"]])
    (run,) = await place.rows("run.list", "runs")
    assert (run["delivery_outcome"], run["turn_instance_id"]) == ("outcome_progress", turn["turn_id"])
    assert (await place.daemon.read("quota.status", "?goal_id=docs")).document["spent_slots"] == 1
    assert await place.turn() is None
    assert place.daemon.audited() == []
