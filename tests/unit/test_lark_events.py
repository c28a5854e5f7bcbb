"""Reading events: every field that is wanted, and nothing that crashes on what is not."""

import copy

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.lark import InboundMessage, InboundPress, LarkUser
from bot.lark_events import UNREADABLE_EVENT, OtherEvent, StrayPress, read_event

BOT = "ou_bot"

MESSAGE = {
    "schema": "2.0",
    "header": {
        "event_id": "ev-1",
        "event_type": "im.message.receive_v1",
        "create_time": "1608725989000",
        "token": "vt",
        "app_id": "cli_a",
        "tenant_key": "tenant-of-the-app",
    },
    "event": {
        "sender": {
            "sender_id": {"union_id": "on_1", "user_id": None, "open_id": "ou_ann"},
            "sender_type": "user",
            "tenant_key": "tenant-of-ann",
        },
        "message": {
            "message_id": "om_1",
            "root_id": "om_0",
            "create_time": "1609073151345",
            "chat_id": "oc_1",
            "thread_id": "omt_1",
            "chat_type": "group",
            "message_type": "text",
            "content": '{"text":"@_user_1 ask @_user_2 please"}',
            "mentions": [
                {
                    "key": "@_user_1",
                    "id": {"union_id": "", "open_id": BOT},
                    "mentioned_type": "bot",
                    "name": "Frontstage",
                },
                {"key": "@_user_2", "id": {"union_id": "on_2", "open_id": "ou_bo"}, "name": "Bo Chen"},
            ],
            "user_agent": "Mozilla/5.0 Lark/6.7.5 LarkLocale/zh_CN ttnet",
        },
    },
}

PRESS = {
    "schema": "2.0",
    "header": {
        "event_id": "ev-2",
        "token": "vt",
        "create_time": "1603977298000000",
        "event_type": "card.action.trigger",
        "tenant_key": "tenant-of-the-app",
        "app_id": "cli_a",
    },
    "event": {
        "operator": {"tenant_key": "tenant-of-ann", "user_id": "", "open_id": "ou_ann", "union_id": "on_1"},
        "token": "c-295ee57216a5dc9de90fefd0aadb4b1d",
        "action": {
            "value": {"t": "button-token"},
            "tag": "button",
            "timezone": "Asia/Shanghai",
            "name": "submit",
            "form_value": {"title": "短", "tags": ["a", "b"], "agree": True, "empty": ""},
        },
        "host": "im_message",
        "context": {"open_message_id": "om_card", "open_chat_id": "oc_1"},
    },
}


def changed(base, path, value):
    """A copy with one value replaced, or taken away (`...`)."""
    body = copy.deepcopy(base)
    *parents, last = path.split(".")
    place = body
    for key in parents:
        place = place[key]
    if value is ...:
        place.pop(last, None)
    else:
        place[last] = value
    return body


def read(body):
    return read_event(orjson.dumps(body), bot_open_id=BOT, locale="en")


def said(text, mentions=()):
    body = changed(MESSAGE, "event.message.content", orjson.dumps({"text": text}).decode())
    return read(changed(body, "event.message.mentions", list(mentions)))


def test_a_message_is_read_whole():
    assert read(MESSAGE) == InboundMessage(
        event_id="ev-1",
        message_id="om_1",
        app_id="cli_a",
        tenant_key="tenant-of-ann",
        sender=LarkUser(open_id="ou_ann", union_id="on_1"),
        chat_id="oc_1",
        chat_type="group",
        thread_id="omt_1",
        kind="text",
        text="ask @Bo Chen please",
        mentioned=True,
        create_time_ms=1_609_073_151_345,
        locale="zh",
    )


def rich(*paragraphs, title="", mentions=()):
    """A rich text of these paragraphs."""
    content = {"title": title, "content": list(paragraphs)}
    body = changed(MESSAGE, "event.message.content", orjson.dumps(content).decode())
    body = changed(body, "event.message.message_type", "post")
    return read(changed(body, "event.message.mentions", list(mentions)))


TO_THE_BOT = {"key": "@_user_1", "id": {"open_id": BOT}, "name": "Frontstage"}
TO_BO = {"key": "@_user_2", "id": {"open_id": "ou_bo"}, "name": "Bo Chen"}


