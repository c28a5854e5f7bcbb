"""One suite for everything that claims to be Lark: the fake, and the adapter by both its transports."""

import asyncio

import orjson
import pytest

from bot.lark import (
    PRESS_FAILED,
    STILL_WORKING,
    InboundMessage,
    InboundPress,
    LarkFault,
    LarkFaultKind,
    toast,
)
from tests.contract.lark_rigs import DONE, AdapterRig, FakeRig, WebhookRig, card, now_ms, running


@pytest.fixture(params=["fake", "adapter", "webhook"])
async def rig(request):
    rig = {"fake": FakeRig, "adapter": AdapterRig, "webhook": WebhookRig}[request.param]()
    if request.param != "fake":
        await rig.open()
    yield rig
    await rig.close()


# Sending


async def test_a_card_is_posted_once_for_each_key(rig):
    first = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    assert first.chat_id == rig.group
    assert await rig.lark.send_card(rig.group, "chat_id", card(), "key-1") == first
    assert rig.count() == 1
    assert (await rig.lark.send_card(rig.group, "chat_id", card(), "key-2")).message_id != first.message_id
    assert rig.count() == 2
    content, reply_to, in_thread, _ = rig.shown(first.message_id)
    assert (content, reply_to, in_thread) == (orjson.loads(card()), "", False)


async def test_a_person_is_written_to_in_their_own_chat(rig):
    sent = await rig.lark.send_card(rig.ann.open_id, "open_id", card(), "key-1")
    assert sent.chat_id.startswith("oc_")
    assert sent.chat_id != rig.group
    again = await rig.lark.send_text(rig.ann.open_id, "open_id", "hello", "key-2")
    assert again.chat_id == sent.chat_id


@pytest.mark.parametrize("in_thread", [False, True])
async def test_replies_go_to_the_message_and_into_its_thread_if_asked(rig, in_thread):
    root = await rig.lark.send_text(rig.group, "chat_id", "root", "key-1")
    text = await rig.lark.reply_text(root.message_id, "a reply", "key-2", in_thread)
    sent = await rig.lark.reply_card(root.message_id, card(), "key-3", in_thread)
    assert rig.shown(text.message_id)[1:3] == (root.message_id, in_thread)
    assert rig.shown(sent.message_id)[1:3] == (root.message_id, in_thread)
    assert await rig.lark.reply_card(root.message_id, card(), "key-3", in_thread) == sent
    assert rig.count() == 3


async def test_a_patch_replaces_what_is_shown(rig):
    sent = await rig.lark.send_card(rig.group, "chat_id", card("before"), "key-1")
    await rig.lark.patch_card(sent.message_id, card("之后"))
    assert rig.shown(sent.message_id)[0] == orjson.loads(card("之后"))
    assert rig.count() == 1


@pytest.mark.parametrize(
    "words", ['<at user_id="all"></at> hi', "<AT user_id=all>", "@_all", 'a "quoted" \\ 文字 \u202e']
)
async def test_a_text_mentions_nobody_whatever_it_says(rig, words):
    sent = await rig.lark.send_text(rig.group, "chat_id", words, "key-1")
    content, _, _, mentions = rig.shown(sent.message_id)
    assert mentions == 0
    assert content["text"].replace("\u2060", "") == words
    reply = await rig.lark.reply_text(sent.message_id, words, "key-2", False)
    assert rig.shown(reply.message_id)[3] == 0


async def test_the_bot_knows_itself(rig):
    info = await rig.lark.bot_info()
    assert info.open_id.startswith("ou_")
    assert info.name


# Faults of calls


async def fault_of(call):
    with pytest.raises(LarkFault) as raised:
        await call
    return raised.value


async def test_what_is_no_message_is_refused_before_it_is_sent(rig):
    lark = rig.lark
    for call in (
        lark.patch_card("c-295ee57216a5dc9de90fefd0aadb4b1d", card()),
        lark.reply_card("c-295ee57216a5dc9de90fefd0aadb4b1d", card(), "key", False),
        lark.reply_text("", "text", "key", False),
        lark.send_card(rig.group, "room_id", card(), "key"),
        lark.send_card("", "chat_id", card(), "key"),
        lark.send_card(rig.group, "chat_id", card(), ""),
        lark.send_text(rig.group, "chat_id", "text", "k" * 51),
    ):
        assert (await fault_of(call)).kind is LarkFaultKind.BAD_REQUEST
    assert rig.count() == 0


