"""`live`: tells a page that is open that something was committed, and when it may look again.

The stream says no more than the seq; what changed is read from the page itself. A page that comes back after a break
says the last seq it knows and hears at once whether there is more. All followers together may cost the daemon a small
part of its time: the dearer a page is and the more of them are open, the longer each waits before it looks again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from aiohttp import web
from aiohttp_sse import EventSourceResponse, sse_response

from daemon.service import Service

FOLLOWERS_MAX = 64
HEARTBEAT_S = 10.0
SEND_SECONDS_MAX = 10.0
PAUSE_S_MIN = 0.25
"""The least time between two words to one follower."""
SHARE = 20
"""One part in this many of the daemon's time is for pages that follow."""
RETRY_MS = 1_000
"""How soon a browser asks again after a break."""
SEQ_DIGITS_MAX = 16


class Pace:
    """Says when a follower may look again, so that all of them together take no more than their share."""

    def __init__(self) -> None:
        self._cost_s = 0.005
        self._free_at_s = 0.0

    def took(self, seconds: float) -> None:
        """A page was made in this time."""
        self._cost_s += (seconds - self._cost_s) / 8

    def turn_s(self, now_s: float) -> float:
        """How long to wait for a turn; taking it puts the next one off."""
        begins_s = max(now_s, self._free_at_s)
        self._free_at_s = begins_s + self._cost_s * SHARE
        return begins_s - now_s


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
                await self._tell(response, known)
        finally:
            self.followers -= 1
        return response

    def close(self) -> None:
        """Let everybody go. They come back by themselves when there is a page again."""
        self._closing = True
        now_s = asyncio.get_running_loop().time()
        for patience in self._patience:
            patience.reschedule(now_s)

    async def _tell(self, response: EventSourceResponse, known: int) -> None:
        loop = asyncio.get_running_loop()
        while response.is_connected() and not self._service.ended and not self._closing:
            seq = self._service.committed.seq
            if seq != known:
                try:
                    await response.send(str(seq), id=str(seq), event="seq", retry=RETRY_MS)
                except (ConnectionError, TimeoutError):
                    return  # It hung up, or read nothing for too long; it comes back by itself.
                known = seq
                await self._wait(PAUSE_S_MIN + self._pace.turn_s(loop.time()), asyncio.Event().wait)
            await self._wait(HEARTBEAT_S, partial(self._service.changed, known))

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
