"""`/v1/page`: the owner asks for the page, is told where it is, and has it taken away again.

Until somebody asks, nothing listens on any port. From then on the page is there whenever the daemon is, at the same
address, so that a page which is open in a browser outlives a restart. What it is made with is loaded with the first.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from aiohttp import web

from daemon.api.edge import prove
from daemon.api.envelope import refused, respond
from daemon.api.past import Past
from daemon.api.routes import Routes
from daemon.clock import Clock
from daemon.paths import Home
from daemon.service import Service
from daemon.web import place
from daemon.web.refusals import PageRefusal
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse, registered
from ledger.rules.tokens import out_of_scope

if TYPE_CHECKING:
    from daemon.web.server import PageServer

PATH, CLOSE_PATH = "/v1/page", "/v1/page/close"
_log = logging.getLogger("frontstage.page")


class Door:
    """Opens the page, and closes it."""

    def __init__(
        self,
        home: Home,
        service: Service,
        past: Past,
        clock: Clock,
        health: Callable[[], dict[str, object]],
        port: int | None,
    ) -> None:
        self._home = home
        self._service = service
        self._past = past
        self._clock = clock
        self._health = health
        self._port = port
        self._server: PageServer | None = None
        self._waiting: place.Place | None = None
        self._coming: asyncio.Task[str] | None = None
        self._changing = asyncio.Lock()

    def add_to(self, routes: Routes, own_uid: int) -> None:
        """Add the routes. They change nothing of the ledger, and are for its owners and the operator."""

        async def opened(request: web.Request) -> web.StreamResponse:
            if (broken := self._refusal(request, own_uid)) is not None:
                return refused(request, "page", broken, self._service.committed.seq)
            try:
                url = await self.open()
            except OSError as error:
                _log.warning("the page cannot be opened", exc_info=error)
                return refused(request, "page", self._why(error), self._service.committed.seq)
            return respond({"ok": True, "url": url, "seq": self._service.committed.seq}, 0, 200)

        async def closed(request: web.Request) -> web.StreamResponse:
            if (broken := self._refusal(request, own_uid)) is not None:
                return refused(request, "page", broken, self._service.committed.seq)
            try:
                await self.close(forget=True)
            except OSError as error:
                _log.warning("the page's address cannot be forgotten", exc_info=error)
                return refused(request, "page", self._why(error), self._service.committed.seq)
            return respond({"ok": True, "url": None, "seq": self._service.committed.seq}, 0, 200)

        routes.add("POST", PATH, opened)
        routes.add("POST", CLOSE_PATH, closed)

    def _refusal(self, request: web.Request, own_uid: int) -> Refusal | None:
        """Why this caller may not have the page: it shows every goal, so it is not for whoever may see a few."""
        principal = prove(request, self._service, own_uid)
        if isinstance(principal, Refusal):
            return principal
        caller, workspace = principal.caller, self._service.committed
        member = registered(workspace, caller.member_id)
        owns = caller.kind == "operator" or (caller.kind == "person" and member is not None and "owner" in member.roles)
        return out_of_scope(workspace, caller, "page", None) if owns else refuse(GeneralRefusal.NOT_PERMITTED)

    def _why(self, error: OSError) -> Refusal:
        """A fault of the machine as an answer."""
        if isinstance(error, place.PortTaken):
            return refuse(PageRefusal.PAGE_PORT_TAKEN, port=self._port or 0)
        return refuse(PageRefusal.PAGE_NOT_KEPT)

    async def resume(self) -> None:
        """Listen again where the page was open when the daemon ended; it is made when the first browser comes.

        A page is never why a daemon does not start, nor why it starts late.
        """
        if not place.is_kept(self._home):
            return
        try:
            self._waiting = place.take(self._home, port=self._port)
        except OSError as error:
            _log.warning("the page cannot be opened", exc_info=error)
            return
        asyncio.get_running_loop().add_reader(self._waiting.listener, self._first)

    def _first(self) -> None:
        """Somebody came while nothing was made yet; they wait in the socket's queue."""
        loop = asyncio.get_running_loop()
        if self._waiting is not None:
            loop.remove_reader(self._waiting.listener)
            self._coming = loop.create_task(self.open())

    async def open(self) -> str:
        """Where the page is; it is opened if need be. Raises OSError where its port cannot be had."""
        async with self._changing:
            if self._server is None or self._server.url is None:
                where = self._awaited() or place.take(self._home, port=self._port)
                made = (await asyncio.to_thread(_made_with)).PageServer
                server: PageServer = made(self._service, self._past, self._clock, self._health)
                await server.open(where)
                self._server = server
            url = self._server.url
            assert url is not None, "it was opened"
            return url

    def _awaited(self) -> place.Place | None:
        """The place at which somebody was waited for, if that is so; nobody is, from now on."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            asyncio.get_running_loop().remove_reader(waiting.listener)
        return waiting

    async def close(self, *, forget: bool = False) -> None:
        """Close the page; whoever forgets it, too, makes its addresses worthless."""
        async with self._changing:
            if (waiting := self._awaited()) is not None:
                waiting.listener.close()
            if self._server is not None:
                await self._server.close()
                self._server = None
            if forget:
                place.forget(self._home)


def _made_with() -> ModuleType:
    """What the page is made with, loaded beside the loop, because it takes a while; its templates are read after it."""
    loaded = import_module("daemon.web.server")
    read = import_module("daemon.web.frame").read_templates
    threading.Thread(target=read, name="templates", daemon=True).start()
    return loaded
