"""Attention: one list for each person, a new message for a new matter alone, and a way to settle each row."""

from urllib.parse import quote

import msgspec
import orjson
import pytest

from cards.draw import draw, encode
from daemon.relay.attention import READ_FOR_MS_MAX, ROWS_MAX, WINDOW_MS
from ledger.ids import OPERATOR, MemberId
from ledger.projections.views import CardView
from ledger.store.memory import Records
from tests.support.homes import activate, pair, person
from tests.support.presses import Table, everybody
from tests.support.served import HandClock, home_in_memory, served, serving

DIRECT_CHAT = "oc_between_two"
BY_HAND = {"role": "user", "task_class": "user_action"}
GATE = {"goal_id": "docs", "gate_id": "gate_site", "question": "May the pages be published?", "blocks_goal": True}


def working(scribe):
    """Everybody, and a goal that is confirmed; Ann alone owns it."""
    everybody(scribe)
    scribe.do(OPERATOR, "member.add", member_id="owen", kind="person", display_name="Owen", role=("owner",))
    activate(scribe)


async def lists(daemon, goal_id=None):
    """The newest list of each person, as the bot is told of them."""
    where = "" if goal_id is None else f"?goal_id={goal_id}"
    answer = await daemon.ask("GET", f"/v1/relay/slots{where}", who="bot")
    assert answer.status == 200, answer.document
    found = [row for row in answer.document["slots"] if row["slot"].startswith("attention:")]
    return {row["slot"].split(":")[1]: row for row in found}


async def shown(daemon, slot):
    """The view of a list, and its card in English."""
    answer = await daemon.ask("GET", f"/v1/relay/view?slot={quote(slot, safe='')}", who="bot")
    view = msgspec.convert(answer.document, CardView)
    return view, orjson.loads(encode(draw(view, locale="en", now_ms=daemon.service.clock.now_ms())))


async def delivered(daemon, slot, version=None):
    """The bot tells that the card is up."""
    row = {
        "slot": slot,
        "chat_id": DIRECT_CHAT,
        "message_id": f"om_{slot.rpartition(':')[2]}",
        "digest": "d",
        "version": daemon.seq if version is None else version,
        "sent_at_ms": daemon.service.clock.now_ms(),
        "state": "live",
    }
    assert (await daemon.relay("deliveries", row, method="PUT")).status == 200


async def gate(daemon, gate_id="gate_site", **more):
    await daemon.do("gate.open", GATE | {"gate_id": gate_id, "approver": ["ann"]} | more, who="builder")


async def revised(daemon, text="Another objective"):
    """Ann and Chen are asked to confirm a new revision of the goal."""
    promise = {"objective": text, "criterion": ["Every link works"], "write_scope": ["docs/**"], "review": "owner"}
    await daemon.do("goal.revise", {"goal_id": "docs"} | promise)


async def test_whoever_is_needed_has_one_list_and_nobody_else_has_any():
    async with served(working) as daemon:
        assert await lists(daemon) == {}
        await revised(daemon)
        found = await lists(daemon)
        assert set(found) == {"ann", "chen"}
        assert found["ann"]["slot"].endswith("@direct:ann")
        assert (found["ann"]["receive_id"], found["ann"]["receive_id_type"]) == (person("ann")["open_id"], "open_id")
        view, card = await shown(daemon, found["ann"]["slot"])
        assert (view.audience, view.open, view.attention.total) == ("direct", True, 1)
        assert card["header"]["title"]["content"] == "1 needs you"
        assert card["header"]["title"]["i18n_content"]["zh_cn"] == "1 项待你处理"


async def test_the_same_matter_is_patched_and_a_new_one_is_a_new_message():
    async with served(working) as daemon:
        await revised(daemon)
        first = (await lists(daemon))["ann"]["slot"]
        await delivered(daemon, first)
        # Busy agents, and time, are nothing new.
        await daemon.do("todo.claim", {"goal_id": "docs", "todo_id": "todo_000"}, who="builder")
        daemon.clock.advance(READ_FOR_MS_MAX * 3)
        assert (await lists(daemon, "docs"))["ann"]["slot"] == first
        daemon.clock.advance(WINDOW_MS)
        await daemon.do("todo.add", {"goal_id": "docs", "todo_id": "todo_user", "text": "Call them", **BY_HAND})
        second = (await lists(daemon, "docs"))["ann"]["slot"]
        assert second != first
        old, card = await shown(daemon, first)
        assert (old.open, card["header"]["template"]) == (False, "grey")
        assert "There is a newer list below." in str(card)
        new, _ = await shown(daemon, second)
        assert new.attention.total == 2
        # What is settled only makes the list shorter.
        await daemon.do("todo.cancel", {"goal_id": "docs", "todo_id": "todo_user"})
        assert (await lists(daemon, "docs"))["ann"]["slot"] == second
        assert (await shown(daemon, second))[0].attention.total == 1


