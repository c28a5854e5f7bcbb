"""The two things that claim to be Lark, made ready for one suite, and how a test plays the people in front of them."""

import asyncio
import socket
import time
from contextlib import asynccontextmanager
from dataclasses import replace

import orjson

from bot.lark import LarkFaultKind, LarkUser, toast
from bot.lark_api import open_lark
from bot.lark_settings import LarkSettings, WebhookSettings
from bot.simulator import events
from bot.simulator.faults import Fault
from bot.simulator.model import Webhook
from bot.simulator.server import Simulator
from bot.simulator.wire import dump
from tests.contract.lark_fake import FakeLark

DONE = toast("success", en="Done.", zh="完成。")


def now_ms():
    return time.monotonic_ns() // 1_000_000


def card(words="Hello", token="token-1"):
    return orjson.dumps(
        {
            "schema": "2.0",
            "config": {"update_multi": True},
            "body": {
                "elements": [
                    {"tag": "div", "text": {"tag": "plain_text", "content": words}},
                    {
                        "tag": "button",
                        "text": {"tag": "plain_text", "content": "Go"},
                        "behaviors": [{"type": "callback", "value": {"t": token}}],
                    },
                ]
            },
        }
    )


class Handlers:
    """Remembers what came; does what the test put in."""

    def __init__(self):
        self.presses, self.messages, self.others = [], [], []
        self.when_pressed = self.when_said = self.when_other = None

    async def on_press(self, event):
        self.presses.append(event)
        return await self.when_pressed(event) if self.when_pressed else DONE

    async def on_message(self, event):
        self.messages.append(event)
        if self.when_said:
            await self.when_said(event)

    async def on_other(self, event_type, event_id, body):
        self.others.append((event_type, event_id, body))
        if self.when_other:
            await self.when_other(event_type)


class FakeRig:
    """The fake, driven through its own methods."""

    group, missing = "oc_group", "om_nowhere"

    def __init__(self):
        self.lark = FakeLark(now_ms=now_ms)
        self.ann = self.lark.person("ann")
        self.tenant_key, self.app_id = self.lark.tenant_key, self.lark.app_id

    async def close(self):
        pass

    async def connected(self):
        await self.lark.connected.wait()

    def shown(self, message_id):
        message = self.lark.messages[message_id]
        return message.shown, message.reply_to, message.in_thread, message.mentions

    def count(self):
        return len(self.lark.messages)

    def recall(self, message_id):
        self.lark.recall(message_id)

    def lose_group(self):
        self.lark.lost_chats.add(self.group)

    def plan(self, kind, **more):
        after = more.pop("after_commit", False)
        self.lark.fail_next(kind, after_commit=after, **more)

    async def press(self, message_id, token, form=None):
        return await self.lark.press(message_id, token, form=form)

    async def say(self, text, *, mentioned):
        return await self.lark.say(text, chat_id=self.group, mentioned=mentioned)

    async def other(self):
        return await self.lark.other("im.message.recalled_v1", {"chat_id": self.group})


