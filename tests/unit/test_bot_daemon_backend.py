"""The daemon behind the bot's protocol: what is sent is what the daemon takes, and each failure has its kind."""

import asyncio
import dataclasses
import json
from contextlib import asynccontextmanager

import msgspec
import pytest
from aiohttp import web

from bot.backend import BackendFault, BotHealth, Delivery, FeedEvent
from bot.daemon_backend import DaemonBackend
from daemon.aclient import AsyncClient
from daemon.relay import wire as relay
from tests.golden.card_views import SAMPLES
from tests.unit.bot_world import (
    message,
    press,
)

TOAST = {"type": "success", "en": "Done.", "zh": "完成。"}


class Script:
    """A daemon that answers what it is told to, and keeps what it was asked."""

    def __init__(self):
        self.asked = []
        self.answer = (200, {})

    async def handle(self, request):
        self.asked.append((request.method, request.path_qs, await request.read(), request.headers))
        status, body = self.answer
        if status == 0:
            request.transport.abort()
            return web.Response()
        if status == -1:
            await asyncio.Event().wait()
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-Frontstage-Exit": "0"}
        if status == 503:
            headers["Retry-After"] = "2"
        return web.Response(status=status, body=raw, headers=headers)


@asynccontextmanager
async def scripted(tmp_path, answer=(200, {}), answer_ms_max=300):
    script = Script()
    script.answer = answer
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", script.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    path = str(tmp_path / "d.sock")
    await web.UnixSite(runner, path).start()
    try:
        async with AsyncClient(path, "fs_bot", answer_ms_max=answer_ms_max) as client:
            yield script, DaemonBackend(client)
    finally:
        await runner.cleanup()


async def test_a_press_is_sent_as_the_daemon_takes_it(tmp_path):
    answer = {"envelope": {"ok": True}, "toast": TOAST, "goal_id": "g", "slots": ["goal:g@oc"]}
    form = {"title": "T", "many": ["a", "b"], "yes": True}
    pressed = dataclasses.replace(press("ev_7", locale="zh"), form=form)
    async with scripted(tmp_path, (200, answer)) as (script, backend):
        result = await backend.press(pressed)
    assert (result.ok, result.toast.zh, result.slots) == (True, "完成。", ("goal:g@oc",))
    (method, path, body, headers) = script.asked[0]
    assert (method, path, headers["Authorization"]) == ("POST", "/v1/relay/press", "Bearer fs_bot")
    taken = relay.Press.model_validate_json(body)
    assert taken.form == {"title": "T", "many": "a\nb", "yes": "true"}
    assert (taken.event_id, taken.operator.open_id, taken.locale) == ("ev_7", "ou_ann", "zh")


@pytest.mark.parametrize("ok", [True, False])
async def test_a_refused_press_is_no_success(tmp_path, ok):
    async with scripted(tmp_path, (200, {"envelope": {"ok": ok}, "toast": TOAST, "slots": []})) as (_, backend):
        assert (await backend.press(press())).ok is ok


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (None, None),
        ({"kind": "text", "en": "Hi", "zh": "你好"}, "text"),
        ({"kind": "card", "slot": "form:om_1@oc", "note": {"en": "cut"}}, "card"),
    ],
)
async def test_a_message_is_sent_as_the_daemon_takes_it(tmp_path, reply, kind):
    async with scripted(tmp_path, (200, {"reply": reply})) as (script, backend):
        got = await backend.message(message(thread_id="omt_1"))
    assert (got and got.kind) == kind
    taken = relay.Message.model_validate_json(script.asked[0][2])
    assert (taken.message_id, taken.thread_id, taken.mentioned) == ("om_in_1", "omt_1", True)
    assert taken.sender == relay.Person(open_id="ou_ann", union_id="on_ann")


async def test_records_health_and_lease_are_sent_as_the_daemon_takes_them(tmp_path):
    kept = Delivery(slot="s@oc", chat_id="oc", message_id="", digest="d", version=3, sent_at_ms=9, state="posting")
    health = BotHealth(
        process_up=True, stream_ready=True, callback_proven=True, last_callback_at_ms=5, fatal="the other domain"
    )
    async with scripted(tmp_path, (200, {"ok": True})) as (script, backend):
        await backend.put_delivery(kept)
        await backend.put_health(health)
        script.answer = (200, {"leader": True, "holder": "me", "expires_at_ms": 12})
        assert (await backend.leader("me", 10_000)).leader is True
    assert relay.Delivery.model_validate_json(script.asked[0][2]).state == "posting"
    assert relay.BotHealth.model_validate_json(script.asked[1][2]).last_callback_at_ms == 5
    assert relay.Lead.model_validate_json(script.asked[2][2]).ttl_ms == 10_000


async def test_every_view_comes_through_whole(tmp_path):
    async with scripted(tmp_path) as (script, backend):
        for view in SAMPLES.values():
            script.answer = (200, {"seq": 41, **msgspec.to_builtins(view)})
            seen = await backend.view("review:g:1@oc")
            assert (seen.seq, seen.view) == (41, view)
        script.answer = (404, {"ok": False, "code": "unknown_goal"})
        assert await backend.view("review:g:1@oc") is None
    assert script.asked[0][1] == "/v1/relay/view?slot=review:g:1@oc"


@pytest.mark.parametrize(
    ("answer", "kind", "code", "retry_after_s"),
    [
        ((503, {"ok": False, "code": "busy"}), "busy", "busy", 2.0),
        ((423, {"ok": False, "code": "waiting"}), "busy", "waiting", None),
        ((400, {"ok": False, "code": "malformed_params"}), "refused", "malformed_params", None),
        ((422, {"ok": False, "code": "x"}), "refused", "x", None),
        # A credential that is not accepted is mended by an operator; nothing may be thrown away meanwhile.
        ((401, {"ok": False, "code": "unauthenticated"}), "fault", "unauthenticated", None),
        ((403, {"ok": False, "code": "relay_only"}), "fault", "relay_only", None),
        ((500, {"ok": False, "code": "fault"}), "fault", "fault", None),
        ((200, {"toast": TOAST}), "fault", "unreadable_answer", None),
        ((0, {}), "unknown", "Dropped", None),
        ((-1, {}), "unknown", "TooSlow", None),
    ],
)
async def test_each_failure_has_its_kind(tmp_path, answer, kind, code, retry_after_s):
    async with scripted(tmp_path, answer) as (_, backend):
        with pytest.raises(BackendFault) as caught:
            await backend.press(press())
    assert (caught.value.kind, caught.value.code, caught.value.retry_after_s) == (kind, code, retry_after_s)
    assert "ou_ann" not in str(caught.value)


async def test_nobody_at_the_socket_means_that_nothing_was_sent(tmp_path):
    async with AsyncClient(str(tmp_path / "none.sock"), "fs_bot") as client:
        for ask in (DaemonBackend(client).slots(), anext(DaemonBackend(client).feed(0))):
            with pytest.raises(BackendFault) as caught:
                await ask
            assert caught.value.kind == "unreachable"


async def test_the_feed_is_read_event_by_event(tmp_path):
    lines = b': hello\n\nid: 5\nevent: goal.proposed\ndata: {"seq":5,"kind":"goal.proposed","goal_id":"g"}\n\n'
    async with scripted(tmp_path, (200, lines + lines.replace(b'"g"', b"null"))) as (script, backend):
        events = [event async for event in backend.feed(4)]
    assert events == [FeedEvent(seq=5, kind="goal.proposed", goal_id=goal) for goal in ("g", None)]
    assert script.asked[0][1] == "/v1/feed?after=4"
