"""Routes under guard: every handler is watched while it answers, and whatever it could not do is an envelope too.

A wrapper at registration, not a middleware: a middleware costs each request more than a hot read itself.
"""

import logging
from collections.abc import Awaitable, Callable

from aiohttp import web

from daemon.api.envelope import refused
from daemon.listen import Watch
from daemon.service import Service
from ledger.ports import StoreFault, WriterFenced
from ledger.refusals import GeneralRefusal
from ledger.rules.common import refuse

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
NAME_CHARS_MAX = 64

_log = logging.getLogger("frontstage.api")


class Routes:
    """The daemon's routes."""

    def __init__(self, app: web.Application, service: Service, watch: Watch) -> None:
        self._app = app
        self._service = service
        self._watch = watch

    def add(self, method: str, path: str, handler: Handler) -> None:
        """Add one route."""
        self._app.router.add_route(method, path, self._watched(handler))

    def close(self) -> None:
        """Whatever else is asked is no action of ours, whichever method it comes by."""
        self._app.router.add_route("*", "/{path:.*}", self._watched(self._unknown))

    def _watched(self, handler: Handler) -> Handler:
        watch, service = self._watch, self._service

        async def watched(request: web.Request) -> web.StreamResponse:
            connection = watch.begins(request.transport)
            try:
                return await handler(request)
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
            finally:
                watch.ends(connection)

        return watched

    async def _unknown(self, request: web.Request) -> web.StreamResponse:
        name = _name(request)
        return refused(request, name, refuse(GeneralRefusal.UNKNOWN_ACTION, action=name), self._service.committed.seq)


def _name(request: web.Request) -> str:
    return request.path.rsplit("/", 1)[-1][:NAME_CHARS_MAX]
