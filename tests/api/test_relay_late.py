"""What came too late: shown once, on one card for a burst, and run only when somebody says so."""

import pytest

from daemon.relay.message import FRESH_MS_MAX
from daemon.relay.missed import BATCH_MS_MAX, KEPT_MAX, ROWS_MAX
from ledger.projections.privacy import WITHHELD
from ledger.store.memory import Records
from tests.support.conversation import GROUP, card, press, said, two_goals
from tests.support.homes import CHAT
from tests.support.presses import Table, everybody
from tests.support.served import HandClock, home_in_memory, served, serving

TOO_LATE_MS = FRESH_MS_MAX + 1


def late(daemon, **more):
    return {"create_time_ms": daemon.service.clock.now_ms() - TOO_LATE_MS} | more


async def test_a_burst_of_late_commands_is_one_card_that_runs_none_of_them():
    async with served(two_goals) as daemon:
        before = daemon.seq
        slots = [
            (await said(daemon, text, who=who, message_id=f"om_{at}", **late(daemon, **GROUP)))["slot"]
            for at, (text, who) in enumerate((("propose Check it", "ann"), ("status docs", "chen"), ("help", "vic")))
        ]
        assert set(slots) == {f"missed:om_0@{CHAT}"}
        view, (en, zh) = await card(daemon, slots[0])
        assert [(row.text, row.by, row.done) for row in view.missed.rows] == [
            ("propose Check it", "Ann Li", False),
            ("status docs", "陈博", False),
            ("help", "Vic Viewer", False),
        ]
        assert {f"Run it now? ({at})" for at in (1, 2, 3)} <= set(en)
        assert {f"现在执行？（{at}）" for at in (1, 2, 3)} <= set(zh)
        assert "3 messages arrived too late" in en
        assert any("What the platform did not deliver again I cannot know" in line for line in en)
        assert daemon.seq == before


async def test_a_late_command_is_run_when_somebody_says_so_and_once():
    async with served(two_goals) as daemon:
        table = Table(daemon)
        slot = (await said(daemon, "propose Check it", message_id="om_late", **late(daemon, **GROUP)))["slot"]
        with pytest.raises(AssertionError):
            await daemon.view(f"form:om_late@{CHAT}")
        (row,) = (await daemon.view(slot))["missed"]["rows"]
        token = (await daemon.view(slot))["tokens"][row["button"]]
        before = daemon.seq
        pressed = await table.press("chen", token)
        assert pressed.slots == [slot, f"form:om_late@{CHAT}"]
        assert (await daemon.view(f"form:om_late@{CHAT}"))["form"]["values"] == {
            "objective": "Check it",
            "title": "Check it",
        }
        view, (en, _) = await card(daemon, slot)
        assert (view.missed.rows[0].done, view.open, "Run it now?" in en) == (True, False, False)
        assert (await table.press("ann", token)).code == "stale_basis"
        assert daemon.seq == before


async def test_a_late_question_that_is_answered_in_words_is_answered_in_words():
    async with served(two_goals) as daemon:
        slot = (await said(daemon, "goals", **late(daemon, **GROUP)))["slot"]
        (row,) = (await daemon.view(slot))["missed"]["rows"]
        pressed = await press(Table(daemon), "ann", slot, row["button"])
        assert pressed.slots == [slot]
        assert pressed.en.startswith("Goals in this chat: 2 of 2")


async def test_a_late_question_for_ones_own_list_brings_the_list_that_is_said_to_come():
    async with served(two_goals) as daemon:
        slot = (await said(daemon, "attention", message_id="om_late", **late(daemon, **GROUP)))["slot"]
        (row,) = (await daemon.view(slot))["missed"]["rows"]
        pressed = await press(Table(daemon), "chen", slot, row["button"])
        assert "directly" in pressed.en
        (own,) = [one for one in pressed.slots if one != slot]
        assert own.startswith("attention:chen:")
        assert own.endswith("@direct:chen")


async def test_a_late_code_is_neither_shown_nor_taken():
    async with served(everybody) as daemon:
        slot = (await said(daemon, "pair K7QM-2XWD", **late(daemon)))["slot"]
        view, (en, _) = await card(daemon, slot)
        assert "K7QM" not in str(view)
        assert "A pairing code, which is not shown. Send it again in a direct message." in en
        assert view.tokens == {}


async def test_late_messages_of_another_thread_or_a_later_burst_have_a_card_of_their_own():
    async with served(everybody) as daemon:
        first = (await said(daemon, "goals", message_id="om_1", **late(daemon, **GROUP)))["slot"]
        thread = late(daemon, thread_id="omt_1", **GROUP)
        assert (await said(daemon, "goals", message_id="om_2", **thread))["slot"] == f"missed:om_2@{CHAT}"
        daemon.clock.advance(BATCH_MS_MAX)
        assert (await said(daemon, "goals", message_id="om_3", **late(daemon, **GROUP)))["slot"] == first
        daemon.clock.advance(1)
        assert (await said(daemon, "goals", message_id="om_4", **late(daemon, **GROUP)))[
            "slot"
        ] == f"missed:om_4@{CHAT}"


async def test_a_late_message_that_comes_again_is_on_the_card_once_and_too_many_are_counted():
    async with served(everybody) as daemon:
        for at in (*range(KEPT_MAX + 5), 0, 1):
            slot = (await said(daemon, f"part {at}", message_id=f"om_{at}", **late(daemon)))["slot"]
        view, (en, _) = await card(daemon, slot)
        assert len(view.missed.rows) == ROWS_MAX
        assert view.missed.left_out == KEPT_MAX + 5 - ROWS_MAX
        assert f"{KEPT_MAX + 5} messages arrived too late" in en


async def test_a_secret_in_a_late_message_is_not_shown():
    async with served(everybody) as daemon:
        slot = (await said(daemon, "propose password=hunter2hunter2", **late(daemon)))["slot"]
        view, _ = await card(daemon, slot)
        assert view.missed.rows[0].text == WITHHELD


async def test_what_is_remembered_no_more_is_said_to_be_so_and_has_no_button():
    records = Records()
    with home_in_memory(records, two_goals) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as daemon:
            slot = (await said(daemon, "propose Check it", **late(daemon, **GROUP)))["slot"]
            view = await daemon.view(slot)
            token = view["tokens"][view["missed"]["rows"][0]["button"]]
        async with serving(made, records, HandClock(now_ms)) as daemon:
            view, (en, _) = await card(daemon, slot)
            assert (view.open, view.tokens) == (False, {})
            assert "What was written is not kept any more: if you still want it, write it again." in en
            assert (await Table(daemon).press("ann", token, event_id="after")).code == "stale_basis"
