"""A conversation in a chat with real processes: which goal, late bursts, threads, and each person's own list."""

import pytest
import pytest_asyncio

from tests.e2e.people import everybody
from tests.e2e.test_presses import changed, delivered, pushed
from tests.e2e.world import buttons, has_button, text_has

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(tmp_path_factory):
    async with everybody(tmp_path_factory.mktemp("conversation")) as found:
        yield found


def answers(message_id):
    return lambda one: one["reply_to"] == message_id


async def asked(room, person, text, chat=None):
    """Somebody writes, and the answer comes."""
    chat = chat or room.group
    sent = await room.stack.write(person, chat, text, mention_bot=chat == room.group)
    return await room.stack.see(person, chat, answers(sent), f"the answer to {text}")


async def test_which_goal_is_asked_and_its_card_comes_under_the_question(room):
    first, second = await room.confirmed(), await room.confirmed()
    before = await room.history()
    which = await asked(room, "ann", "pause")
    assert {f"Show {first}", f"Show {second}"} <= set(buttons(which))
    answer = await room.stack.press("ann", which, f"Show {first}")
    assert answer["toast"]["content"] == "Opened below. Nothing was changed."
    assert await room.history() == before
    status = await room.stack.see("ann", room.group, answers(which["message_id"]), "the goal's card")
    assert "Pause" in buttons(status)
    paused = await room.stack.press("ann", status, "Pause")
    assert paused["toast"]["type"] == "success", paused
    await room.stack.see(
        "ann", room.group, lambda one: answers(which["message_id"])(one) and has_button("Resume")(one), "it paused"
    )


async def test_what_needs_a_person_comes_to_them_alone_and_is_settled_from_there(room):
    goal_id, _ = await room.proposed()
    mine = await room.direct("bo")
    listed = await room.stack.see("bo", mine, text_has("打开卡片"), "what needs Bo")
    assert "项待你处理" in listed["card"]["title"]
    assert not any("need you" in str(one) for one in (await room.stack.messages("ann", room.group))[0])
    answer = await asked(room, "bo", "待办")
    assert answer["text"] == "待办只给你本人看：已私聊发送给你。"
    await room.stack.cli("goal", "show", "--goal-id", goal_id)


async def topic(room):
    """A topic in the group: the id of its thread, and a message in it that can be answered."""
    root = await room.stack.write("ann", room.group, "A topic of its own")
    base, greeting = room.stack.base_url, room.stack.greeting
    secret = {"app_id": greeting["app_id"], "app_secret": greeting["app_secret"]}
    where = f"{base}/open-apis/auth/v3/tenant_access_token/internal"
    async with room.stack.session.post(where, json=secret) as got:
        token = (await got.json())["tenant_access_token"]
    body = {"msg_type": "text", "content": '{"text":"Begun"}', "reply_in_thread": True}
    where, own = f"{base}/open-apis/im/v1/messages/{root}/reply", {"Authorization": f"Bearer {token}"}
    async with room.stack.session.post(where, json=body, headers=own) as got:
        begun = (await got.json())["data"]
    return begun["thread_id"], begun["message_id"]


async def test_an_answer_stays_in_the_thread_that_it_was_asked_in(room):
    thread_id, message_id = await topic(room)
    for text in ("help", "goals", "propose In a topic"):
        body = {"person": "ann", "text": text, "mention_bot": True, "reply_to": message_id}
        status, sent = await room.stack.chat_api("POST", f"chats/{room.group}/messages", body)
        assert status == 200, sent
        answer = await room.stack.see("ann", room.group, answers(sent["message_id"]), f"the answer to {text}")
        assert answer["thread_id"] == thread_id
    outside = await asked(room, "ann", "help")
    assert outside["thread_id"] == ""


async def delivered_when_heard(room, message_id):
    await room.stack.see("ann", room.group, answers(message_id), "an answer")
    return await delivered(room, message_id)


async def test_a_late_burst_is_one_card_and_each_is_run_by_a_press(room):
    sent = await room.stack.write("ann", room.group, "help", mention_bot=True)
    first = await delivered_when_heard(room, sent)
    before = await room.history()
    for at, text in enumerate(("propose Late one", "digest")):
        about = {"message_id": f"om_late_{at}", "create_time": "1000", "content": f'{{"text":"@_user_1 {text}"}}'}
        await pushed(room, changed(first, f"late-{at}", **about))

    def both(one):
        return {"Run it now? (1)", "Run it now? (2)"} <= set(buttons(one))

    card = await room.stack.see("ann", room.group, both, "one card for both")
    assert await room.history() == before
    answer = await room.stack.press("ann", card, "Run it now? (1)")
    assert answer["toast"]["content"] == "Opened below. Nothing was changed."
    await room.stack.see("ann", room.group, lambda one: has_button("Submit")(one) and text_has("Late one")(one), "form")
    assert await room.history() == before