async def test_a_recalled_message_is_gone(rig):
    sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    rig.recall(sent.message_id)
    assert (await fault_of(rig.lark.patch_card(sent.message_id, card("x")))).kind is LarkFaultKind.GONE
    reply = rig.lark.reply_card(sent.message_id, card(), "key-2", False)
    assert (await fault_of(reply)).kind is LarkFaultKind.GONE
    assert rig.shown(sent.message_id)[0] == orjson.loads(card())


async def test_a_message_that_never_was_is_gone(rig):
    assert (await fault_of(rig.lark.patch_card(rig.missing, card()))).kind is LarkFaultKind.GONE
    reply = rig.lark.reply_text(rig.missing, "x", "key", False)
    assert (await fault_of(reply)).kind is LarkFaultKind.GONE


async def test_a_chat_without_the_bot_is_lost(rig):
    sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    rig.lose_group()
    assert (await fault_of(rig.lark.send_card(rig.group, "chat_id", card(), "key-2"))).kind is LarkFaultKind.CHAT_LOST
    assert (await fault_of(rig.lark.patch_card(sent.message_id, card("x")))).kind is LarkFaultKind.CHAT_LOST
    assert rig.count() == 1


@pytest.mark.parametrize("content", [card("x" * 31_000), card("字" * 10_300), b"not json", b'{"schema":"1.0"}', b"[]"])
async def test_a_card_that_is_none_or_too_long_is_refused(rig, content):
    assert (
        await fault_of(rig.lark.send_card(rig.group, "chat_id", content, "key-1"))
    ).kind is LarkFaultKind.REFUSED_CARD
    sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-2")
    assert (await fault_of(rig.lark.patch_card(sent.message_id, content))).kind is LarkFaultKind.REFUSED_CARD


async def test_ten_thousand_bytes_of_chinese_stay_ten_thousand_bytes(rig):
    # Escaped as ASCII they would be sixty thousand, and refused.
    words = "字" * 8_500
    sent = await rig.lark.send_card(rig.group, "chat_id", card(words), "key-1")
    assert rig.shown(sent.message_id)[0] == orjson.loads(card(words))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (LarkFaultKind.RATE_LIMITED, 99991400),
        (LarkFaultKind.RATE_LIMITED, 230020),
        (LarkFaultKind.GONE, 230031),
        (LarkFaultKind.BAD_REQUEST, 230001),
        (LarkFaultKind.REFUSED_CARD, 230022),
        (LarkFaultKind.UNKNOWN_OUTCOME, 0),
        (LarkFaultKind.FATAL, 99991672),
    ],
)
async def test_each_fault_arrives_by_its_kind_and_nothing_is_retried(rig, kind, code):
    rig.plan(kind, code=code)
    fault = await fault_of(rig.lark.send_card(rig.group, "chat_id", card(), "key-1"))
    assert (fault.kind, fault.code) == (kind, code)
    assert rig.count() == 0
    await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    assert rig.count() == 1


async def test_a_lost_answer_is_found_again_with_the_same_key(rig):
    rig.plan(LarkFaultKind.UNKNOWN_OUTCOME, after_commit=True)
    fault = await fault_of(rig.lark.send_card(rig.group, "chat_id", card(), "key-1"))
    assert fault.kind is LarkFaultKind.UNKNOWN_OUTCOME
    assert rig.count() == 1
    sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
    assert rig.count() == 1
    assert rig.shown(sent.message_id)[0] == orjson.loads(card())


# What comes in


