"""People and chats of the simulated platform: who comes and goes, who can be written to, and what the bot is told."""

import asyncio
import json

import pytest

from tests.api.simulator_helpers import bench, button, card, connected, div, other_app, until

HALF_AN_HOUR_MS = 30 * 60_000

TWO_TENANTS = {
    "tenants": [
        {
            "tenant_key": "t-one",
            "apps": [{"app_id": "cli_one", "app_secret": "1", "name": "One"}],
            "people": [{"key": "ada", "name": "Ada"}, {"key": "bob", "name": "Bob"}],
            "groups": [{"name": "room"}],
        },
        {"tenant_key": "t-two", "people": [{"key": "eve", "name": "Eve"}]},
    ]
}


@pytest.fixture
async def desk():
    async with bench() as running:
        yield running


async def test_a_person_of_another_tenant_makes_the_group_external():
    async with bench(TWO_TENANTS) as desk:
        async with connected(desk) as bot:
            moved = await desk.control(f"chats/{desk.group}/people", {"person": "eve", "present": True})
            event = (await bot.next())["event"]
            await desk.type("@One hello", person="eve")
            message = await bot.next()
        assert moved == {"changed": True}
        assert (event["external"], [one["tenant_key"] for one in event["users"]]) == (True, ["t-two"])
        assert message["event"]["sender"]["tenant_key"] == "t-two"
        assert message["header"]["tenant_key"] == "t-one"
        assert (await desk.api("GET", f"/im/v1/chats/{desk.group}"))["data"]["external"] is True
        eve = desk.world.people["eve"].open_id("cli_one")
        assert (await desk.send({"text": "hi"}, kind="text", to=eve, id_type="open_id"))["code"] == 230013
        await desk.control(f"chats/{desk.group}/people", {"person": "eve", "present": False})
        assert (await desk.api("GET", f"/im/v1/chats/{desk.group}"))["data"]["external"] is False


async def test_leaving_and_coming_back_are_events_with_the_platforms_shape(desk):
    sam = desk.world.people["sam"]
    async with connected(desk) as bot:
        for present, name in ((False, "deleted"), (True, "added")):
            asked = {"person": "sam", "present": present, "operator": "ann"}
            await desk.control(f"chats/{desk.group}/people", asked)
            body = await bot.next()
            assert body["header"]["event_type"] == f"im.chat.member.user.{name}_v1"
            ids = {"union_id": sam.union_id, "user_id": "", "open_id": sam.open_id(desk.app.app_id)}
            assert body["event"]["users"] == [{"name": sam.name, "tenant_key": sam.tenant_key, "user_id": ids}]
            assert body["event"]["operator_id"]["union_id"] == desk.world.people["ann"].union_id
            status, _ = await desk.chat("GET", f"chats/{desk.group}/messages?person=sam")
            assert status == (200 if present else 404)
        assert await desk.control(f"chats/{desk.group}/people", {"person": "sam", "present": True}) == {
            "changed": False
        }


async def test_the_members_of_a_chat_are_listed_in_pages_and_without_bots(desk):
    path = f"/im/v1/chats/{desk.group}/members?member_id_type=union_id&page_size=2"
    first = (await desk.api("GET", path))["data"]
    second = (await desk.api("GET", f"{path}&page_token={first['page_token']}"))["data"]
    people = desk.world.people
    listed = [one["member_id"] for one in first["items"] + second["items"]]
    assert listed == [people[key].union_id for key in ("ann", "bo", "sam")]
    assert (first["has_more"], second["has_more"], first["member_total"]) == (True, False, 3)
    await desk.control(f"chats/{desk.group}/bot", {"present": False})
    assert (await desk.api("GET", path))["code"] == 232011
    assert (await desk.api("GET", "/im/v1/chats/oc_none/members"))["code"] == 232006


@pytest.mark.parametrize("code", [230013, 230029, 230053])
async def test_somebody_who_cannot_be_written_to(desk, code):
    ann = desk.world.people["ann"].open_id(desk.app.app_id)
    await desk.control("people/ann", {"unreachable": code})
    assert (await desk.send(card(), to=ann, id_type="open_id"))["code"] == code
    await desk.control("people/ann", {"unreachable": 0})
    assert (await desk.send(card(), to=ann, id_type="open_id"))["code"] == 0
    status, _, _ = await desk.call("POST", "/_control/people/ann", {"unreachable": 1})
    assert status == 400


