"""Posting through the daemon: each time once, each chat by itself, across restarts, and never in quiet hours."""

from datetime import UTC, datetime

import pytest

from daemon.relay.attention import WINDOW_MS
from daemon.relay.posting import IN_DOUBT_MS_MAX
from ledger.rules.summaries import QUEUED_MS_MAX
from ledger.store.memory import Records
from tests.api.test_relay_attention import BY_HAND, lists, revised, working
from tests.support.homes import APP, CHAT, TENANT
from tests.support.presses import everybody
from tests.support.served import HandClock, home_in_memory, served, serving

OTHER = "oc_other"
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
DOCS = {"goal_id": "docs"}


def shown(scribe):
    """A goal that two chats show."""
    working(scribe)
    for channel_id in (CHAT, OTHER):
        if channel_id not in scribe.state.goals["docs"].channels:
            scribe.do("ann", "channel.bind", **DOCS, channel_id=channel_id)


async def waiting(daemon):
    """The slots of summaries that the bot is asked for."""
    answer = await daemon.ask("GET", "/v1/relay/slots", who="bot")
    return [one["slot"] for one in answer.document["slots"] if one["slot"].startswith("summary:")]


async def delivered(daemon, slot, state="live", message_id="om_1", at_ms=None):
    row = {
        "slot": slot,
        "chat_id": slot.rpartition("@")[2],
        "message_id": message_id,
        "digest": "d",
        "version": daemon.seq,
        "sent_at_ms": daemon.service.clock.now_ms() if at_ms is None else at_ms,
        "state": state,
    }
    answer = await daemon.relay("deliveries", row, method="PUT")
    assert answer.status == 200, answer.document


async def fates(daemon):
    """How the newest summary is doing, chat by chat, in the order of the chats."""
    listed = (await daemon.read("summary.list")).document["summaries"]
    return [(one["status"], one["because"]) for one in listed[0]["channels"]]


async def test_what_was_posted_is_asked_for_until_it_is_there_and_then_never_again():
    async with served(shown) as daemon:
        posted = await daemon.do("summary.post", {**DOCS, "text": "Two of three"})
        assert [one["status"] for one in posted["result"]["channels"]] == ["queued", "queued"]
        first, second = await waiting(daemon)
        view = (await daemon.view(first))["summary"]
        assert (view["text"], view["digest"]["head_seq"]) == ("Two of three", posted["seq"] - 1)
        assert await daemon.parts.posting.settle() == 0
        await delivered(daemon, first)
        assert await daemon.parts.posting.settle() == 1
        assert await waiting(daemon) == [second]
        assert (await daemon.ask("GET", f"/v1/relay/view?slot={first}", who="bot")).status == 404
        assert await fates(daemon) == [("sent", None), ("queued", None)]
        assert await daemon.parts.posting.settle() == 0


@pytest.mark.parametrize(
    ("state", "message_id", "expected"),
    [
        ("paused", "", ("failed", "unreachable")),
        ("gone", "", ("failed", "refused")),
        ("text", "", ("failed", "refused")),
        ("gone", "om_1", ("sent", None)),
        ("reposted", "om_1", ("sent", None)),
        ("posting", "", ("queued", None)),
    ],
)
async def test_what_the_bot_says_of_one_chat_is_written_down_and_the_other_goes_on(state, message_id, expected):
    async with served(shown) as daemon:
        await daemon.do("summary.post", DOCS)
        first, second = await waiting(daemon)
        await delivered(daemon, first, state, message_id)
        await delivered(daemon, second)
        await daemon.parts.posting.settle()
        assert await fates(daemon) == [expected, ("sent", None)]


async def test_a_chat_that_is_lost_let_go_or_silent_for_a_day_fails_with_its_reason():
    async with served(shown) as daemon:
        await daemon.do("summary.post", DOCS)
        await daemon.do("channel.unbind", {**DOCS, "channel_id": OTHER})
        await daemon.parts.posting.settle()
        assert await fates(daemon) == [("queued", None), ("failed", "unbound")]
        daemon.clock.advance(QUEUED_MS_MAX - 1)
        assert await daemon.parts.posting.settle() == 0
        daemon.clock.advance(1)
        assert await daemon.parts.posting.settle() == 1
        assert (await fates(daemon))[0] == ("failed", "expired")


async def test_what_may_have_arrived_is_not_sent_again_when_the_platform_would_not_know_it():
    async with served(shown) as daemon:
        await daemon.do("summary.post", DOCS)
        first, _ = await waiting(daemon)
        await delivered(daemon, first, "posting", "")
        daemon.clock.advance(IN_DOUBT_MS_MAX - 1)
        assert await daemon.parts.posting.settle() == 0
        assert first in await waiting(daemon)
        daemon.clock.advance(1)
        assert await daemon.parts.posting.settle() == 1
        assert first not in await waiting(daemon)
        assert (await fates(daemon))[0] == ("failed", "in_doubt")


