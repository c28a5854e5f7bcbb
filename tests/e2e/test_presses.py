"""Presses in a chat with real processes: one effect, whoever presses what at once, and everybody is told what happened.

What needs no chat is tested on the daemon alone, in `tests/unit/test_relay_*.py`.
"""

import asyncio
import json

import pytest
import pytest_asyncio

from tests.e2e.people import (
    BUDGET,
    CHANGES_REASON,
    CRITERIA,
    DECLINE_REASON,
    NON_GOALS,
    OBJECTIVE,
    SCOPES,
    STOP,
    TITLE,
    everybody,
    label_of,
)
from tests.e2e.world import buttons, has_button, text_has

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]
ROUNDS = 4


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(tmp_path_factory):
    async with everybody(tmp_path_factory.mktemp("presses")) as found:
        yield found


async def at_once(*presses):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(press) for press in presses]
    return [task.result()["toast"] for task in tasks]


async def goal(room, goal_id):
    return await room.stack.cli("goal", "show", "--goal-id", goal_id)


async def test_two_presses_of_one_button_at_once_are_one_event(room):
    goal_id, review = await room.proposed()
    before = await room.history()
    one, two = await at_once(*(room.stack.press("ann", review, "Confirm") for _ in range(2)))
    assert {one["type"], two["type"]} == {"success", "info"}
    assert {one["content"], two["content"]} == {
        "Confirmed. Work can start.",
        "Already done; nothing was done twice.",
    }
    assert await room.history() == before + 1
    assert (await goal(room, goal_id))["state"] == "active"


async def test_confirm_and_decline_at_once_by_two_owners_is_one_decision_each_time(room):
    won_by = set()
    for turn in range(ROUNDS):
        goal_id, review = await room.proposed()
        as_bo = await room.seen_by("bo", review)
        assert buttons(as_bo) == ["确认", "修订…", "撤回", "拒绝"]
        before = await room.history()
        yes = room.stack.press("ann" if turn % 2 else "bo", review, "Confirm" if turn % 2 else "确认")
        no = room.stack.press("bo" if turn % 2 else "ann", review, "拒绝" if turn % 2 else "Decline", {}, confirm=True)
        toasts = await at_once(*((yes, no) if turn < ROUNDS / 2 else (no, yes)))
        assert await room.history() == before + 1
        (won,) = [toast for toast in toasts if toast["type"] == "success"]
        (lost,) = [toast for toast in toasts if toast["type"] == "warning"]
        state = (await goal(room, goal_id))["state"]
        won_by.add(state)
        confirmed = won["content"] in {"Confirmed. Work can start.", "已确认，可以开工。"}
        assert state == ("active" if confirmed else "declined")
        bo_lost = any("一" <= sign <= "鿿" for sign in lost["content"].replace("陈博", ""))
        assert ("Ann Lee已先作出决定。" if bo_lost else "陈博 decided first.") in lost["content"]
        assert any("一" <= sign <= "鿿" for sign in won["content"]) is not bo_lost
        closed = await room.card(goal_id, "Proposal", also=lambda one: not buttons(one))
        assert closed["message_id"] == review["message_id"]


async def test_accept_and_send_back_at_once_by_two_owners_is_one_decision(room):
    goal_id = await room.confirmed()
    card = await room.delivered(goal_id)
    as_bo = await room.seen_by("bo", card)
    back = label_of(card, "Request changes", as_bo)
    before = await room.history()
    toasts = await at_once(
        room.stack.press("ann", card, "Accept"),
        room.stack.press("bo", card, back, {"需要修改什么": "锚点也要检查"}),
    )
    assert await room.history() == before + 1
    ann, bo = toasts
    if ann["type"] == "success":
        assert "Ann Lee已先作出决定。" in bo["content"]
    else:
        assert "陈博 decided first." in ann["content"]
        assert bo["content"] == "已退回，并附上你的修改意见。"


async def test_a_press_on_a_card_that_is_behind_says_what_changed_and_the_card_is_drawn_anew(room):
    goal_id, review = await room.proposed()
    # The platform takes no change for a while, so that people still see the card as it was.
    await room.stack.control(
        "faults", {"api": "messages.patch", "kind": "code", "code": 99991400, "status": 429, "count": 500}
    )
    await room.stack.cli("goal", "revise", "--goal-id", goal_id, "--criterion", "Every page loads", "--priority", "P0")
    before = await room.history()
    answer = await room.stack.press("bo", review, "确认")
    assert answer["toast"]["type"] == "warning"
    assert answer["toast"]["content"] == "在你看到之后已有变动：验收标准、优先级。请查看最新版本后再决定。"
    assert await room.history() == before
    await room.stack.control("faults", method="DELETE")
    closed = await room.card(goal_id, "Proposal", also=lambda one: "Replaced by a newer revision" in json.dumps(one))
    assert (closed["message_id"], buttons(closed)) == (review["message_id"], [])
    current = await room.card(goal_id, "Proposal", also=has_button("Confirm"))
    assert (await room.stack.press("bo", current, "确认"))["toast"]["content"] == "已确认，可以开工。"


