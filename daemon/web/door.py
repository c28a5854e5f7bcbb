"""`/v1/page`: the owner asks for the page, is told where it is, and has it taken away again.

Until somebody asks, nothing listens on any port. From then on the page is there whenever the daemon is, at the same
address, so that a page which is open in a browser outlives a restart. What it is made with is loaded with the first.
"""

import asyncio
import logging
from collections.abc import Callable
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
        """Open the page again where it was open when the daemon ended. A page is never why a daemon does not start."""
        if not place.is_kept(self._home):
            return
        try:
            await self.open()
        except OSError as error:
            _log.warning("the page cannot be opened", exc_info=error)

    async def open(self) -> str:
        """Where the page is; it is opened if need be. Raises OSError where its port cannot be had."""
        from daemon.web.server import PageServer  # noqa: PLC0415  (its templates cost what most daemons never need)

        async with self._changing:
            if self._server is None or self._server.url is None:
                server = PageServer(self._service, self._past, self._clock, self._health)
                await server.open(place.take(self._home, port=self._port))
                self._server = server
            url = self._server.url
            assert url is not None, "it was opened"
            return url

    async def close(self, *, forget: bool = False) -> None:
        """Close the page; whoever forgets it, too, makes its addresses worthless."""
        async with self._changing:
            if self._server is not None:
                await self._server.close()
                self._server = None
            if forget:
                place.forget(self._home)
