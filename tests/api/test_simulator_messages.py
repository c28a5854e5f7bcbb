"""The message calls of the simulated platform: tokens, sizes, receivers, uuids, the fourteen days, rate limits."""

import json

import pytest

from tests.api.simulator_helpers import bench, card, div, other_app

# Written out here, as the platform documents them, and not taken from the code under test.
HOUR_MS = 3_600_000
CARD_BYTES_MAX = 30_720
TEXT_BYTES_MAX = 153_600
UUID_LIFE_MS = HOUR_MS
PATCH_LIFE_MS = 14 * 24 * HOUR_MS
RECALL_LIFE_MS = 24 * HOUR_MS
TOKEN_LIFE_MS = 2 * HOUR_MS
TOKEN_RENEW_BELOW_MS = HOUR_MS // 2


@pytest.fixture
async def desk():
    async with bench() as running:
        yield running


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"app_id": "cli_nobody", "app_secret": "x"}, 10003),
        ({"app_id": "cli_frontstage_demo", "app_secret": "wrong"}, 10014),
        ({"app_id": "cli_frontstage_demo"}, 10014),
        ({}, 10003),
    ],
)
async def test_no_token_for_wrong_credentials(desk, body, code):
    _, answer, _ = await desk.call("POST", "/open-apis/auth/v3/tenant_access_token/internal", body)
    assert answer["code"] == code
    assert "tenant_access_token" not in answer


async def test_a_token_is_kept_until_half_an_hour_is_left_and_then_two_are_valid(desk):
    first = await desk.fetch_token()
    desk.clock.advance(TOKEN_LIFE_MS - TOKEN_RENEW_BELOW_MS)
    assert await desk.fetch_token() == first
    desk.clock.advance(1)
    second = await desk.fetch_token()
    assert second != first
    for token in (first, second):
        assert (await desk.api("GET", "/bot/v3/info", token=token))["code"] == 0
    desk.clock.advance(TOKEN_RENEW_BELOW_MS - 1)
    assert (await desk.api("GET", "/bot/v3/info", token=first))["code"] == 99991663
    assert (await desk.api("GET", "/bot/v3/info", token=second))["code"] == 0


@pytest.mark.parametrize(
    ("header", "code"),
    [({}, 99991661), ({"Authorization": "Basic x"}, 99991671), ({"Authorization": "Bearer t-unknown"}, 99991663)],
)
async def test_calls_without_a_valid_token(desk, header, code):
    status, answer, headers = await desk.call("GET", "/open-apis/bot/v3/info", headers=header)
    assert (status, answer["code"]) == (400, code)
    assert headers["X-Tt-Logid"] == answer["error"]["log_id"]


async def test_a_revoked_token_is_refused_and_a_new_one_works(desk):
    assert (await desk.api("GET", "/bot/v3/info"))["bot"]["open_id"] == desk.app.bot_open_id
    assert await desk.control("tokens/revoke", {}) == {"revoked": 1}
    assert (await desk.api("GET", "/bot/v3/info"))["code"] == 99991663
    desk.token = ""
    assert (await desk.api("GET", "/bot/v3/info"))["code"] == 0


def padded(desk, build, target):
    """A request body of exactly so many bytes: the limit counts the serialised request, not the card."""
    bare = len(json.dumps(build(""), ensure_ascii=False).encode())
    body = build("x" * (target - bare))
    raw = json.dumps(body, ensure_ascii=False).encode()
    assert len(raw) == target
    return raw


def card_body(desk, text):
    content = json.dumps(card(div(text)), ensure_ascii=False)
    return {"receive_id": desk.group, "msg_type": "interactive", "content": content}


def text_body(desk, text):
    return {"receive_id": desk.group, "msg_type": "text", "content": json.dumps({"text": "a" + text})}


@pytest.mark.parametrize(("build", "most"), [(card_body, CARD_BYTES_MAX), (text_body, TEXT_BYTES_MAX)])
async def test_the_size_limit_is_the_request_in_bytes(desk, build, most):
    path = "/im/v1/messages?receive_id_type=chat_id"
    at_most = await desk.api("POST", path, raw=padded(desk, lambda text: build(desk, text), most))
    assert at_most["code"] == 0
    assert next(reversed(desk.world.messages.values())).sent_bytes == most
    assert (await desk.api("POST", path, raw=padded(desk, lambda text: build(desk, text), most + 1)))["code"] == 230025


async def test_the_size_limit_of_a_patch(desk):
    message_id = await desk.sent(card())

    def build(text):
        return {"content": json.dumps(card(div(text)), ensure_ascii=False)}

    path = f"/im/v1/messages/{message_id}"
    assert (await desk.api("PATCH", path, raw=padded(desk, build, CARD_BYTES_MAX)))["code"] == 0
    assert (await desk.api("PATCH", path, raw=padded(desk, build, CARD_BYTES_MAX + 1)))["code"] == 230025


