"""Pages of a daemon: as of now for whoever opens one, kept while they are true, gone with words that are erased."""

import asyncio
import threading
from contextlib import asynccontextmanager

import aiohttp
import pytest

from daemon.web import live, place
from daemon.web.pace import Pace
from daemon.web.server import FOLLOWING, PageServer
from ledger.projections.stored import STORED_READERS
from tests.api.test_daemon_erasing import SECRET, _begun, _erasing
from tests.support.served import served

FOLLOWS = {FOLLOWING: "1"}


@asynccontextmanager
async def page(running):
    """The page of a served daemon, and how to read it."""
    own = PageServer(running.service, running.parts.past, running.clock, running.parts.health)
    await own.open(place.take(running.made.home))

    async def read(path="", **headers):
        async with session.get(f"{own.url}{path}", headers=headers) as answer:
            return answer.status, int(answer.headers.get("X-Frontstage-Seq", 0)), await answer.text()

    async with aiohttp.ClientSession() as session:
        try:
            yield read
        finally:
            await own.close()


@pytest.fixture
async def running():
    async with served() as one:
        await _begun(one)
        yield one


async def test_whoever_opens_a_page_sees_the_last_event_and_whoever_follows_waits_for_a_turn(running, monkeypatch):
    turn = [True]
    monkeypatch.setattr(Pace, "may_make", lambda _pace, _now_s: turn[0])
    async with page(running) as read:
        first = running.seq
        assert (await read("history"))[:2] == (200, first)
        await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_more", "text": "More"})
        turn[0] = False
        assert (await read("history", **FOLLOWS))[1] == first
        turn[0] = True
        assert (await read("history", **FOLLOWS))[1] == running.seq
        turn[0] = False
        await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_again", "text": "Again"})
        assert (await read("history"))[1] == running.seq
        await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_late", "text": "Late"})
        assert (await read("history", **FOLLOWS))[1] < running.seq
        running.clock.advance(10_000)
        assert (await read("history", **FOLLOWS))[1] == running.seq


async def test_time_alone_has_a_page_made_anew(running):
    async with page(running) as read:
        before = (await read())[2]
        assert (await read())[2] == before
        running.clock.advance(5_000)
        assert (await read())[2] != before


async def test_words_that_go_while_a_page_is_made_are_on_neither_that_page_nor_a_later_one(running, monkeypatch):
    list_history, seq = STORED_READERS["history.list"], running.seq
    reached, erased = threading.Event(), threading.Event()

    def slow(asking, params):
        reading = list_history(asking, params)

        def read(store):
            made = reading(store)
            reached.set()
            assert erased.wait(30)
            return made

        return read

    monkeypatch.setitem(STORED_READERS, "history.list", slow)
    async with page(running) as read, asyncio.TaskGroup() as tasks:
        asked = tasks.create_task(read("history"))
        assert await asyncio.to_thread(reached.wait, 30)
        await running.do("words.erase", _erasing(seq, goal_id="docs"))
        # Somebody else looks meanwhile, and has what was kept before the erasure forgotten.
        assert (await read())[0] == 200
        erased.set()
        assert SECRET not in (await asked)[2]
        assert SECRET not in (await read("history", **FOLLOWS))[2]


async def test_whoever_hangs_up_makes_room_for_another_follower(running, monkeypatch):
    monkeypatch.setattr(live, "FOLLOWERS_MAX", 1)
    own = PageServer(running.service, running.parts.past, running.clock, running.parts.health)
    await own.open(place.take(running.made.home))
    try:
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{own.url}live") as first, session.get(f"{own.url}live") as second:
                assert (first.status, second.status) == (200, 503)
            async with asyncio.timeout(live.HEARTBEAT_S / 2):
                while own.followers:  # noqa: ASYNC110  (what is waited for happens inside the daemon)
                    await asyncio.sleep(0.01)
    finally:
        await own.close()


async def test_the_workspaces_name_goes_through_the_filter_like_all_else():
    async with served() as one:
        one.service.committed.name = "Team of /srv/private/plans"
        async with page(one) as read:
            assert "/srv/private" not in (await read())[2]


async def test_words_that_were_erased_are_on_no_page_not_even_for_whoever_follows(running):
    async with page(running) as read:
        for headers in ({}, FOLLOWS):
            assert SECRET in (await read("history", **headers))[2]
        seq = running.seq
        await running.do("words.erase", _erasing(seq, goal_id="docs"))
        for path in ("history", "goals/docs", f"goals/docs?at={seq}"):
            for headers in (FOLLOWS, {}):
                status, _, text = await read(path, **headers)
                assert (status, SECRET in text) == (200, False)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("goals/none-of-that-name", 404, "goal_not_found"),
        ("nowhere", 404, "no_such_page"),
        ("goals/docs?at=999999", 404, "seq_not_reached"),
        ("?after=none-of-that-name", 404, "goal_not_found"),
    ],
)
async def test_what_cannot_be_shown_is_a_page_that_says_why_and_leads_on(running, path, status, code):
    async with page(running) as read:
        found, _, text = await read(path)
    assert found == status
    assert f'data-code="{code}"' in text
    assert 'href="/' in text.partition('data-panel="refusal"')[2]


@pytest.mark.parametrize(
    "query", ["at=x", "lang=fr", "theme=pink", "at=1&at=2", "&".join(f"n{n}=1" for n in range(40))]
)
async def test_an_address_that_says_nothing_readable_is_refused_in_both_languages(running, query):
    async with page(running) as read:
        status, _, text = await read(f"history?{query}")
    assert (status, len(text.splitlines())) == (400, 2)
