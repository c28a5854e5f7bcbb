"""A conversation: what is understood, what it is answered with, and that nothing that is written changes anything."""

import pytest

from daemon.relay.commands import WORDS, command_of
from daemon.relay.digests import ROWS_OF_GOAL_MAX
from daemon.relay.message import FRESH_MS_MAX, HINT_EVERY_MS
from daemon.relay.shown import OPENS
from ledger.catalogue import ACTIONS
from ledger.store.memory import Records
from tests.support.conversation import DIRECT_CHAT, GROUP, card, delivered, press, said, two_goals
from tests.support.homes import CHAT
from tests.support.presses import Table, everybody
from tests.support.served import HandClock, home_in_memory, served, serving

# Words.


@pytest.mark.parametrize(
    "text", ["help", "/help", "HELP", "／ｈｅｌｐ", "ｈｅｌｐ", "help!", "帮助", "帮助。", "/帮助", "?", "？"]
)
def test_a_word_is_a_command_however_it_is_typed(text):
    assert command_of(text).name == "help"


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("status", "status", ""),
        ("Status goal-12", "status", "goal-12"),
        ("状态：docs", "status", "docs"),
        ("暂停 goal-1", "pause", "goal-1"),
        ("提议：查一查", "propose", "查一查"),
        ("propose, please", "propose", "please"),
        ("ATTENTION", "attention", ""),
        ("摘要", "digest", ""),
        ("status of the site", "text", "status of the site"),
        ("stop the tests when they fail", "text", "stop the tests when they fail"),
        ("digest this", "text", "digest this"),
        ("I need help", "text", "I need help"),
        ("helpful", "text", "helpful"),
    ],
)
def test_a_sentence_that_begins_with_a_word_is_a_sentence(text, name, rest):
    found = command_of(text)
    assert (found.name, found.rest, found.said) == (name, rest, text)


@pytest.mark.parametrize("word", [word for word in WORDS if word != "?"])
async def test_no_word_changes_anything(word):
    async with served(two_goals) as daemon:
        before = daemon.seq
        for changes in ({}, GROUP, {"chat_id": DIRECT_CHAT}):
            for text in (word, f"/{word}", f"{word} docs", f"{word} and more words"):
                await said(daemon, text, **changes)
        assert daemon.seq == before


# Help.


@pytest.mark.parametrize(
    ("who", "changes", "first"),
    [
        ("ann", {}, "Write one of these words."),
        ("ann", GROUP, "Mention me and write one of these words."),
        ("stranger", {}, "I do not know you yet."),
        ("stranger", GROUP, "I do not know you yet."),
    ],
)
@pytest.mark.parametrize("text", ["help", "帮助", "", " \u3000"])
async def test_help_says_what_this_person_can_do_here(who, changes, first, text):
    async with served(everybody) as daemon:
        reply = await said(daemon, text, who=who, message_id="om_q", **changes)
        assert reply["slot"].endswith(f":om_q@{CHAT}")
        _, (en, zh) = await card(daemon, reply["slot"])
        assert first in en
        assert any("propose – a form for a new goal" in line for line in en)
        assert any("提议 – 打开新目标的表单" in line for line in zh)
        alone = "never in this group" in " ".join(en)
        assert alone == (who == "stranger" and changes == GROUP)


# Which goal.


@pytest.mark.parametrize("word", ["status", "pause", "停止", "resume"])
async def test_where_several_goals_can_be_meant_it_is_asked_and_nothing_happens(word):
    async with served(two_goals) as daemon:
        before = daemon.seq
        reply = await said(daemon, word, **GROUP)
        view, (en, _) = await card(daemon, reply["slot"])
        assert [row.goal_id for row in view.which.rows] == ["site", "docs"]
        assert {"Show docs", "Show site"} <= set(en)
        assert daemon.seq == before


async def test_choosing_a_goal_opens_its_card_under_the_question_and_changes_nothing():
    async with served(two_goals) as daemon:
        table = Table(daemon)
        which = (await said(daemon, "pause", **GROUP))["slot"]
        row = (await daemon.view(which))["which"]["rows"][1]
        before = daemon.seq
        for _ in range(2):
            pressed = await press(table, "vic", which, row["button"])
            assert (pressed.kind, pressed.kinds) == ("info", [])
            assert pressed.slots == [which, f"status:docs:om_card@{CHAT}"]
        assert daemon.seq == before
        opened = pressed.slots[1]
        shown = await daemon.view(opened)
        assert (shown["kind"], shown["status"]["goal_id"]) == ("status", "docs")
        paused = await press(table, "ann", opened, "goal.pause")
        assert paused.kinds == ["goal.paused"]
        assert (await press(table, "vic", opened, "goal.resume")).code == "not_an_owner"


