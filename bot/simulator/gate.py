"""The door of the open platform: every call is logged, may meet a planned fault, and is counted against the limits."""

import socket
import struct
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import formatdate
from typing import Literal

from aiohttp import web

from bot.simulator.clock import SimClock
from bot.simulator.documented import (
    CALLS_PER_CHAT_MAX,
    CALLS_PER_MESSAGE_MAX,
    CALLS_PER_MINUTE_MAX,
    CALLS_PER_PERSON_MAX,
    CALLS_PER_SECOND_MAX,
)
from bot.simulator.errors import PlatformError
from bot.simulator.faults import Fault, Faults
from bot.simulator.ids import Ids
from bot.simulator.limits import Limit, RateLimits
from bot.simulator.model import Chat
from bot.simulator.wire import JsonObject, dump, number_at

LOG_MAX = 10_000

_GATEWAY_PAGE = "<html><head><title>{0}</title></head><body><center><h1>{0} Bad Gateway</h1></center></body></html>"


@dataclass(kw_only=True)
class CallNote:
    """What is found out about a call while it is worked on."""

    app_id: str = ""
    code: int = 0


Work = Callable[[web.Request, bytes, CallNote], Awaitable[JsonObject]]
RateStyle = Literal["429", "400", "230020"]


@dataclass(frozen=True, kw_only=True)
class LoggedCall:
    """One call as it came in and what it was answered; the body is kept as the exact bytes sent."""

    api: str
    at_ms: int
    method: str
    path: str
    body: str
    body_bytes: int
    status: int
    code: int
    app_id: str
    log_id: str

    def view(self) -> JsonObject:
        """As the control interface shows it."""
        return {
            "api": self.api, "at_ms": self.at_ms, "method": self.method, "path": self.path, "body": self.body,
            "body_bytes": self.body_bytes, "status": self.status, "code": self.code, "app_id": self.app_id,
            "log_id": self.log_id,
        }  # fmt: skip


def cut(request: web.Request) -> None:
    """Break the caller's connection with a reset, as a failing network does."""
    transport = request.transport
    if transport is None:
        return
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


class Gate:
    """Log, faults and limits around the work of an endpoint."""

    def __init__(self, clock: SimClock, ids: Ids, faults: Faults) -> None:
        self._clock = clock
        self._ids = ids
        self._faults = faults
        self._limits = RateLimits()
        self.log: deque[LoggedCall] = deque(maxlen=LOG_MAX)
        self.counters: Counter[str] = Counter()
        self.rate_style: RateStyle = "429"
        self.limits_on = True
        self.revoke: Callable[[], object] = lambda: 0

    def charge(self, api: str, app_id: str, *, chat: Chat | None = None, message_id: str = "") -> None:
        """Count a call against the app's, the chat's and the message's limits, or refuse it."""
        if not self.limits_on:
            return
        limits = [
            Limit(f"{app_id} {api}", CALLS_PER_SECOND_MAX, 1_000),
            Limit(f"{app_id} {api}", CALLS_PER_MINUTE_MAX, 60_000),
        ]
        if chat is not None:
            calls_max = CALLS_PER_PERSON_MAX if chat.kind == "p2p" else CALLS_PER_CHAT_MAX
            limits.append(Limit(f"chat {chat.chat_id}", calls_max, 1_000))
        if message_id:
            limits.append(Limit(f"message {message_id}", CALLS_PER_MESSAGE_MAX, 1_000))
        full = self._limits.take(limits, self._clock.now_ms())
        if full is None:
            return
        limit, wait_ms = full
        self.counters["rate_limited"] += 1
        headers = {"x-ogw-ratelimit-limit": str(limit.calls_max), "x-ogw-ratelimit-reset": str(-(-wait_ms // 1000))}
        if self.rate_style == "230020" and limit.calls_max == CALLS_PER_CHAT_MAX:
            raise PlatformError(230020, "This operation triggers the frequency limit.", status=400, headers=headers)
        status = 400 if self.rate_style == "400" else 429
        raise PlatformError(99991400, "request trigger frequency limit", status=status, headers=headers)

    async def pass_through(self, api: str, request: web.Request, work: Work) -> web.StreamResponse:
        """Run one call of an endpoint with everything around it."""
        body = await request.read()
        log_id = self._ids.fresh("")
        note = CallNote()
        fault = self._faults.next_for(api)
        response = await self._spoiled(fault, request, note)
        if response is None:
            response = await self._answered(request, body, log_id, work, note=note)
            if fault is not None and fault.kind == "hang_after_commit":
                await self._faults.hold()
            if fault is not None and fault.kind == "drop_after_commit":
                cut(request)
        response.headers["X-Tt-Logid"] = log_id
        # The platform's own time, so that whoever compares clocks sees this one's.
        response.headers["Date"] = formatdate(self._clock.now_ms() / 1000, usegmt=True)
        self.counters[f"api:{api}"] += 1
        if fault is not None:
            self.counters[f"fault:{fault.kind}"] += 1
        self.counters[f"code:{note.code}"] += 1
        self.log.append(
            LoggedCall(
                api=api,
                at_ms=self._clock.now_ms(),
                method=request.method,
                path=request.path_qs,
                body=body.decode(errors="replace"),
                body_bytes=len(body),
                status=response.status,
                code=note.code,
                app_id=note.app_id,
                log_id=log_id,
            )
        )
        return response

    async def _spoiled(self, fault: Fault | None, request: web.Request, note: CallNote) -> web.Response | None:
        match fault.kind if fault is not None else None:
            case "latency" if fault is not None:
                await self._clock.sleep_until(self._clock.now_ms() + fault.latency_ms)
            case "hang":
                await self._faults.hold()
            case "reset":
                cut(request)
                return web.Response(status=500)
            case "html" if fault is not None:
                return web.Response(
                    status=fault.status, text=_GATEWAY_PAGE.format(fault.status), content_type="text/html"
                )
            case "empty":
                return web.Response(status=200, content_type="application/json")
            case "revoke":
                self.revoke()
            case "code" if fault is not None:
                note.code = fault.code
                return self._error(PlatformError(fault.code, fault.msg, status=fault.status), "")
        return None

    async def _answered(
        self, request: web.Request, body: bytes, log_id: str, work: Work, *, note: CallNote
    ) -> web.Response:
        try:
            answer = await work(request, body, note)
        except PlatformError as refusal:
            note.code = refusal.code
            return self._error(refusal, log_id)
        note.code = number_at(answer, "code")
        return web.Response(body=dump(answer), content_type="application/json", charset="utf-8")

    @staticmethod
    def _error(refusal: PlatformError, log_id: str) -> web.Response:
        body = {"code": refusal.code, "msg": refusal.msg, "error": {"log_id": log_id}}
        return web.Response(
            body=dump(body),
            status=refusal.status,
            headers=refusal.headers,
            content_type="application/json",
            charset="utf-8",
        )