async def test_somebody_unknown_and_a_forwarded_copy_decide_nothing(room):
    goal_id, review = await room.proposed()
    before = await room.history()
    told = (await room.stack.press("sam", review, "Confirm"))["toast"]
    assert told == {
        "type": "error",
        "content": "This account is not paired with a member here. "
        "Ask the operator for a pairing code and send it to the bot.",
    }
    to = {"person": "ann", "chat": await room.direct("ann")}
    status, copy = await room.stack.chat_api("POST", f"messages/{review['message_id']}/forward", to)
    assert status == 200
    body = {"person": "ann", "button": "Confirm", "inputs": {}, "confirm": False}
    status, answer = await room.stack.chat_api("POST", f"messages/{copy['message_id']}/press", body)
    assert (status, answer["error"]["code"]) == (409, "button_disabled")
    assert await room.history() == before
    assert (await goal(room, goal_id))["state"] == "proposed"


async def callback(room, message, person, token, **header):
    """The body of a press, for what no client would send."""
    people = {one["key"]: one for one in room.stack.greeting["people"]}
    ids = {"open_id": people[person]["open_id"], "union_id": people[person]["union_id"], "user_id": ""}
    tenant = header.pop("tenant_key", room.stack.greeting["tenant_key"])
    chat = header.pop("chat_id", room.group)
    return {
        "schema": "2.0",
        "header": {
            "event_id": f"crafted-{message['message_id']}-{len(header)}-{tenant[:4]}-{chat[-4:]}",
            "event_type": "card.action.trigger",
            "create_time": "1",
            "token": "",
            "app_id": room.stack.greeting["app_id"],
            "tenant_key": room.stack.greeting["tenant_key"],
        },
        "event": {
            "operator": {"tenant_key": tenant, **ids},
            "token": "c-1",
            "action": {"tag": "button", "value": {"t": token}},
            "host": "im_message",
            "context": {"open_message_id": message["message_id"], "open_chat_id": chat},
        },
    }


async def token_of(room, message, label):
    """What the button carries, as a program that reads the chat's data finds it."""
    _, answer = await room.stack.chat_api("GET", f"messages/{message['message_id']}?person=ann&raw=1")
    found = []

    def walk(node):
        if isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            if node.get("tag") == "button" and label in json.dumps(node, ensure_ascii=False):
                found.append(node["behaviors"][0]["value"]["t"])
            for value in node.values():
                walk(value)

    walk(answer["message"]["raw"])
    return found[0]


async def pushed(room, body):
    """Push an event and wait until the bot has acknowledged it."""
    await room.stack.control("events", {"body": body})
    event_id = body["header"]["event_id"]
    async with asyncio.timeout(20):
        while True:
            deliveries = (await room.stack.control("deliveries"))["deliveries"]
            ours = [one for one in deliveries if one["event_id"] == event_id]
            if ours and all("acked" in one["outcomes"] for one in ours):
                return
            await room.stack.chat_api("GET", "changes?after=999999999&timeout_ms=100")


async def test_presses_that_no_client_sends_do_nothing_and_one_delivered_twice_counts_once(room):
    goal_id, review = await room.proposed()
    token = await token_of(room, review, "Confirm")
    before = await room.history()
    await pushed(room, await callback(room, review, "ann", token, tenant_key="elsewhere"))
    await pushed(room, await callback(room, review, "ann", token, chat_id="oc_elsewhere"))
    await pushed(room, await callback(room, review, "ann", token[:-4] + "AAAA"))
    await pushed(room, await callback(room, {**review, "message_id": "om_copy"}, "ann", token))
    assert await room.history() == before
    good = await callback(room, review, "bo", token)
    good["header"]["event_id"] += "-good"
    for _ in range(3):
        await pushed(room, good)
    assert await room.history() == before + 1
    assert (await goal(room, goal_id))["state"] == "active"


# Forms.