def test_a_rich_text_is_read_as_the_text_that_it_is():
    at, words = (
        {"tag": "at", "user_id": "@_user_1", "user_name": "Frontstage"},
        {"tag": "text", "text": " propose Check "},
    )
    link, picture = {"tag": "a", "href": "http://x", "text": "the docs"}, {"tag": "img", "image_key": "img_1"}
    other = {"tag": "at", "user_id": "@_user_2", "user_name": "Bo Chen"}
    message = rich(
        [at, words, link], [picture], [{"tag": "text", "text": "with "}, other], mentions=[TO_THE_BOT, TO_BO]
    )
    assert (message.kind, message.text, message.mentioned) == ("text", "propose Check the docs\nwith @Bo Chen", True)


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        ({"title": "Only a title", "content": []}, "text", "Only a title"),
        ({"zh_cn": {"title": "", "content": [[{"tag": "text", "text": "帮助"}]]}}, "text", "帮助"),
        ({"title": "", "content": [[{"tag": "img", "image_key": "img_1"}]]}, "post", ""),
        ({"title": "", "content": "text"}, "post", ""),
        ({"content": [5, [None, "x", {"tag": 5}], {"tag": "text", "text": "x"}]}, "post", ""),
        ({}, "post", ""),
    ],
)
def test_a_rich_text_of_whatever_shape_is_read_for_its_words(content, kind, text):
    body = changed(MESSAGE, "event.message.content", orjson.dumps(content).decode())
    message = read(changed(body, "event.message.message_type", "post"))
    assert (message.kind, message.text) == (kind, text)


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("@Frontstage help", []),
        ("ask Frontstage for help", []),
        ("@_all help", []),
        ("@_user_1 help", [{"key": "@_user_1", "id": {"open_id": ""}, "name": "Frontstage"}]),
        ("@_user_1 help", [{"key": "@_user_1", "id": {"open_id": "ou_other_bot"}, "name": "Frontstage"}]),
        ("@_all help", [{"key": "@_all", "id": {"open_id": "", "union_id": ""}, "name": "all"}]),
        ('<at user_id="ou_bot">Frontstage</at> help', []),
    ],
)
def test_only_the_platforms_own_mention_speaks_to_the_bot(text, mentions):
    assert said(text, mentions).mentioned is False


@pytest.mark.parametrize(
    ("user_agent", "text", "locale"),
    [
        ("", "状态", "zh"),
        ("", "status", "en"),
        ("", "status 文档", "zh"),
        ("LarkLocale/en_US", "状态", "en"),
        ("LarkLocale/zh_CN", "status", "zh"),
    ],
)
def test_the_answers_language_is_the_clients_and_else_the_commands(user_agent, text, locale):
    body = changed(MESSAGE, "event.message.content", orjson.dumps({"text": text}).decode())
    assert read(changed(body, "event.message.user_agent", user_agent)).locale == locale


@pytest.mark.parametrize(
    ("path", "value", "field", "expected"),
    [
        ("event.sender.tenant_key", ..., "tenant_key", "tenant-of-the-app"),
        ("event.sender.sender_id.union_id", None, "sender", LarkUser(open_id="ou_ann", union_id="")),
        ("event.message.thread_id", "", "thread_id", None),
        ("event.message.thread_id", ..., "thread_id", None),
        ("event.message.chat_type", "p2p", "chat_type", "p2p"),
        ("event.message.chat_type", "topic_group", "chat_type", "group"),
        ("event.message.user_agent", ..., "locale", "en"),
        ("event.message.user_agent", "LarkLocale/en_US", "locale", "en"),
        ("event.message.user_agent", "LarkLocale/zh_HK", "locale", "zh"),
        ("event.message.user_agent", "LarkLocale/ja_JP", "locale", "en"),
        ("event.message.mentions", ..., "mentioned", False),
        ("event.message.mentions", None, "mentioned", False),
        ("event.message.mentions", ["x", 5, {}], "mentioned", False),
        ("event.message.message_type", "image", "text", ""),
        ("event.message.message_type", "post", "kind", "post"),
    ],
)
def test_what_may_be_absent_may_be_absent(path, value, field, expected):
    message = read(changed(MESSAGE, path, value))
    assert isinstance(message, InboundMessage)
    assert getattr(message, field) == expected


@pytest.mark.parametrize(
    "path",
    [
        "header.event_id",
        "header.app_id",
        "event.sender",
        "event.sender.sender_id.open_id",
        "event.message",
        "event.message.message_id",
        "event.message.chat_id",
        "event.message.chat_type",
        "event.message.create_time",
        "event.message.message_type",
        "event.message.content",
    ],
)
@pytest.mark.parametrize("value", [..., None, 5, [], ""])
def test_what_is_needed_makes_the_event_one_to_park(path, value):
    event = read(changed(MESSAGE, path, value))
    assert isinstance(event, OtherEvent)
    assert event.event_type == "im.message.receive_v1"
    assert event.body


@pytest.mark.parametrize("content", ["not json", "[]", '{"text":5}', "{}", "null"])
def test_text_content_that_is_no_text_is_parked_too(content):
    assert isinstance(read(changed(MESSAGE, "event.message.content", content)), OtherEvent)


@pytest.mark.parametrize("create_time", ["soon", "-1", "1.5", "٣", "0x1"])
def test_a_time_that_is_no_number_is_parked(create_time):
    assert isinstance(read(changed(MESSAGE, "event.message.create_time", create_time)), OtherEvent)


def mention(number, name, open_id="ou_x"):
    return {"key": f"@_user_{number}", "id": {"open_id": open_id}, "name": name}