@pytest.mark.parametrize("id_type", ["chat_id", "open_id", "union_id", "user_id"])
async def test_every_kind_of_receiver(desk, id_type):
    ann = desk.world.people["ann"]
    ids = {
        "chat_id": desk.group,
        "open_id": ann.open_id(desk.app.app_id),
        "union_id": ann.union_id,
        "user_id": ann.user_id,
    }
    answer = await desk.send({"text": "hello"}, kind="text", to=ids[id_type], id_type=id_type)
    expected = desk.group if id_type == "chat_id" else desk.world.direct_chat(desk.app.app_id, "ann").chat_id
    assert (answer["code"], answer["data"]["chat_id"]) == (0, expected)


@pytest.mark.parametrize(
    ("to", "id_type", "code"),
    [
        ("oc_nowhere", "chat_id", 230034),
        ("ou_nobody", "open_id", 99992351),
        ("on_nobody", "union_id", 230034),
        ("x@example.com", "email", 230034),
        ("", "chat_id", 99992402),
        ("oc_x", "channel", 99992402),
        ("oc_x", "", 99992402),
    ],
)
async def test_receivers_that_are_not_there(desk, to, id_type, code):
    body = {"receive_id": to, "msg_type": "text", "content": '{"text":"a"}'}
    assert (await desk.api("POST", f"/im/v1/messages?receive_id_type={id_type}", body))["code"] == code


async def test_an_open_id_of_another_app_is_told_from_an_unknown_one(desk):
    other = other_app(desk)
    theirs = desk.world.people["ann"].open_id(other.app_id)
    assert (await desk.send({"text": "a"}, kind="text", to=theirs, id_type="open_id"))["code"] == 99992361


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"msg_type": "sticker"}, 230001),
        ({"content": "not json"}, 230001),
        ({"content": '{"text":""}'}, 230001),
        ({"content": {"text": "a"}}, 99992402),
        ({"content": None}, 99992402),
        ({"msg_type": "interactive", "content": "[]"}, 230099),
        ({"uuid": "u" * 51}, 99992402),
        ({"uuid": 7}, 99992402),
    ],
)
async def test_bad_messages_are_refused_and_nothing_is_sent(desk, change, code):
    body = {"receive_id": desk.group, "msg_type": "text", "content": '{"text":"a"}', **change}
    assert (await desk.api("POST", "/im/v1/messages?receive_id_type=chat_id", body))["code"] == code
    assert not desk.world.messages


async def test_a_body_that_is_no_json(desk):
    answer = await desk.api("POST", "/im/v1/messages?receive_id_type=chat_id", raw=b"{")
    assert (answer["code"], answer["_status"]) == (99992402, 400)


async def test_one_uuid_is_one_message_for_an_hour(desk):
    uuid = "u" * 50
    first = await desk.sent({"text": "a"}, kind="text", uuid=uuid)
    desk.clock.advance(UUID_LIFE_MS - 1)
    assert await desk.sent({"text": "a"}, kind="text", uuid=uuid) == first
    assert len(desk.world.messages) == 1
    desk.clock.advance(1)
    assert await desk.sent({"text": "a"}, kind="text", uuid=uuid) != first


async def test_a_uuid_counts_for_replies_too_and_belongs_to_its_app(desk):
    message_id = await desk.sent({"text": "a"}, kind="text")
    body = {"msg_type": "text", "content": '{"text":"b"}', "uuid": "same"}
    one = await desk.api("POST", f"/im/v1/messages/{message_id}/reply", body)
    two = await desk.api("POST", f"/im/v1/messages/{message_id}/reply", body)
    assert one["data"]["message_id"] == two["data"]["message_id"]
    other = other_app(desk)
    desk.world.chats[desk.group].apps.add(other.app_id)
    theirs = await desk.sent({"text": "c"}, kind="text", uuid="same", token=await desk.fetch_token(other))
    assert theirs != one["data"]["message_id"]


async def test_a_refused_message_does_not_use_up_its_uuid(desk):
    assert (await desk.send({"text": ""}, kind="text", uuid="u"))["code"] == 230001
    assert (await desk.send({"text": "a"}, kind="text", uuid="u"))["code"] == 0


async def test_a_reply_keeps_root_and_thread(desk):
    root = await desk.sent({"text": "root"}, kind="text")
    body = {"msg_type": "text", "content": '{"text":"b"}', "reply_in_thread": True}
    reply = (await desk.api("POST", f"/im/v1/messages/{root}/reply", body))["data"]
    assert (reply["parent_id"], reply["root_id"]) == (root, root)
    assert reply["thread_id"].startswith("omt_")
    below = (
        await desk.api("POST", f"/im/v1/messages/{reply['message_id']}/reply", {**body, "reply_in_thread": False})
    )["data"]
    assert (below["parent_id"], below["root_id"], below["thread_id"]) == (reply["message_id"], root, reply["thread_id"])


