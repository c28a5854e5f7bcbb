"""What a worker works on changes under it: a lease goes, a promise moves, work is amended, it is to stop."""

import asyncio

import pytest

from daemon.agents.worker_core import FENCED
from daemon.agents.worker_desk import DeskTaken
from daemon.client import Client
from tests.support.served import until
from tests.support.worker import GOOD
from tests.support.worker_place import GOAL, worker_place

SECONDS_MAX = 40


@pytest.fixture
async def place(tmp_path):
    async with worker_place(tmp_path) as made:
        yield made


class Under:
    """A worker with a program that runs until it is let go on, or is ended."""

    def __init__(self, place, text=GOOD, **more):
        self.place = place
        self.begun, self.go = place.seat.folder / "begun", place.seat.folder / "go"
        wait = f"begun, go = pathlib.Path({str(self.begun)!r}), pathlib.Path({str(self.go)!r})"
        wait += "\nseen = str(packet['goal']['revision']) + packet['todo']['title'] + '|'"
        wait += "\nwith begun.open('a') as file: file.write(seen)"
        wait += "\nwhile not go.exists(): time.sleep(0.01)\n"
        self.worker = place.seat.worker(wait + text, **more)
        self.task = None

    async def __aenter__(self):
        self.task = asyncio.get_running_loop().run_in_executor(None, self.worker.run)
        await until(self.begun.exists)
        return self

    async def __aexit__(self, *_):
        self.go.touch()
        self.worker.stop()
        self.worker.stop()
        await self.task

    async def ended(self):
        async with asyncio.timeout(SECONDS_MAX):
            # The thread goes on where the waiting ends, until it is told twice.
            return await asyncio.shield(self.task)


async def test_a_lease_is_renewed_while_the_program_runs(place):
    async with Under(place, lease_seconds=3) as under:
        await until(lambda: place.daemon.service.committed.goals["docs"].leases["todo_links"].version > 1)
        under.go.touch()
        assert (await under.ended()).close == "done"


async def test_who_loses_the_lease_ends_the_program_and_writes_nothing_back(place):
    async with Under(place, lease_seconds=3) as under:
        place.daemon.clock.advance(60_000)
        lease = {**GOAL, "todo_id": "todo_links", "idempotency_key": "another"}
        await place.daemon.do("task-lease.acquire", lease, who="helper")
        before = place.daemon.seq
        turn = await under.ended()
        assert turn.close == "fenced"
        assert turn.problem in FENCED
        assert not under.go.exists()
        assert place.daemon.seq == before
    assert await place.artifacts() == []


@pytest.mark.parametrize("once", [True, False])
async def test_told_to_stop_it_finishes_the_turn_and_begins_no_other(place, once):
    await place.daemon.do("todo.add", {**GOAL, "text": "Another"}, who="builder")
    async with Under(place, once=once) as under:
        under.worker.stop()
        under.go.touch()
        assert (await under.ended()).close == "done"
    assert len(place.seat.turns) == 1


async def test_told_again_it_ends_the_program_reports_and_gives_the_work_back(place):
    async with Under(place, once=False) as under:
        under.worker.stop()
        under.worker.stop()
        turn = await under.ended()
        assert (turn.close, turn.problem) == ("failed", "interrupted")
    (run,) = await place.runs()
    assert (run["classification"], (await place.todo())["claim"], (await place.lease())["status"]) == (
        "failed",
        "none",
        "released",
    )


async def revise(place):
    words = {"objective": "Check the docs twice", "criterion": ["Every link leads somewhere"]}
    await place.daemon.do("goal.revise", {**GOAL, **words})
    shown = (await place.daemon.read("goal.show", "?goal_id=docs")).document
    await place.daemon.do("goal.confirm", {**GOAL, "basis": shown["basis"]["confirm"]})


async def test_a_new_promise_is_read_and_the_work_begun_anew(place):
    async with Under(place, lease_seconds=3, once=False) as under:
        await revise(place)
        await until(lambda: under.begun.read_text().count("|") > 1)
        under.go.touch()
        await until(lambda: place.seat.turns)
    assert place.seat.turns[0].close == "done"
    assert under.begun.read_text() == "1Check the links|2Check the links|"
    (artifact,) = await place.artifacts()
    assert artifact["revision"] == 2
    assert (await place.kinds()).count("goal.revision_adopted") == 1


async def test_a_promise_that_moves_in_the_last_moment_is_not_worked_past(place):
    # Without a feed it is seen when the program has ended.
    async with Under(place, once=True) as under:
        await revise(place)
        under.go.touch()
        assert (await under.ended()).begun_anew == 1
    (artifact,) = await place.artifacts()
    assert artifact["revision"] == 2


async def amend(place, choice):
    change = {"op": "restate", "todo_id": "todo_links", "title": "Check the pictures"}
    words = {"amendment_class": "shared_acceptance", "why": "Better", "operation": [change]}
    words |= {f"{choice}_todo": ["todo_links"]}
    made = await place.daemon.do("amendment.submit", {**GOAL, **words}, who="helper")
    amendment_id = made["result"]["amendment_id"]
    shown = (await place.daemon.read("amendment.show", f"?goal_id=docs&amendment_id={amendment_id}")).document
    await place.daemon.do("amendment.commit", {**GOAL, "amendment_id": amendment_id, "basis": shown["basis"]})


@pytest.mark.parametrize(
    ("choice", "seen", "closes"),
    [
        ("continue", "1Check the links|", ["done"]),
        ("rebase", "1Check the links|1Check the pictures|", ["done"]),
        ("stop", "1Check the links|1Check the pictures|", ["fenced", "done"]),
    ],
)
async def test_work_in_hand_has_the_fate_that_an_amendment_gives_it(place, choice, seen, closes):
    async with Under(place, lease_seconds=3, once=False) as under:
        await amend(place, choice)
        if choice == "continue":
            under.go.touch()
        else:
            await until(lambda: under.begun.read_text().count("|") > 1)
            under.go.touch()
        await until(lambda: len(place.seat.turns) == len(closes))
    assert [turn.close for turn in place.seat.turns] == closes
    assert under.begun.read_text() == seen


async def test_a_goal_that_is_stopped_ends_the_program(place):
    async with Under(place, lease_seconds=3, once=False):
        shown = (await place.daemon.read("goal.show", "?goal_id=docs")).document
        await place.daemon.do("goal.stop", {**GOAL, "reason": "Enough", "basis": shown["basis"]["state"]})
        await until(lambda: place.seat.turns)
    assert place.seat.turns[0].close in {"failed", "fenced"}
    assert await place.artifacts() == []


async def test_an_idle_worker_asks_nothing_until_something_happens(place, monkeypatch):
    await place.turn()
    worker = place.seat.worker(GOOD, once=False)
    task = asyncio.get_running_loop().run_in_executor(None, worker.run)
    try:
        await until(lambda: place.seat.desk.told().get("how") == "idle")
        await asyncio.sleep(0.5)
        asked = []
        true = Client.read
        monkeypatch.setattr(Client, "read", lambda *words, **named: asked.append(words[1]) or true(*words, **named))
        await asyncio.sleep(1.0)
        assert asked == []
        await place.daemon.do("todo.add", {**GOAL, "text": "More"})
        await until(lambda: len(place.seat.turns) == 2)
    finally:
        worker.stop()
        await task
    assert place.seat.turns[-1].close == "done"
    assert place.daemon.audited() == []


async def test_a_second_worker_of_one_agent_is_told(place):
    async with Under(place):
        with pytest.raises(DeskTaken, match="works for this agent already"):
            await place.turn()
