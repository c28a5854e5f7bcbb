"""Who sends: one bot, also while the daemon begins anew."""

from ledger.ports import StoreFull
from ledger.store.memory import Records
from ledger.testing import Failure
from tests.support.served import HandClock, home_in_memory, serving


async def leads(daemon, holder, ttl_ms=10_000):
    answer = await daemon.relay("leader", {"holder": holder, "ttl_ms": ttl_ms})
    assert answer.status == 200, answer.document
    return answer.document["leader"]


async def test_a_daemon_that_begins_anew_keeps_the_lead_for_whoever_had_it():
    records = Records()
    with home_in_memory(records) as (made, now_ms):
        clock = HandClock(now_ms)
        async with serving(made, records, clock) as daemon:
            assert await leads(daemon, "bot-a")
            assert not await leads(daemon, "bot-b")
        async with serving(made, records, clock) as daemon:
            clock.advance(9_999)
            assert not await leads(daemon, "bot-b")
            assert await leads(daemon, "bot-a")
        async with serving(made, records, clock) as daemon:
            clock.advance(10_000)
            assert await leads(daemon, "bot-b")
            assert not await leads(daemon, "bot-a")


async def test_a_lead_that_was_given_back_is_waited_for_no_longer_than_that():
    records = Records()
    with home_in_memory(records) as (made, now_ms):
        clock = HandClock(now_ms)
        async with serving(made, records, clock) as daemon:
            assert await leads(daemon, "bot-a")
            assert await leads(daemon, "bot-a", ttl_ms=1_000)
        async with serving(made, records, clock) as daemon:
            clock.advance(1_000)
            assert await leads(daemon, "bot-b")


async def test_renewing_writes_nothing_and_a_full_disk_stops_no_bot():
    records = Records()
    with home_in_memory(records) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as daemon:
            daemon.store.fail(Failure(StoreFull("full")))
            assert await leads(daemon, "bot-a")
            assert daemon.service.reader.journal_entry("", "leader") is None
            assert await leads(daemon, "bot-a")
            kept = daemon.service.reader.journal_entry("", "leader")
            daemon.clock.advance(3_000)
            assert await leads(daemon, "bot-a")
            assert daemon.service.reader.journal_entry("", "leader") == kept
