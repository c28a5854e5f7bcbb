"""What the webhook alone must stand: anybody's requests, replays, other apps' events, and a platform that repeats.

Each test is a fault that users of such bots met in public, or that a vendor's handler was seen to have.
"""

import asyncio
import base64
import hashlib
import logging

import aiohttp
import orjson
import pytest
from Crypto.Cipher import AES
from Crypto.Util.Padding import pad

import bot.lark_webhook
from bot.lark import LarkFaultKind
from bot.lark_webhook import BODY_BYTES_MAX
from bot.simulator.delivery import REPUSH_AFTER_MS
from bot.simulator.webhook import ChallengeFailedError
from tests.contract.lark_rigs import DONE, WebhookRig, card, now_ms, running, until

KEY = WebhookRig.KEY


@pytest.fixture
async def rig():
    rig = WebhookRig()
    await rig.open()
    rig.session = aiohttp.ClientSession()
    yield rig
    await rig.session.close()
    await rig.close()


def sealed(content, key=KEY):
    raw = content if isinstance(content, bytes) else orjson.dumps(content)
    cipher = AES.new(hashlib.sha256(key.encode()).digest(), AES.MODE_CBC, iv=b"i" * 16)
    return orjson.dumps({"encrypt": base64.b64encode(b"i" * 16 + cipher.encrypt(pad(raw, 16))).decode()})


