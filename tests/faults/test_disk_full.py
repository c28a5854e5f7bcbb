"""The disk under the service fills up or gives up: readers see what is committed, and nothing that may still fail."""

import asyncio
import json

import pytest

from daemon import jobs
from daemon import service as service_module
from ledger.ports import StoreFault, StoreFull
from ledger.store.memory import MemoryStore, Records
from ledger.testing import Failure
from tests.support.daemons import DaemonProcess, fresh_home, proved
from tests.support.homes import activate
from tests.support.served import WAIT_S_MAX, Gate, HandClock, head, home_in_memory, served, serving, until

FULL = Failure(StoreFull("no room"))
WORK = {"goal_id": "docs", "todo_id": "todo_000"}


def seed(scribe):
    activate(scribe, todos=6)


@pytest.fixture
async def daemon():
    async with served(seed) as running:
        yield running


def todo(number):
    return {"goal_id": "docs", "todo_id": f"todo_{number:03d}"}


async def sent(daemon, number, *, key=None, who="builder", action="todo.claim", body=None):
    """A write that has been sent and not yet answered."""
    headers = {"Authorization": f"Bearer {daemon.made.tokens[who]}", "Idempotency-Key": key or f"key-{number}"}
    connection = await daemon.connect()
    data = json.dumps(todo(number)).encode() if body is None else body
    await connection.send(head("POST", f"/v1/actions/{action}", headers, data))
    return connection


async def claims(daemon):
    document = (await daemon.read("todo.list", "?goal_id=docs")).document
    return document["seq"], [row["claimed_by"] for row in document["todos"]]


class TestAFullDisk:
    """Writes are refused, reads live, and both recover."""

    async def test_a_reader_during_the_failing_commit_never_sees_what_did_not_commit(self, daemon):
        daemon.store.fail(FULL, FULL)
        gate = Gate(daemon.store)
        before = await claims(daemon)
        headers = {"Authorization": f"Bearer {daemon.made.tokens['ann']}"}
        feed = await daemon.connect()
        await feed.send(head("GET", "/v1/feed", headers, None))
        await feed.reader.readuntil(b"\r\n\r\n")
        waiting = [await sent(daemon, number) for number in range(3)]
        await until(lambda: daemon.service.waiting == 3)
        assert await claims(daemon) == before
        gate.open()
        answers = [await connection.answer() for connection in waiting]
        assert {(answer.status, answer.exit_code, answer.code) for answer in answers} == {(503, 7, "storage_full")}
        assert {answer.document["seq"] for answer in answers} == {before[0]}
        assert await claims(daemon) == before
        # The next thing a follower hears is the next thing that happened.
        done = await daemon.do("todo.claim", todo(5), who="builder")
        assert done["seq"] == before[0] + 1
        line = await feed.reader.readuntil(b"\r\n\r\n")
        assert f"id: {done['seq']}\r\n".encode() in line
        feed.close()

    async def test_writes_are_refused_while_it_is_full_and_reads_live(self, daemon):
        daemon.store.fail(FULL, FULL, FULL)
        before = await claims(daemon)
        for number in range(3):
            refused = await daemon.act("todo.claim", todo(number), who="builder", key=f"key-{number}")
            assert (refused.status, refused.code) == (503, "storage_full")
            assert (await daemon.ask("GET", "/readyz", who=None)).status == 503
            health = (await daemon.ask("GET", "/healthz", who=None)).document
            assert (health["ok"], health["writable"]) == (True, False)
            assert await claims(daemon) == before
            assert (await daemon.read("status.show")).status == 200
        for number in range(3):
            done = await daemon.act("todo.claim", todo(number), who="builder", key=f"key-{number}")
            assert (done.status, done.document["replayed"]) == (200, False)
        assert (await daemon.ask("GET", "/readyz", who=None)).status == 200
        assert daemon.seq == before[0] + 3

    async def test_it_is_found_to_have_room_again_though_everybody_waits_for_readiness(self, daemon, monkeypatch):
        monkeypatch.setattr(jobs, "SLEEP_S_MAX", 0.01)
        daemon.store.fail(FULL, FULL, FULL)
        assert (await daemon.act("todo.claim", WORK, who="builder")).code == "storage_full"
        async with asyncio.TaskGroup() as group:
            timers = group.create_task(jobs.run(daemon.service))
            await until(lambda: daemon.service.writable)
            timers.cancel()
        assert (await daemon.ask("GET", "/readyz", who=None)).status == 200

    async def test_a_full_disk_does_not_keep_the_timers_turning(self, daemon, monkeypatch):
        """While nothing can be written there is one try for each pause, and no pause of nothing."""
        monkeypatch.setattr(jobs, "SLEEP_S_MAX", 0.02)
        daemon.store.fail(*[FULL] * 10_000)
        gate = Gate(daemon.store)
        gate.open()
        await daemon.act("todo.claim", WORK, who="builder")
        before = gate.groups
        async with asyncio.TaskGroup() as group:
            timers = group.create_task(jobs.run(daemon.service))
            await until(lambda: gate.groups >= before + 5)
            timers.cancel()
        assert gate.groups <= before + 50

    async def test_what_rests_on_older_commits_is_answered_all_the_same(self, daemon):
        """A receipt that is stored, and a refusal reached before anything was decided."""
        first = await daemon.act("todo.claim", todo(0), who="builder", key="old")
        daemon.store.fail(FULL)
        gate = Gate(daemon.store)
        opener = await sent(daemon, 5)
        await until(lambda: daemon.service.waiting == 1)
        again, malformed, new = (
            await sent(daemon, 0, key="old"),
            await sent(daemon, 0, body=b"{}"),
            await sent(daemon, 1),
        )
        await until(lambda: daemon.service.waiting == 4)
        gate.open()
        assert (await opener.answer()).code == "storage_full"
        assert (await again.answer()).document == first.document | {"replayed": True}
        assert (await malformed.answer()).code == "malformed_params"
        # By then there was room again.
        assert (await new.answer()).status == 200

    async def test_the_audit_of_that_time_is_not_lost(self, daemon):
        daemon.store.fail(FULL)
        nowhere = {"goal_id": "nowhere", "todo_id": "todo_000"}
        assert (await daemon.act("todo.claim", nowhere, who="builder")).code == "storage_full"
        assert daemon.audited() == []
        assert (await daemon.act("todo.claim", nowhere, who="builder")).code == "goal_not_found"
        await daemon.do("todo.claim", WORK, who="builder")
        await daemon.service.finish()
        refused = [row for row in daemon.audited() if row["code"] == "goal_not_found"]
        assert sum(row["repeated"] for row in refused) == 2

    async def test_a_snapshot_that_finds_no_room_costs_nothing_but_the_snapshot(self, daemon, monkeypatch):
        monkeypatch.setattr(service_module, "SNAPSHOT_EVERY", 1)

        def no_room(_term, _row):
            raise StoreFull("no room")

        daemon.store.save_snapshots = no_room
        for number in range(4):
            await daemon.do("todo.claim", todo(number), who="builder")
        assert daemon.service.fatal is None
        assert daemon.records.snapshots == {}