async def test_a_card_is_patched_and_its_versions_are_kept(desk):
    message_id = await desk.sent(card(div("one")))
    desk.clock.advance(60_000)
    assert (await desk.patch(message_id, card(div("two"))))["code"] == 0
    (view,) = (await desk.control("messages"))["messages"]
    assert [version["by"] for version in view["versions"]] == ["send", "patch"]
    item = (await desk.api("GET", f"/im/v1/messages/{message_id}?card_msg_content_type=raw_card_content"))["data"][
        "items"
    ][0]
    assert item["updated"] is True
    assert json.loads(item["body"]["content"]) == card(div("two"))


async def test_a_card_read_back_without_asking_for_it_is_simplified(desk):
    message_id = await desk.sent(card())
    item = (await desk.api("GET", f"/im/v1/messages/{message_id}"))["data"]["items"][0]
    assert set(json.loads(item["body"]["content"])) == {"title", "elements"}


async def test_a_card_can_be_patched_for_fourteen_days(desk):
    message_id = await desk.sent(card())
    desk.clock.advance(PATCH_LIFE_MS)
    desk.token = ""
    assert (await desk.patch(message_id, card()))["code"] == 0
    desk.clock.advance(1)
    assert (await desk.patch(message_id, card()))["code"] == 230031


async def test_patching_what_cannot_be_patched(desk):
    recalled = await desk.sent(card())
    assert (await desk.api("DELETE", f"/im/v1/messages/{recalled}"))["code"] == 0
    assert (await desk.patch(recalled, card()))["code"] == 230011
    text = await desk.sent({"text": "a"}, kind="text")
    assert (await desk.patch(text, card()))["code"] == 230001
    mine = await desk.sent(card())
    assert (await desk.patch(mine, card({"tag": "note"})))["code"] == 230099
    other = other_app(desk)
    desk.world.chats[desk.group].apps.add(other.app_id)
    assert (await desk.patch(mine, card(), token=await desk.fetch_token(other)))["code"] == 230027
    assert (await desk.patch("om_unknown", card()))["code"] == 230110
    assert (await desk.patch("c-295ee57216a5", card()))["code"] == 99992354


async def test_recalling(desk):
    message_id = await desk.sent(card())
    assert (await desk.api("DELETE", f"/im/v1/messages/{message_id}"))["code"] == 0
    assert (await desk.api("DELETE", f"/im/v1/messages/{message_id}"))["code"] == 230011
    old = await desk.sent(card())
    desk.clock.advance(RECALL_LIFE_MS + 1)
    desk.token = ""
    assert (await desk.api("DELETE", f"/im/v1/messages/{old}"))["code"] == 230009
    _, typed = await desk.type("hello")
    assert (await desk.api("DELETE", f"/im/v1/messages/{typed['message_id']}"))["code"] == 230026
    reply = {"msg_type": "text", "content": '{"text":"b"}'}
    assert (await desk.api("POST", f"/im/v1/messages/{message_id}/reply", reply))["code"] == 230011
    assert (await desk.api("POST", "/im/v1/messages/om_unknown/reply", reply))["code"] == 231003


async def test_a_bot_outside_the_chat_can_do_nothing_there(desk):
    message_id = await desk.sent(card())
    assert await desk.control(f"chats/{desk.group}/bot", {"present": False}) == {"changed": True}
    assert (await desk.send(card()))["code"] == 230002
    assert (await desk.patch(message_id, card()))["code"] == 230002
    assert (await desk.api("GET", f"/im/v1/messages/{message_id}"))["code"] == 230002
    inside = await desk.api("GET", f"/im/v1/chats/{desk.group}/members/is_in_chat")
    assert inside["data"] == {"is_in_chat": False}
    assert (await desk.api("GET", "/im/v1/chats"))["data"]["items"] == []
    await desk.control(f"chats/{desk.group}/bot", {"present": True})
    assert (await desk.send(card()))["code"] == 0
    assert (await desk.api("GET", f"/im/v1/chats/{desk.group}"))["data"]["name"] == "Launch room"


async def test_a_dissolved_chat(desk):
    message_id = await desk.sent(card())
    await desk.control(f"chats/{desk.group}/dissolve", {})
    assert (await desk.send(card()))["code"] == 232009
    assert (await desk.patch(message_id, card()))["code"] == 232009
    status, answer = await desk.type("anyone here?")
    assert (status, answer["error"]["code"]) == (409, "chat_dissolved")


async def test_a_chat_is_read_in_pages(desk):
    for number in range(3):
        await desk.sent({"text": f"n{number}"}, kind="text")
    path = f"/im/v1/messages?container_id_type=chat&container_id={desk.group}&page_size=2"
    first = (await desk.api("GET", path))["data"]
    assert (len(first["items"]), first["has_more"]) == (2, True)
    second = (await desk.api("GET", f"{path}&page_token={first['page_token']}"))["data"]
    assert (len(second["items"]), second["has_more"]) == (1, False)