async def test_a_restart_between_queued_and_sent_loses_nothing_and_repeats_nothing():
    records = Records()
    with home_in_memory(records, shown) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as daemon:
            await daemon.do("summary.post", DOCS)
            first, second = await waiting(daemon)
            await delivered(daemon, first)  # The daemon ends before it looks.
        async with serving(made, records, HandClock(now_ms + 60_000)) as daemon:
            assert await waiting(daemon) == [first, second]
            await daemon.parts.posting.settle()
            assert await waiting(daemon) == [second]


# Digests at their times.


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000


DAILY = {"channel_id": CHAT, "cron": "0 9 * * *", "time_zone": "Asia/Shanghai"}


async def to(daemon, hour: int, minute: int = 0):
    """Time passes until it is so late in Shanghai the next time, in steps that no clock takes for a jump."""
    now = daemon.service.clock.now_ms() + 8 * HOUR_MS
    wanted = (hour * 60 + minute) * 60_000
    daemon.clock.advance((wanted - now) % DAY_MS or DAY_MS)


async def ticked(daemon):
    """What came of looking: the outcome of the last time that was decided on, if one was."""
    before = daemon.seq
    count = await daemon.parts.posting.tick()
    assert (daemon.seq > before) == bool(count)
    listed = (await daemon.read("channel.list", "?goal_id=docs")).document["channels"]
    return count, next(one["digest"]["last_outcome"] for one in listed if one["digest"])


async def test_a_digest_comes_at_its_time_once_and_not_where_nothing_changed():
    async with served(shown) as daemon:
        await daemon.do("channel.set-digest", DAILY)
        await to(daemon, 8, 59)
        assert await ticked(daemon) == (0, None)
        await to(daemon, 9)
        assert await ticked(daemon) == (1, "posted")
        assert await ticked(daemon) == (0, "posted")
        (slot,) = await waiting(daemon)
        assert slot.endswith(f"@{CHAT}")
        view = (await daemon.view(slot))["summary"]
        assert (view["scheduled"], view["posted_by"]) == (True, "")
        await delivered(daemon, slot)
        await daemon.parts.posting.settle()
        await to(daemon, 9)
        assert await ticked(daemon) == (1, "unchanged")
        assert await waiting(daemon) == []


async def test_days_that_were_missed_are_caught_up_once():
    records = Records()
    with home_in_memory(records, shown) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as daemon:
            await daemon.do("channel.set-digest", DAILY)
        async with serving(made, records, HandClock(now_ms + 5 * DAY_MS + 1)) as daemon:
            daemon.clock.advance(60_000)
            assert await ticked(daemon) == (1, "posted")
            assert await ticked(daemon) == (0, "posted")
        async with serving(made, records, HandClock(now_ms + 5 * DAY_MS + 120_000)) as daemon:
            assert await daemon.parts.posting.tick() == 0


async def test_in_quiet_hours_nothing_is_posted_and_after_them_once():
    async with served(shown) as daemon:
        hours = {"quiet_from": "22:00", "quiet_until": "07:00"}
        await daemon.do("channel.set-digest", DAILY | hours | {"cron": "0 23,1,3 * * *"})
        await to(daemon, 22, 59)
        await to(daemon, 23)
        assert await ticked(daemon) == (0, None)
        await to(daemon, 3, 30)
        assert await ticked(daemon) == (0, None)
        await to(daemon, 6, 59)
        assert await ticked(daemon) == (0, None)
        await to(daemon, 7)
        assert await ticked(daemon) == (1, "posted")
        assert await ticked(daemon) == (0, "posted")


async def test_two_chats_have_their_own_times_and_one_that_is_lost_stops_nobody():
    async with served(shown) as daemon:
        await daemon.do("channel.set-digest", DAILY)
        await daemon.do("channel.set-digest", DAILY | {"channel_id": OTHER})
        heard = {"event_id": "ev_1", "app_id": APP, "tenant_key": TENANT, "kind": "removed", "chat_id": CHAT}
        assert (await daemon.relay("heard", heard)).status == 200
        await to(daemon, 9)
        assert await daemon.parts.posting.tick() == 2
        assert [slot.rpartition("@")[2] for slot in await waiting(daemon)] == [OTHER]
        listed = (await daemon.read("channel.list", "?goal_id=docs")).document["channels"]
        assert sorted(one["digest"]["last_outcome"] for one in listed) == ["posted", "unreachable"]


@pytest.mark.parametrize("zone", ["Asia/Nowhere", "../../etc/passwd", "America"])
async def test_a_zone_that_is_none_is_refused_before_anything_is_written(zone):
    async with served(shown) as daemon:
        before = daemon.seq
        answer = await daemon.act("channel.set-digest", DAILY | {"time_zone": zone})
        assert answer.code in {"time_zone_unknown", "malformed_params"}
        hours = {"quiet_from": "22:00", "quiet_until": "07:00", "time_zone": "Asia/Nowhere"}
        assert (await daemon.act("member.set-quiet-hours", hours)).code == "time_zone_unknown"
        assert daemon.seq == before


# What needs a person.


async def user_todo(daemon, name):
    await daemon.do("todo.add", {**DOCS, "todo_id": name, "text": f"Call {name}", **BY_HAND})


