"""A command that comes alone while the disk is quick is made durable in place, with the same answers as ever."""

import threading

import pytest

from daemon import disk
from ledger.ports import StoreFault, StoreFull
from ledger.testing import Failure
from tests.support.homes import activate
from tests.support.served import served, until


def seed(scribe):
    activate(scribe, todos=6)


def todo(number):
    return {"goal_id": "docs", "todo_id": f"todo_{number:03d}"}


@pytest.fixture
async def daemon(monkeypatch):
    """One whose disk counts as quick from the start, and which says who made what durable."""
    monkeypatch.setattr(disk, "QUICK_IN_A_ROW", 0)
    monkeypatch.setattr(disk, "QUICK_NS_MAX", 60_000_000_000)
    async with served(seed) as running:
        store, running.threads = running.store, []
        append = store.append

        def noted(term, group):
            running.threads.append(threading.current_thread().name)
            append(term, group)

        monkeypatch.setattr(store, "append", noted)
        yield running


async def test_a_lone_command_is_committed_in_place_and_seen_at_once(daemon):
    done = await daemon.do("todo.claim", todo(0), who="builder")
    rows = (await daemon.read("todo.list", "?goal_id=docs")).document["todos"]
    assert next(row for row in rows if row["todo_id"] == "todo_000")["claimed_by"] == "builder"
    assert (daemon.seq, daemon.threads) == (done["seq"], [threading.main_thread().name])


async def test_who_reads_meanwhile_is_not_held_up_by_a_commit_in_place(daemon):
    await daemon.do("todo.claim", todo(0), who="builder")
    await daemon.read("todo.list", "?goal_id=docs")
    await daemon.do("todo.claim", todo(1), who="builder")
    # The thread answers first and folds the log back afterwards; while it does, it has the next commit too.
    await until(lambda: daemon.service._disk.at_hand)
    await daemon.do("todo.claim", todo(2), who="builder")
    here = threading.main_thread().name
    assert daemon.threads == [here, "writer", here]


async def test_a_slow_commit_has_the_next_ones_made_by_the_thread(daemon, monkeypatch):
    monkeypatch.setattr(disk, "QUICK_NS_MAX", -1)
    monkeypatch.setattr(disk, "QUICK_IN_A_ROW", 1)
    for number in range(2):
        await daemon.do("todo.claim", todo(number), who="builder")
    assert daemon.threads == ["writer", "writer"]


async def test_a_full_disk_refuses_in_place_and_recovers(daemon):
    daemon.store.fail(Failure(StoreFull("no room")))
    before = daemon.seq
    refused = await daemon.act("todo.claim", todo(0), who="builder", key="one")
    assert (refused.status, refused.code, daemon.seq) == (503, "storage_full", before)
    done = await daemon.act("todo.claim", todo(0), who="builder", key="one")
    assert (done.status, done.document["replayed"], daemon.seq) == (200, False, before + 1)


async def test_a_fault_in_place_acknowledges_nothing_and_ends_the_service(daemon):
    daemon.store.fail(Failure(StoreFault("the sync failed")))
    before = daemon.seq
    answer = await daemon.act("todo.claim", todo(0), who="builder")
    assert (answer.status, answer.code) == (500, "fault")
    await until(lambda: daemon.service.fatal is not None)
    assert daemon.seq == before