class TestABrokenDisk:
    """Nobody knows what was written: say so, stop, and let the request key settle it."""

    @pytest.mark.parametrize("stored", [False, True], ids=["not stored", "stored"])
    async def test_the_outcome_is_unknown_and_the_retried_key_settles_it(self, stored):
        records = Records()
        with home_in_memory(records, seed) as (made, now_ms):
            async with serving(made, records, HandClock(now_ms)) as daemon:
                daemon.store.fail(Failure(StoreFault("the disk gave up"), stored=stored))
                before = await claims(daemon)
                lost = await daemon.act("todo.claim", WORK, who="builder", key="one")
                assert (lost.status, lost.exit_code, lost.code) == (500, 8, "fault")
                assert [type(error) for error in daemon.fatal] == [StoreFault]
                assert await claims(daemon) == before, "a reader saw what nobody knows"
                for action, params in (("todo.claim", todo(1)), ("todo.update", WORK | {"priority": "P0"})):
                    refused = await daemon.act(action, params, who="builder")
                    assert (refused.status, refused.code) == (503, "shutting_down")
                health = (await daemon.ask("GET", "/healthz", who=None)).document
                assert (health["ok"], health["writable"]) == (False, False)
                assert (await daemon.ask("GET", "/readyz", who=None)).status == 503
            async with serving(made, records, HandClock(now_ms)) as after:
                again = (await after.act("todo.claim", WORK, who="builder", key="one")).document
                assert (again["ok"], again["replayed"]) == (True, stored)
                assert after.seq == before[0] + 1

    async def test_everyone_who_waited_is_told_and_nobody_waits_for_ever(self, daemon):
        daemon.store.fail(Failure(StoreFault("the disk gave up")))
        gate = Gate(daemon.store)
        first = await sent(daemon, 0)
        await until(lambda: daemon.service.waiting == 1)
        others = [await sent(daemon, number) for number in range(1, 4)]
        await until(lambda: daemon.service.waiting == 4)
        gate.open()
        answers = [await connection.answer() for connection in (first, *others)]
        assert {(answer.status, answer.exit_code, answer.code) for answer in answers} == {(500, 8, "fault")}

    async def test_a_feed_ends_with_it(self, daemon):
        headers = {"Authorization": f"Bearer {daemon.made.tokens['ann']}"}
        feed = await daemon.connect()
        await feed.send(head("GET", "/v1/feed", headers, None))
        await feed.reader.readuntil(b"\r\n\r\n")
        daemon.store.fail(Failure(StoreFault("the disk gave up")))
        await daemon.act("todo.claim", WORK, who="builder")
        await daemon.service.finish()
        assert (await feed.reader.readuntil(b"\r\n\r\n")).endswith(b"0\r\n\r\n")
        feed.close()

    async def test_a_writer_that_was_superseded_stops(self, daemon):
        MemoryStore(daemon.records).open_term("unused")
        fenced = await daemon.act("todo.claim", WORK, who="builder")
        assert (fenced.status, fenced.exit_code, fenced.code) == (500, 8, "fault")
        assert [type(error).__name__ for error in daemon.fatal] == ["WriterFenced"]

    async def test_a_checkpoint_that_fails_takes_back_nothing_and_ends_it(self, daemon):
        def broken():
            raise StoreFault("the log cannot be folded back")

        daemon.store.checkpoint = broken
        assert (await daemon.act("todo.claim", WORK, who="builder")).status == 200
        await until(lambda: daemon.fatal != [])
        assert (await daemon.act("todo.claim", todo(1), who="builder")).code == "shutting_down"

    async def test_a_bug_in_a_rule_is_a_fault_and_writes_nothing(self, daemon, monkeypatch):
        def bug(*_):
            raise KeyError("my private words")

        monkeypatch.setattr("ledger.writer.decide", bug)
        before = daemon.store.head()
        answer = await daemon.act("todo.claim", WORK, who="builder")
        assert (answer.status, answer.exit_code, answer.code) == (500, 8, "fault")
        assert "private" not in answer.body.decode()
        assert daemon.store.head() == before
        assert [type(error) for error in daemon.fatal] == [KeyError]

    async def test_timers_that_meet_it_end_quietly(self, daemon, monkeypatch):
        monkeypatch.setattr(jobs, "SLEEP_S_MAX", 0.01)
        await daemon.do("task-lease.acquire", WORK | {"idempotency_key": "run-1", "ttl_seconds": 1}, who="builder")
        daemon.clock.advance(60_000)
        daemon.store.fail(Failure(StoreFault("the disk gave up")))
        async with asyncio.timeout(WAIT_S_MAX), asyncio.TaskGroup() as group:
            timers = group.create_task(jobs.run(daemon.service))
            while not timers.done():
                daemon.clock.advance(1_000)
                await asyncio.wait([timers], timeout=0.02)
        assert [type(error) for error in daemon.fatal] == [StoreFault]


