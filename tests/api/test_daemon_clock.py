"""Clocks and leases: a wall clock that jumps neither revives a lease nor kills one, through restarts too."""

import pytest

from daemon import jobs
from daemon.clock import CONFIRM_AFTER_MS, JUMP_MS_MAX
from ledger.store.memory import Records
from tests.support.homes import activate
from tests.support.served import HandClock, home_in_memory, served, serving

HOUR_MS = 3_600_000
WORK = {"goal_id": "docs", "todo_id": "todo_000"}
LEASE = WORK | {"idempotency_key": "run-1", "ttl_seconds": 600}


@pytest.fixture
async def daemon():
    async with served(activate) as running:
        yield running


async def held(daemon):
    """Whether the lease holds, as an agent asks and as another one finds out."""
    shown = (await daemon.read("task-lease.inspect", "?goal_id=docs&todo_id=todo_000")).document
    other = await daemon.act("task-lease.acquire", LEASE | {"idempotency_key": "run-2"}, who="helper")
    assert other.code in {"todo_lease_conflict", ""}
    assert shown["effective"] is (other.code == "todo_lease_conflict"), shown
    return shown["effective"]


@pytest.mark.parametrize(
    "jump_ms", [-30 * 24 * HOUR_MS, -HOUR_MS, -JUMP_MS_MAX - 1, JUMP_MS_MAX + 1, HOUR_MS, 30 * 24 * HOUR_MS]
)
async def test_a_jump_kills_no_lease(daemon, jump_ms):
    await daemon.do("task-lease.acquire", LEASE, who="builder")
    daemon.clock.wall += jump_ms
    for _ in range(CONFIRM_AFTER_MS // 10_000):
        assert await jobs.sweep(daemon.service) == 0
        assert await held(daemon)
        daemon.clock.advance(9_000)
    health = (await daemon.ask("GET", "/healthz", who=None)).document["clock"]
    assert health["jumped"] is True
    assert abs(health["skew_ms"] - jump_ms) < 60_000


@pytest.mark.parametrize("jump_ms", [-30 * 24 * HOUR_MS, -HOUR_MS, -JUMP_MS_MAX - 1])
async def test_a_jump_back_revives_no_lease_and_its_end_comes_on_time(daemon, jump_ms):
    await daemon.do("task-lease.acquire", LEASE, who="builder")
    daemon.clock.wall += jump_ms
    for _ in range(59):
        daemon.clock.advance(10_000)
        assert await held(daemon)
    daemon.clock.advance(9_999)
    assert await held(daemon)
    daemon.clock.advance(1)
    assert await jobs.sweep(daemon.service) == 1
    daemon.clock.wall += jump_ms
    assert not await held(daemon)


async def test_the_end_of_a_lease_is_seen_by_readers_before_anybody_writes_it_off(daemon):
    await daemon.do("task-lease.acquire", LEASE, who="builder")
    shown = await daemon.read("todo.list", "?goal_id=docs")
    assert shown.document["todos"][0]["claimed_by"] == "builder"
    daemon.clock.advance(599_999)
    assert (await daemon.read("todo.list", "?goal_id=docs")).document == shown.document
    daemon.clock.advance(1)
    late = (await daemon.read("todo.list", "?goal_id=docs")).document
    assert (late["todos"][0]["claimed_by"], late["seq"]) == (None, shown.document["seq"])
    assert await jobs.sweep(daemon.service) == 1
    (row,) = daemon.store.events(daemon.seq - 1)
    assert row.kind == "lease.expired"
    assert await jobs.sweep(daemon.service) == 0


@pytest.mark.parametrize("away_ms", [-HOUR_MS, 0, 599_000, 600_000, 24 * HOUR_MS])
async def test_a_restart_neither_revives_nor_kills_a_lease(away_ms):
    """The machine was off for a while; or its clock came back an hour early."""
    records = Records()
    with home_in_memory(records, activate) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as first:
            taken = await first.do("task-lease.acquire", LEASE, who="builder")
        async with serving(made, records, HandClock(now_ms + away_ms, boot_ms=7)) as second:
            assert await held(second) is (away_ms < 600_000)
            assert second.service.clock.now_ms() >= taken["result"]["expires_at_ms"] - 600_000


async def test_events_never_go_back_in_time(daemon):
    for jump_ms in (HOUR_MS, -5 * HOUR_MS, 60_000, -60_000, 4 * HOUR_MS):
        await daemon.do("todo.add", {"goal_id": "docs", "text": f"After {jump_ms}"})
        daemon.clock.wall += jump_ms
        daemon.clock.advance(1_000)
    times = [event.at_ms for event in daemon.service.recent]
    assert times == sorted(times)