async def test_an_empty_list_says_so_on_the_message_that_is_there():
    async with served(working) as daemon:
        await revised(daemon)
        slot = (await lists(daemon))["ann"]["slot"]
        basis = daemon.service.committed.goals["docs"].intents[-1].basis
        await daemon.do("goal.decline", {"goal_id": "docs", "reason": "No", "basis": basis})
        found = (await lists(daemon))["ann"]
        assert (found["slot"], found["open"]) == (slot, False)
        view, card = await shown(daemon, slot)
        assert (view.open, view.tells, view.tokens) == (False, True, {})
        assert card["header"]["title"]["content"] == "Nothing needs you"
        # The same matter asked again later is new.
        daemon.clock.advance(WINDOW_MS)
        await revised(daemon, "Once more")
        assert (await lists(daemon))["ann"]["slot"] != slot


async def test_a_gate_notifies_by_its_own_copy_and_only_lengthens_the_list():
    async with served(working) as daemon:
        await gate(daemon)
        first = (await lists(daemon))["ann"]["slot"]
        assert (await shown(daemon, first))[0].attention.rows[0].kind == "gate"
        daemon.clock.advance(1)
        await gate(daemon, "gate_other")
        assert (await lists(daemon, "docs"))["ann"]["slot"] == first
        view, card = await shown(daemon, first)
        assert view.attention.total == 2
        assert card["header"]["title"]["content"] == "2 need you"


async def test_what_is_only_to_be_watched_calls_nobody():
    async with served(working) as daemon:
        await daemon.do("goal.pause", {"goal_id": "docs", "reason": "Wait"})
        assert await lists(daemon) == {}
        activated = {"goal_id": "site", "objective": "Another", "criterion": ["Done"], "review": "owner"}
        await daemon.do("goal.propose", activated)
        slot = (await lists(daemon))["ann"]["slot"]
        view, _ = await shown(daemon, slot)
        assert [row.kind for row in view.attention.rows] == ["confirmation", "resume"]


async def test_after_a_restart_nothing_is_told_twice_and_nothing_new_is_lost():
    records = Records()
    with home_in_memory(records, working) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as daemon:
            await revised(daemon)
            slot = (await lists(daemon))["ann"]["slot"]
            await delivered(daemon, slot)
        async with serving(made, records, HandClock(now_ms + 2 * WINDOW_MS)) as daemon:
            assert (await lists(daemon))["ann"]["slot"] == slot
        async with serving(made, records, HandClock(now_ms + 3 * WINDOW_MS)) as daemon:
            # It began to wait while no bot asked.
            user = {"goal_id": "docs", "todo_id": "todo_user", "text": "Call them", **BY_HAND}
            assert (await daemon.act("todo.add", user, key="another-one")).status == 200
        async with serving(made, records, HandClock(now_ms + 4 * WINDOW_MS)) as daemon:
            assert (await lists(daemon))["ann"]["slot"] > slot


async def test_whoever_is_revoked_has_no_list():
    async with served(working) as daemon:
        await revised(daemon)
        assert "chen" in await lists(daemon)
        await daemon.do("member.revoke", {"member_id": "chen"}, who=None)
        assert set(await lists(daemon)) == {"ann"}


async def test_a_right_that_comes_without_an_event_of_the_goal_is_seen():
    async with served(working) as daemon:
        await revised(daemon)
        assert "bob" not in await lists(daemon)
        named = {"member_id": "eve", "kind": "person", "display_name": "Eve", "role": ["owner"]}
        await daemon.do("member.add", named, who=None)
        view, _ = await shown(daemon, (await lists(daemon))["ann"]["slot"])
        assert view.attention.total == 1


# What a person asks for.


async def test_asked_in_private_the_list_comes_as_a_new_message_even_if_it_is_empty():
    async with served(working) as daemon:
        reply = (await daemon.message("attention", who="vic", chat_id=DIRECT_CHAT)).document["reply"]
        assert reply["slot"].startswith("attention:vic:")
        assert reply["slot"].endswith("@direct:vic")
        assert (await lists(daemon))["vic"]["slot"] == reply["slot"]
        _, card = await shown(daemon, reply["slot"])
        assert "Nothing is needed from you." in str(card)
        again = (await daemon.message("待办", who="vic", chat_id=DIRECT_CHAT)).document["reply"]
        assert again["slot"] > reply["slot"]
        assert (await shown(daemon, reply["slot"]))[0].attention.superseded


async def test_asked_in_a_group_it_is_sent_to_the_asker_alone():
    async with served(working) as daemon:
        await revised(daemon)
        group = {"chat_type": "group", "mentioned": True}
        reply = (await daemon.message("attention", **group)).document["reply"]
        assert reply["en"] == "What needs you is yours alone: I sent the list to you directly."
        assert reply["zh"] == "待办只给你本人看：已私聊发送给你。"
        assert reply["slots"] == [(await lists(daemon))["ann"]["slot"]]
        assert "Another objective" not in str(reply)


