"""A running simulator with the calls tests make, a bot that speaks the long connection, and cards to send."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp

from bot.simulator.clock import SimClock
from bot.simulator.frames import CONTROL, Frame, decode, encode
from bot.simulator.model import App
from bot.simulator.scenario import DEMO_APP_ID
from bot.simulator.server import Simulator

START_MS = 1_772_355_600_000
WAIT_S_MAX = 10


class Bench:
    """A simulator, a session, and the demo app's token."""

    def __init__(self, simulator, session, app_id=DEMO_APP_ID):
        self.simulator = simulator
        self.world = simulator.world
        self.clock = simulator.clock
        self.session = session
        self.app = simulator.world.apps.get(app_id) or next(iter(simulator.world.apps.values()))
        self.group = next(chat.chat_id for chat in self.world.chats.values() if chat.kind == "group")
        self.token = ""

    async def call(self, method, path, body=None, *, raw=None, headers=None):
        """Status, JSON and headers of one call."""
        data = raw if raw is not None else (None if body is None else json.dumps(body, ensure_ascii=False).encode())
        async with self.session.request(method, self.simulator.base_url + path, data=data, headers=headers) as answer:
            text = await answer.read()
            is_json = answer.content_type == "application/json" and text
            return answer.status, json.loads(text) if is_json else text, answer.headers

    async def fetch_token(self, app=None):
        app = app or self.app
        body = {"app_id": app.app_id, "app_secret": app.app_secret}
        _, answer, _ = await self.call("POST", "/open-apis/auth/v3/tenant_access_token/internal", body)
        return answer["tenant_access_token"]

    async def api(self, method, path, body=None, *, raw=None, token=None):
        """An authorised call; the parsed answer."""
        self.token = self.token or await self.fetch_token()
        headers = {"Authorization": f"Bearer {token or self.token}"}
        status, answer, got = await self.call(method, f"/open-apis{path}", body, raw=raw, headers=headers)
        if isinstance(answer, dict):
            answer["_status"], answer["_headers"] = status, got
        return answer

    async def send(self, content, *, to=None, kind="interactive", id_type="chat_id", uuid=None, token=None):
        body = {"receive_id": to or self.group, "msg_type": kind, "content": json.dumps(content, ensure_ascii=False)}
        if uuid is not None:
            body["uuid"] = uuid
        return await self.api("POST", f"/im/v1/messages?receive_id_type={id_type}", body, token=token)

    async def sent(self, content, **how):
        """Send, and give the message id."""
        answer = await self.send(content, **how)
        assert answer["code"] == 0, answer
        return answer["data"]["message_id"]

    async def patch(self, message_id, card, token=None):
        body = {"content": json.dumps(card, ensure_ascii=False)}
        return await self.api("PATCH", f"/im/v1/messages/{message_id}", body, token=token)

    async def control(self, path, body=None, method=None):
        status, answer, _ = await self.call(method or ("GET" if body is None else "POST"), f"/_control/{path}", body)
        assert status == 200, answer
        return answer

    async def chat(self, method, path, body=None):
        status, answer, _ = await self.call(method, f"/chat/api/{path}", body)
        return status, answer

    async def press(self, message_id, button, person="ann", **more):
        return await self.chat("POST", f"messages/{message_id}/press", {"person": person, "button": button, **more})

    async def type(self, text, person="ann", chat=None, **more):
        return await self.chat("POST", f"chats/{chat or self.group}/messages", {"person": person, "text": text, **more})


@asynccontextmanager
async def bench(scenario=None, *, frozen=True, seed="test") -> AsyncIterator[Bench]:
    """A simulator on a frozen clock, so that nothing happens unless a test says so."""
    simulator = Simulator(scenario, clock=SimClock(frozen_at_ms=START_MS if frozen else None), seed=seed)
    await simulator.start()
    try:
        async with aiohttp.ClientSession() as session:
            yield Bench(simulator, session)
    finally:
        await simulator.stop()


def ack(code=200, answer=None, data=None):
    """An ack's payload; `answer` becomes the base64 JSON."""
    payload = {"code": code, "headers": None}
    if answer is not None:
        data = base64.b64encode(json.dumps(answer).encode()).decode()
    if data is not None:
        payload["data"] = data
    return json.dumps(payload).encode()


