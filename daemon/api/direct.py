"""Writes the short way: a request that is whole and plain is decided without the server behind the guard.

Parsing into streams, a task for each request and an answer that could be anything cost as much as deciding, chaining
and recording. A write that came in one piece, with no header but those that our clients send, needs none of it. It goes
through the same proof, the same parameters and the same queue. Whatever is unusual, or would be refused before it is
queued, is left to the server behind, so that there is one place for it.
"""

import asyncio
import logging
import re

from daemon.api.edge import parse_body, proved, request_key
from daemon.api.envelope import answered_alone, refused
from daemon.listen import Guard
from daemon.service import Service
from ledger.catalogue import ACTIONS, Action
from ledger.params import Params
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.writer import Answer, Request

ASKED_BYTES_MAX = 64 * 1024
_HEAD_END = b"\r\n\r\n"
_PLAIN = re.compile(rb"POST (/v1/actions/[a-z.-]+) HTTP/1\.1\r\n((?:[A-Za-z-]+:[ -~]*\r\n)+)")
_KNOWN = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "idempotency-key",
        "user-agent",
        "x-frontstage-locale",
        "x-frontstage-surface",
    }
)

_log = logging.getLogger("frontstage.api")


class Plain:
    """A request as far as its headers tell."""

    __slots__ = ("headers", "transport")

    def __init__(self, headers: dict[str, str], transport: asyncio.Transport | None) -> None:
        self.headers = headers
        self.transport = transport


class Direct:
    """The actions that write, for requests that are whole and plain."""

    def __init__(self, service: Service, own_uid: int) -> None:
        self._service = service
        self._own_uid = own_uid
        self._actions = {
            f"/v1/actions/{action.name}".encode(): action
            for action in ACTIONS.values()
            if action.writes and not action.hidden
        }

    def __call__(self, asked: bytes, connection: Guard) -> bool:
        """Take a request that is known to be whole, or leave it: then nothing of it has happened."""
        head, _, body = asked.partition(_HEAD_END)
        found = _PLAIN.fullmatch(head + b"\r\n") if len(asked) <= ASKED_BYTES_MAX else None
        action = None if found is None else self._actions.get(found[1])
        headers = None if found is None or action is None else plain_headers(found[2])
        if action is None or headers is None:
            return False
        request = Plain(headers, connection.transport)
        principal, params, key = (
            proved(request, self._service, self._own_uid),
            parse_body(action, body),
            request_key(request),
        )
        if isinstance(principal, Refusal) or isinstance(params, Refusal) or isinstance(key, Refusal):
            return False
        self._service.enqueue(
            Request(action=action, params=params, caller=principal.caller, proof=principal.proof, request_key=key),
            _Taken(self._service, connection, request, action, params),
        )
        return True


class _Taken:
    """A plain request on its way; its answer is sent as soon as it is true."""

    __slots__ = ("_action", "_connection", "_params", "_request", "_service")

    def __init__(self, service: Service, connection: Guard, request: Plain, action: Action, params: Params) -> None:
        self._service = service
        self._connection = connection
        self._request = request
        self._action = action
        self._params = params

    def tell(self, answer: Answer) -> None:
        """Send the answer."""
        self._connection.answer(self._made(answer))

    def fail(self, _error: BaseException) -> None:
        """Say that the outcome is unknown; the log has said why."""
        self._connection.answer(self._fault())

    def _made(self, answer: Answer) -> bytes:
        try:
            return answered_alone(self._request, self._service, self._action, self._params, answer)
        except Exception as error:  # noqa: BLE001  (the top of a request: a bug of ours is an answer too)
            _log.error("a request failed", exc_info=error, extra={"route": self._action.name})
            return self._fault()

    def _fault(self) -> bytes:
        seq = self._service.committed.seq
        return refused(self._request, self._action.name, refuse(GeneralRefusal.FAULT), seq).alone()


def plain_headers(lines: bytes) -> dict[str, str] | None:
    """Header lines by their names in small letters; None unless each is known, given once, and asks nothing unusual."""
    given = [line.partition(":") for line in lines.decode("ascii").split("\r\n")[:-1]]
    headers = {name.lower(): value.strip(" ") for name, _, value in given}
    if len(headers) != len(given) or not _KNOWN.issuperset(headers):
        return None
    return headers if headers.get("connection", "keep-alive") == "keep-alive" else None