def signed(rig, body, *, nonce="n-1", off_s=0, key=KEY, spelt=str):
    timestamp = str(rig.simulator.clock.now_ms() // 1_000 + off_s)
    digest = hashlib.sha256(f"{timestamp}{nonce}{key}".encode() + body).hexdigest()
    names = ("X-Lark-Request-Timestamp", "X-Lark-Request-Nonce", "X-Lark-Signature")
    return dict(zip(map(spelt, names), (timestamp, nonce, digest), strict=True))


async def post(rig, body, headers=None, path="/lark"):
    """One request from anywhere: status and answer, which is a JSON object whatever happens."""
    async with rig.session.post(f"http://127.0.0.1:{rig.port}{path}", data=body, headers=headers or {}) as answer:
        content = orjson.loads(await answer.read())
        assert isinstance(content, dict)
        return answer.status, content


def question(rig, **change):
    return {"type": "url_verification", "challenge": 'a"b\\', "token": rig.app.verification_token, **change}


# The challenge


@pytest.mark.parametrize("seal", [orjson.dumps, sealed], ids=["plain", "encrypted"])
async def test_the_challenge_is_answered_though_it_is_unsigned(rig, seal):
    async with running(rig):
        assert await post(rig, seal(question(rig))) == (200, {"challenge": 'a"b\\'})


@pytest.mark.parametrize("token", ["wrong", "", None, 5])
@pytest.mark.parametrize("seal", [orjson.dumps, sealed], ids=["plain", "encrypted"])
async def test_a_challenge_with_another_token_is_refused_and_not_echoed(rig, seal, token):
    async with running(rig):
        status, content = await post(rig, seal(question(rig, token=token)))
        assert status == 403
        assert 'a"b' not in str(content)
        assert rig.lark.health().turned_away == 1


@pytest.mark.parametrize("challenge", ["", "x" * 1_001, None, ["x"]])
async def test_a_challenge_that_is_none_is_refused(rig, challenge):
    async with running(rig):
        assert (await post(rig, orjson.dumps(question(rig, challenge=challenge))))[0] == 400


async def test_nothing_is_ready_before_the_platform_was_heard(rig):
    async with asyncio.TaskGroup() as group:
        run = group.create_task(rig.lark.run(handlers=None))
        await until(lambda: rig.lark.health().listening)
        await post(rig, b"{}")
        await post(rig, orjson.dumps(question(rig, token="wrong")))
        assert not rig.lark.health().connected
        await rig.simulator.webhooks.adopt(rig.app, rig.hook)
        health = rig.lark.health()
        assert (health.connected, health.last_callback_ms) == (True, None), "ready is not proven"
        run.cancel()


async def test_a_signed_event_makes_it_ready_after_a_restart(rig):
    async with running(rig):
        pass
    async with asyncio.TaskGroup() as group:
        run = group.create_task(rig.lark.run(handlers=None))
        await until(lambda: rig.lark.health().listening)
        assert not rig.lark.health().connected
        await rig.push({"header": {**rig.message_body("x", mentioned=False)["header"], "event_type": "new_v1"}})
        assert rig.lark.health().connected
        run.cancel()


async def test_the_console_does_not_take_an_address_with_another_key(rig, monkeypatch):
    async with running(rig):
        rig.app.webhook = None
        wrong = bot.simulator.webhook.Webhook(url=rig.hook.url, encrypt_key="another")
        with pytest.raises(ChallengeFailedError, match="401"):
            await rig.simulator.webhooks.adopt(rig.app, wrong)
        assert rig.app.webhook is None


# Who may speak


async def refused(rig, handlers, status, body, headers=None):
    before = rig.lark.health().turned_away
    assert (await post(rig, body, headers))[0] == status
    assert rig.lark.health().turned_away == before + 1
    assert (handlers.messages, handlers.presses, handlers.others) == ([], [], [])


async def test_what_is_not_proven_has_no_effect(rig):
    async with running(rig) as handlers:
        event = rig.message_body("hello", mentioned=True)
        body = sealed(event)
        await refused(rig, handlers, 401, body)
        await refused(rig, handlers, 401, orjson.dumps(event))
        await refused(rig, handlers, 401, b"not json")
        await refused(rig, handlers, 401, sealed(event, key="another"))
        await refused(rig, handlers, 401, body, signed(rig, body, key="another"))
        await refused(rig, handlers, 401, body, signed(rig, body + b" "))
        await refused(rig, handlers, 401, body, signed(rig, body, off_s=-301))
        await refused(rig, handlers, 401, body, signed(rig, body, off_s=302))
        headers = signed(rig, body)
        del headers["X-Lark-Request-Nonce"]
        await refused(rig, handlers, 401, body, headers)


async def test_headers_may_be_spelt_in_any_way(rig):
    async with running(rig) as handlers:
        for nonce, spelt in (("n-1", str.lower), ("n-2", str.upper), ("n-3", str)):
            body = sealed(rig.message_body(nonce, mentioned=True))
            assert (await post(rig, body, signed(rig, body, nonce=nonce, spelt=spelt)))[0] == 200
    assert [message.text for message in handlers.messages] == ["n-1", "n-2", "n-3"]


@pytest.mark.parametrize(
    "change",
    [{"token": "wrong"}, {"token": None}, {"app_id": "cli_other"}, {"app_id": ""}, {"tenant_key": ""}],
)
async def test_a_proven_event_that_is_not_for_us_has_no_effect(rig, change):
    async with running(rig) as handlers:
        event = rig.message_body("hello", mentioned=True)
        event["header"].update(change)
        body = sealed(event)
        await refused(rig, handlers, 403, body, signed(rig, body))


async def test_with_a_tenant_in_the_settings_any_other_is_refused(rig):
    await rig.close()
    other = WebhookRig()
    plain = other.settings
    other.settings = lambda: with_tenant(plain(), "the tenant of another company")
    await other.open()
    other.session = rig.session
    try:
        async with running(other) as handlers:
            body = sealed(other.message_body("hello", mentioned=True))
            await refused(other, handlers, 403, body, signed(other, body))
    finally:
        await other.close()
        await rig.open()


def with_tenant(settings, tenant_key):
    hook = bot.lark_settings.WebhookSettings(
        **{name: getattr(settings.webhook, name) for name in ("host", "port", "path", "encrypt_key")},
        verification_token=settings.webhook.verification_token,
        tenant_key=tenant_key,
    )
    return bot.lark_settings.LarkSettings(
        app_id=settings.app_id, app_secret=settings.app_secret, domain=settings.domain, webhook=hook
    )


@pytest.mark.parametrize("shape", ["bare", "header"])
async def test_the_old_card_callback_is_refused_in_both_its_shapes(rig, shape):
    async with running(rig) as handlers:
        event = {"open_id": "ou_1", "open_message_id": "om_1", "tenant_key": "t", "action": {"value": {"t": "x"}}}
        if shape == "header":
            header = {**rig.message_body("x", mentioned=True)["header"], "event_type": "card.action.trigger_v1"}
            event = {"schema": "2.0", "header": header, "event": event}
        body = sealed(event)
        await refused(rig, handlers, 403, body, signed(rig, body))


async def test_a_body_that_is_too_long_or_never_ends_is_refused(rig, monkeypatch):
    monkeypatch.setattr(bot.lark_webhook, "BODY_S_MAX", 0.2)

    async def drip():
        yield b"{"
        await asyncio.sleep(30)

    async with running(rig):
        assert (await post(rig, b"x" * (BODY_BYTES_MAX + 1)))[0] == 413
        assert (await post(rig, drip()))[0] == 408
        assert (await post(rig, b"{}", path="/elsewhere"))[0] == 404
        async with rig.session.get(f"http://127.0.0.1:{rig.port}/lark") as answer:
            assert (answer.status, type(await answer.json())) == (405, dict)


# Repeats and replays


async def test_a_true_repeat_gets_the_stored_answer_and_no_second_effect(rig):
    async with running(rig) as handlers:
        sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
        body = sealed(rig.press_body(sent.message_id, {"value": {"t": "token-1"}, "tag": "button"}))
        headers = signed(rig, body)
        assert await post(rig, body, headers) == (200, DONE)
        handlers.when_pressed = None
        assert await post(rig, body, headers) == (200, DONE)
        assert len(handlers.presses) == 1


async def test_two_copies_at_once_are_one_effect_and_one_answer(rig):
    release = asyncio.Event()

    async def waits(_):
        await release.wait()

    async with running(rig) as handlers:
        handlers.when_said = waits
        body = sealed(rig.message_body("once", mentioned=True))
        headers = signed(rig, body)
        async with asyncio.TaskGroup() as group:
            posts = [group.create_task(post(rig, body, headers)) for _ in range(3)]
            await until(lambda: handlers.messages)
            release.set()
        assert [task.result() for task in posts] == [(200, {})] * 3
        assert len(handlers.messages) == 1


async def test_a_nonce_with_other_content_is_a_replay_and_refused(rig):
    async with running(rig) as handlers:
        first, second = (sealed(rig.message_body(text, mentioned=True)) for text in ("one", "two"))
        assert (await post(rig, first, signed(rig, first)))[0] == 200
        assert (await post(rig, second, signed(rig, second)))[0] == 409
        assert [message.text for message in handlers.messages] == ["one"]
        # Once the window of the first is over, the nonce is anybody's again.
        rig.simulator.clock.advance(10 * 60_000 + 1_000)
        assert (await post(rig, second, signed(rig, second)))[0] == 200


async def test_what_was_not_taken_is_tried_again_under_the_same_nonce(rig):
    async def fails(_):
        raise OSError("the daemon is away")

    async with running(rig) as handlers:
        handlers.when_said = fails
        body = sealed(rig.message_body("again", mentioned=True))
        headers = signed(rig, body)
        assert (await post(rig, body, headers))[0] == 503
        handlers.when_said = None
        assert (await post(rig, body, headers))[0] == 200
        assert (await post(rig, body, headers))[0] == 200
        assert len(handlers.messages) == 2


async def test_a_message_that_takes_longer_than_the_platform_waits_is_asked_for_again(rig):
    release = asyncio.Event()

    async def slow(_):
        await release.wait()

    async with running(rig) as handlers:
        handlers.when_said = slow
        body = sealed(rig.message_body("slow", mentioned=True))
        before_ms = now_ms()
        assert (await post(rig, body, signed(rig, body)))[0] == 503
        assert now_ms() - before_ms < 3_000
        release.set()
        assert (await post(rig, body, signed(rig, body, nonce="n-2")))[0] == 200
    assert len({message.message_id for message in handlers.messages}) == 1


@pytest.mark.parametrize("resigns", [True, False])
async def test_the_platforms_five_pushes_are_all_heard_until_one_is_taken(rig, resigns):
    """Whether the platform signs repeats anew is not documented: what was asked in its time is owed either way."""

    async def fails(_):
        raise OSError("the daemon is away")

    rig.hook = bot.simulator.webhook.Webhook(url=rig.hook.url, encrypt_key=KEY, resigns=resigns)
    async with running(rig) as handlers:
        handlers.when_said = fails
        rig.simulator.clock.freeze()
        delivery = rig.simulator.deliveries.start(rig.app, rig.message_body("late", mentioned=True))
        waited_ms = 0
        for number, after_ms in enumerate(REPUSH_AFTER_MS, 1):
            await until(lambda: len(delivery.outcomes) == number)  # noqa: B023
            if number == 4:
                handlers.when_said = None
            await until(lambda: rig.simulator.clock.sleeping)
            rig.simulator.clock.advance(after_ms - waited_ms)
            waited_ms = after_ms
        await until(lambda: delivery.settled)
    assert delivery.outcomes == ["code 503"] * 4 + ["acked"]
    assert len(handlers.messages) == 5
    assert len({message.message_id for message in handlers.messages}) == 1


async def test_what_was_taken_is_not_owed_and_nothing_is_owed_for_ever(rig):
    async def fails(_):
        raise OSError("the daemon is away")

    async with running(rig) as handlers:
        body = sealed(rig.message_body("taken", mentioned=True))
        headers = signed(rig, body)
        assert (await post(rig, body, headers))[0] == 200
        rig.simulator.clock.advance(6 * 60_000)
        assert (await post(rig, body, headers))[0] == 401, "a replay, six minutes later"
        handlers.when_said = fails
        body = sealed(rig.message_body("owed", mentioned=True))
        headers = signed(rig, body, nonce="n-2")
        assert (await post(rig, body, headers))[0] == 503
        handlers.when_said = None
        rig.simulator.clock.advance(9 * 3_600_000)
        assert (await post(rig, body, headers))[0] == 401
    assert [message.text for message in handlers.messages] == ["taken", "owed"]


# The place to listen


async def test_a_taken_port_is_told_in_words_and_asked_for_rarely(rig, caplog):
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", rig.port)
    async with server, asyncio.TaskGroup() as group:
        run = group.create_task(rig.lark.run(handlers=None))
        await until(lambda: rig.lark.health().fatal)
        assert f"nothing can listen on 127.0.0.1:{rig.port}" in rig.lark.health().fatal
        assert not rig.lark.health().listening
        run.cancel()
    assert LarkFaultKind.FATAL.value in caplog.text


async def test_no_log_line_holds_a_secret_an_id_or_a_text(rig, caplog):
    async def fails(_):
        raise RuntimeError("a private text")

    with caplog.at_level(logging.DEBUG):
        async with running(rig) as handlers:
            sent = await rig.lark.send_card(rig.group, "chat_id", card(), "key-1")
            handlers.when_said = handlers.when_pressed = fails
            await rig.press(sent.message_id, "button-secret", {"field": "a private text"})
            await rig.say("a private text", mentioned=True)
            await rig.push(b"a private text")
            event = rig.message_body("a private text", mentioned=True)
            await post(rig, orjson.dumps(event))
            event["header"]["app_id"] = "cli_other"
            await post(rig, sealed(event), signed(rig, sealed(event)))
            await post(rig, orjson.dumps(question(rig, token="wrong")))
    told = "\n".join(
        record.getMessage() + str(record.exc_info)
        for record in caplog.records
        if not record.name.startswith(("aiohttp", "asyncio"))
    )
    for secret in (
        KEY, rig.app.verification_token, rig.app.app_secret, "button-secret", "private text", "cli_other",
        rig.ann.open_id, rig.group, sent.message_id, 'a"b',
    ):  # fmt: skip
        assert secret not in told, secret
    assert "turned away with 401" in told