class TestTheProcess:
    """The same, seen from outside."""

    @pytest.mark.parametrize("stored", [0, 1], ids=["not stored", "stored"])
    def test_it_ends_with_exit_code_8_and_the_next_one_settles_the_key(self, stored):
        with fresh_home(seed) as made:
            words = ("--fault", "fault", "--stored", str(stored), "--after", "2")
            with DaemonProcess(made, *words, module="tests.faults.faulty_daemon") as broken:
                client = broken.client("builder")
                assert client.act("todo.claim", todo(0), "zero").ok
                assert client.act("todo.claim", todo(1), "one").ok
                lost = client.act("todo.claim", todo(2), "two")
                assert (lost.status, lost.exit_code, lost.code) == (500, 8, "fault")
                assert broken.ended() == 8
                assert "critical" in {record["level"] for record in broken.records()}
            with DaemonProcess(made) as mended:
                client = mended.client("builder")
                settled = [client.act("todo.claim", todo(n), key).body for n, key in enumerate(("zero", "one", "two"))]
                assert [answer["replayed"] for answer in settled] == [True, True, bool(stored)]
                assert mended.stop() == 0
            assert proved(made).holds

    def test_a_full_disk_ends_nothing_and_recovers_by_itself(self):
        with fresh_home(seed) as made:
            words = ("--fault", "full", "--after", "1", "--times", "2")
            with DaemonProcess(made, *words, module="tests.faults.faulty_daemon") as daemon:
                client = daemon.client("builder")
                assert client.act("todo.claim", todo(0)).ok
                refused = client.act("todo.claim", todo(1), "one")
                assert (refused.exit_code, refused.code) == (7, "storage_full")
                assert daemon.client().read("todo.list", {"goal_id": "docs"}).ok
                tries = (client.act("todo.claim", todo(1), "one") for _ in range(100))
                done = next(reply for reply in tries if reply.code != "storage_full")
                assert (done.ok, done.body["replayed"]) == (True, False)
                assert daemon.stop() == 0
            assert proved(made).holds