class AdapterRig:
    """The adapter, connected to a simulated platform."""

    missing = "om_00000000000000000000000000000000"

    def __init__(self):
        self.simulator = Simulator(seed="contract")
        self.app = next(iter(self.simulator.world.apps.values()))
        self.chat = next(chat for chat in self.simulator.world.chats.values() if chat.kind == "group")
        self.group, self.tenant_key, self.app_id = self.chat.chat_id, self.app.tenant_key, self.app.app_id
        self._ann = self.simulator.world.people["ann"]
        self.ann = LarkUser(open_id=self._ann.open_id(self.app_id), union_id=self._ann.union_id)

    async def open(self):
        await self.simulator.start()
        self._opened = open_lark(
            self.settings(), now_ms=now_ms, chance=lambda: 0.0, wall_ms=self.simulator.clock.now_ms
        )
        self.lark = await self._opened.__aenter__()

    def settings(self):
        return LarkSettings(app_id=self.app_id, app_secret=self.app.app_secret, domain=self.simulator.base_url)

    async def close(self):
        await self._opened.__aexit__(None, None, None)
        await self.simulator.stop()

    async def connected(self):
        async with asyncio.timeout(10):
            while not self.lark.health().connected:  # noqa: ASYNC110 - health is asked, it tells nobody
                await asyncio.sleep(0)

    def shown(self, message_id):
        message = self.simulator.world.messages[message_id]
        return message.content, message.parent_id, bool(message.thread_id), len(message.mentions)

    def count(self):
        return len(self.simulator.world.messages)

    def recall(self, message_id):
        self.simulator.world.recall(self.simulator.world.messages[message_id])

    def lose_group(self):
        self.chat.apps.discard(self.app_id)

    def plan(self, kind, *, after_commit=False, code=0, retry_after_s=None):
        if after_commit:
            fault = Fault(api="*", kind="drop_after_commit")
        elif kind is LarkFaultKind.UNKNOWN_OUTCOME:
            fault = Fault(api="*", kind="html", status=502)
        else:
            fault = Fault(api="*", kind="code", code=code, status=400)
        # The token call must not use the fault up.
        fault.skip = 0 if self._has_token else 1
        self.simulator.faults.plan(fault)

    @property
    def _has_token(self):
        return any(call.api == "token" for call in self.simulator.gate.log)

    async def push(self, body):
        ack = await self.simulator.deliveries.push_once(self.app, body if isinstance(body, bytes) else dump(body))
        assert not isinstance(ack, str), ack
        return ack

    async def press(self, message_id, token, form=None):
        action = {"value": {"t": token}, "tag": "button", **({} if form is None else {"form_value": form})}
        ack = await self.push(self.press_body(message_id, action))
        assert ack.code == 200
        return orjson.loads(ack.data)

    def press_body(self, message_id, action):
        world = self.simulator.world
        return events.card_pressed(
            self.app,
            self.simulator.ids,
            world.messages[message_id],
            self._ann,
            action=action,
            now_ms=self.simulator.clock.now_ms(),
        )

    def message_body(self, text, *, mentioned):
        world = self.simulator.world
        said = f"@_user_1 {text}" if mentioned else text
        message = world.add_message(self.chat, "text", "ann", {"text": said}, from_app=False)
        message.mentioned = [self.app_id] if mentioned else []
        mentions = events.mention_entries(message, self.app, world.people, world.apps)
        return events.message_received(self.app, self.simulator.ids, message, self.chat, self._ann, mentions=mentions)

    async def say(self, text, *, mentioned):
        return (await self.push(self.message_body(text, mentioned=mentioned))).code == 200

    async def other(self):
        message = self.simulator.world.add_message(self.chat, "text", "ann", {"text": "x"}, from_app=False)
        body = events.message_recalled(self.app, self.simulator.ids, message, self.simulator.clock.now_ms())
        return (await self.push(body)).code == 200


class WebhookRig(AdapterRig):
    """The adapter, to which a simulated platform pushes: the same rig with the other transport."""

    KEY = "an encrypt key"

    def settings(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.hook = Webhook(url=f"http://127.0.0.1:{self.port}/lark", encrypt_key=self.KEY)
        listening = WebhookSettings(
            host="127.0.0.1",
            port=self.port,
            path="/lark",
            encrypt_key=self.KEY,
            verification_token=self.app.verification_token,
        )
        return replace(super().settings(), webhook=listening)

    async def connected(self):
        """The socket listens, and whoever sets the app up enters the address: the platform asks its question."""
        await until(lambda: self.lark.health().listening)
        assert not self.lark.health().connected, "a socket alone proves nothing"
        await self.simulator.webhooks.adopt(self.app, self.hook)


@asynccontextmanager
async def running(rig):
    handlers = Handlers()
    async with asyncio.TaskGroup() as group:
        run = group.create_task(rig.lark.run(handlers))
        await rig.connected()
        try:
            yield handlers
        finally:
            run.cancel()


async def until(holds, what=""):
    """Wait for a state that nobody announces; the bound is for a failure, not for a pass."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - as the docstring says
            await asyncio.sleep(0)


def calls(rig, api):
    return [call for call in rig.simulator.gate.log if call.api == api]
