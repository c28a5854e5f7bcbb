"""The chat page in a real browser: hostile text stays text, and a press does what the chat interface does."""

import json

import pytest

from tests.api.simulator_browser import CHROMIUM, browser
from tests.api.simulator_helpers import bench, both, button, card, connected, div, entry, form, plain

HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    " <at id=all></at> **no** \u202e"
)
HOSTILE_MARKDOWN = (
    "<img src=x onerror=\"document.title='owned'\"> [link](javascript:document.title='owned')"
    " <a href='javascript:alert(1)'>a</a> <font color='red\" onclick=\"x'>f</font> **bold** [good](https://example.com/)"
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]


@pytest.fixture
async def desk():
    async with bench(frozen=False) as running:
        yield running


def hostile_card():
    return card(
        div(HOSTILE),
        {"tag": "markdown", "content": HOSTILE_MARKDOWN},
        form(entry("a", HOSTILE[:90], default_value=HOSTILE)),
        button(HOSTILE[:90]),
        {"tag": "overflow", "options": [{"text": plain(HOSTILE[:90]), "value": "v"}]},
        header={"title": plain(HOSTILE), "subtitle": plain(HOSTILE)},
    )


async def test_hostile_text_is_shown_literally_and_runs_nothing(desk):
    await desk.sent(hostile_card())
    await desk.sent({"text": HOSTILE}, kind="text")
    await desk.type(HOSTILE)
    async with browser() as tab:
        await tab.open(f"{desk.simulator.base_url}/#person=bo")
        await tab.until("document.querySelectorAll('.message').length === 3")
        assert await tab.run("document.title") == "Lark simulator"
        assert (
            await tab.run("document.querySelectorAll('.message img, .message script, .message [onclick]').length") == 0
        )
        texts = await tab.run("[...document.querySelectorAll('.plain, .bubble, .card h2')].map(one => one.textContent)")
        literal = HOSTILE.replace("<at id=all></at>", "@all")  # a mention in a text message is one, and shown as one
        assert texts == [HOSTILE, HOSTILE, literal, HOSTILE]
        assert await tab.run("[...document.querySelectorAll('.messages a')].map(one => one.href)") == [
            "https://example.com/"
        ]
        assert await tab.run("document.querySelector('.field input').value") == HOSTILE
        assert tab.errors == []


async def test_a_person_fills_in_a_form_and_reads_the_toast(desk):
    fields = [entry(label="Objective", required=True), entry("notes", "Notes", input_type="multiline_text")]
    submit = button(both("Send", "提交"), "t-form", name="send", form_action_type="submit")
    await desk.sent(card(form(*fields, submit=submit)))
    async with connected(desk) as bot, browser() as tab:
        await tab.open(f"{desk.simulator.base_url}/#person=bo&chat=Launch+room", 390, 844, mobile=True)
        await tab.until("document.querySelector('.card .button')?.textContent === '提交'")
        await tab.run("document.querySelector('.card .button').click()")
        await tab.until("document.querySelector('.field.wrong .wrong-text')?.textContent === '有必填项未填写。'")
        assert bot.seen.empty()
        for index, text in enumerate(("目标", "two\nlines")):
            await tab.run(
                f"(() => {{ const field = document.querySelectorAll('.field [data-path]')[{index}];"
                f" field.value = {json.dumps(text)}; field.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
            )
        await tab.run("document.querySelector('.card .button').click()")
        await tab.until("document.querySelector('.toast.success')?.textContent === '好了'")
        action = (await bot.next())["event"]["action"]
        assert action["form_value"] == {"objective": "目标", "notes": "two\nlines"}
        assert tab.errors == []


async def test_a_destructive_button_asks_first_and_a_patched_card_appears_by_itself(desk):
    confirm = {"title": plain("Stop the goal?"), "text": plain("It cannot be revived.")}
    message_id = await desk.sent(card(button("Stop", "t-stop", type="danger", confirm=confirm), div("before")))
    async with connected(desk) as bot, browser() as tab:
        await tab.open(f"{desk.simulator.base_url}/#person=ann")
        await tab.until("document.querySelector('.card .button.danger')")
        await tab.run("document.querySelector('.card .button.danger').click()")
        await tab.until("document.querySelector('dialog').open")
        assert await tab.run("document.querySelector('dialog').innerText.split('\\n')[0]") == "Stop the goal?"
        await tab.run("document.getElementById('confirm-no').click()")
        await tab.until("!document.querySelector('dialog').open")
        assert bot.seen.empty()
        await tab.run("document.querySelector('.card .button.danger').click()")
        await tab.run("document.getElementById('confirm-yes').click()")
        assert (await bot.next())["event"]["action"]["value"] == {"t": "t-stop"}
        await desk.patch(message_id, card(div("after")))
        await tab.until("document.querySelector('.card .plain')?.textContent === 'after'")
        assert await tab.run("document.querySelectorAll('.card .button').length") == 0


