"""Rate limits of the simulated platform, N accepted and N + 1 refused, and the mentions it finds in messages."""

import pytest

from tests.api.simulator_helpers import bench, card, div, other_app


@pytest.fixture
async def desk():
    async with bench() as running:
        yield running


async def test_five_messages_a_second_to_one_chat(desk):
    for _ in range(5):
        assert (await desk.send(card()))["code"] == 0
    full = await desk.send(card())
    assert (full["code"], full["_status"]) == (99991400, 429)
    assert (full["_headers"]["x-ogw-ratelimit-limit"], full["_headers"]["x-ogw-ratelimit-reset"]) == ("5", "1")
    ann = desk.world.people["ann"].open_id(desk.app.app_id)
    assert (await desk.send(card(), to=ann, id_type="open_id"))["code"] == 0
    desk.clock.advance(999)
    assert (await desk.send(card()))["code"] == 99991400
    desk.clock.advance(1)
    assert (await desk.send(card()))["code"] == 0
    assert len(desk.world.of_chat(desk.group)) == 6


async def test_the_chat_limit_is_shared_by_its_bots_and_by_replies(desk):
    other = other_app(desk)
    desk.world.chats[desk.group].apps.add(other.app_id)
    token = await desk.fetch_token(other)
    message_id = await desk.sent({"text": "a"}, kind="text")
    for _ in range(2):
        await desk.sent({"text": "a"}, kind="text")
        await desk.sent({"text": "b"}, kind="text", token=token)
    # Sends and replies are different endpoints of one chat.
    reply = {"msg_type": "text", "content": '{"text":"b"}'}
    assert (await desk.api("POST", f"/im/v1/messages/{message_id}/reply", reply))["code"] == 99991400


async def test_five_patches_a_second_of_one_message(desk):
    one, two = await desk.sent(card()), await desk.sent(card())
    for number in range(5):
        assert (await desk.patch(one, card(div(str(number)))))["code"] == 0
    assert (await desk.patch(one, card(div("late"))))["code"] == 99991400
    assert (await desk.patch(two, card()))["code"] == 0
    assert len(desk.world.messages[one].versions) == 6


async def test_fifty_calls_a_second_and_a_thousand_a_minute(desk):
    async def calls(count):
        return [(await desk.api("GET", "/bot/v3/info"))["code"] for _ in range(count)]

    assert await calls(51) == [0] * 50 + [99991400]
    for _ in range(19):
        desk.clock.advance(1_000)
        assert await calls(50) == [0] * 50
    desk.clock.advance(1_000)
    full = await desk.api("GET", "/bot/v3/info")
    assert (full["code"], full["_headers"]["x-ogw-ratelimit-limit"]) == (99991400, "1000")
    assert int(full["_headers"]["x-ogw-ratelimit-reset"]) == 40
    assert (await desk.send(card()))["code"] == 0  # another endpoint has its own thousand


@pytest.mark.parametrize(("style", "status", "code"), [("400", 400, 99991400), ("230020", 400, 230020)])
async def test_the_other_two_ways_platforms_say_slow_down(desk, style, status, code):
    await desk.control("limits", {"style": style})
    for _ in range(5):
        await desk.sent(card())
    full = await desk.send(card())
    assert (full["_status"], full["code"]) == (status, code)
    assert full["_headers"]["x-ogw-ratelimit-reset"] == "1"


@pytest.mark.parametrize(
    ("content", "kind", "expected"),
    [
        ({"text": 'hi <at user_id="all">everyone</at>'}, "text", [("all", "all")]),
        ({"text": "no mention: @all"}, "text", []),
        (card(div("<at id=all></at>")), "interactive", []),
        (card({"tag": "markdown", "content": "<at id=all></at>"}), "interactive", [("all", "all")]),
        (card({"tag": "markdown", "content": "&lt;at id=all&gt;"}), "interactive", []),
        (
            card({"tag": "markdown", "content": "x", "i18n_content": {"zh_cn": "<at id='all'></at>"}}),
            "interactive",
            [("all", "all")],
        ),
        (
            card({"tag": "div", "text": {"tag": "lark_md", "content": "<AT ID = all >x</AT>"}}),
            "interactive",
            [("all", "all")],
        ),
    ],
)
async def test_mentions_are_found_wherever_the_platform_looks(desk, content, kind, expected):
    await desk.sent(content, kind=kind)
    (view,) = (await desk.control("messages"))["messages"]
    assert [(mention["kind"], mention["id"]) for mention in view["mentions"]] == expected


async def test_people_on_cards_must_exist(desk):
    ann = desk.world.people["ann"].open_id(desk.app.app_id)
    await desk.sent(card({"tag": "person", "user_id": ann}, {"tag": "markdown", "content": f"<at ids={ann},all></at>"}))
    (view,) = (await desk.control("messages"))["messages"]
    kinds = [(mention["kind"], mention["id"]) for mention in view["mentions"]]
    assert kinds == [("person", ann), ("at", ann), ("all", "all")]
    refused = await desk.send(card({"tag": "markdown", "content": "<at id=ou_nobody></at>"}))
    assert refused["code"] == 230099
    assert "ErrCode: 100290" in refused["msg"]