async def test_a_goal_that_is_named_is_shown_at_once_if_it_is_shown_here():
    async with served(two_goals) as daemon:
        assert (await said(daemon, "status DOCS", message_id="om_q", **GROUP))["slot"] == f"status:docs:om_q@{CHAT}"
        elsewhere = await said(daemon, "status docs", who="vic", chat_id="oc_else", **GROUP)
        assert elsewhere["slot"].startswith("form:")
        missing = await said(daemon, "status goal-999", **GROUP)
        assert missing["en"] == "There is no goal goal-999 here. Write “goals” to see which there are."
        # Between the bot and an owner of it, it may be shown; a viewer has no say in it.
        private = {"chat_id": DIRECT_CHAT}
        assert (await said(daemon, "status docs", **private))["slot"].startswith("status:docs:")
        assert (await said(daemon, "status docs", who="vic", **private))["slot"].startswith("form:")


async def test_a_chat_of_the_whole_workspace_shows_all_goals_but_private_ones():
    def seed(scribe):
        two_goals(scribe)
        quiet = {"goal_id": "quiet", "objective": "Something", "criterion": ("Done",), "private": True}
        scribe.do("ann", "goal.propose", review="owner", **quiet)
        scribe.chat = "oc_all"
        scribe.do("ann", "channel.bind", workspace=True)
        scribe.chat = None

    async with served(seed) as daemon:
        all_of_it = {"chat_id": "oc_all", **GROUP}
        assert (await said(daemon, "goals", **all_of_it))["en"].startswith("Goals in this chat: 2 of 2")
        view, _ = await card(daemon, (await said(daemon, "digest", **all_of_it))["slot"])
        assert {goal.goal_id for goal in view.digest.goals} == {"docs", "site"}
        assert (await said(daemon, "status docs", **all_of_it))["slot"].startswith("status:docs:")
        assert (await said(daemon, "status quiet", **all_of_it))["slot"].startswith("form:")


async def test_the_only_goal_is_meant_and_a_closed_one_is_not():
    async with served(two_goals) as daemon:
        await daemon.do("goal.stop", {"goal_id": "site", "reason": "Not now"})
        assert (await said(daemon, "status", message_id="om_q", **GROUP))["slot"] == f"status:docs:om_q@{CHAT}"
        await daemon.do("goal.stop", {"goal_id": "docs", "reason": "Not now"})
        assert (await said(daemon, "status", **GROUP))["en"].startswith("No goal is shown in this chat yet.")


async def test_a_choice_that_is_gone_opens_nothing():
    async with served(two_goals) as daemon:
        table = Table(daemon)
        which = (await said(daemon, "status", **GROUP))["slot"]
        view = await daemon.view(which)
        token = view["tokens"][next(row["button"] for row in view["which"]["rows"] if row["goal_id"] == "site")]
        await daemon.do("goal.stop", {"goal_id": "site", "reason": "Not now"})
        pressed = await table.press("ann", token)
        assert (pressed.code, pressed.slots) == ("stale_basis", [which])


@pytest.mark.parametrize(
    ("who", "changes", "code"),
    [
        ("stranger", {}, "identity_unpaired"),
        ("ann", {"chat_id": "oc_else"}, "button_elsewhere"),
        ("ann", {"tenant_key": "elsewhere"}, "tenant_foreign"),
    ],
)
async def test_what_opens_is_pressed_like_anything_else(who, changes, code):
    async with served(two_goals) as daemon:
        which = (await said(daemon, "status", **GROUP))["slot"]
        name = (await daemon.view(which))["which"]["rows"][0]["button"]
        token = (await daemon.view(which))["tokens"][name]
        assert (await Table(daemon).press(who, token, **changes)).code == code
        assert not daemon.service.committed.goals["docs"].deliveries


# Digest.


async def test_a_digest_tells_each_change_once_and_carries_the_head_and_the_next_begins_there():
    async with served(two_goals) as daemon:
        slot = (await said(daemon, "digest", **GROUP))["slot"]
        view, (en, zh) = await card(daemon, slot)
        head, short_hash = daemon.seq, daemon.service.committed.hash[:4].hex()
        assert (view.digest.since, view.digest.head_seq, view.digest.head_hash) == (0, head, short_hash)
        assert f"The ledger stands at #{head} · {short_hash}" in en
        assert f"账本位于 #{head} · {short_hash}" in zh
        subjects = [(goal.goal_id, row.kind, row.subject) for goal in view.digest.goals for row in goal.rows]
        assert len(subjects) == len(set(subjects)) > 0
        for number in range(3):
            await daemon.do("todo.update", {"goal_id": "docs", "todo_id": "todo_000", "text": f"Do it {number}"})
        await daemon.do("todo.cancel", {"goal_id": "docs", "todo_id": "todo_000"})
        after, _ = await card(daemon, (await said(daemon, "摘要", **GROUP))["slot"])
        assert after.digest.since == head
        assert [(row.kind, row.subject, row.now) for goal in after.digest.goals for row in goal.rows] == [
            ("todo", "todo_000", "cancelled")
        ]


