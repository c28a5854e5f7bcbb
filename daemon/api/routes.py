"""Routes under guard: every handler is watched while it answers, and whatever it could not do is an envelope too.

A wrapper at registration, not a middleware: a middleware costs each request more than a hot read itself.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage

from daemon.api.edge import given_twice
from daemon.api.envelope import refusal_envelope, refused, respond
from daemon.api.whole import Whole
from daemon.listen import Watch
from daemon.service import Service
from ledger.ports import StoreFault, WriterFenced
from ledger.refusals import GeneralRefusal
from ledger.rules.common import refuse

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
NAME_CHARS_MAX = 64

_log = logging.getLogger("frontstage.api")


_SAID_ONCE = ("Authorization", "Idempotency-Key")
"""Header lines of which two would leave open who asks, or what is asked again."""


class _Connection(web.RequestHandler):
    """A connection whose mistakes are answered like any other, quoting nothing of what was sent."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """What is no request: a typed refusal, and the end of the connection. `message` may hold a credential."""
        if status >= 500 or request.writer.output_size > 0:
            return super().handle_error(request, status, exc, message)
        broken = refuse(GeneralRefusal.MALFORMED_PARAMS, field="request", problem="is not HTTP as it should be")
        response = respond(refusal_envelope("http", broken, 0, "en"), broken.status.exit_code, status)
        response.force_close()
        return response


class _Server(web.Server):
    """A server that makes such connections."""

    def __call__(self) -> web.RequestHandler:
        """One connection."""
        return _Connection(self, loop=self._loop, **self._kwargs)


class Routes:
    """The daemon's routes: every path is fixed, so that one look into a dictionary finds the handler."""

    def __init__(self, service: Service, watch: Watch) -> None:
        self._service = service
        self._watch = watch
        self._handlers: dict[tuple[str, str], Handler] = {}
        self._otherwise = self._watched(self._unknown)

    def add(self, method: str, path: str, handler: Handler) -> None:
        """Add one route."""
        assert (method, path) not in self._handlers, f"{method} {path} is there already"
        self._handlers[method, path] = self._watched(handler)

    def server(self, request_bytes_max: int, keepalive_s: float) -> web.Server:
        """A server of these routes."""

        def asked(
            message: RawRequestMessage,
            payload: StreamReader,
            protocol: web.RequestHandler,
            writer: AbstractStreamWriter,
            task: "asyncio.Task[None]",
        ) -> web.Request:
            return web.Request(message, payload, protocol, writer, task, loop, client_max_size=request_bytes_max)

        loop = asyncio.get_running_loop()
        return _Server(self._answer, request_factory=asked, access_log=None, keepalive_timeout=keepalive_s)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Whatever is no route is no action of ours, whichever method it comes by."""
        assert isinstance(request, web.Request), "it was made above"
        if request.headers.get("Expect", "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        for name in _SAID_ONCE:
            if len(request.headers.getall(name, ())) > 1:
                self._service.counters.malformed += 1
                return refused(request, _name(request), given_twice(name), self._service.committed.seq)
        return await self._handlers.get((request.method, request.path), self._otherwise)(request)

    def _watched(self, handler: Handler) -> Handler:
        watch, service = self._watch, self._service

        async def watched(request: web.Request) -> web.StreamResponse:
            connection = watch.begins(request.transport)
            try:
                response = await handler(request)
            except (StoreFault, WriterFenced):
                return refused(request, _name(request), refuse(GeneralRefusal.FAULT), service.committed.seq)
            except web.HTTPRequestEntityTooLarge:
                return refused(request, _name(request), refuse(GeneralRefusal.BODY_TOO_LARGE), service.committed.seq)
            except web.RequestPayloadError:
                broken = refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="cannot be decoded")
                return refused(request, _name(request), broken, service.committed.seq)
            except (web.HTTPException, ConnectionError):
                raise  # Of the server's own, or of a caller who has hung up: there is nobody to answer.
            except Exception as error:  # noqa: BLE001  (the top of a request: a bug of ours is an answer too)
                _log.error("a request failed", exc_info=error, extra={"route": _name(request)})
                return refused(request, _name(request), refuse(GeneralRefusal.FAULT), service.committed.seq)
            else:
                if connection is not None and isinstance(response, Whole) and response.again is not None:
                    watch.keep(connection, response.again)
                return response
            finally:
                watch.ends(connection)

        return watched

    async def _unknown(self, request: web.Request) -> web.StreamResponse:
        name = _name(request)
        methods = sorted(method for method, path in self._handlers if path == request.path)
        if methods:
            broken = refuse(GeneralRefusal.METHOD_NOT_ALLOWED, action=name, allowed=methods)
            answer = refused(request, name, broken, self._service.committed.seq)
            answer.allow(methods)
            return answer
        return refused(request, name, refuse(GeneralRefusal.UNKNOWN_ACTION, action=name), self._service.committed.seq)


def _name(request: web.Request) -> str:
    return request.path.rsplit("/", 1)[-1][:NAME_CHARS_MAX]