OK = ack(answer={"toast": {"type": "success", "content": "done", "i18n": {"zh_cn": "好了", "en_us": "done"}}})
Answer = Callable[[dict, Frame], bytes | None]


class Bot:
    """A client of the long connection: every frame it gets, and what it answers."""

    def __init__(self, socket, answer):
        self.socket = socket
        self.answer = answer
        self.frames: asyncio.Queue[Frame] = asyncio.Queue()
        self.seen: asyncio.Queue[dict] = asyncio.Queue()
        self.parts: dict[str, dict[int, bytes]] = {}
        self.close_code = None

    async def next(self):
        """The next event or callback."""
        async with asyncio.timeout(WAIT_S_MAX):
            return await self.seen.get()

    async def next_frame(self):
        async with asyncio.timeout(WAIT_S_MAX):
            return await self.frames.get()

    async def ping(self):
        frame = Frame(seq_id=0, log_id=0, service=33554678, method=CONTROL, headers=(("type", "ping"),))
        await self.socket.send_bytes(encode(frame))

    async def listen(self):
        async for message in self.socket:
            frame = decode(message.data)
            await self.frames.put(frame)
            if frame.method == CONTROL:
                continue
            parts = self.parts.setdefault(frame.header("message_id"), {})
            parts[int(frame.header("seq"))] = frame.payload
            if len(parts) < int(frame.header("sum")):
                continue
            body = json.loads(b"".join(parts[index] for index in sorted(parts)))
            payload = self.answer(body, frame)
            await self.seen.put(body)
            if payload is not None:
                reply = Frame(
                    seq_id=frame.seq_id, log_id=frame.log_id, service=frame.service, method=frame.method,
                    headers=(*frame.headers, ("biz_rt", "1")), payload=payload,
                )  # fmt: skip
                await self.socket.send_bytes(encode(reply))
        self.close_code = self.socket.close_code


async def discover(desk, app=None, **override):
    app = app or desk.app
    body = {"AppID": app.app_id, "AppSecret": app.app_secret, **override}
    _, answer, _ = await desk.call("POST", "/callback/ws/endpoint", body)
    return answer


@asynccontextmanager
async def connected(desk, answer: Answer = lambda _body, _frame: OK, app=None) -> AsyncIterator[Bot]:
    """A bot on the long connection, until the block ends."""
    found = await discover(desk, app)
    async with desk.session.ws_connect(found["data"]["URL"]) as socket, asyncio.TaskGroup() as tasks:
        bot = Bot(socket, answer)
        listening = tasks.create_task(bot.listen())
        try:
            yield bot
        finally:
            await socket.close()
            listening.cancel()


def other_app(desk):
    """A second app in the tenant, in no group yet."""
    app = App(app_id="cli_other", app_secret="other", name="Other", tenant_key=desk.app.tenant_key)
    desk.world.add_app(app)
    return app


async def until(changes, condition):
    """Wait until a condition holds, looking again after every change."""
    async with asyncio.timeout(WAIT_S_MAX):
        while not condition():
            await changes.after(changes.revision)


def plain(content, **more):
    return {"tag": "plain_text", "content": content, **more}


def both(en, zh):
    return plain(en, i18n_content={"en_us": en, "zh_cn": zh})


def button(label="Confirm", token="t1", **more):
    return {
        "tag": "button",
        "text": label if isinstance(label, dict) else plain(label),
        "behaviors": [{"type": "callback", "value": {"t": token}}],
        **more,
    }


def div(text="text", **more):
    return {"tag": "div", "text": plain(text, **more)}


def card(*elements, header=None, **config):
    built = {
        "schema": "2.0",
        "config": {"update_multi": True, **config},
        "body": {"elements": list(elements) or [div()]},
    }
    if header is not None:
        built["header"] = header
    return built


def form(*elements, name="f", submit=None):
    submit = submit or button("Send", "t-form", name=f"{name}_send", form_action_type="submit")
    return {"tag": "form", "name": name, "elements": [*elements, submit]}


def entry(name="objective", label="Objective", **more):
    return {"tag": "input", "name": name, "label": plain(label), **more}