async def test_where_nothing_material_changed_it_is_said_and_no_card_comes():
    async with served(two_goals) as daemon:
        await said(daemon, "digest", **GROUP)
        since = daemon.seq
        await daemon.do("todo.claim", {"goal_id": "docs", "todo_id": "todo_000"}, who="builder")
        reply = await said(daemon, "digest", **GROUP)
        assert reply["kind"] == "text"
        assert reply["en"].startswith(f"Nothing material changed since the last digest, at #{since}. The ledger stands")
        assert reply["zh"].startswith(f"自上次摘要（#{since}）以来没有实质变化。")


async def test_a_digest_stays_what_it_was_whatever_happens_then():
    async with served(two_goals) as daemon:
        slot = (await said(daemon, "digest", **GROUP))["slot"]
        before = (await daemon.view(slot))["digest"]
        await daemon.do("goal.pause", {"goal_id": "docs", "reason": "Wait"})
        assert (await daemon.view(slot))["digest"] == before


async def test_after_a_restart_the_next_digest_begins_where_the_delivered_one_ended():
    records = Records()
    with home_in_memory(records, two_goals) as (made, now_ms):
        async with serving(made, records, HandClock(now_ms)) as daemon:
            slot = (await said(daemon, "digest", **GROUP))["slot"]
            # Lost before it was posted, it is made anew; once it was, it stays as it is.
            lost = (await said(daemon, "digest", chat_id=DIRECT_CHAT))["slot"]
            await delivered(daemon, slot, "om_digest")
            head = daemon.seq
        async with serving(made, records, HandClock(now_ms)) as daemon:
            assert (await daemon.view(lost))["digest"]["head_seq"] == daemon.seq
            assert (await daemon.ask("GET", f"/v1/relay/view?slot={slot}", who="bot")).status == 404
            reply = await said(daemon, "digest", message_id="om_again", **GROUP)
            assert reply["en"].startswith(f"Nothing material changed since the last digest, at #{head}.")


async def test_a_digest_is_of_this_chat_or_of_the_reader_alone():
    async with served(two_goals) as daemon:
        elsewhere = await said(daemon, "digest", chat_id="oc_else", **GROUP)
        assert elsewhere["en"].startswith("No goal is shown in this chat yet.")
        mine, _ = await card(daemon, (await said(daemon, "digest", chat_id=DIRECT_CHAT))["slot"])
        assert {goal.goal_id for goal in mine.digest.goals} == {"docs", "site"}
        assert (await said(daemon, "digest", who="vic", chat_id="oc_vic"))["kind"] == "text"


async def test_a_long_digest_says_how_much_is_left_out():
    def seed(scribe):
        two_goals(scribe)
        for number in range(1, 12):
            scribe.do("ann", "todo.add", goal_id="docs", todo_id=f"todo_{number:03d}", text="Part")

    async with served(seed) as daemon:
        view, (en, _) = await card(daemon, (await said(daemon, "digest", **GROUP))["slot"])
        docs = next(goal for goal in view.digest.goals if goal.goal_id == "docs")
        assert len(docs.rows) == ROWS_OF_GOAL_MAX
        assert any(line.startswith(f"earlier rows left out: {docs.earlier}\n") for line in en)
        assert view.digest.total == sum(len(goal.rows) + goal.earlier for goal in view.digest.goals)


# What is not text.


@pytest.mark.parametrize("kind", ["image", "sticker", "file", "audio", "post_of_tomorrow"])
async def test_what_cannot_be_read_gets_one_hint_in_a_while(kind):
    async with served(everybody) as daemon:
        assert (await said(daemon, "", kind=kind))["en"].startswith("I can only read text.")
        assert await said(daemon, "", kind=kind) is None
        assert (await said(daemon, "", kind=kind, who="chen"))["zh"].startswith("我只能读文字消息。")
        daemon.clock.advance(HINT_EVERY_MS)
        assert await said(daemon, "", kind=kind) is not None
        assert await said(daemon, "", kind=kind, chat_type="group", mentioned=False, who="vic") is None
        assert (
            await said(
                daemon, "", kind=kind, who="vic", create_time_ms=daemon.service.clock.now_ms() - FRESH_MS_MAX - 1
            )
            is None
        )


async def test_an_edited_message_has_its_first_answer():
    async with served(everybody) as daemon:
        first = await said(daemon, "propose One", message_id="om_same", event_id="e1")
        again = await said(daemon, "propose Two", message_id="om_same", event_id="e2")
        assert again == first
        assert (await daemon.view(first["slot"]))["form"]["values"]["objective"] == "One"


def test_what_a_button_of_an_answer_stands_for_is_a_read():
    assert not ACTIONS[OPENS].writes
