"""The page's server: a socket on this machine's own address, on which nothing can be written.

There is one way in, and it ends in a read. Every answer forbids the browser what the page does not need: other
origins, inline scripts and styles, frames, forms that go elsewhere, and to keep a copy.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage

from daemon.api.past import Past
from daemon.clock import Clock
from daemon.listen import Watch
from daemon.service import Service
from daemon.web import static_files
from daemon.web.asked import parse
from daemon.web.guard import HEARD, STATUS, Turned, turned
from daemon.web.live import Live
from daemon.web.pace import Pace
from daemon.web.pages import Pages
from daemon.web.place import Place
from ledger.refusals import Refusal
from ledger.text.say import LOCALES, say

CONNECTIONS_MAX = 128
STOP_WAIT_S = 2.0
KEEPALIVE_S = 75.0
FAILED = 500
FOLLOWING = "X-Frontstage-Following"
"""Said by a page that asks for itself again because something was committed."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFE: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_TOO_MANY = "".join(
    f"{line}\r\n"
    for line in (
        "HTTP/1.1 503 Service Unavailable",
        *(f"{name}: {value}" for name, value in SAFE.items()),
        "Retry-After: 1",
        "Content-Length: 0",
        "Connection: close",
        "",
    )
).encode("ascii")
_log = logging.getLogger("frontstage.page")


class PageServer:
    """The page of one daemon, from the moment that somebody asks for it."""

    def __init__(self, service: Service, past: Past, clock: Clock, health: Callable[[], dict[str, object]]) -> None:
        self._service = service
        self._watch = Watch(clock, CONNECTIONS_MAX, _TOO_MANY)
        self._pace = Pace()
        self._live = Live(service, self._pace, SAFE)
        self._pages = Pages(service, past, health, self._pace)
        self._place: Place | None = None
        self._runner: web.ServerRunner | None = None
        self._sweeping: asyncio.Task[None] | None = None

    @property
    def url(self) -> str | None:
        """Where the page is open, if it is."""
        return None if self._place is None else self._place.url

    @property
    def followers(self) -> int:
        """How many pages follow."""
        return self._live.followers

    async def open(self, place: Place) -> None:
        """Serve at a place."""
        assert self._place is None, "it is open already"
        self._place = place
        server = _Server(self._answer, request_factory=_request, access_log=None, keepalive_timeout=KEEPALIVE_S)
        self._runner = web.ServerRunner(server, shutdown_timeout=STOP_WAIT_S)
        await self._runner.setup()
        make = self._watch.factory(server)
        self._listening = await asyncio.get_running_loop().create_server(make, sock=place.listener)
        self._sweeping = asyncio.get_running_loop().create_task(self._watch.run())
        _log.info("page open", extra={"port": place.port})

    async def close(self) -> None:
        """Serve no more."""
        if self._place is None or self._runner is None or self._sweeping is None:
            return
        self._listening.close()
        self._pages.close()
        self._sweeping.cancel()
        self._live.close()
        await self._runner.cleanup()
        self._place = self._runner = self._sweeping = None

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        assert isinstance(request, web.Request), "it was made below"
        assert self._place is not None, "it is open"
        connection = self._watch.begins(request.transport)
        try:
            place = self._place
            heard = {name: request.headers.getall(name, ()) for name in HEARD}
            why = turned(request.method, request.raw_path, heard, port=place.port, key=place.key)
            return await self._shown(request, place) if why is None else _turned_away(why)
        except (web.HTTPException, ConnectionError):
            raise
        except Exception as error:  # noqa: BLE001  (the top of a request: a bug of ours ends one answer, not the daemon)
            _log.error("a page failed", exc_info=error)
            return _text(500, "page.failed")
        finally:
            self._watch.ends(connection)

    async def _shown(self, request: web.Request, place: Place) -> web.StreamResponse:
        base = f"/{place.key}"
        below = request.path.removeprefix(base)
        if not below:
            return web.Response(status=301, headers={**SAFE, "Location": f"{base}/"})
        path = below.removeprefix("/")
        if path == "live":
            return await self._live.follow(request)
        if path.startswith("static/"):
            return _static(path.removeprefix("static/"))
        query = {name: request.query[name] for name in request.query}
        twice = len(request.query) > len(query)
        asked = parse(base, path, query, request.headers.get("Accept-Language", ""), twice=twice)
        if isinstance(asked, Refusal):
            return _text(asked.status.http_status, "page.bad_address")
        following = FOLLOWING in request.headers
        made = await self._pages.page(asked, following=following)
        if following:
            self._pace.answered(len(made.body))
        headers = {
            **SAFE,
            "Content-Language": asked.locale,
            "Vary": "Accept-Language",
            "X-Frontstage-Seq": str(made.seq),
        }
        return web.Response(
            status=made.status, body=made.body, content_type="text/html", charset="utf-8", headers=headers
        )


class _Handler(web.RequestHandler):
    """One connection; what is no request at all is answered like everything else, and not told to the log."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Say that it cannot be understood. What was sent may hold the key, so it is repeated nowhere."""
        del exc, message
        if request.writer.output_size > 0:
            raise ConnectionError("a part of the answer is sent already")
        answer = _text(status, "page.bad_address" if status < FAILED else "page.failed")
        answer.force_close()
        return answer


class _Server(web.Server):
    """Makes those."""

    def __call__(self) -> web.RequestHandler:
        """A new connection."""
        return _Handler(self, loop=asyncio.get_running_loop(), **self._kwargs)


def _request(
    message: RawRequestMessage,
    payload: StreamReader,
    protocol: web.RequestHandler,
    writer: AbstractStreamWriter,
    task: "asyncio.Task[None]",
) -> web.Request:
    """What the server hears, with nothing of a body: nobody here reads one."""
    return web.Request(message, payload, protocol, writer, task, asyncio.get_running_loop(), client_max_size=0)


def _static(name: str) -> web.Response:
    found = static_files.files().get(name)
    if found is None:
        return _text(404, "page.bad_address")
    content, kind = found
    # The address says which version it is: a changed file has another one.
    headers = {**SAFE, "Cache-Control": "private, max-age=31536000, immutable", "Content-Type": kind}
    return web.Response(body=content, headers=headers)


def _turned_away(why: Turned) -> web.Response:
    answer = _text(STATUS[why], f"page.turned.{why}")
    if why is Turned.NOT_A_READ:
        answer.headers["Allow"] = "GET"
    return answer


def _text(status: int, key: str) -> web.Response:
    """A sentence in both languages, for whoever is not known to read one of them."""
    said = "\n".join(say(key, locale) for locale in LOCALES) + "\n"
    return web.Response(status=status, text=said, headers=SAFE)
