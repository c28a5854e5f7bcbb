"""The long connection: discovery, pings, pushes and acks, re-pushes, and everything that can go wrong with it."""

import json

import aiohttp
import pytest

from bot.simulator.frames import CONTROL
from tests.api.simulator_helpers import ack, bench, button, card, connected, discover, until

# Written out here, as the platform documents them, and not taken from the code under test.
ACK_WITHIN_MS = 3_000
REPUSH_AFTER_MS = (15_000, 300_000, 3_600_000, 21_600_000)
CONNECTIONS_MAX = 50


@pytest.fixture
async def desk():
    async with bench() as running:
        yield running


async def test_discovery_gives_a_url_and_a_config(desk):
    found = await discover(desk)
    assert found["code"] == 0
    assert found["data"]["URL"].startswith(
        f"ws://127.0.0.1:{desk.simulator.base_url.rsplit(':', 1)[1]}/ws/v2?device_id="
    )
    assert "&service_id=33554678&" in found["data"]["URL"]
    assert set(found["data"]["ClientConfig"]) == {
        "ReconnectCount",
        "ReconnectInterval",
        "ReconnectNonce",
        "PingInterval",
    }


@pytest.mark.parametrize(
    ("override", "code"),
    [
        ({"AppID": ""}, 1000040344),
        ({"AppSecret": ""}, 1000040344),
        ({"AppSecret": "wrong"}, 514),
        ({"AppID": "cli_x"}, 514),
    ],
)
async def test_discovery_refuses_with_the_platforms_codes(desk, override, code):
    assert (await discover(desk, **override))["code"] == code


async def test_a_ticket_opens_one_connection(desk):
    url = (await discover(desk))["data"]["URL"]
    async with desk.session.ws_connect(url):
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await desk.session.ws_connect(url)
    assert caught.value.headers["handshake-status"] == "514"


async def test_fifty_connections_and_no_more(desk):
    spare = (await discover(desk))["data"]["URL"]
    sockets = [await desk.session.ws_connect((await discover(desk))["data"]["URL"]) for _ in range(CONNECTIONS_MAX)]
    assert (await discover(desk))["code"] == 1000040350
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        await desk.session.ws_connect(spare)
    assert caught.value.headers["handshake-autherrcode"] == "1000040350"
    for socket in sockets:
        await socket.close()


async def test_a_ping_is_answered_with_the_config(desk):
    await desk.control("link", {"client_config": {"ping_interval_s": 7}})
    async with connected(desk) as bot:
        await bot.ping()
        frame = await bot.next_frame()
        assert (frame.method, frame.header("type")) == (CONTROL, "pong")
        assert json.loads(frame.payload)["PingInterval"] == 7
        await desk.control("link", {"push_config": True})
        assert (await bot.next_frame()).header("type") == "pong"


async def test_a_connection_can_stop_answering_pings(desk):
    async with connected(desk) as bot:
        await desk.control("link", {"no_pong": True})
        await bot.ping()
        await desk.type("@Frontstage hello")
        assert (await bot.next_frame()).header("type") == "event"
        assert (await desk.control("state"))["link"]["connections"][0]["pings"] == 1


async def test_a_frame_that_cannot_be_read_ends_the_connection(desk):
    async with connected(desk) as bot:
        await bot.socket.send_bytes(b"\xff")
        await until(desk.world.changes, lambda: not desk.simulator.link.connections)
    assert (await desk.control("state"))["counters"]["bad_frames"] == 1


