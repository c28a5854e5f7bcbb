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