# Ways to settle it.


async def pressed(daemon, who, slot, at=0):
    view = await daemon.view(slot)
    token = view["tokens"][view["attention"]["rows"][at]["button"]]
    return await Table(daemon).press(who, token, chat_id=DIRECT_CHAT, message_id="om_list")


def with_all(scribe):
    """What only a person can do in one goal, and a second goal."""
    working(scribe)
    scribe.do("ann", "todo.add", goal_id="docs", todo_id="todo_user", text="Call them", **BY_HAND)
    activate(scribe, "site")


async def test_the_card_of_a_matter_opens_in_this_chat_and_is_decided_there():
    async with served(working) as daemon:
        await revised(daemon)
        slot = (await lists(daemon))["ann"]["slot"]
        await delivered(daemon, slot)
        before = daemon.seq
        view = await daemon.view(slot)
        token = view["tokens"][view["attention"]["rows"][0]["button"]]
        message_id = f"om_{slot.rpartition(':')[2]}"
        press = await Table(daemon).press("ann", token, chat_id=DIRECT_CHAT, message_id=message_id)
        assert (press.kind, press.kinds, press.slots) == ("info", [], [slot, f"review:docs:2@{DIRECT_CHAT}"])
        assert daemon.seq == before
        review = await daemon.view(press.slots[1])
        confirm = await Table(daemon).press("ann", review["tokens"]["goal.confirm"], chat_id=DIRECT_CHAT)
        assert confirm.kinds[0] == "goal.confirmed"
        gone = await Table(daemon).press("ann", token, chat_id=DIRECT_CHAT, message_id=message_id)
        assert gone.code == "stale_basis"


@pytest.mark.parametrize("who", ["chen", "vic", "stranger"])
async def test_a_list_is_pressed_by_its_reader_alone(who):
    async with served(working) as daemon:
        await revised(daemon)
        slot = (await lists(daemon))["ann"]["slot"]
        assert (await pressed(daemon, who, slot)).code == "button_elsewhere"


async def test_each_kind_has_its_card_or_its_line():
    async with served(with_all) as daemon:
        await gate(daemon)
        await daemon.do("goal.pause", {"goal_id": "site", "reason": "Wait"})
        view, card = await shown(daemon, (await lists(daemon))["ann"]["slot"])
        by_kind = {row.kind: row for row in view.attention.rows}
        assert {"gate", "todo", "resume"} <= set(by_kind)
        assert by_kind["gate"].button
        assert by_kind["resume"].button
        assert by_kind["todo"].button == ""
        line = "In a shell: frontstage todo complete --goal-id docs --todo-id todo_user"
        assert line in str(card)
        opened = await pressed(
            daemon, "ann", (await lists(daemon))["ann"]["slot"], view.attention.rows.index(by_kind["resume"])
        )
        assert opened.slots[1] == f"status:site:om_list@{DIRECT_CHAT}"


async def test_the_most_urgent_is_first_and_the_rest_is_counted():
    async with served(working) as daemon:
        for number in range(ROWS_MAX + 2):
            await gate(daemon, f"gate_{number:02d}", severity="low")
        await gate(daemon, "gate_late", severity="critical")
        view, card = await shown(daemon, (await lists(daemon))["ann"]["slot"])
        assert view.attention.rows[0].subject["gate_id"] == "gate_late"
        assert (view.attention.total, view.attention.high, len(view.attention.rows)) == (ROWS_MAX + 3, 1, ROWS_MAX)
        assert f"{ROWS_MAX + 3} need you" in str(card)
        assert " more: frontstage attention" in str(card)


async def test_the_words_of_a_private_goal_are_on_no_list():
    def seed(scribe):
        everybody(scribe)
        asked = {"goal_id": "quiet", "title": "Quiet", "criterion": ("Done",), "private": True, "review": "owner"}
        scribe.do("ann", "goal.propose", objective="Something", **asked)
        basis = scribe.state.goals["quiet"].intents[-1].basis
        scribe.do("ann", "goal.confirm", goal_id="quiet", basis=basis)
        scribe.do("ann", "todo.add", goal_id="quiet", todo_id="todo_user", text="Call Zed", **BY_HAND)

    async with served(seed) as daemon:
        view, card = await shown(daemon, (await lists(daemon))["ann"]["slot"])
        assert view.attention.rows[0].title == "Quiet"
        assert "Zed" not in str(card)


async def test_a_members_name_with_a_sign_of_ours_in_it_has_its_list():
    def seed(scribe):
        working(scribe)
        scribe.do(OPERATOR, "member.add", member_id="eve@home", kind="person", display_name="Eve", role=("owner",))
        pair(scribe, "eve@home")

    async with served(seed) as daemon:
        await revised(daemon)
        slot = (await lists(daemon))["eve@home"]["slot"]
        assert (await shown(daemon, slot))[0].attention.total == 1
        assert MemberId("eve@home") in daemon.service.committed.addresses
