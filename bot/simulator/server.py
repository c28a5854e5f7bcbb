"""The simulator put together: one world, one door, one long link, on a loopback port."""

import asyncio

from aiohttp import web

from bot.simulator.chat import ChatClient
from bot.simulator.chatapi import ChatApi, refusals
from bot.simulator.clock import SimClock
from bot.simulator.control import Control
from bot.simulator.delivery import Deliveries
from bot.simulator.faults import Faults
from bot.simulator.gate import Gate
from bot.simulator.ids import Ids
from bot.simulator.longlink import LongLink
from bot.simulator.messages import Messages
from bot.simulator.openapi import OpenApi
from bot.simulator.pages import own_origin_only, page_routes
from bot.simulator.press import Presses
from bot.simulator.registration import Registrations
from bot.simulator.scenario import DEMO, populate
from bot.simulator.society import Society
from bot.simulator.tokens import Tokens
from bot.simulator.webhook import Webhooks
from bot.simulator.webhookcontrol import WebhookControl
from bot.simulator.wire import JsonObject
from bot.simulator.world import World

BODY_BYTES_MAX = 1024 * 1024


class Simulator:
    """A whole platform in one object: `start` gives its base URL, `stop` ends it."""

    def __init__(
        self, scenario: JsonObject | None = None, *, clock: SimClock | None = None, seed: str | None = None
    ) -> None:
        self.clock = clock or SimClock()
        self.ids = Ids(seed)
        self.world = World(self.clock, self.ids)
        populate(self.world, DEMO if scenario is None else scenario)
        self.faults = Faults()
        self.gate = Gate(self.clock, self.ids, self.faults)
        self.tokens = Tokens(self.ids)
        self.gate.revoke = self.tokens.revoke_all
        self.messages = Messages(self.world)
        self.link = LongLink(self.world, self.gate, self.ids)
        self.webhooks = Webhooks(self.clock, self.ids)
        self._stop = asyncio.Event()
        self._main: asyncio.Task[None] | None = None
        self.deliveries: Deliveries
        self.presses: Presses
        self.client: ChatClient
        self.base_url = ""

    async def start(self, *, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen and return the base URL, such as `http://127.0.0.1:49152`."""
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._main = asyncio.get_running_loop().create_task(self._run(ready, host, port))
        await asyncio.wait((ready, self._main), return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            await self._main
            raise RuntimeError("the simulator ended before it was ready")
        self.base_url = ready.result()
        return self.base_url

    async def stop(self) -> None:
        """Close every connection and end; a fault that happened meanwhile is raised here."""
        self._stop.set()
        if self._main is not None:
            main, self._main = self._main, None
            await main

    async def _run(self, ready: asyncio.Future[str], host: str, port: int) -> None:
        async with asyncio.TaskGroup() as tasks:
            runner = web.AppRunner(
                self._application(tasks), handler_cancellation=True, access_log=None, shutdown_timeout=0.2
            )
            await runner.setup()
            try:
                site = web.TCPSite(runner, host, port)
                await site.start()
                sockname = runner.addresses[0]
                ready.set_result(f"http://{host}:{sockname[1]}")
                await self._stop.wait()
            finally:
                self.faults.clear()
                await self.link.close_all()
                await runner.cleanup()
            self.deliveries.stop()

    def _application(self, tasks: asyncio.TaskGroup) -> web.Application:
        self.deliveries = Deliveries(self.link, self.webhooks, self.clock, tasks)
        self.presses = Presses(self.world, self.deliveries)
        self.client = ChatClient(self.world, self.deliveries, self.presses)
        control = Control(
            self.world,
            gate=self.gate,
            faults=self.faults,
            tokens=self.tokens,
            link=self.link,
            deliveries=self.deliveries,
            presses=self.presses,
        )
        webhook_control = WebhookControl(self.world, self.webhooks)
        app = web.Application(client_max_size=BODY_BYTES_MAX, middlewares=[own_origin_only, refusals])
        app.add_routes(OpenApi(self.world, self.gate, self.tokens, self.messages, self.presses.delayed).routes())
        app.add_routes(self.link.routes())
        app.add_routes(ChatApi(self.world, self.client, self.link).routes())
        app.add_routes(control.routes())
        app.add_routes(Society(self.world, self.deliveries).routes())
        app.add_routes(webhook_control.routes())
        app.add_routes(Registrations(self.world).routes())
        app.add_routes(page_routes())
        return app
