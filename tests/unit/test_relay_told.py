"""Whoever asked is told directly what others decided, once and soon; nobody is told what they decided themselves."""

from daemon.relay.slots import desired
from daemon.relay.subjects.told import FRESH_MS_MAX
from tests.support.homes import Scribe
from tests.support.presses import Table, delivered, everybody
from tests.support.served import served


def told(daemon, later_ms=0):
    """Which decisions are told to whom, in which order."""
    now_ms = daemon.service.clock.now_ms() + later_ms
    slots = desired(daemon.service.committed, now_ms, "docs")
    return [(one.subject, one.place, one.open) for one in slots if one.subject.startswith("told:")]


def proposed(scribe: Scribe) -> None:
    everybody(scribe)
    scribe.do("ann", "goal.propose", goal_id="docs", objective="Check the docs.", criterion=("Links work",))


async def test_the_proposer_is_told_of_the_no_of_another_owner():
    async with served(proposed) as daemon:
        assert told(daemon) == []
        table = Table(daemon)
        no = await table.token("review:docs:1", "goal.decline")
        assert (await table.press("chen", no, {"reason": "Not now"})).kinds == ["goal.declined"]
        assert told(daemon) == [("told:docs:r1", "direct:ann", False)]
        view = await daemon.view("told:docs:r1@direct:ann")
        assert (view["told"]["decision"]["by_name"], view["told"]["decision"]["reason"]) == ("陈博", "Not now")
        assert view["tokens"] == {}


async def test_nobody_is_told_what_they_decided_and_nothing_is_told_in_the_chat():
    async with served(proposed) as daemon:
        basis = daemon.service.committed.goals["docs"].intent.basis
        await daemon.do("goal.confirm", {"goal_id": "docs", "basis": basis}, who="ann")
        assert told(daemon) == []


async def test_an_acceptance_is_told_and_is_no_news_after_a_day():
    async with served(delivered) as daemon:
        assert told(daemon) == []
        table = Table(daemon)
        await table.press("chen", await table.token("acceptance:docs:1", "goal.accept"))
        assert told(daemon) == [("told:docs:d1", "direct:ann", False)]
        assert told(daemon, FRESH_MS_MAX + 1) == []


async def test_what_was_not_decided_has_no_such_card():
    async with served(proposed) as daemon:
        for name in ("told:docs:r1", "told:docs:r2", "told:docs:x1", "told:docs:d1", "told:nope:r1"):
            answer = await daemon.ask("GET", f"/v1/relay/view?slot={name}@direct:ann", who="bot")
            assert answer.status == 404