TYPED = {
    TITLE: "Docs 能从头走到尾",
    OBJECTIVE: ("Every page can be followed. " * 40)[:1_000].strip(),
    CRITERIA: "\n".join(f"page {number:02d} ok" for number in range(60)),
    NON_GOALS: "Style\n<at id=all></at>",
    SCOPES: "reports/**\ndocs/**",
    BUDGET: "two hours",
    STOP: "The site is gone",
}


async def test_a_form_is_refused_comes_back_filled_and_is_then_the_goal_field_by_field(room):
    form = await room.form("ann", "propose 检查文档")
    shown = {one["label"]: one["value"] for one in form["card"]["inputs"]}
    assert (shown[OBJECTIVE], shown[TITLE]) == ("检查文档", "检查文档")
    body = {"person": "ann", "button": "Submit", "inputs": {CRITERIA: " "}, "confirm": False}
    status, answer = await room.stack.chat_api("POST", f"messages/{form['message_id']}/press", body)
    assert (status, answer["error"]["code"], answer["error"]["input"]) == (422, "input_required", CRITERIA)
    before = await room.history()
    refused = await room.stack.press("ann", form, "Submit", TYPED | {SCOPES: "docs/**\n/etc/passwd"})
    assert refused["toast"]["type"] == "warning"
    assert refused["toast"]["content"].startswith("The write scope /etc/passwd is not a relative path or pattern. Name")
    assert await room.history() == before

    def is_back(one):
        return "/etc/passwd" in (one.get("card") or {"texts": [""]})["texts"][0]

    # The group reads nobody's draft: it comes back to its writer directly.
    again = await room.stack.see("ann", await room.direct("ann"), is_back, "the form with the problem on top")
    kept = {one["label"]: one["value"] for one in again["card"]["inputs"] if one["value"]}
    assert kept == TYPED | {SCOPES: "docs/**\n/etc/passwd"}
    one, two = await at_once(*(room.stack.press("ann", again, "Submit", {SCOPES: TYPED[SCOPES]}) for _ in range(2)))
    assert {one["type"], two["type"]} == {"success", "info"}
    assert await room.history() == before + 2
    listed = (await room.stack.cli("goal", "list", "--limit", "200"))["goals"]
    (goal_id,) = [found["goal_id"] for found in listed if found["display_name"] == TYPED[TITLE]]
    fields = {field["name"]: field["items"] for field in (await goal(room, goal_id))["review"]["fields"]}
    assert fields["title"] == [TYPED[TITLE]]
    assert fields["objective"] == [TYPED[OBJECTIVE]]
    assert fields["budget"] == [TYPED[BUDGET]]
    for name, label in (
        ("criteria", CRITERIA),
        ("non_goals", NON_GOALS),
        ("write_scopes", SCOPES),
        ("stop_conditions", STOP),
    ):
        assert fields[name] == TYPED[label].split("\n")
    done = await room.stack.see(
        "ann", room.group, lambda one: one["message_id"] == form["message_id"] and not buttons(one), "the closed form"
    )
    assert goal_id in json.dumps(done)


async def test_what_must_change_is_read_by_the_agent_and_on_the_card(room):
    goal_id = await room.confirmed()
    card = await room.delivered(goal_id)
    words = "Anchors too.\n每个锚点 <at id=all></at> **all**"
    answer = await room.stack.press("ann", card, "Request changes", {CHANGES_REASON: words})
    assert answer["toast"]["content"] == "Sent back with your request."
    read = (await room.agent.read("goal.show", {"goal_id": goal_id})).body
    assert read["view"]["decision"]["reason"] == words
    closed = await room.card(goal_id, "Result", "bo", also=lambda one: not buttons(one))
    assert words in closed["card"]["texts"]


async def test_a_decline_says_why(room):
    goal_id, review = await room.proposed()
    answer = await room.stack.press("ann", review, "Decline", {DECLINE_REASON: "Not this month"}, confirm=True)
    assert answer["toast"]["content"] == "Declined. Nothing will be started."
    closed = await room.card(goal_id, "Proposal", "bo", also=text_has("Not this month"))
    assert buttons(closed) == []


