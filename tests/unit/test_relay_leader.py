"""Who sends: one bot, also while the daemon begins anew."""

from daemon.relay.leader import TOUCHED_MAX, Leader
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


async def touched(leader, holder, ttl_ms=10_000):
    answer = await leader.claim(holder, ttl_ms)
    return [one["slot"] for one in answer["touched"]]


async def test_whoever_leads_hears_of_touched_cards_with_each_answer_for_as_long_as_its_lease_lasts():
    with home_in_memory(Records()) as (made, now_ms):
        async with serving(made, Records(), HandClock(now_ms)) as daemon:
            leader = Leader(daemon.service)
            assert await touched(leader, "bot-a") == []
            leader.touched(["goal:x@oc_1", "revise:x:1@direct:ann"])
            assert await touched(leader, "bot-b") == []
            for _ in range(2):
                assert await touched(leader, "bot-a") == ["goal:x@oc_1", "revise:x:1@direct:ann"]
            daemon.clock.advance(9_000)
            leader.touched(["goal:x@oc_1"])
            assert await touched(leader, "bot-a") == ["revise:x:1@direct:ann", "goal:x@oc_1"]
            daemon.clock.advance(2_000)
            assert await touched(leader, "bot-a") == ["goal:x@oc_1"]
            daemon.clock.advance(10_000)
            assert await touched(leader, "bot-a") == []


async def test_a_card_that_is_touched_again_in_one_moment_is_told_apart_and_the_oldest_give_way():
    with home_in_memory(Records()) as (made, now_ms):
        async with serving(made, Records(), HandClock(now_ms)) as daemon:
            leader, seen = Leader(daemon.service), []
            for _ in range(2):
                leader.touched(["goal:x@oc_1"])
                seen += (await leader.claim("bot-a", 10_000))["touched"]
            assert len({one["at_ms"] for one in seen}) == 2
            leader.touched(f"goal:{number}@oc_1" for number in range(TOUCHED_MAX + 5))
            named = await touched(leader, "bot-a")
            assert (len(named), named[0]) == (TOUCHED_MAX, "goal:5@oc_1")
