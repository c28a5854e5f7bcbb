"""Messages: commands in both languages, codes that work once and in private, and nothing written is an effect."""

import hashlib

import pytest

from daemon.relay.message import FRESH_MS_MAX
from daemon.relay.pairing import PAIR_TRIES_MAX, PAIR_WINDOW_MS
from ledger.ids import OPERATOR
from ledger.ports import StoreFull
from ledger.testing import Failure
from tests.support.homes import APP, CHAT, person
from tests.support.presses import STRANGER, Table, everybody
from tests.support.served import served

CODE = "K7QM-2XWD"
ALL_LETTERS = "RESEARCH"
GROUP = {"chat_type": "group", "mentioned": True}


def digest_of(code):
    return hashlib.sha256(code.replace("-", "").encode()).hexdigest()


def seed(scribe):
    """Everybody, and a code for Dan, whom nobody has seen yet."""
    everybody(scribe)
    scribe.do(OPERATOR, "member.add", member_id="dan", kind="person", display_name="Dan <at id=all>\u202e")
    scribe.do(OPERATOR, "member.pair", member_id="dan", code_digest=digest_of(CODE))


async def said(daemon, text, who="ann", **changes):
    """What is answered: the reply, or None."""
    by = {"sender": STRANGER} if who == "stranger" else {}
    answer = await daemon.message(text, who=who, **(by | changes))
    assert answer.status == 200, answer.document
    return answer.document["reply"]


def paired(daemon):
    return daemon.service.committed.members["dan"].identity_digest is not None


NO_GOALS = ("No goal is shown in this chat yet.", "本群还没有目标。")


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("goals", NO_GOALS),
        ("目标", NO_GOALS),
        ("Status", NO_GOALS),
        ("状态", NO_GOALS),
        ("pair", ("That does not look like a pairing code.", "这不像配对码。")),
        ("配对", ("That does not look like a pairing code.", "这不像配对码。")),
    ],
)
async def test_a_command_is_understood_in_both_languages(text, begins):
    async with served(seed) as daemon:
        before = daemon.seq
        for changes in ({}, GROUP):
            if text in {"pair", "配对"} and changes:
                begins = ("Please send the code to me in a direct message", "请私聊把配对码发给我")
            reply = await said(daemon, text, **changes)
            assert (reply["en"].startswith(begins[0]), reply["zh"].startswith(begins[1])) == (True, True), reply
        assert daemon.seq == before


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("propose", {}),
        ("提议", {}),
        ("Propose: Check it", {"objective": "Check it", "title": "Check it"}),
        ("提议：查一查\n全部", {"objective": "查一查\n全部", "title": "查一查"}),
        ("propose\nCheck it\nall of it", {"objective": "Check it\nall of it", "title": "Check it"}),
        ("help me with the docs", {"objective": "help me with the docs", "title": "help me with the docs"}),
        ("goals for May", {"objective": "goals for May", "title": "goals for May"}),
        ("pair up for the review", {"objective": "pair up for the review", "title": "pair up for the review"}),
        ("research", {"objective": "research", "title": "research"}),
        ("TASK-2024", {"objective": "TASK-2024", "title": "TASK-2024"}),
        ("proposed", {"objective": "proposed", "title": "proposed"}),
        ("confirm goal-1", {"objective": "confirm goal-1", "title": "confirm goal-1"}),
    ],
)
async def test_everything_else_opens_a_form_and_changes_nothing(text, values):
    async with served(seed) as daemon:
        before = daemon.seq
        for changes in ({}, GROUP):
            reply = await said(daemon, text, **changes)
            assert reply["kind"] == "card"
            assert (await daemon.view(reply["slot"]))["form"]["values"] == values
        assert daemon.seq == before


async def test_goals_of_this_chat_are_listed_newest_first_and_those_of_another_are_not():
    async with served(seed) as daemon:
        table = Table(daemon)
        goals = [await table.proposed() for _ in range(12)]
        reply = await said(daemon, "goals", who="vic")
        first, *rows = reply["en"].split("\n")
        assert first == "Goals in this chat: 10 of 12"
        assert rows[0] == f"{goals[-1]} · Proposed · Docs that can be followed"
        assert [row.split(" · ")[0] for row in rows] == goals[:1:-1]
        assert reply["zh"].startswith("本群的目标：显示 10 个，共 12 个\n")
        elsewhere = await said(daemon, "goals", chat_id="oc_else")
        assert elsewhere["en"].startswith("No goal is shown in this chat yet.")


