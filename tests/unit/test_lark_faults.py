"""What each answer of the platform means: a table by code, with the status only where the body says nothing."""

import orjson
import pytest

from bot.lark import BotInfo, LarkFault, LarkFaultKind, SentMessage
from bot.lark_faults import RETRY_AFTER_S_MAX, bot_identity, read_answer, retry_after_s, sent_message


def body(code, msg="", **more):
    return orjson.dumps({"code": code, "msg": msg, **more})


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (99991400, "rate_limited"),
        (230020, "rate_limited"),
        (11232, "rate_limited"),
        (99991661, "token"),
        (99991663, "token"),
        (99991664, "token"),
        (99991668, "token"),
        (99991671, "token"),
        (99991677, "token"),
        (230011, "gone"),
        (230019, "gone"),
        (230031, "gone"),
        (230110, "gone"),
        (231003, "gone"),
        (230002, "chat_lost"),
        (230013, "chat_lost"),
        (230029, "chat_lost"),
        (230035, "chat_lost"),
        (230053, "chat_lost"),
        (232009, "chat_lost"),
        (230022, "refused_card"),
        (230025, "refused_card"),
        (230028, "refused_card"),
        (230099, "refused_card"),
        (200861, "refused_card"),
        (11310, "refused_card"),
        (230001, "bad_request"),
        (230034, "bad_request"),
        (230054, "bad_request"),
        (99992351, "bad_request"),
        (99992354, "bad_request"),
        (99992402, "bad_request"),
        (123456789, "bad_request"),
        (230049, "unknown_outcome"),
        (10003, "fatal"),
        (10014, "fatal"),
        (99991401, "fatal"),
        (99991403, "fatal"),
        (99991672, "fatal"),
        (230006, "fatal"),
    ],
)
@pytest.mark.parametrize("status", [200, 400, 403])
def test_the_code_decides_and_the_status_does_not(code, kind, status):
    with pytest.raises(LarkFault) as raised:
        read_answer(status, {}, body(code))
    assert (raised.value.kind.value, raised.value.code) == (kind, code)


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (502, b"<html>Bad Gateway</html>", LarkFaultKind.UNKNOWN_OUTCOME),
        (200, b"", LarkFaultKind.UNKNOWN_OUTCOME),
        (200, None, LarkFaultKind.UNKNOWN_OUTCOME),
        (200, b"[]", LarkFaultKind.UNKNOWN_OUTCOME),
        (200, b'{"msg":"no code"}', LarkFaultKind.UNKNOWN_OUTCOME),
        (200, b'{"code":"0"}', LarkFaultKind.UNKNOWN_OUTCOME),
        (200, b'{"code":false}', LarkFaultKind.UNKNOWN_OUTCOME),
        (200, b"\xff\xfe", LarkFaultKind.UNKNOWN_OUTCOME),
        (503, body(0), LarkFaultKind.UNKNOWN_OUTCOME),
        (500, body(123456), LarkFaultKind.UNKNOWN_OUTCOME),
        (429, b"<html>slow down</html>", LarkFaultKind.RATE_LIMITED),
        (429, body(123456), LarkFaultKind.RATE_LIMITED),
    ],
)
def test_what_cannot_be_read_may_have_happened(status, content, kind):
    with pytest.raises(LarkFault) as raised:
        read_answer(status, {}, content)
    assert raised.value.kind is kind


def test_success_is_code_zero_in_the_raw_body():
    assert read_answer(200, {}, body(0, data={"message_id": "om_1"}))["data"] == {"message_id": "om_1"}


def test_the_cards_sub_code_is_read_and_the_text_is_not_kept():
    message = (
        "Failed to create card content, ext=ErrCode: 11310; ErrMsg: table number over limit; ErrorValue: om_private;"
    )
    with pytest.raises(LarkFault) as raised:
        read_answer(400, {}, body(230099, message))
    assert raised.value.sub_code == 11310
    assert str(raised.value) == "refused_card (code 230099/11310)"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"x-ogw-ratelimit-reset": "3"}, 3.0),
        ({"X-Ogw-Ratelimit-Reset": " 2.5 "}, 2.5),
        ({"Retry-After": "7"}, 7.0),
        ({"x-ogw-ratelimit-reset": "soon", "retry-after": "9"}, 9.0),
        ({"x-ogw-ratelimit-reset": "-1"}, None),
        ({"x-ogw-ratelimit-reset": "nan"}, None),
        ({"x-ogw-ratelimit-reset": "٣"}, None),
        ({"x-ogw-ratelimit-reset": "999999999"}, RETRY_AFTER_S_MAX),
    ],
)
def test_the_wait_is_the_platforms_if_it_makes_sense(headers, expected):
    assert retry_after_s(headers) == expected
    with pytest.raises(LarkFault) as raised:
        read_answer(429, headers, body(99991400))
    assert raised.value.retry_after_s == expected


def test_only_rate_limits_carry_a_wait():
    with pytest.raises(LarkFault) as raised:
        read_answer(400, {"retry-after": "9"}, body(230011))
    assert raised.value.retry_after_s is None


def test_fatal_faults_say_what_to_do():
    with pytest.raises(LarkFault) as raised:
        read_answer(200, {}, body(99991672))
    assert "permission" in raised.value.reason


def test_unknown_fields_are_tolerated_and_missing_ones_are_an_unknown_outcome():
    sent = {"data": {"message_id": "om_1", "chat_id": "oc_1", "brand_new": {"x": 1}}, "more": 1}
    assert sent_message(sent) == SentMessage(message_id="om_1", chat_id="oc_1")
    assert sent_message({"data": {"message_id": "om_1"}}) == SentMessage(message_id="om_1", chat_id="")
    assert bot_identity({"bot": {"open_id": "ou_b", "app_name": None}}) == BotInfo(open_id="ou_b", name="")
    for answer in ({}, {"data": None}, {"data": {}}, {"data": {"message_id": 5}}):
        with pytest.raises(LarkFault) as raised:
            sent_message(answer)
        assert raised.value.kind is LarkFaultKind.UNKNOWN_OUTCOME
    with pytest.raises(LarkFault):
        bot_identity({"bot": {"open_id": ""}})