async def test_typing_a_message_reaches_the_bot_and_other_readers(desk):
    async with connected(desk) as bot, browser() as tab:
        await tab.open(f"{desk.simulator.base_url}/#person=ann")
        await tab.until("document.getElementById('link').textContent === 'bot connected'")
        await tab.run(
            "(() => { document.getElementById('text').value = 'propose';"
            " document.getElementById('composer').requestSubmit(); })()"
        )
        body = await bot.next()
        assert json.loads(body["event"]["message"]["content"]) == {"text": "@_user_1 propose"}
        await tab.until("document.querySelector('.message.mine .bubble')?.textContent === '@Frontstage propose'")


async def shows(tab, desk, person, chat="Launch room", size=(1180, 900)):
    await tab.open(f"{desk.simulator.base_url}/#person={person}&chat={chat.replace(' ', '+')}", *size)
    await tab.until("document.getElementById('room-name').textContent !== ''")


def row(name):
    return f"[...document.querySelectorAll('.chat-row')].find(one => one.textContent.includes({json.dumps(name)}))"


def act(message, label):
    return (
        f"[...document.querySelectorAll('.message')][{message}].querySelectorAll('.act')"
        f".values().find(one => one.textContent === {json.dumps(label)}).click()"
    )


async def test_what_is_new_is_marked_until_it_is_looked_at(desk):
    ann = desk.world.people["ann"].open_id(desk.app.app_id)
    async with connected(desk) as bot, browser() as tab:
        await shows(tab, desk, "ann")
        await desk.sent({"text": "a word in private"}, kind="text", to=ann, id_type="open_id")
        await tab.until(f"{row('Frontstage')}.querySelector('.count')?.textContent === '1'")
        await desk.sent(card())  # in the chat that is open: seen at once
        await tab.until("document.querySelectorAll('.card').length === 1")
        await tab.until(f"!{row('Launch room')}.querySelector('.count')")
        dots = "[...document.querySelectorAll('.person-switch')].map(one => Boolean(one.querySelector('.dot')))"
        assert await tab.run(dots) == [False, True, True]
        await tab.run(f"{row('Frontstage')}.click()")
        await tab.until(f"!{row('Frontstage')}.querySelector('.count')")
        body = await bot.next()
        assert body["header"]["event_type"] == "im.chat.access_event.bot_p2p_chat_entered_v1"
        assert tab.errors == []


async def test_a_reply_stands_in_the_thread_of_what_it_answers(desk):
    root = await desk.sent({"text": "the question"}, kind="text")
    reply = {"msg_type": "text", "content": '{"text":"in the thread"}', "reply_in_thread": True}
    await desk.api("POST", f"/im/v1/messages/{root}/reply", reply)
    await desk.sent({"text": "something else"}, kind="text")
    async with connected(desk) as bot, browser() as tab:
        await shows(tab, desk, "ann")
        await tab.until("document.querySelectorAll('.message').length === 3")
        order = "[...document.querySelectorAll('.bubble')].map(one => one.textContent)"
        assert await tab.run(order) == ["the question", "in the thread", "something else"]
        assert await tab.run("document.querySelector('.thread-head').textContent") == "Thread · 1 reply"
        await tab.run(act(1, "Reply"))
        assert await tab.run("document.getElementById('replying-to').textContent") == (
            "Reply to Frontstage: in the thread"
        )
        await tab.run(
            "(() => { document.getElementById('text').value = 'me too';"
            " document.getElementById('composer').requestSubmit(); })()"
        )
        message = (await bot.next())["event"]["message"]
        assert (message["root_id"], message["thread_id"][:4]) == (root, "omt_")
        await tab.until("document.querySelectorAll('.message.in-thread').length === 2")
        assert (await tab.run(order))[2] == "@Frontstage me too"
        assert await tab.run("document.getElementById('replying').hidden") is True
        assert tab.errors == []


