"""The chat interface: a program plays a person, sees what a person sees and can do no more."""

import asyncio
import json

import pytest

from tests.api.simulator_helpers import (
    START_MS,
    bench,
    both,
    button,
    card,
    connected,
    div,
    entry,
    form,
    plain,
)

INTERACTIVE_LIFE_MS = 14 * 24 * 3_600_000
TYPED_CHARS_MAX = 20_000
HEADER = {
    "title": both("Ship it", "发布"),
    "subtitle": plain("Proposal"),
    "template": "orange",
    "text_tag_list": [{"tag": "text_tag", "text": both("waiting", "等待"), "color": "red"}],
}
PRIORITY = {
    "tag": "select_static",
    "name": "priority",
    "placeholder": both("Priority", "优先级"),
    "initial_index": 1,
    "options": [{"text": both("High", "高"), "value": "p0"}, {"text": both("Low", "低"), "value": "p1"}],
}
FULL = card(
    {
        "tag": "markdown",
        "content": "**Needed:** [read](https://example.com) <font color='red'>this</font>\n- one &lt;at id=all&gt;",
    },
    {
        "tag": "column_set",
        "columns": [{"tag": "column", "elements": [div("Quota", text_size="notation"), div("3 of 48")]}],
    },
    {
        "tag": "markdown",
        "content": f"until <local_datetime millisecond='{START_MS}' format_type='time'></local_datetime>",
    },
    {"tag": "collapsible_panel", "header": {"title": both("More", "更多")}, "elements": [div("folded **text**")]},
    form(
        entry(label="Objective", required=True, default_value="as it was", max_length=20),
        entry("notes", "Notes", input_type="multiline_text"),
        PRIORITY,
        button(both("Clear", "清空"), name="clear", form_action_type="reset"),
        submit=button(both("Send", "提交"), "t-form", name="send", form_action_type="submit", type="primary"),
    ),
    button(both("Confirm", "确认"), "t-confirm"),
    button("Stop", "t-stop", type="danger", confirm={"title": plain("Stop?"), "text": plain("For good.")}),
    button("Accept", "t-accept", disabled=True, disabled_tips=plain("not yet")),
    {
        "tag": "overflow",
        "options": [{"text": plain("Pause"), "value": "t-pause"}, {"text": plain("History"), "value": "t-history"}],
    },
    {"tag": "div", "text": plain("event 17 · a81f3c", text_size="notation")},
    header=HEADER,
)


@pytest.fixture
async def desk():
    async with bench() as running:
        yield running


async def seen(desk, message_id, person="ann"):
    status, answer = await desk.chat("GET", f"messages/{message_id}?person={person}")
    assert status == 200, answer
    return answer["message"]


async def test_people_and_their_chats(desk):
    _, people = await desk.chat("GET", "people")
    assert [(one["key"], one["name"], one["language"]) for one in people["people"]] == [
        ("ann", "Ann Lee", "en_us"),
        ("bo", "陈博", "zh_cn"),
        ("sam", "Sam Stranger", "en_us"),
    ]
    await desk.sent(FULL)
    async with connected(desk):
        _, answer = await desk.chat("GET", "chats?person=陈博")
    assert [(chat["name"], chat["kind"], chat["preview"]) for chat in answer["chats"]] == [
        ("Launch room", "group", "[发布]"),
        ("Frontstage", "p2p", ""),
    ]
    assert answer["online"] == ["Frontstage"]


async def test_a_card_as_seen_in_english(desk):
    view = (await seen(desk, await desk.sent(FULL)))["card"]
    assert (view["title"], view["subtitle"], view["template"], view["tags"]) == (
        "Ship it",
        "Proposal",
        "orange",
        ["waiting"],
    )
    assert view["texts"] == [
        "Needed: read this\none <at id=all>",
        "Quota",
        "3 of 48",
        "until 09:00",
        "More",
        "folded **text**",
        "event 17 · a81f3c",
    ]
    assert view["footers"] == ["event 17 · a81f3c"]
    assert [(one["label"], one["kind"], one["required"], one["value"], one["options"]) for one in view["inputs"]] == [
        ("Objective", "text", True, "as it was", []),
        ("Notes", "multiline", False, "", []),
        ("Priority", "select", False, "High", ["High", "Low"]),
    ]
    assert [(one["label"], one["enabled"], one["in_menu"], one["submits_form"]) for one in view["buttons"]] == [
        ("Clear", True, False, False),
        ("Send", True, False, True),
        ("Confirm", True, False, False),
        ("Stop", True, False, False),
        ("Accept", False, False, False),
        ("Pause", True, True, False),
        ("History", True, True, False),
    ]
    assert "t-confirm" not in json.dumps(view)