async def test_in_a_group_nobody_is_answered_who_does_not_speak_to_the_bot():
    async with served(seed) as daemon:
        for text in ("help", "propose x", CODE, f"pair {CODE}"):
            assert await said(daemon, text, chat_type="group", mentioned=False) is None
        assert not paired(daemon)


async def test_a_late_command_is_shown_and_not_run():
    async with served(seed) as daemon:
        now_ms = daemon.service.clock.now_ms()
        assert (await said(daemon, "propose x", create_time_ms=now_ms - FRESH_MS_MAX))["slot"].startswith("form:")
        late = {"create_time_ms": now_ms - FRESH_MS_MAX - 1}
        before = daemon.seq
        assert (await said(daemon, "propose x", **late))["slot"].startswith("missed:")
        reply = await said(daemon, "propose " + "x" * 200, who="stranger", **late)
        assert (
            reply["en"]
            == f"This arrived too late to act on: “propose {'x' * 71}…”. If you still want it, write it again."
        )
        assert reply["zh"].startswith("这条消息到得太晚，没有执行：“propose xxx")
        code = await said(daemon, CODE, who="dan", **late)
        assert "too late" in code["en"]
        assert CODE not in code["en"]
        assert not paired(daemon)
        assert daemon.seq == before


async def test_only_text_is_read():
    async with served(seed) as daemon:
        reply = await said(daemon, "", kind="image")
        assert reply["en"].startswith("I can only read text.")
        assert reply["zh"].startswith("我只能读文字消息。")


@pytest.mark.parametrize("text", ["goals", "propose x", "anything", "hello bot", "finalize"])
async def test_whoever_is_unknown_is_told_how_to_be_recognised(text):
    async with served(seed) as daemon:
        reply = await said(daemon, text, who="stranger")
        assert reply["en"].startswith("I do not know you yet. Ask whoever runs Frontstage here for a pairing code")
        assert reply["zh"].startswith("我还不认识你。")
        foreign = await said(daemon, text, who="stranger", tenant_key="elsewhere")
        assert foreign["en"].startswith("This account belongs to another organisation.")


# Pairing.


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        "k7qm-2xwd",
        "K7QM2XWD",
        "K7QM 2XWD",
        " K7QM\u20132XWD\u200b",
        "Ｋ７ＱＭ－２ＸＷＤ",
        f"pair {CODE}",
        f"配对：{CODE}",
        "/pair k7qm2xwd",
    ],
)
async def test_a_code_binds_whoever_sends_it_in_private_however_it_is_typed(text):
    async with served(seed) as daemon:
        reply = await said(daemon, text, who="dan")
        assert (
            reply["en"]
            == "Thank you, Dan <at id=all>\ufffd: you are paired. Your decisions on cards count from now on."
        )
        assert reply["zh"].startswith("Dan <at id=all>\ufffd，配对成功。")
        assert paired(daemon)
        table = Table(daemon)
        pressed = await table.press("dan", await table.token(f"review:{await table.proposed()}:1", "goal.confirm"))
        assert pressed.code == "not_an_owner"


async def test_letters_that_no_code_has_are_taken_for_the_digits_they_look_like():
    async with served(lambda scribe: (seed(scribe), code_for(scribe, "10AB-11CD"))) as daemon:
        assert "you are paired" in (await said(daemon, "IoAB-1lCD", who="dan"))["en"]


def code_for(scribe, code):
    scribe.do(OPERATOR, "member.pair", member_id="dan", code_digest=digest_of(code))


async def test_a_code_without_a_digit_is_one_to_whoever_needs_it():
    async with served(lambda scribe: (seed(scribe), code_for(scribe, ALL_LETTERS))) as daemon:
        assert "you are paired" in (await said(daemon, "research", who="dan"))["en"]


@pytest.mark.parametrize("text", [CODE, f"pair {CODE}"])
@pytest.mark.parametrize("who", ["dan", "ann"])
async def test_a_code_in_a_group_is_not_taken_and_stays_good(text, who):
    async with served(seed) as daemon:
        reply = await said(daemon, text, who=who, **GROUP)
        assert reply["en"] == "Please send the code to me in a direct message, so that nobody else can use it."
        assert not paired(daemon)
        assert "you are paired" in (await said(daemon, text, who="dan"))["en"]


