"""Each limit of the platform that the simulator keeps: N is accepted, N + 1 is refused, with the platform's code.

The numbers stand here a second time, as the platform documents them, so that a limit that moves is noticed; and a limit
that stands in the simulator's table and not here fails the first test.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import aiohttp
import pytest

from bot.simulator import documented
from tests.api.simulator_helpers import Bench, bench, button, card, connected, discover, div, entry, form, plain

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
SENDING = "/im/v1/messages?receive_id_type=chat_id"


@dataclass(frozen=True, kw_only=True)
class Row:
    """The limit as documented, what a try of so many is answered (0: accepted), and the answer beyond it."""

    most: int
    refused: int
    tried: Callable[[Bench, int], Awaitable[int]]


def sub_code(answer):
    if answer["code"] != 230099:
        return answer["code"]
    return int(answer["msg"].split("ErrCode: ")[1].split(";")[0])


def cards(build):
    """A try that sends the card made of the number."""

    async def tried(desk, number):
        return sub_code(await desk.send(build(number)))

    return tried


def of_bytes(kind, content):
    async def tried(desk, number):
        def body(text):
            inner = json.dumps(content(text), ensure_ascii=False)
            return {"receive_id": desk.group, "msg_type": kind, "content": inner}

        bare = len(json.dumps(body(""), ensure_ascii=False).encode())
        raw = json.dumps(body("x" * (number - bare)), ensure_ascii=False).encode()
        assert len(raw) == number
        return (await desk.api("POST", SENDING, raw=raw))["code"]

    return tried


async def uuid_chars(desk, number):
    return (await desk.send(card(), uuid="u" * number))["code"]


async def uuid_life(desk, number):
    """Whether the n-th millisecond after the first send still finds it."""
    first = await desk.sent(card(), uuid="once")
    desk.clock.advance(number - 1)
    return 0 if await desk.sent(card(), uuid="once") == first else -1


def after(wait, then):
    """A try that sends a card with a button, lets the time pass and does something to it."""

    async def tried(desk, number):
        message_id = await desk.sent(card(button()))
        desk.clock.advance(number + wait)
        desk.token = ""
        return await then(desk, message_id)

    return tried


async def patched(desk, message_id):
    return (await desk.patch(message_id, card()))["code"]


async def recalled(desk, message_id):
    return (await desk.api("DELETE", f"/im/v1/messages/{message_id}"))["code"]


async def pressed(desk, message_id):
    async with connected(desk):
        status, _ = await desk.press(message_id, "Confirm")
    return 0 if status == 200 else status


def many(call):
    """A try of so many calls within one moment: the answer to the last."""

    async def tried(desk, number):
        return [await call(desk, at) for at in range(number)][-1]

    return tried


async def asked(desk, _at):
    return (await desk.api("GET", "/bot/v3/info"))["code"]


async def asked_slowly(desk, at):
    if at and at % 50 == 0:
        desk.clock.advance(1_000)
    return await asked(desk, at)


async def sent_to_group(desk, _at):
    return (await desk.send(card()))["code"]


async def sent_to_person(desk, _at):
    ann = desk.world.people["ann"].open_id(desk.app.app_id)
    return (await desk.send(card(), to=ann, id_type="open_id"))["code"]


async def patched_at_once(desk, number):
    message_id = await desk.sent(card())
    return [await patched(desk, message_id) for _ in range(number)][-1]


async def token_life(desk, number):
    """Whether a token is good in its n-th millisecond."""
    token = await desk.fetch_token()
    desk.clock.advance(number - 1)
    return (await desk.api("GET", "/bot/v3/info", token=token))["code"]


async def token_renewed(desk, number):
    """Whether a token with so much time left is not replaced (asked in milliseconds that have passed)."""
    token = await desk.fetch_token()
    desk.clock.advance(2 * HOUR_MS - 30 * MINUTE_MS + number - 30 * MINUTE_MS)
    return 0 if await desk.fetch_token() == token else -1


async def answered_after(desk, number):
    """What a press shows that is answered in its n-th millisecond."""
    message_id = await desk.sent(card(button()))

    def answer(_body, _frame):
        desk.clock.advance(number - 1)
        return json.dumps({"code": 200, "data": "e30="}).encode()

    async with connected(desk, answer):
        _, shown = await desk.press(message_id, "Confirm")
    return shown["error_code"]


async def token_of_a_press(desk):
    message_id = await desk.sent(card(button()))
    async with connected(desk) as bot:
        await desk.press(message_id, "Confirm")
        return (await bot.next())["event"]["token"]


async def updated(desk, token):
    return (await desk.api("POST", "/interactive/v1/card/update", {"token": token, "card": card()}))["code"]


async def update_uses(desk, number):
    token = await token_of_a_press(desk)
    return [await updated(desk, token) for _ in range(number)][-1]


async def update_life(desk, number):
    token = await token_of_a_press(desk)
    desk.clock.advance(number - 1)
    return await updated(desk, token)


async def connections(desk, number):
    sockets, code = [], 0
    for _ in range(number):
        found = await discover(desk)
        code = found["code"]
        if code == 0:
            sockets.append(await desk.session.ws_connect(found["data"]["URL"]))
    for socket in sockets:
        await socket.close()
    return code


async def members_page(desk, number):
    return (await desk.api("GET", f"/im/v1/chats/{desk.group}/members?page_size={number}"))["code"]


async def messages_page(desk, number):
    """How many more than the page a page of so many messages holds."""
    for index in range(number):
        desk.clock.advance(1_000)
        await desk.sent({"text": str(index)}, kind="text")
    path = f"/im/v1/messages?container_id_type=chat&container_id={desk.group}&page_size={number}"
    return number - len((await desk.api("GET", path))["data"]["items"])


def nested(depth):
    inner = div()
    for _ in range(depth):
        inner = {"tag": "column_set", "columns": [{"tag": "column", "elements": [inner]}]}
    return card(inner)


def elements(number):
    return card(*[div() for _ in range(number // 2)], *[{"tag": "hr"} for _ in range(number % 2)])


def table(columns=1, **more):
    listed = [{"name": f"c{at}", "display_name": "C", "data_type": "text"} for at in range(columns)]
    return {"tag": "table", "columns": listed, "rows": [], **more}


def header_tags(number):
    tags = [{"tag": "text_tag", "text": plain(f"tag {at}"), "color": "blue"} for at in range(number)]
    return card(header={"title": plain("Title"), "text_tag_list": tags})


def choices(number):
    options = [{"text": plain(f"option {at}"), "value": f"v{at}"} for at in range(number)]
    return card({"tag": "select_static", "name": "choice", "options": options})


def weight(number):
    column = {"tag": "column", "width": "weighted", "weight": number, "elements": [div()]}
    return card({"tag": "column_set", "columns": [column]})


def markdown_tables(number):
    return card({"tag": "markdown", "content": "\n\n".join(["| a | b |\n| --- | :-: |\n| 1 | 2 |"] * number)})


ROWS = {
    "CARD_BYTES_MAX": Row(most=30_720, refused=230025, tried=of_bytes("interactive", lambda text: card(div(text)))),
    "TEXT_BYTES_MAX": Row(most=153_600, refused=230025, tried=of_bytes("text", lambda text: {"text": "a" + text})),
    "UUID_CHARS_MAX": Row(most=50, refused=99992402, tried=uuid_chars),
    "UUID_LIFE_MS": Row(most=HOUR_MS, refused=-1, tried=uuid_life),
    "PATCH_LIFE_MS": Row(most=14 * DAY_MS, refused=230031, tried=after(0, patched)),
    "PRESS_LIFE_MS": Row(most=14 * DAY_MS, refused=409, tried=after(0, pressed)),
    "RECALL_LIFE_MS": Row(most=DAY_MS, refused=230009, tried=after(0, recalled)),
    "MEMBERS_PAGE_MAX": Row(most=100, refused=99992402, tried=members_page),
    "MESSAGES_PAGE_MAX": Row(most=50, refused=1, tried=messages_page),
    "ELEMENTS_MAX": Row(most=200, refused=11310, tried=cards(elements)),
    "NESTING_MAX": Row(most=5, refused=200621, tried=cards(nested)),
    "TABLES_MAX": Row(most=5, refused=11310, tried=cards(lambda number: card(*[table() for _ in range(number)]))),
    "TABLE_COLUMNS_MAX": Row(most=50, refused=200621, tried=cards(lambda number: card(table(number)))),
    "TABLE_PAGE_ROWS_MAX": Row(most=10, refused=200621, tried=cards(lambda number: card(table(page_size=number)))),
    "MARKDOWN_TABLES_MAX": Row(most=4, refused=11310, tried=cards(markdown_tables)),
    "CHARTS_MAX": Row(
        most=5, refused=11310, tried=cards(lambda number: card(*[{"tag": "chart", "chart_spec": {}}] * number))
    ),
    "HEADER_TAGS_MAX": Row(most=3, refused=200621, tried=cards(header_tags)),
    "LABEL_CHARS_MAX": Row(most=100, refused=200621, tried=cards(lambda number: card(button("x" * number)))),
    "INPUT_CHARS_MAX": Row(most=1000, refused=200621, tried=cards(lambda number: card(form(entry(max_length=number))))),
    "OPTIONS_MAX": Row(most=100, refused=200621, tried=cards(choices)),
    "ELEMENT_ID_CHARS_MAX": Row(
        most=20, refused=200621, tried=cards(lambda number: card({**div(), "element_id": "a" * number}))
    ),
    "COLUMN_WEIGHT_MAX": Row(most=5, refused=200621, tried=cards(weight)),
    "CALLS_PER_SECOND_MAX": Row(most=50, refused=99991400, tried=many(asked)),
    "CALLS_PER_MINUTE_MAX": Row(most=1000, refused=99991400, tried=many(asked_slowly)),
    "CALLS_PER_CHAT_MAX": Row(most=5, refused=99991400, tried=many(sent_to_group)),
    "CALLS_PER_PERSON_MAX": Row(most=5, refused=99991400, tried=many(sent_to_person)),
    "CALLS_PER_MESSAGE_MAX": Row(most=5, refused=99991400, tried=patched_at_once),
    "TOKEN_LIFE_MS": Row(most=2 * HOUR_MS, refused=99991663, tried=token_life),
    "TOKEN_RENEW_BELOW_MS": Row(most=30 * MINUTE_MS, refused=-1, tried=token_renewed),
    "ACK_WITHIN_MS": Row(most=3_000, refused=200341, tried=answered_after),
    "UPDATE_TOKEN_LIFE_MS": Row(most=30 * MINUTE_MS, refused=300030, tried=update_life),
    "UPDATE_TOKEN_USES_MAX": Row(most=2, refused=300040, tried=update_uses),
    "CONNECTIONS_MAX": Row(most=50, refused=1000040350, tried=connections),
}

REPUSHED_AFTER_MS = (15_000, 5 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS)  # its own tests: tests/api/test_simulator_link.py


def limits():
    return {name: value for name, value in vars(documented).items() if name.isupper() and not name.startswith("_")}


def test_every_limit_of_the_table_is_here_with_its_number():
    assert limits() == {**{name: row.most for name, row in ROWS.items()}, "REPUSH_AFTER_MS": REPUSHED_AFTER_MS}


@pytest.mark.parametrize("name", ROWS)
async def test_the_limit_is_accepted_and_one_more_is_refused(name):
    row = ROWS[name]
    for number, expected in ((row.most, 0), (row.most + 1, row.refused)):
        async with bench() as desk:
            assert await row.tried(desk, number) == expected, (name, number)


# What is no number: the same card or call twice, once as it is allowed and once as it is not.
RULES = {
    "a known property": (card(div()), card({**div(), "colour": "red"}), 200621),
    "a known tag": (card({"tag": "hr"}), card({"tag": "note", "elements": []}), 200861),
    "a shared card": (card(), card(update_multi=False), 200621),
    "schema 2": (card(), {**card(), "schema": "1.0"}, 200621),
    "a form has a name": (card(form(entry())), card(form(entry(), name="")), 200530),
    "a field has a name": (card(form(entry())), card(form(entry(name=""))), 200530),
    "names are unique": (card(form(entry("a"), entry("b"))), card(form(entry("a"), entry("a"))), 200530),
    "a form at the root": (
        card(form(entry())),
        card({"tag": "column_set", "columns": [{"tag": "column", "elements": [form(entry())]}]}),
        200621,
    ),
    "no form in a form": (card(form(entry())), card(form(form(entry(), name="inner"))), 200621),
    "no table in a form": (card(table()), card(form(table())), 200621),
    "a mention of somebody": (
        card({"tag": "markdown", "content": "<at id=all></at>"}),
        card({"tag": "markdown", "content": "<at id=ou_nobody></at>"}),
        100290,
    ),
}


@pytest.mark.parametrize(("allowed", "refused", "code"), RULES.values(), ids=RULES)
async def test_a_rule_accepts_what_it_allows_and_refuses_what_it_does_not(allowed, refused, code):
    async with bench() as desk:
        assert sub_code(await desk.send(allowed)) == 0
        assert sub_code(await desk.send(refused)) == code


async def test_a_card_never_goes_back_to_schema_one():
    async with bench() as desk:
        message_id = await desk.sent(card())
        old = {"config": {"update_multi": True}, "elements": [div()]}
        assert sub_code(await desk.patch(message_id, old)) == 200830
        assert sub_code(await desk.patch(message_id, card())) == 0


async def test_the_socket_itself_refuses_one_connection_too_many():
    async with bench() as desk:
        spare = (await discover(desk))["data"]["URL"]
        assert await connections(desk, 50) == 0
        sockets = [await desk.session.ws_connect((await discover(desk))["data"]["URL"]) for _ in range(50)]
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await desk.session.ws_connect(spare)
        assert caught.value.headers["handshake-autherrcode"] == "1000040350"
        for socket in sockets:
            await socket.close()