async def test_the_same_card_as_seen_in_chinese(desk):
    view = (await seen(desk, await desk.sent(FULL), "bo"))["card"]
    assert (view["title"], view["tags"]) == ("发布", ["等待"])
    assert [one["label"] for one in view["buttons"]] == ["清空", "提交", "确认", "Stop", "Accept", "Pause", "History"]
    assert (view["inputs"][2]["label"], view["inputs"][2]["value"]) == ("优先级", "高")
    assert "until 17:00" in view["texts"]  # the same moment, in Shanghai


@pytest.mark.parametrize(
    ("locales", "bo_sees"), [([], "甲"), (["zh_cn", "en_us"], "甲"), (["en_us"], "a"), (["ja_jp"], "plain")]
)
async def test_a_card_may_say_which_languages_are_in_force(desk, locales, bo_sees):
    text = plain("plain", i18n_content={"zh_cn": "甲", "en_us": "a"})
    message_id = await desk.sent(card({"tag": "div", "text": text}, locales=locales))
    assert (await seen(desk, message_id, "bo"))["card"]["texts"] == [bo_sees]


async def test_pressing_by_label_sends_the_buttons_value(desk):
    message_id = await desk.sent(FULL)
    async with connected(desk) as bot:
        for person, label, token in (("ann", "Confirm", "t-confirm"), ("bo", "确认", "t-confirm")):
            status, pressed = await desk.press(message_id, label, person)
            assert (status, pressed["toast"]["type"], pressed["error_code"]) == (200, "success", 0)
            assert (await bot.next())["event"]["action"]["value"] == {"t": token}


async def test_an_entry_of_the_menu_sends_its_option(desk):
    message_id = await desk.sent(FULL)
    async with connected(desk) as bot:
        await desk.press(message_id, "History")
        action = (await bot.next())["event"]["action"]
    assert action == {"tag": "overflow", "option": "t-history", "timezone": "Europe/London"}


async def test_a_form_is_sent_under_the_names_of_its_inputs(desk):
    message_id = await desk.sent(FULL)
    async with connected(desk) as bot:
        inputs = {"Objective": "ship by Friday", "Notes": "two\nlines", "Priority": "Low"}
        status, _ = await desk.press(message_id, "Send", inputs=inputs)
        action = (await bot.next())["event"]["action"]
        assert status == 200
        assert (action["tag"], action["name"], action["value"]) == ("button", "send", {"t": "t-form"})
        assert action["form_value"] == {"objective": "ship by Friday", "notes": "two\nlines", "priority": "p1"}
        await desk.press(message_id, "提交", "bo")
        untouched = (await bot.next())["event"]["action"]["form_value"]
    assert untouched == {"objective": "as it was", "notes": "", "priority": "p0"}


REFUSED_PRESSES = {
    "unknown button": ({"button": "Launch"}, 404, "no_such_button"),
    "button of the other language": ({"button": "确认"}, 404, "no_such_button"),
    "no button": ({"button": ""}, 404, "no_such_button"),
    "disabled button": ({"button": "Accept"}, 409, "button_disabled"),
    "confirmation missing": ({"button": "Stop"}, 409, "confirmation_needed"),
    "unknown input": ({"button": "Send", "inputs": {"Title": "x"}}, 404, "no_such_input"),
    "input by its name": ({"button": "Send", "inputs": {"objective": "x"}}, 404, "no_such_input"),
    "empty required input": ({"button": "Send", "inputs": {"Objective": "  "}}, 422, "input_required"),
    "too long": ({"button": "Send", "inputs": {"Objective": "x" * 21}}, 422, "input_too_long"),
    "unknown option": ({"button": "Send", "inputs": {"Priority": "Middling"}}, 422, "no_such_option"),
    "two values": ({"button": "Send", "inputs": {"Priority": ["High", "Low"]}}, 422, "bad_value"),
    "a number": ({"button": "Send", "inputs": {"Notes": 7}}, 422, "bad_value"),
    "inputs for a plain button": ({"button": "Confirm", "inputs": {"Objective": "x"}}, 409, "not_a_form"),
    "stranger to the system": ({"person": "eve", "button": "Confirm"}, 404, "no_such_person"),
}


@pytest.mark.parametrize(("body", "status", "code"), REFUSED_PRESSES.values(), ids=REFUSED_PRESSES)
async def test_a_press_a_person_could_not_make_is_refused_and_sends_nothing(desk, body, status, code):
    message_id = await desk.sent(FULL)
    async with connected(desk) as bot:
        got, answer = await desk.chat("POST", f"messages/{message_id}/press", {"person": "ann", **body})
        assert (got, answer["error"]["code"]) == (status, code)
        assert answer["error"]["message"]
        assert bot.seen.empty()