async def test_who_resigns_leaves_every_group(desk):
    async with connected(desk) as bot:
        assert await desk.control("people/sam/resign", {}) == {"left": [desk.group]}
        assert (await bot.next())["header"]["event_type"] == "im.chat.member.user.deleted_v1"
    sam = desk.world.people["sam"].open_id(desk.app.app_id)
    assert (await desk.send(card(), to=sam, id_type="open_id"))["code"] == 230029


async def test_a_dissolved_chat_is_an_event(desk):
    async with connected(desk) as bot:
        await desk.control(f"chats/{desk.group}/dissolve", {})
        body = await bot.next()
    assert body["header"]["event_type"] == "im.chat.disbanded_v1"
    assert body["event"]["chat_id"] == desk.group


async def test_an_entry_of_the_menu(desk):
    async with connected(desk) as bot:
        await desk.control("people/ann/menu", {"event_key": "today"})
        body = await bot.next()
    assert body["header"]["event_type"] == "application.bot.menu_v6"
    assert (body["event"]["event_key"], body["event"]["timestamp"]) == ("today", desk.clock.now_ms() // 1000)


async def test_a_manager_takes_a_bots_message_back(desk):
    message_id = await desk.sent(card())
    async with connected(desk) as bot:
        await desk.control(f"messages/{message_id}/recall", {"by": "enterprise_manager"})
        event = (await bot.next())["event"]
    assert (event["message_id"], event["recall_type"]) == (message_id, "enterprise_manager")
    assert (await desk.patch(message_id, card()))["code"] == 230011
    status, _, _ = await desk.call("POST", f"/_control/messages/{message_id}/recall", {})
    assert status == 400


async def test_opening_a_direct_chat_tells_the_bot_and_reads_what_is_there(desk):
    ann = desk.world.people["ann"]
    desk.app.events.add("im.message.message_read_v1")
    message_id = await desk.sent({"text": "hello"}, kind="text", to=ann.open_id(desk.app.app_id), id_type="open_id")

    async def unread():
        _, listed = await desk.chat("GET", "chats?person=ann")
        return {chat["kind"]: chat["unread"] for chat in listed["chats"]}

    assert await unread() == {"group": 0, "p2p": 1}
    async with connected(desk) as bot:
        _, entered = await desk.chat("POST", "chats/Frontstage/enter", {"person": "ann"})
        bodies = [await bot.next(), await bot.next()]
    told = {body["header"]["event_type"]: body["event"] for body in bodies}
    assert entered["read"] == 1
    assert told["im.chat.access_event.bot_p2p_chat_entered_v1"]["last_message_id"] == message_id
    assert told["im.message.message_read_v1"]["message_id_list"] == [message_id]
    assert await unread() == {"group": 0, "p2p": 0}


async def test_what_one_has_not_seen_is_counted_and_ones_own_words_are_not(desk):
    async def unread(person):
        _, listed = await desk.chat("GET", f"chats?person={person}")
        return next(chat["unread"] for chat in listed["chats"] if chat["kind"] == "group")

    await desk.sent(card())
    await desk.type("seen?", person="bo")
    assert (await unread("ann"), await unread("bo")) == (2, 1)
    async with connected(desk) as bot:
        await desk.chat("POST", f"chats/{desk.group}/enter", {"person": "ann", "look": True})
        assert (await unread("ann"), await unread("bo")) == (0, 1)
        await bot.ping()
        assert (await bot.next_frame()).header("type") == "pong"  # nobody was told


async def test_another_app_is_installed_while_everything_runs(desk):
    made = await desk.control("apps", {"app_id": "cli_late", "app_secret": "s", "name": "Late", "events": ["x"]})
    app = desk.world.apps["cli_late"]
    token = await desk.fetch_token(app)
    info = await desk.api("GET", "/bot/v3/info", token=token)
    assert info["bot"]["open_id"] == made["bot_open_id"] == app.bot_open_id
    assert app.events == {"x"}
    changed = await desk.control("apps/cli_late", {"events": ["y"], "hears_all": True})
    assert changed == {"events": ["y"], "hears_all": True}
    group = await desk.control("chats", {"name": "Late room", "people": ["ann"], "apps": ["cli_late"]})
    assert (await desk.send(card(), to=group["chat_id"], token=token))["code"] == 0
    status, _, _ = await desk.call("POST", "/_control/apps", {"app_id": "cli_late", "app_secret": "s"})
    assert status == 400


async def pressed_token(desk, message_id):
    async with connected(desk) as bot:
        await desk.press(message_id, "Confirm")
        return (await bot.next())["event"]["token"]


async def update(desk, token, built, app_token=None):
    body = {"token": token, "card": built}
    return (await desk.api("POST", "/interactive/v1/card/update", body, token=app_token))["code"]


async def test_a_press_lets_its_app_update_the_card_twice(desk):
    message_id = await desk.sent(card(button()))
    token = await pressed_token(desk, message_id)
    codes = [await update(desk, token, card(div(text))) for text in ("one", "two", "three")]
    assert codes == [0, 0, 300040]
    message = desk.world.messages[message_id]
    assert [version.by for version in message.versions] == ["send", "delayed", "delayed"]
    assert json.dumps(message.content).count("two") == 1


async def test_what_a_token_is_not_good_for(desk):
    message_id = await desk.sent(card(button()))
    token = await pressed_token(desk, message_id)
    assert await update(desk, "c-unknown", card()) == 300020
    assert await update(desk, token, card(update_multi=False)) == 230099
    assert await update(desk, token, {}) == 10002
    other = await desk.fetch_token(other_app(desk))
    assert await update(desk, token, card(), other) == 200310
    desk.clock.advance(HALF_AN_HOUR_MS - 1)
    assert await update(desk, token, card()) == 0
    desk.clock.advance(1)
    assert await update(desk, token, card()) == 300030
    again = await pressed_token(desk, await desk.sent(card(button())))
    await desk.control(f"messages/{next(reversed(desk.world.messages))}/recall", {})
    assert await update(desk, again, card()) == 200000


async def test_no_update_while_the_press_is_not_answered(desk):
    message_id = await desk.sent(card(button()))
    async with connected(desk, lambda _body, _frame: None) as bot:
        pressing = desk.simulator.client.press(
            desk.world.people["ann"], message_id, "Confirm", inputs={}, confirmed=False
        )
        task = asyncio.ensure_future(pressing)
        token = (await bot.next())["event"]["token"]
        assert await update(desk, token, card()) == 11310
        desk.clock.advance(3_000)
        assert (await task).error_code == 200341
        assert await update(desk, token, card()) == 0


@pytest.mark.parametrize("code", [200342, 200343, 200530, 200671, 200673, 200830])
async def test_a_press_can_be_made_to_show_any_code_without_being_sent(desk, code):
    message_id = await desk.sent(card(button()))
    await desk.control("presses", {"client_codes": [code]})
    async with connected(desk) as bot:
        _, spoiled = await desk.press(message_id, "Confirm")
        _, fine = await desk.press(message_id, "Confirm")
        assert (spoiled["error_code"], fine["error_code"]) == (code, 0)
        await bot.next()
        assert bot.seen.empty()
    assert desk.world.toasts[0].code == code


async def test_tokens_are_invalidated_under_a_running_call(desk):
    await desk.fetch_token()
    await desk.control("faults", {"api": "messages.create", "kind": "revoke"})
    assert (await desk.send(card()))["code"] == 99991663
    desk.token = ""
    assert (await desk.send(card()))["code"] == 0


async def test_two_events_change_places(desk):
    async with connected(desk) as bot:
        await desk.control("link", {"swapped": 1})
        await desk.type("first", chat="Frontstage")
        await until(desk.simulator.link.changes, lambda: desk.simulator.link.counters["held_back"] == 1)
        await desk.type("second", chat="Frontstage")
        texts = [json.loads((await bot.next())["event"]["message"]["content"])["text"] for _ in range(2)]
    assert texts == ["second", "first"]


async def test_the_frames_of_one_event_come_last_first(desk):
    async with connected(desk) as bot:
        await desk.control("link", {"fragments": 3, "reversed_fragments": 1})
        await desk.type("hello", chat="Frontstage")
        frames = [await bot.next_frame() for _ in range(3)]
        assert [frame.header("seq") for frame in frames] == ["2", "1", "0"]
        assert json.loads((await bot.next())["event"]["message"]["content"]) == {"text": "hello"}