async def test_what_comes_soon_after_a_message_waits_and_comes_as_one():
    async with served(working) as daemon:
        await revised(daemon)
        first = (await lists(daemon))["ann"]["slot"]
        await daemon.parts.posting.remind()
        for number in range(3):
            daemon.clock.advance(60_000)
            await user_todo(daemon, f"todo_user{number}")
            assert (await lists(daemon, "docs"))["ann"]["slot"] == first
        assert await daemon.parts.posting.remind() == 0
        daemon.clock.advance(WINDOW_MS - 3 * 60_000)
        assert await daemon.parts.posting.remind() == 2  # Ann, and whoever else it waits for.
        second = (await lists(daemon))["ann"]["slot"]
        assert second != first
        rows = (await daemon.view(second))["attention"]["rows"]
        assert [(row["kind"], row["subject"].get("todos")) for row in rows] == [("confirmation", None), ("todo", "3")]
        assert await daemon.parts.posting.remind() == 0
        daemon.clock.advance(10 * WINDOW_MS)
        assert await daemon.parts.posting.remind() == 0
        assert (await lists(daemon))["ann"]["slot"] == second


async def test_nobody_is_written_to_in_their_quiet_hours():
    async with served(working) as daemon:
        await to(daemon, 23)
        hours = {"quiet_from": "22:00", "quiet_until": "07:00", "time_zone": "Asia/Shanghai"}
        await daemon.do("member.set-quiet-hours", hours)
        await revised(daemon)
        assert set(await lists(daemon)) == {"chen"}
        await daemon.parts.posting.remind()
        await to(daemon, 6, 59)
        assert await daemon.parts.posting.remind() == 0
        assert set(await lists(daemon)) == {"chen"}
        await to(daemon, 7)
        assert await daemon.parts.posting.remind() == 1
        assert set(await lists(daemon)) == {"ann", "chen"}


async def test_what_was_held_back_is_not_lost_by_a_restart():
    records = Records()
    with home_in_memory(records, working) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as daemon:
            await revised(daemon)
            slot = (await lists(daemon))["ann"]["slot"]
            row = {"slot": slot, "chat_id": "direct:ann", "message_id": "om_1", "digest": "d", "version": daemon.seq}
            row |= {"sent_at_ms": daemon.service.clock.now_ms(), "state": "live"}
            await daemon.relay("deliveries", row, method="PUT")
            daemon.clock.advance(60_000)
            await user_todo(daemon, "todo_999")
            assert (await lists(daemon))["ann"]["slot"] == slot
            # The list that is there was patched with it, so that its version says that it is known.
            await daemon.relay("deliveries", row | {"version": daemon.seq}, method="PUT")
        async with serving(made, records, HandClock(now_ms + WINDOW_MS + 60_000)) as daemon:
            assert await daemon.parts.posting.remind() > 0
            assert (await lists(daemon))["ann"]["slot"] != slot


async def test_of_a_private_goal_a_chat_is_told_what_and_never_in_which_words():
    def seed(scribe):
        everybody(scribe)
        asked = {"goal_id": "quiet", "title": "Quiet", "criterion": ("Done",), "private": True, "review": "owner"}
        scribe.do("ann", "goal.propose", objective="Something", **asked)
        scribe.do("ann", "goal.confirm", goal_id="quiet", basis=scribe.state.goals["quiet"].intents[-1].basis)
        scribe.do("ann", "todo.add", goal_id="quiet", todo_id="todo_one", text="Call Zed")
        scribe.do("ann", "channel.bind", goal_id="quiet", channel_id=CHAT)

    async with served(seed) as daemon:
        assert (await daemon.act("summary.post", {"goal_id": "quiet", "text": "Zed"})).code == "summary_text_private"
        preview = await daemon.do("summary.post", {"goal_id": "quiet", "preview": True})
        posted = await daemon.do("summary.post", {"goal_id": "quiet"})
        (slot,) = await waiting(daemon)
        view = await daemon.view(slot)
        listed = (
            await daemon.read("summary.show", f"?summary_id={posted['result']['summary_id']}", who="bob")
        ).document
        for said in (preview, posted, view, listed):
            assert "todo_one" in str(said)
            assert "Zed" not in str(said)


async def test_words_that_were_erased_go_from_the_card_that_has_them():
    async with served(shown) as daemon:
        posted = await daemon.do("summary.post", {**DOCS, "text": "Call Zed"})
        first, second = await waiting(daemon)
        await delivered(daemon, first)
        await delivered(daemon, second, "gone", "")
        await daemon.parts.posting.settle()
        await daemon.do("words.erase", {"seq": [posted["events"][0]["seq"]], "reason_code": "personal_data"})
        assert (await daemon.view(first))["summary"]["text"] == "[erased]"
        assert (await daemon.ask("GET", f"/v1/relay/view?slot={second}", who="bot")).status == 404
        shows = (await daemon.read("summary.show", f"?summary_id={posted['result']['summary_id']}")).document
        assert "Zed" not in str(shows)
        assert await waiting(daemon) == []