@pytest.mark.parametrize(
    ("text", "mentions", "expected"),
    [
        ("@_user_1 hello", [mention(1, "Bot", BOT)], "hello"),
        ("hello @_user_1", [mention(1, "Bot", BOT)], "hello"),
        ("@_user_1  a\nb", [mention(1, "Bot", BOT)], "a\nb"),
        ("@_user_1 and @_user_10", [mention(1, "Bot", BOT), mention(10, "Bo")], "and @Bo"),
        ("@_user_1", [mention(1, "@_user_2"), mention(2, "Bo")], "@@_user_2"),
        ("@_all now", [], "now"),
        ("@_all @_user_1 now", [mention(1, "Bot", BOT)], "now"),
        ("mail a@_user_name.org", [], "mail a@_user_name.org"),
        ('<at user_id="all"></at> *x*', [], '<at user_id="all"></at> *x*'),
        ("", [], ""),
    ],
)
def test_mention_keys_leave_the_text(text, mentions, expected):
    assert said(text, mentions).text == expected


def test_only_a_mention_of_this_bot_counts():
    assert said("@_user_1 hi", [mention(1, "Another bot", "ou_other")]).mentioned is False
    assert said("@_all hi").mentioned is False
    body = orjson.dumps(changed(MESSAGE, "event.message.mentions", [mention(1, "x", "")]))
    assert read_event(body, bot_open_id="", locale="en").mentioned is False


def test_messages_of_bots_are_not_taken_as_messages():
    assert isinstance(read(changed(MESSAGE, "event.sender.sender_type", "app")), OtherEvent)


def test_a_press_is_read_whole():
    assert read(PRESS) == InboundPress(
        event_id="ev-2",
        app_id="cli_a",
        tenant_key="tenant-of-ann",
        operator=LarkUser(open_id="ou_ann", union_id="on_1"),
        chat_id="oc_1",
        message_id="om_card",
        token="button-token",
        locale="en",
        form={"title": "短", "tags": ["a", "b"], "agree": True, "empty": ""},
        name="submit",
    )


def test_stand_alone_controls_bring_what_was_picked_or_typed():
    body = changed(PRESS, "event.action", {"value": {"t": "x"}, "tag": "select_static", "option": "high"})
    assert read(body).option == "high"
    body = changed(PRESS, "event.action", {"value": {"t": "x"}, "tag": "input", "input_value": "1234"})
    assert (read(body).input_value, read(body).form) == ("1234", {})


def test_an_overflow_option_may_be_the_token():
    body = changed(PRESS, "event.action", {"tag": "overflow", "option": "option-token"})
    assert read(body).token == "option-token"
    body = changed(PRESS, "event.action", {"tag": "select_static", "option": "not-a-token"})
    assert read(body) == StrayPress(event_id="ev-2")


@pytest.mark.parametrize("value", [..., None, "text", '{"t":"x"}', 5, [], {}, {"t": 5}, {"t": ""}, {"T": "x"}])
def test_a_press_without_our_token_is_a_stray(value):
    assert read(changed(PRESS, "event.action.value", value)) == StrayPress(event_id="ev-2")


@pytest.mark.parametrize("path", ["header.app_id", "event.operator", "event.operator.open_id", "event.context"])
def test_a_press_by_nobody_or_nowhere_is_parked(path):
    assert isinstance(read(changed(PRESS, path, ...)), OtherEvent)


@pytest.mark.parametrize("form", [None, "x", [1]])
def test_a_form_that_is_none_has_no_fields(form):
    assert read(changed(PRESS, "event.action.form_value", form)).form == {}


def test_the_callback_token_is_not_kept():
    assert "c-295" not in repr(read(PRESS))


@pytest.mark.parametrize("payload", [b"", b"null", b"[]", b'"x"', b"5", b"{", b"\xff\xfe", b"{}", b'{"header":5}'])
def test_anything_else_is_unreadable(payload):
    event = read_event(payload, bot_open_id=BOT, locale="en")
    assert isinstance(event, OtherEvent)
    assert event.event_type == UNREADABLE_EVENT


def test_a_version_1_event_keeps_its_type_and_id():
    event = read({"uuid": "ev-9", "type": "event_callback", "event": {"type": "app_open"}})
    assert (event.event_type, event.event_id) == ("app_open", "ev-9")


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def paths(body, prefix=""):
    for key, value in body.items():
        yield prefix + key
        if isinstance(value, dict):
            yield from paths(value, prefix + key + ".")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([MESSAGE, PRESS]), st.data(), _json)
def test_no_value_in_no_place_makes_it_raise(base, data, value):
    path = data.draw(st.sampled_from(list(paths(base))))
    event = read(changed(base, path, value))
    assert isinstance(event, InboundMessage | InboundPress | StrayPress | OtherEvent)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=64))
def test_no_bytes_make_it_raise(payload):
    assert isinstance(read_event(payload, bot_open_id=BOT, locale="en"), OtherEvent)
