"""Monitors: a worker looks at what is due, records the digest of what it saw, and hands in nothing."""

import hashlib

import pytest

from tests.support.worker_place import GOAL, worker_place

LOOKS = "packet['kind'] == 'monitor' or sys.exit(3);"


@pytest.fixture
async def place(tmp_path):
    async with worker_place(tmp_path) as made:
        await made.daemon.do("todo.cancel", {**GOAL, "todo_id": "todo_links", "reason": "No"})
        monitor = {"todo_id": "todo_watch", "text": "Watch the site", "task_class": "continuous_monitor"}
        await made.daemon.do("todo.add", {**GOAL, **monitor, "cadence_seconds": 60})
        yield made


async def test_a_monitor_that_is_due_is_looked_at_and_then_waited_for(place):
    place.daemon.clock.advance(60_000)
    spent = (await place.daemon.read("quota.status", "?goal_id=docs")).document["spent_slots"]
    turn = await place.turn(LOOKS + 'end("done", artifacts=[hand("seen.txt", "41 links")])')
    assert (turn["close"], turn["kind"], turn["problem"]) == ("done", "monitor", ""), turn
    assert (await place.kinds()).count("monitor.observed") == 1
    monitor = next(one for one in await place.rows("todo.list", "todos") if one["todo_id"] == "todo_watch")
    assert (await place.artifacts(), await place.runs(), monitor["status"]) == ([], [], "open")
    assert (await place.daemon.read("quota.status", "?goal_id=docs")).document["spent_slots"] == spent
    assert place.seat.turns[-1].hand.seen == hashlib.sha256(b"41 links").hexdigest()
    assert await place.turn(LOOKS) is None
    assert place.seat.desk.told()["waits"] == {"docs": "monitor_not_due"}
    assert place.daemon.audited() == []


@pytest.mark.parametrize(
    ("text", "close"),
    [("sys.exit(1)", "failed"), ('end("blocked", reason="No network")', "blocked"), ('end("failed")', "failed")],
)
async def test_a_look_that_saw_nothing_is_not_on_record(place, text, close):
    place.daemon.clock.advance(60_000)
    turn = await place.turn(text)
    assert (turn["close"], "monitor.observed" in await place.kinds(), await place.runs()) == (close, False, [])


async def test_what_is_said_alone_has_a_digest_and_who_is_asked_hears_of_it(place):
    place.daemon.clock.advance(60_000)
    ask = {"to": "ann", "purpose": "The site is gone", "acceptance": ["It is back"], "return_requirement": "A word"}
    turn = await place.turn(LOOKS + f'end("no_progress", summary="Gone", ask={ask!r})')
    kinds = await place.kinds()
    assert (turn["close"], kinds.count("monitor.observed"), kinds.count("request.sent")) == ("done", 1, 1), turn
    place.daemon.clock.advance(60_000)
    again = await place.turn(LOOKS + 'end("done", summary="Gone")')
    assert place.seat.turns[0].hand.seen == place.seat.turns[1].hand.seen, again