async def test_a_confirmation_is_shown_and_then_given(desk):
    message_id = await desk.sent(FULL)
    async with connected(desk) as bot:
        _, answer = await desk.press(message_id, "Stop")
        assert answer["error"]["confirm"] == {"title": "Stop?", "text": "For good."}
        status, _ = await desk.press(message_id, "Stop", confirm=True)
        assert status == 200
        assert (await bot.next())["event"]["action"]["value"] == {"t": "t-stop"}


async def test_an_input_of_twenty_characters_takes_twenty(desk):
    message_id = await desk.sent(FULL)
    async with connected(desk) as bot:
        await desk.press(message_id, "Send", inputs={"Objective": "目" * 20})
        assert (await bot.next())["event"]["action"]["form_value"]["objective"] == "目" * 20


async def test_two_buttons_of_one_label_are_told_apart_by_path(desk):
    message_id = await desk.sent(card(button("Yes", "t1"), button("Yes", "t2")))
    async with connected(desk) as bot:
        status, answer = await desk.press(message_id, "Yes")
        assert (status, answer["error"]["code"]) == (409, "ambiguous_button")
        await desk.press(message_id, answer["error"]["paths"][1])
        assert (await bot.next())["event"]["action"]["value"] == {"t": "t2"}


async def test_a_reset_stays_on_the_client_and_a_link_opens_a_page(desk):
    page = {**button("Read"), "behaviors": [{"type": "open_url", "default_url": "https://example.com/doc"}]}
    message_id = await desk.sent(card(*FULL["body"]["elements"], page))
    async with connected(desk) as bot:
        _, reset = await desk.press(message_id, "Clear")
        _, opened = await desk.press(message_id, "Read")
        assert (reset["reset"], opened["url"]) == (True, "https://example.com/doc")
        assert bot.seen.empty()


async def test_inputs_outside_a_form_are_sent_at_once(desk):
    alone = {**PRIORITY, "behaviors": [{"type": "callback", "value": {"t": "t-alone"}}]}
    message_id = await desk.sent(
        card(alone, {**entry("say", "Say")}, {"tag": "checker", "name": "done", "text": plain("Done")})
    )
    async with connected(desk) as bot:
        expected = [
            (
                "Priority",
                "Low",
                {"tag": "select_static", "value": {"t": "t-alone"}, "option": "p1", "name": "priority"},
            ),
            ("Say", "hi", {"tag": "input", "value": {}, "input_value": "hi", "name": "say"}),
            ("Done", True, {"tag": "checker", "value": {}, "checked": True, "name": "done"}),
        ]
        for label, value, action in expected:
            status, _ = await desk.chat(
                "POST", f"messages/{message_id}/choose", {"person": "ann", "input": label, "value": value}
            )
            assert status == 200
            assert (await bot.next())["event"]["action"] == {**action, "timezone": "Europe/London"}


async def test_a_forwarded_copy_is_inert_unless_the_card_says_otherwise(desk):
    source = await desk.sent(FULL)
    lively = await desk.sent(card(button(), enable_forward_interaction=True))
    closed = await desk.sent(card(button(), enable_forward=False))
    async with connected(desk) as bot:
        _, copy = await desk.chat("POST", f"messages/{source}/forward", {"person": "ann", "chat": "Frontstage"})
        view = await seen(desk, copy["message_id"])
        assert view["forwarded"]
        assert not any(one["enabled"] for one in [*view["card"]["buttons"], *view["card"]["inputs"]])
        status, answer = await desk.press(copy["message_id"], "Confirm")
        assert (status, answer["error"]["code"]) == (409, "button_disabled")
        _, copy = await desk.chat("POST", f"messages/{lively}/forward", {"person": "ann", "chat": "Frontstage"})
        await desk.press(copy["message_id"], "Confirm")
        body = await bot.next()
        assert body["event"]["context"]["open_message_id"] == copy["message_id"] != lively
        status, answer = await desk.chat("POST", f"messages/{closed}/forward", {"person": "ann", "chat": "Frontstage"})
        assert (status, answer["error"]["code"]) == (409, "forward_forbidden")


async def test_a_card_can_be_used_for_fourteen_days(desk):
    message_id = await desk.sent(card(button()))
    async with connected(desk):
        desk.clock.advance(INTERACTIVE_LIFE_MS)
        assert (await desk.press(message_id, "Confirm"))[0] == 200
        desk.clock.advance(1)
        status, answer = await desk.press(message_id, "Confirm")
        assert (status, answer["error"]["code"]) == (409, "button_disabled")


async def test_a_recalled_message_shows_nothing_and_cannot_be_pressed(desk):
    message_id = await desk.sent(FULL)
    await desk.api("DELETE", f"/im/v1/messages/{message_id}")
    view = await seen(desk, message_id)
    assert view["recalled"]
    assert "card" not in view
    status, answer = await desk.press(message_id, "Confirm")
    assert (status, answer["error"]["code"]) == (410, "message_recalled")


