"""The simulator's webhooks, received by the vendor's own handler and not by ours: what it signs and seals is right."""

import asyncio

import orjson
import pytest
from aiohttp import web

from bot.simulator import events
from bot.simulator.model import Webhook
from bot.simulator.server import Simulator
from bot.simulator.webhook import ChallengeFailedError

pytestmark = pytest.mark.slow
KEY = "an encrypt key"


class Endpoint:
    """An address that hands each request to the SDK, and can be told to answer otherwise."""

    def __init__(self):
        self.requests, self.answer = [], None

    async def __aenter__(self):
        app = web.Application()
        app.router.add_post("/hook", self.receive)
        self.runner = web.AppRunner(app)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self.runner.addresses[0][1]}/hook"
        return self

    async def __aexit__(self, *_):
        await self.runner.cleanup()

    async def receive(self, request):
        body = await request.read()
        self.requests.append((dict(request.headers), body))
        if callable(self.answer):
            return await self.answer()
        return web.Response(status=200, body=self.handled(request, body), content_type="application/json")

    def handled(self, request, body):
        from lark_oapi.core.model import RawRequest  # noqa: PLC0415 - two seconds, for these tests alone

        raw = RawRequest()
        raw.uri, raw.body, raw.headers = str(request.rel_url), body, dict(request.headers)
        self.sdk_answer = self.handler.do(raw)
        return self.sdk_answer.content


@pytest.fixture
async def world():
    import lark_oapi  # noqa: PLC0415 - two seconds, for these tests alone

    simulator = Simulator(seed="hook")
    await simulator.start()
    app = next(iter(simulator.world.apps.values()))
    async with Endpoint() as endpoint:
        simulator.app, simulator.endpoint, simulator.heard = app, endpoint, []
        endpoint.handler = (
            lark_oapi.EventDispatcherHandler.builder(KEY, app.verification_token)
            .register_p2_im_message_receive_v1(lambda event: simulator.heard.append(event.event.message.content))
            .build()
        )
        yield simulator
    await simulator.stop()


def message(simulator, text):
    chat = next(chat for chat in simulator.world.chats.values() if chat.kind == "group")
    sent = simulator.world.add_message(chat, "text", "ann", {"text": text}, from_app=False)
    ann = simulator.world.people["ann"]
    return events.message_received(simulator.app, simulator.ids, sent, chat, ann, mentions=[])


async def test_the_vendors_handler_takes_challenge_signature_and_content(world):
    await world.webhooks.adopt(world.app, Webhook(url=world.endpoint.url, encrypt_key=KEY))
    assert "X-Lark-Signature" not in world.endpoint.requests[0][0], "the challenge is not signed"
    ack = await world.deliveries.push_once(world.app, orjson.dumps(message(world, "你好")))
    assert (ack.code, world.endpoint.sdk_answer.status_code) == (200, 200)
    assert [orjson.loads(content)["text"] for content in world.heard] == ["你好"]
    assert "你好".encode() not in world.endpoint.requests[1][1], "it is sealed"


async def test_without_a_key_it_is_plain_and_unsigned(world):
    import lark_oapi  # noqa: PLC0415 - see above

    heard = world.heard
    world.endpoint.handler = (
        lark_oapi.EventDispatcherHandler.builder("", world.app.verification_token)
        .register_p2_im_message_receive_v1(lambda event: heard.append(event.event.message.content))
        .build()
    )
    await world.webhooks.adopt(world.app, Webhook(url=world.endpoint.url))
    await world.deliveries.push_once(world.app, orjson.dumps(message(world, "plain")))
    assert len(heard) == 1
    assert "X-Lark-Signature" not in world.endpoint.requests[1][0]


async def answer_with(status, body):
    return web.Response(status=status, body=body, headers={"Location": "/elsewhere"} if status == 302 else {})


@pytest.mark.parametrize(
    ("status", "body"), [(403, b"{}"), (200, b""), (200, b"null"), (200, b'{"challenge":"x"}'), (302, b"")]
)
async def test_an_address_that_does_not_answer_the_challenge_is_not_taken(world, status, body):
    world.endpoint.answer = lambda: answer_with(status, body)
    with pytest.raises(ChallengeFailedError):
        await world.webhooks.adopt(world.app, Webhook(url=world.endpoint.url, encrypt_key=KEY))
    assert world.app.webhook is None


async def test_a_challenge_must_be_answered_within_a_second_and_an_event_within_three(world):
    hook = Webhook(url=world.endpoint.url, encrypt_key=KEY)
    world.clock.freeze()
    release = asyncio.Event()

    async def late():
        await release.wait()
        return web.Response(body=b"{}")

    async def after(ms, work):
        async with asyncio.TaskGroup() as group:
            task = group.create_task(work)
            while not world.clock.sleeping:  # noqa: ASYNC110 - the clock is asked, it tells nobody
                await asyncio.sleep(0)
            world.clock.advance(ms)
        return task.result()

    world.endpoint.answer = late

    async def adopt():
        try:
            await world.webhooks.adopt(world.app, hook)
        except ChallengeFailedError as error:
            return str(error)

    assert "timeout" in await after(1_000, adopt())
    world.app.webhook = hook
    assert await after(3_000, world.deliveries.push_once(world.app, orjson.dumps(message(world, "late")))) == "timeout"
    release.set()


async def test_nobody_at_the_address_is_a_lost_push(world):
    world.app.webhook = Webhook(url="http://127.0.0.1:9/hook", encrypt_key=KEY)
    assert await world.deliveries.push_once(world.app, b"{}") == "lost"