async def test_a_press_arrives_whole_and_its_answer_goes_back(rig):
    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        form = {"title": "目标 <b>", "tags": ["a", "b"], "agree": True, "empty": ""}
        assert await rig.press(sent.message_id, "token-1", form) == DONE
    (press,) = handlers.presses
    assert isinstance(press, InboundPress)
    assert (press.token, press.form, press.operator) == ("token-1", form, rig.ann)
    assert (press.chat_id, press.message_id) == (rig.group, sent.message_id)
    assert (press.app_id, press.tenant_key) == (rig.app_id, rig.tenant_key)
    assert press.event_id
    assert rig.lark.health().last_callback_ms is not None


async def test_a_press_is_answered_with_an_object_in_every_case(rig):
    async def raises(_):
        raise RuntimeError("private")

    async def nothing(_):
        return None

    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        for behaviour, answer in ((raises, PRESS_FAILED), (nothing, {})):
            handlers.when_pressed = behaviour
            assert await rig.press(sent.message_id, "token-1") == answer


async def test_a_hanging_press_is_told_to_wait_within_three_seconds_and_goes_on(rig):
    release, finished = asyncio.Event(), asyncio.Event()

    async def hangs(_):
        await release.wait()
        finished.set()
        return DONE

    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        handlers.when_pressed = hangs
        before_ms = now_ms()
        assert await rig.press(sent.message_id, "token-1") == STILL_WORKING
        assert 2_000 <= now_ms() - before_ms < 3_000
        release.set()
        await asyncio.wait_for(finished.wait(), timeout=5.0)


async def test_twenty_presses_a_second_of_200_ms_are_each_answered_within_a_second(rig):
    loop = asyncio.get_running_loop()

    async def works(event):
        done = asyncio.Event()
        loop.call_later(0.2, done.set)
        await done.wait()
        return toast("info", en=event.token, zh="")

    async def timed(message_id, number):
        due = asyncio.Event()
        loop.call_later(number / 20, due.set)
        await due.wait()
        before_ms = now_ms()
        answer = await rig.press(message_id, f"token-{number}")
        return now_ms() - before_ms, answer["toast"]["content"]

    async with running(rig) as handlers:
        handlers.when_pressed = works
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(timed(sent.message_id, number)) for number in range(20)]
    results = [task.result() for task in tasks]
    assert [content for _, content in results] == [f"token-{number}" for number in range(20)]
    assert max(took_ms for took_ms, _ in results) < 1_000


async def test_a_message_arrives_whole(rig):
    async with running(rig) as handlers:
        assert await rig.say("propose 目标", mentioned=True)
        assert await rig.say("nobody was mentioned", mentioned=False)
    first, second = handlers.messages
    assert isinstance(first, InboundMessage)
    assert (first.text, first.mentioned, first.kind) == ("propose 目标", True, "text")
    assert (first.chat_id, first.chat_type, first.thread_id) == (rig.group, "group", None)
    assert (first.sender, first.app_id, first.tenant_key) == (rig.ann, rig.app_id, rig.tenant_key)
    assert (second.text, second.mentioned) == ("nobody was mentioned", False)
    assert first.message_id != second.message_id
    assert first.event_id != second.event_id


async def test_a_message_that_could_not_be_taken_is_not_acknowledged(rig):
    async def fails(_):
        raise OSError("the daemon is away")

    async with running(rig) as handlers:
        handlers.when_said = fails
        assert not await rig.say("propose", mentioned=True)
        handlers.when_said = None
        assert await rig.say("propose", mentioned=True)


async def test_other_events_are_acknowledged_even_if_their_handler_fails(rig):
    async def fails(_):
        raise OSError("the daemon is away")

    async with running(rig) as handlers:
        assert await rig.other()
        handlers.when_other = fails
        assert await rig.other()
    assert [event_type for event_type, _, _ in handlers.others] == ["im.message.recalled_v1"] * 2
    assert handlers.others[0][2]["chat_id"] == rig.group, "the body is the event's content"


async def test_a_run_ends_when_cancelled_and_another_may_follow(rig):
    assert not rig.lark.health().connected
    for number in range(2):
        async with running(rig) as handlers:
            assert rig.lark.health().connected
            assert await rig.say(f"message {number}", mentioned=True)
            before_ms = now_ms()
        assert now_ms() - before_ms < 5_000
        assert not rig.lark.health().connected
        assert len(handlers.messages) == 1