async def test_a_question_is_answered_on_the_card_and_a_second_answer_comes_too_late(room):
    goal_id, _ = await room.proposed()
    await room.act("goal.clarify", goal_id=goal_id, question="Which folder?", option=["docs", "site"])
    card = await room.card(goal_id, "Goal", "bo", also=has_button("提交回答"))
    assert "Which folder?" in card["card"]["texts"]
    choice, field = card["card"]["inputs"]
    assert (choice["options"], choice["value"], field["value"]) == (["1. docs", "2. site"], "", "")
    before = await room.history()
    toasts = await at_once(
        room.stack.press("bo", card, "提交回答", {field["label"]: "两个都要"}),
        room.stack.press("ann", card, "Send answer", {"Start from a suggestion": "1. docs"}),
    )
    assert await room.history() == before + 1
    assert sorted(toast["type"] for toast in toasts) == ["success", "warning"]
    assert any(
        toast["content"].startswith(("That question is not open any more.", "该问题已不在待回答状态。"))
        for toast in toasts
    )
    await room.card(goal_id, "Proposal", "bo", also=has_button("确认"))


# Messages.


async def heard(room, person, chat, text, **how):
    """Write, and read what the bot answers."""
    sent = await room.stack.write(person, chat, text, **how)
    return await room.stack.see(
        person,
        chat,
        lambda one: one["sender"]["kind"] == "bot" and (not how or one["reply_to"] == sent),
        f"an answer to {text}",
    )


async def test_commands_are_answered_in_the_language_of_whoever_writes(room):
    for person, text, begins in (
        ("ann", "goals", "Goals in this chat: "),
        ("bo", "目标", "本群的目标：显示"),
        ("sam", "goals", "I do not know you yet."),
        ("sam", "pair K7QM-2XWD", "Please send the code to me in a direct message"),
    ):
        answer = await heard(room, person, room.group, text, mention_bot=True)
        assert answer["text"].startswith(begins), (person, text, answer)
    for person, text, title in (("ann", "help", "What you can do here"), ("bo", "帮助", "你可以在这里做什么")):
        answer = await heard(room, person, room.group, text, mention_bot=True)
        assert answer["card"]["title"] == title


async def test_a_message_that_comes_again_or_late_or_not_to_the_bot_is_answered_once_if_at_all(room):
    form = await room.form()
    first = await delivered(room, form["reply_to"])
    messages = (await room.stack.control("state"))["messages"]
    for fresh in (False, True):
        again = await room.stack.control("redeliver", {"event_id": first["event_id"], "fresh_event_id": fresh})
        await settled(room, again["event_id"])
    # A bot may be let hear everything that is said in a group; what is not said to it is not its business.
    await pushed(room, changed(first, "aside", message_id="om_aside", mentions=[]))
    assert (await room.stack.control("state"))["messages"] == messages
    before = await room.history()
    direct = await room.direct("bo")
    sent = await room.stack.write("bo", direct, "提议 太晚了")
    await room.stack.see("bo", direct, has_button("提交"), "the form")
    late = {"message_id": "om_late", "chat_id": direct, "chat_type": "p2p", "mentions": [], "create_time": "1000"}
    await pushed(room, changed(await delivered(room, sent), "late", **late))
    await room.stack.see("bo", direct, has_button("现在执行？"), "that it came too late")
    assert await room.history() == before


async def delivered(room, message_id):
    """The event by which the bot heard of a message."""
    deliveries = (await room.stack.control("deliveries"))["deliveries"]
    return next(one for one in deliveries if one["body"]["event"].get("message", {}).get("message_id") == message_id)


def changed(delivery, event_id, **message):
    """The same event about another message."""
    body = json.loads(json.dumps(delivery["body"]))
    body["header"]["event_id"] = event_id
    body["event"]["message"] |= message
    return body


async def settled(room, event_id):
    async with asyncio.timeout(20):
        while True:
            deliveries = (await room.stack.control("deliveries"))["deliveries"]
            if all("acked" in one["outcomes"] for one in deliveries if one["event_id"] == event_id):
                return
            await room.stack.chat_api("GET", "changes?after=999999999&timeout_ms=100")


async def test_when_the_key_is_changed_at_once_the_cards_get_buttons_that_work(room):
    goal_id, review = await room.proposed()
    old = await token_of(room, review, "Confirm")
    await room.stack.cli("button-key", "rotate", "--grace-seconds", "0")
    fresh = await room.card(goal_id, "Proposal", also=lambda one: one["version"] > review["version"])
    assert fresh["message_id"] == review["message_id"]
    before = await room.history()
    await pushed(room, await callback(room, review, "ann", old))
    assert await room.history() == before
    assert (await room.stack.press("ann", fresh, "Confirm"))["toast"]["content"] == "Confirmed. Work can start."


async def test_the_whole_of_it_is_proved(room):
    """At the end, so that it covers all of the above: every hash holds, and every decision was made in the chat."""
    assert (await room.stack.cli("ledger", "verify"))["ok"] is True