async def test_a_forwarded_card_can_be_read_and_not_pressed(desk):
    await desk.sent(card(button("Confirm")))
    async with connected(desk), browser() as tab:
        await shows(tab, desk, "ann")
        await tab.until("document.querySelectorAll('.card').length === 1")
        await tab.run(act(0, "Forward"))
        await tab.run("document.getElementById('forward-to').selectedIndex = 1")
        await tab.run("document.getElementById('forward-yes').click()")
        await tab.until("document.querySelectorAll('dialog[open]').length === 0")
        await tab.run(f"{row('Frontstage')}.click()")
        await tab.until("document.getElementById('room-name').textContent === 'Frontstage'")
        await tab.until("document.querySelector('.card .button')?.disabled === true")
        assert tab.errors == []


async def test_a_person_is_picked_by_name_and_sent_by_id(desk):
    picker = {"tag": "select_person", "name": "who", "placeholder": plain("Somebody"), "required": True}
    await desk.sent(card(form(picker)))
    async with connected(desk) as bot, browser() as tab:
        await shows(tab, desk, "ann")
        await tab.until("document.querySelector('.card select')?.options.length === 4")
        offered = "[...document.querySelector('.card select').options].map(one => one.textContent)"
        assert await tab.run(offered) == ["Somebody", "Ann Lee", "陈博", "Sam Stranger"]
        await tab.run(
            "(() => { const field = document.querySelector('.card select'); field.value = '陈博';"
            " field.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        await tab.run("document.querySelector('.card .button').click()")
        action = (await bot.next())["event"]["action"]
        assert action["form_value"] == {"who": desk.world.people["bo"].open_id(desk.app.app_id)}
        assert tab.errors == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (200340, "The app takes no callbacks, or is not connected."),
        (200341, "The app did not answer within three seconds."),
        (200342, "The connection to the app broke."),
        (200343, "The app's address could not be found."),
        (200530, "A field of the form has no name."),
        (200671, "The app answered with an error."),
        (200672, "The app's answer could not be read."),
        (200673, "The card in the app's answer is not valid."),
        (200830, "The card in the app's answer is of an old kind."),
    ],
)
async def test_the_presser_reads_the_code_and_what_it_means(desk, code, words):
    await desk.sent(card(button("Confirm")))
    await desk.control("presses", {"client_codes": [code]})
    async with browser() as tab:
        await shows(tab, desk, "ann", size=(390, 844))
        await tab.until("document.querySelector('.card .button')")
        await tab.run("document.querySelector('.card .button').click()")
        await tab.until("document.querySelector('.toast.error')")
        shown = await tab.run("document.querySelector('.toast.error').textContent")
        assert shown == f"Something went wrong. Error code {code}\n{words}"
        assert tab.errors == []


async def test_the_page_can_be_used_by_keyboard(desk):
    menu = {"tag": "overflow", "options": [{"text": plain(name), "value": name} for name in ("one", "two")]}
    await desk.sent(card(menu))

    async def key(name, text=""):
        for kind in ("keyDown", "keyUp"):
            await tab.call(
                "Input.dispatchKeyEvent", type=kind, key=name, code=name, text=text if kind == "keyDown" else ""
            )

    async with connected(desk) as bot, browser() as tab:
        await shows(tab, desk, "ann")
        await tab.until("document.querySelector('.overflow > .button')")
        await tab.run("document.querySelector('.overflow > .button').focus()")
        await key("ArrowDown")
        await key("ArrowDown")
        assert await tab.run("document.activeElement.textContent") == "two"
        await key("Escape")
        assert await tab.run("document.querySelector('.menu').hidden") is True
        await key("ArrowDown")
        await tab.run("document.activeElement.click()")
        assert (await bot.next())["event"]["action"]["option"] == "one"
        await tab.run("document.querySelector('.person-switch.mine').focus()")
        # Something arrives, and the switches are drawn anew: the focus stays.
        await desk.sent({"text": "news"}, kind="text")
        await tab.until("[...document.querySelectorAll('.message')].at(-1).textContent.includes('news')")
        await key("ArrowRight")
        await tab.until("document.querySelector('.person-switch.mine').textContent.includes('陈博')")
        assert await tab.run("document.activeElement.classList.contains('mine')") is True
        assert tab.errors == []