async def test_a_code_works_once():
    async with served(seed) as daemon:
        await said(daemon, CODE, who="dan")
        again = await said(daemon, CODE, who="stranger")
        assert again["en"].startswith("This pairing code is not known, or was already used. Ask the operator")
        assert again["zh"] == "该配对码无效或已被使用。请向管理员索取新的配对码，并原样发送给机器人。"
        assert len(daemon.service.committed.identities) == 5


async def test_a_code_ends_and_says_so():
    async with served(seed) as daemon:
        daemon.clock.advance(900_000)
        reply = await said(daemon, CODE, who="dan")
        assert reply["en"] == "This pairing code has expired. Ask the operator for a new one."
        assert not paired(daemon)


async def test_an_account_that_is_somebody_already_cannot_become_somebody_else():
    async with served(seed) as daemon:
        reply = await said(daemon, CODE, who="ann")
        assert reply["en"].startswith("This account already belongs to another member.")
        assert not paired(daemon)


async def test_a_code_sent_from_another_organisation_is_not_taken_and_is_audited():
    async with served(seed) as daemon:
        reply = await said(daemon, CODE, who="dan", tenant_key="elsewhere")
        assert reply["en"].startswith("This account belongs to another organisation.")
        assert not paired(daemon)
        row = daemon.audited()[-1]
        assert (row["actor"], row["action"], row["code"]) == ("bot", "member.bind", "tenant_foreign")


async def test_wrong_codes_are_limited_for_each_account_and_the_limit_ends():
    async with served(seed) as daemon:
        for _ in range(PAIR_TRIES_MAX):
            assert (await said(daemon, "K7QM-2XWX", who="dan"))["en"].startswith("This pairing code is not known")
        for code in ("K7QM-2XWX", CODE):
            reply = await said(daemon, code, who="dan")
            assert reply["en"] == "Too many tries. Please wait ten minutes, then send the code again."
            assert reply["zh"] == "尝试次数过多。请等十分钟后再发送配对码。"
        assert (await said(daemon, "K7QM-2XWX", who="stranger"))["en"].startswith("This pairing code is not known")
        daemon.clock.advance(PAIR_WINDOW_MS - 1)
        assert "Too many" in (await said(daemon, CODE, who="dan"))["en"]
        daemon.clock.advance(1)
        assert "you are paired" in (await said(daemon, CODE, who="dan"))["en"]


# What the platform delivers again.


async def test_a_redelivered_message_has_its_first_answer_again_under_whatever_event_id():
    async with served(seed) as daemon:
        first = await said(daemon, CODE, who="dan", event_id="a", message_id="om_code")
        seq = daemon.seq
        daemon.clock.advance(FRESH_MS_MAX * 2)
        for event_id in ("a", "b"):
            again = await said(daemon, CODE, who="dan", event_id=event_id, message_id="om_code", create_time_ms=1)
            assert again == first
        form = await said(daemon, "propose x", event_id="c", message_id="om_form")
        assert await said(daemon, "propose x", event_id="d", message_id="om_form") == form
        assert daemon.seq == seq


async def test_a_busy_ledger_is_no_outcome_and_the_code_is_taken_the_next_time():
    async with served(seed) as daemon:
        daemon.store.fail(*[Failure(StoreFull("full"))] * 2)
        reply = await said(daemon, CODE, who="dan", message_id="om_code")
        assert reply["en"].startswith("Nothing was recorded: the disk is full")
        assert "you are paired" in (await said(daemon, CODE, who="dan", message_id="om_code"))["en"]


async def test_a_message_of_another_app_is_not_answered():
    async with served(seed) as daemon:
        assert await said(daemon, "help", app_id="cli_else") is None
        assert await said(daemon, CODE, sender=person("dan"), app_id="cli_else", chat_id=CHAT) is None
        assert not paired(daemon)


async def test_what_was_answered_has_no_answer_any_more():
    async with served(seed) as daemon:
        about = {"message_id": "om_once", "event_id": "ev_once"}
        first = await said(daemon, "help", **about)
        assert first is not None
        assert await said(daemon, "help", **about) == first
        known, unknown = ({"app_id": APP, "message_id": one} for one in ("om_once", "om_never"))
        assert (await daemon.relay("answered", known)).document == {"ok": True}
        assert (await daemon.relay("answered", unknown)).document == {"ok": False}
        assert await said(daemon, "help", **about) is None
        entry = daemon.service.reader.journal_entry(APP, "message:om_once")
        assert entry.answer == b'{"reply":null}'