async def test_a_message_in_a_group_reaches_the_bot_when_it_is_mentioned(desk):
    async with connected(desk) as bot:
        await desk.type("just talking")
        _, typed = await desk.type("@Frontstage propose to @陈博", person="ann")
        body = await bot.next()
    ann, bo, app = desk.world.people["ann"], desk.world.people["bo"], desk.app
    header, message = body["header"], body["event"]["message"]
    assert (header["event_type"], header["app_id"], header["tenant_key"]) == (
        "im.message.receive_v1",
        app.app_id,
        app.tenant_key,
    )
    assert header["create_time"] == str(desk.clock.now_ms())
    assert body["event"]["sender"] == {
        "sender_id": {"union_id": ann.union_id, "user_id": "", "open_id": ann.open_id(app.app_id)},
        "sender_type": "user",
        "tenant_key": ann.tenant_key,
    }
    assert (message["message_id"], message["chat_id"], message["chat_type"]) == (
        typed["message_id"],
        desk.group,
        "group",
    )
    assert json.loads(message["content"]) == {"text": "@_user_1 propose to @_user_2"}
    assert [(one["key"], one["name"], one["mentioned_type"], one["id"]["open_id"]) for one in message["mentions"]] == [
        ("@_user_1", "Frontstage", "bot", app.bot_open_id),
        ("@_user_2", "陈博", "user", bo.open_id(app.app_id)),
    ]
    assert "root_id" not in message


async def test_a_direct_message_has_no_mentions(desk):
    async with connected(desk) as bot:
        await desk.type("propose", chat="Frontstage")
        message = (await bot.next())["event"]["message"]
    assert message["chat_type"] == "p2p"
    assert "mentions" not in message
    assert json.loads(message["content"]) == {"text": "propose"}


async def test_a_reply_says_what_it_answers(desk):
    message_id = await desk.sent(card())
    async with connected(desk) as bot:
        await desk.type("@Frontstage why?", reply_to=message_id)
        message = (await bot.next())["event"]["message"]
    assert (message["parent_id"], message["root_id"]) == (message_id, message_id)


async def test_other_events_of_the_chat(desk):
    async with connected(desk) as bot:
        _, typed = await desk.type("hello", chat="Frontstage")
        await bot.next()
        await desk.chat("POST", f"messages/{typed['message_id']}/recall", {"person": "ann"})
        recalled = await bot.next()
        assert recalled["header"]["event_type"] == "im.message.recalled_v1"
        assert recalled["event"]["message_id"] == typed["message_id"]
        for present, name in ((False, "deleted"), (True, "added")):
            await desk.control(f"chats/{desk.group}/bot", {"present": present, "person": "bo"})
            body = await bot.next()
            assert body["header"]["event_type"] == f"im.chat.member.bot.{name}_v1"
            assert body["event"]["operator_id"]["union_id"] == desk.world.people["bo"].union_id


async def test_an_event_goes_to_one_connection_and_over_time_to_both(desk):
    async with connected(desk) as one, connected(desk) as two:
        for number in range(12):
            await desk.type(f"hello {number}", chat="Frontstage")
        log = desk.simulator.deliveries.log
        await until(desk.simulator.deliveries.changes, lambda: all(delivery.settled for delivery in log))
        counts = one.seen.qsize(), two.seen.qsize()
    assert sum(counts) == 12
    assert all(counts)


@pytest.mark.parametrize("payload", [ack(500), ack(0), b"not json", None])
async def test_an_event_that_is_not_acknowledged_comes_again_on_schedule(desk, payload):
    async with connected(desk, lambda _body, _frame: payload) as bot:
        await desk.type("hello", chat="Frontstage")
        first = await bot.next()
        (delivery,) = desk.simulator.deliveries.log
        for number, after_ms in enumerate(REPUSH_AFTER_MS, start=1):
            if payload is None:
                desk.clock.advance(ACK_WITHIN_MS)
            await until(desk.simulator.deliveries.changes, lambda count=number: len(delivery.outcomes) == count)
            desk.clock.advance(delivery.pushed_at_ms[0] + after_ms - 1 - desk.clock.now_ms())
            assert bot.seen.empty()
            desk.clock.advance(1)
            assert await bot.next() == first
        if payload is None:
            desk.clock.advance(ACK_WITHIN_MS)
        await until(desk.simulator.deliveries.changes, lambda: delivery.settled)
    assert [at - delivery.pushed_at_ms[0] for at in delivery.pushed_at_ms] == [0, *REPUSH_AFTER_MS]


