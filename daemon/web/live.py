"""`live`: tells a page that is open that something was committed, and when it may look again.

The stream says no more than the seq; what changed is read from the page itself. A page that comes back after a break
says the last seq it knows and hears at once whether there is more. All followers together may cost the daemon a small
part of its time: the more of them there are, the longer each waits before it is told again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from aiohttp import web
from aiohttp_sse import EventSourceResponse, sse_response

from daemon.service import Service
from daemon.web.pace import Pace

FOLLOWERS_MAX = 64
HEARTBEAT_S = 10.0
LOOK_S = 1.0
"""How often it is seen whether a follower is still there."""
ALIVE = "alive"
"""What is said where nothing was committed, so that a daemon which hangs is not taken for one that rests."""
SEND_SECONDS_MAX = 10.0
PAUSE_S_MIN = 0.25
"""The least time between two words to one follower."""
RETRY_MS = 1_000
"""How soon a browser asks again after a break."""
SEQ_DIGITS_MAX = 16


class Live:
    """Everybody who follows."""

    def __init__(self, service: Service, pace: Pace, headers: Mapping[str, str]) -> None:
        """`headers` are said with every stream."""
        self._service = service
        self._pace = pace
        self._headers = headers
        self._closing = False
        self._patience: set[asyncio.Timeout] = set()
        """What everybody waits under at this moment."""
        self.followers = 0

    async def follow(self, request: web.Request) -> web.StreamResponse:
        """`GET live`: the seq, now and after every change, for as long as the reader stays."""
        last = request.headers.get("Last-Event-ID", "0")
        known = int(last) if last.isascii() and last.isdigit() and len(last) <= SEQ_DIGITS_MAX else 0
        if self.followers >= FOLLOWERS_MAX:
            return web.Response(status=503, headers={**self._headers, "Retry-After": "5"})
        self.followers += 1
        try:
            async with sse_response(
                request, headers=self._headers, send_timeout=SEND_SECONDS_MAX, ping_interval=HEARTBEAT_S
            ) as response:
                await self._tell(request, response, known)
        finally:
            self.followers -= 1
        return response

    def close(self) -> None:
        """Let everybody go. They come back by themselves when there is a page again."""
        self._closing = True
        now_s = asyncio.get_running_loop().time()
        for patience in self._patience:
            patience.reschedule(now_s)

    async def _tell(self, request: web.Request, response: EventSourceResponse, known: int) -> None:
        loop = asyncio.get_running_loop()
        while _is_there(request) and not self._service.ended and not self._closing:
            seq = self._service.committed.seq
            try:
                # A browser tells its page nothing of a comment; so a sign of life is an event, too.
                name = ALIVE if seq == known else "seq"
                await response.send(str(seq), id=str(seq), event=name, retry=RETRY_MS)
            except (ConnectionError, TimeoutError):
                return  # It hung up, or read nothing for too long; it comes back by itself.
            if seq != known:
                known = seq
                await self._wait(PAUSE_S_MIN + self._pace.turn_s(loop.time()), asyncio.Event().wait)
            await self._rest(request, known)

    async def _rest(self, request: web.Request, known: int) -> None:
        """Until there is something to say or a sign of life is due; whoever has gone makes room at the next look."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + HEARTBEAT_S
        while _is_there(request) and self._service.committed.seq == known and (left_s := until_s - loop.time()) > 0:
            if self._closing or self._service.ended:
                return
            await self._wait(min(LOOK_S, left_s), partial(self._service.changed, known))

    async def _wait(self, seconds: float, what: Callable[[], Awaitable[object]]) -> None:
        """Wait for something for no longer than this, and no longer than there is a page."""
        if self._closing:
            return
        try:
            async with asyncio.timeout(seconds) as patience:
                self._patience.add(patience)
                await what()
        except TimeoutError:
            return
        finally:
            self._patience.discard(patience)


def _is_there(request: web.Request) -> bool:
    return request.transport is not None and not request.transport.is_closing()
