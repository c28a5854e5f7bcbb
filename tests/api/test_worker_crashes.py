"""A worker that ends in the middle of anything: whoever comes next takes it up, and nothing happens twice."""

import asyncio

import pytest

from daemon.agents.worker_drive import OneTurn
from daemon.wire import Dropped, NobodyListens
from tests.support.worker import GOOD
from tests.support.worker_place import GOAL, worker_place

COMMANDS = 9
"""How many a good turn has: reserve, lease, prepare, launch, judge, submit, complete, report, spend."""


LOOKS = 4
"""What is read before there is a turn."""


REQUEST_COMMANDS = 9
"""And one on a request to review: receive, prepare, launch, judge, submit, check, review, respond, return."""
REVIEW = """
(one,) = packet["request"]["inputs"]
end("done", summary="Looked at it.", reviews=[{"artifact_id": one["ref"], "decision": "accept",
    "checks": [{"name": "count", "argv": ["grep", "41"], "exit_code": 0, "duration_ms": 3}]}])
"""


class Killed(BaseException):
    """As when the machine takes it away."""


@pytest.fixture
async def place(tmp_path):
    async with worker_place(tmp_path) as made:
        yield made


def die_at(monkeypatch, number, *, after):
    """The worker ends before or after the command of this number: what it asked may have been done or not."""
    count = 0
    true = OneTurn._do

    def do(self, command):
        nonlocal count
        count += 1
        if count == number and not after:
            raise Killed
        event = true(self, command)
        if count == number:
            raise Killed
        return event

    monkeypatch.setattr(OneTurn, "_do", do)
    return lambda: count


async def finally_done(place):
    """Let whoever comes next work until there is nothing left to do."""
    for _ in range(3):
        if await place.turn() is None:
            break
    kinds = await place.kinds()
    once = {kind: kinds.count(kind) for kind in ("todo.completed", "slot.spent", "artifact.submitted")}
    assert once == {"todo.completed": 1, "slot.spent": 1, "artifact.submitted": 1}
    runs = await place.runs()
    assert [run["delivery_outcome"] for run in runs].count("outcome_progress") == 1
    assert len({run["turn_instance_id"] for run in runs}) == len(runs)
    assert (await place.todo())["status"] == "done"
    assert (await place.lease())["status"] == "released"
    assert place.seat.desk.load() is None
    assert place.seat.desk.leftovers() == []


async def test_a_good_turn_has_as_many_commands(place, monkeypatch):
    count = die_at(monkeypatch, 0, after=False)
    await place.turn()
    assert count() == COMMANDS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, COMMANDS + 1))
async def test_killed_at_any_step_it_is_taken_up_and_nothing_happens_twice(place, monkeypatch, number, after):
    with monkeypatch.context() as patch:
        die_at(patch, number, after=after)
        with pytest.raises(Killed):
            await place.turn()
    await finally_done(place)


@pytest.mark.parametrize("number", range(1, COMMANDS + 1))
async def test_an_answer_that_is_lost_is_asked_for_again_and_nothing_happens_twice(place, monkeypatch, number):
    count = 0
    for name in ("act", "read"):
        true = getattr(type(place.seat.client), name)

        def lossy(self, *words, true=true, **named):
            nonlocal count
            reply = true(self, *words, **named)
            count += 1
            if count == number + LOOKS:
                raise Dropped("the answer was lost")
            return reply

        monkeypatch.setattr(f"daemon.client.Client.{name}", lossy)
    await place.turn()
    await finally_done(place)


async def test_a_daemon_that_is_gone_for_a_while_is_waited_for(place, monkeypatch):
    gone = 5
    true = type(place.seat.client).act

    def away(self, action, *words, **named):
        nonlocal gone
        if action == "todo.complete" and gone:
            gone -= 1
            raise NobodyListens("nobody listens")
        return true(self, action, *words, **named)

    monkeypatch.setattr("daemon.client.Client.act", away)
    assert (await place.turn())["close"] == "done"
    assert any("does not answer" in line for line in place.seat.said)


async def test_one_that_is_killed_while_another_has_the_work_by_now_writes_nothing(place, monkeypatch):
    with monkeypatch.context() as patch:
        # Judged, nothing handed in yet.
        die_at(patch, 6, after=False)
        with pytest.raises(Killed):
            await place.turn()
    assert place.seat.desk.load().phase == "writing"
    place.daemon.clock.advance(3_600_000)
    helper = place.of("helper")
    assert (await asyncio.to_thread(helper.turn, GOOD))["close"] == "done"
    before = place.daemon.seq
    assert await place.turn() is not None
    assert (place.seat.turns[-1].close, place.daemon.seq) == ("fenced", before)
    assert len(await place.artifacts()) == 1


async def asked_to_review(place):
    await place.turn()
    (artifact,) = await place.artifacts()
    named = {"ref": artifact["artifact_id"], "sha256": artifact["sha256"]}
    words = {"purpose": "Review it", "acceptance": ["a word"], "return_requirement": "the word", "input": [named]}
    await place.daemon.do("request.send", {**GOAL, "to": "helper", **words}, who="builder")
    return place.of("helper")


async def answered_once(place, helper):
    for _ in range(3):
        if await asyncio.to_thread(helper.turn, REVIEW) is None:
            break
    kinds = await place.kinds()
    names = ("request.received", "request.answered", "request.returned", "artifact.reviewed", "artifact.checked")
    assert {name: kinds.count(name) for name in names} == dict.fromkeys(names, 1)
    assert [one["submitted_by"] for one in await place.artifacts()] == ["builder", "helper"]
    assert helper.desk.load() is None


async def test_a_request_has_as_many_commands(place, monkeypatch):
    helper = await asked_to_review(place)
    count = die_at(monkeypatch, 0, after=False)
    await asyncio.to_thread(helper.turn, REVIEW)
    assert count() == REQUEST_COMMANDS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, REQUEST_COMMANDS + 1))
async def test_killed_at_any_step_of_a_request_it_is_returned_once(place, monkeypatch, number, after):
    helper = await asked_to_review(place)
    with monkeypatch.context() as patch:
        die_at(patch, number, after=after)
        with pytest.raises(Killed):
            await asyncio.to_thread(helper.turn, REVIEW)
    await answered_once(place, helper)