async def test_an_event_waits_for_a_bot_that_was_away(desk):
    await desk.type("hello", chat="Frontstage")
    (delivery,) = desk.simulator.deliveries.log
    await until(desk.simulator.deliveries.changes, lambda: delivery.outcomes == ["offline"])
    async with connected(desk) as bot:
        desk.clock.advance(REPUSH_AFTER_MS[0])
        assert (await bot.next())["header"]["event_id"] == delivery.event_id
        await until(desk.simulator.deliveries.changes, lambda: delivery.settled)
    assert delivery.outcomes == ["offline", "acked"]


async def test_an_acknowledged_event_does_not_come_again(desk):
    async with connected(desk) as bot:
        await desk.type("hello", chat="Frontstage")
        await bot.next()
        (delivery,) = desk.simulator.deliveries.log
        await until(desk.simulator.deliveries.changes, lambda: delivery.settled)
        desk.clock.advance(REPUSH_AFTER_MS[-1])
        await bot.ping()
        assert [(await bot.next_frame()).header("type") for _ in range(2)] == ["event", "pong"]
    assert (delivery.outcomes, desk.clock.sleeping) == (["acked"], 0)


async def test_a_past_event_can_be_delivered_again(desk):
    async with connected(desk) as bot:
        await desk.type("hello", chat="Frontstage")
        first = await bot.next()
        event_id = first["header"]["event_id"]
        await desk.control("redeliver", {"event_id": event_id})
        assert await bot.next() == first
        fresh = await desk.control("redeliver", {"event_id": event_id, "fresh_event_id": True})
        again = await bot.next()
        assert again["header"]["event_id"] == fresh["event_id"] != event_id
        assert again["event"] == first["event"]
        await desk.control("events", {"body": {"schema": "2.0", "header": {"event_type": "unknown.v9"}, "event": {}}})
        assert (await bot.next())["header"]["event_type"] == "unknown.v9"


async def test_pushes_can_be_split_doubled_and_typed_as_cards(desk):
    message_id = await desk.sent(card(button()))
    async with connected(desk) as bot:
        await desk.control("link", {"fragments": 3})
        _, pressed = await desk.press(message_id, "Confirm")
        assert pressed["error_code"] == 0
        parts = [await bot.next_frame() for _ in range(3)]
        assert [(part.header("sum"), part.header("seq")) for part in parts] == [("3", "0"), ("3", "1"), ("3", "2")]
        assert len({part.header("message_id") for part in parts}) == 1
        await bot.next()
        await desk.control("link", {"duplicates": 1})
        await desk.type("hello", chat="Frontstage")
        assert await bot.next() == await bot.next()
        await desk.control("link", {"card_typed": 1})
        await desk.press(message_id, "Confirm")
        kinds = [(await bot.next_frame()).header("type") for _ in range(3)]
        assert kinds == ["event", "event", "card"]


async def test_a_lost_fragment_leaves_the_event_unacknowledged(desk):
    async with connected(desk) as bot:
        await desk.control("link", {"fragments": 2, "lost_fragments": 1})
        await desk.type("hello", chat="Frontstage")
        assert (await bot.next_frame()).header("sum") == "2"
        assert bot.seen.empty()
        (delivery,) = desk.simulator.deliveries.log
        desk.clock.advance(ACK_WITHIN_MS)
        await until(desk.simulator.deliveries.changes, lambda: delivery.outcomes == ["timeout"])
        desk.clock.advance(REPUSH_AFTER_MS[0])
        await bot.next()


async def test_handshakes_can_be_refused_as_the_platform_does(desk):
    await desk.control("link", {"refuse": [{"status": 514, "msg": "busy", "auth_code": 1000040350}]})
    url = (await discover(desk))["data"]["URL"]
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        await desk.session.ws_connect(url)
    headers = caught.value.headers
    assert [headers[f"handshake-{key}"] for key in ("status", "msg", "autherrcode")] == ["514", "busy", "1000040350"]
    async with connected(desk):
        pass


@pytest.mark.parametrize(
    "body", [{"zombies": True}, {"fragments": 1}, {"fragments": 101}, {"duplicates": -1}, {"card_typed": "two"}]
)
async def test_a_change_of_the_link_that_makes_no_sense_is_refused(desk, body):
    status, answer, _ = await desk.call("POST", "/_control/link", body)
    assert (status, answer["error"]["code"]) == (400, "bad_link")