async def test_people_see_only_their_own_chats(desk):
    direct = desk.world.direct_chat(desk.app.app_id, "ann").chat_id
    message_id = await desk.sent(card(button()), to=direct)
    assert (await seen(desk, message_id))["card"]["title"] == ""
    for method, path, body in (
        ("GET", f"messages/{message_id}?person=bo", None),
        ("GET", f"chats/{direct}/messages?person=bo", None),
        ("POST", f"chats/{direct}/messages", {"person": "bo", "text": "hi"}),
        ("POST", f"messages/{message_id}/press", {"person": "bo", "button": "Confirm"}),
    ):
        assert (await desk.chat(method, path, body))[0] == 404


@pytest.mark.parametrize(
    ("typed", "content", "shown"),
    [
        ("hello", "hello", "hello"),
        ("@Frontstage hello", "@_user_1 hello", "@Frontstage hello"),
        ("@Ann Lee and @陈博", "@_user_1 and @_user_2", "@Ann Lee and @陈博"),
        ("@_user_1 @Nobody <at user_id='all'></at>", "@_user_1 @Nobody <at user_id='all'></at>", None),
        ("<b>bold</b> ** \u202e", "<b>bold</b> ** \u202e", "<b>bold</b> ** \u202e"),
    ],
)
async def test_typed_text_and_its_mentions(desk, typed, content, shown):
    _, answer = await desk.type(typed)
    assert desk.world.messages[answer["message_id"]].content == {"text": content}
    assert (await seen(desk, answer["message_id"]))["text"] == (shown or typed)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"text": " \n"}, 422, "text_empty"),
        ({"text": "x" * (TYPED_CHARS_MAX + 1)}, 422, "text_too_long"),
        ({"text": "x", "reply_to": "om_unknown"}, 404, "no_such_message"),
        ({"text": "x", "person": ""}, 404, "no_such_person"),
    ],
)
async def test_text_that_cannot_be_sent(desk, body, status, code):
    got, answer = await desk.chat("POST", f"chats/{desk.group}/messages", {"person": "ann", **body})
    assert (got, answer["error"]["code"]) == (status, code)
    assert not desk.world.messages


async def test_mentioning_the_bot_by_a_flag(desk):
    async with connected(desk) as bot:
        await desk.type("status", mention_bot=True)
        message = (await bot.next())["event"]["message"]
    assert json.loads(message["content"]) == {"text": "@_user_1 status"}


async def test_a_reader_hears_of_changes_by_long_poll(desk):
    _, people = await desk.chat("GET", "people")
    async with asyncio.TaskGroup() as tasks:
        polling = tasks.create_task(desk.chat("GET", f"changes?after={people['revision']}&timeout_ms=60000"))
        await desk.type("hello")  # before or after the poll arrives: either way it answers
        _, answer = await polling
    assert answer["revision"] > people["revision"]
    _, at_once = await desk.chat("GET", f"changes?after={answer['revision']}&timeout_ms=0")
    assert at_once["revision"] == answer["revision"]


async def test_a_reader_hears_of_changes_by_server_sent_events(desk):
    url = f"{desk.simulator.base_url}/chat/api/events"
    async with desk.session.get(url) as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        first = int((await stream.content.readuntil(b"\n\n")).removeprefix(b"data: "))
        await desk.type("hello")
        assert int((await stream.content.readuntil(b"\n\n")).removeprefix(b"data: ")) > first


@pytest.mark.parametrize(
    "path", ["messages/x/press", "messages/x/choose", "messages/x/forward", "messages/x/recall", "chats/x/messages"]
)
async def test_a_body_that_is_no_json_object(desk, path):
    for raw in (b"{", b"[]", b"\xff"):
        status, answer, _ = await desk.call("POST", f"/chat/api/{path}", raw=raw)
        assert (status, answer["error"]["code"]) == (400, "bad_json")


@pytest.mark.parametrize("path", ["/chat/api/people", "/_control/state", "/", "/open-apis/bot/v3/info"])
@pytest.mark.parametrize("headers", [{"Origin": "https://example.com"}, {"Host": "example.com"}, {"Origin": "null"}])
async def test_other_sites_pages_are_kept_out(desk, path, headers):
    status, body, _ = await desk.call("GET", path, headers=headers)
    assert status == 403
    assert b"own page" in body


async def test_the_pages_files_come_with_a_policy_that_allows_nothing_else(desk):
    for path in ("/", "/page/chat.js", "/page/card.css"):
        status, _, headers = await desk.call("GET", path)
        assert status == 200
        assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
    assert (await desk.call("GET", "/page/../server.py"))[0] == 404
