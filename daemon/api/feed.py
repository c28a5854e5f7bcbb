"""The feed: what happened, as it happens, resumable from any seq.

A reader pulls: nothing is buffered for it beyond what the ledger keeps anyway, so a slow one costs nobody anything and
misses nothing. The feed says what kind of event it was and about which goal; for what it means, ask the projection.
It ends with the credential it was asked with: a revocation is an event, and the end of a credential's time is known.
"""

import asyncio
from collections.abc import Sequence
from itertools import islice

import msgspec
from aiohttp import web
from aiohttp_sse import EventSourceResponse, sse_response

from daemon.api.edge import Principal, prove, proved
from daemon.api.envelope import refused
from daemon.service import Service
from ledger.codec import decode_event
from ledger.events import Recorded
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.tokens import out_of_scope

HEARTBEAT_S = 15.0
PAGE_MAX = 500
READERS_MAX = 256
SEND_SECONDS_MAX = 30.0


class _Right:
    """Whether one reader may still follow: looked at again after each event that may have changed who they are."""

    def __init__(self, request: web.Request, service: Service, own_uid: int, principal: Principal) -> None:
        self._request = request
        self._service = service
        self._own_uid = own_uid
        self._until_ms = principal.until_ms
        self._registry_seq = service.registry_seq
        self._ended = False

    def holds(self) -> bool:
        """Whether the credential is good now, for the feed."""
        service = self._service
        if self._registry_seq != service.registry_seq and not self._ended:
            self._registry_seq = service.registry_seq
            found = proved(self._request, service, self._own_uid)
            if isinstance(found, Refusal) or out_of_scope(service.committed, found.caller, "feed", None) is not None:
                self._ended = True
            else:
                self._until_ms = found.until_ms
        return not self._ended and (self._until_ms is None or service.clock.now_ms() < self._until_ms)

    def wait_s(self) -> float:
        """How long nothing needs to be looked at if nothing happens: to the next heartbeat, or the credential's end."""
        if self._until_ms is None:
            return HEARTBEAT_S
        return min(HEARTBEAT_S, max(1, self._until_ms - self._service.clock.now_ms()) / 1000)


class Feed:
    """All readers of one service's events."""

    def __init__(self, service: Service, own_uid: int) -> None:
        self._service = service
        self._own_uid = own_uid
        self._readers = 0

    @property
    def readers(self) -> int:
        """Who follows now."""
        return self._readers

    async def follow(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/feed?after=SEQ`: every event past `after`, then the new ones until the reader goes."""
        principal = prove(request, self._service, self._own_uid)
        if isinstance(principal, Refusal):
            return refused(request, "feed", principal, self._service.committed.seq)
        if (broken := out_of_scope(self._service.committed, principal.caller, "feed", None)) is not None:
            # It tells of every goal, so a credential for some of them is not good for it.
            return refused(request, "feed", broken, self._service.committed.seq)
        after = request.headers.get("Last-Event-ID") or request.query.get("after", str(self._service.committed.seq))
        if not after.isascii() or not after.isdigit() or len(after) > 16:
            return refused(
                request,
                "feed",
                refuse(GeneralRefusal.MALFORMED_PARAMS, field="after", problem="must be a seq"),
                self._service.committed.seq,
            )
        if self._readers >= READERS_MAX:
            return refused(request, "feed", refuse(GeneralRefusal.BUSY, retry_after_s=5), self._service.committed.seq)
        right = _Right(request, self._service, self._own_uid, principal)
        self._readers += 1
        try:
            async with sse_response(request, send_timeout=SEND_SECONDS_MAX, ping_interval=HEARTBEAT_S) as response:
                await self._send_from(response, int(after), right)
        finally:
            self._readers -= 1
        return response

    async def _send_from(self, response: EventSourceResponse, after: int, right: _Right) -> None:
        sent = after
        # A full disk stops writers, not readers: only the end of the service ends a feed.
        while response.is_connected() and not self._service.ended and right.holds():
            events = await page_of(self._service, sent)
            for event in events:
                if not right.holds():
                    return
                try:
                    await response.send(_line(event), id=str(event.seq), event=event.kind)
                except (ConnectionError, TimeoutError):
                    return  # It hung up, or read nothing for too long; it resumes by seq.
                sent = event.seq
            if not events:
                await self._wait(sent, right.wait_s())

    async def _wait(self, sent: int, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._service.changed(sent)
        except TimeoutError:
            return


async def page_of(service: Service, after: int) -> Sequence[Recorded]:
    """The next committed events past `after`: of memory, and where that does not reach back, of the store."""
    recent = service.recent
    if recent and recent[0].seq <= after + 1:
        # They follow one another without a gap, so that their place is known.
        first = max(0, after + 1 - recent[0].seq)
        return list(islice(recent, first, first + PAGE_MAX))
    if after >= service.committed.seq:
        return ()
    return await asyncio.to_thread(_stored, service, after, service.committed.seq)


def _stored(service: Service, after: int, through: int) -> list[Recorded]:
    reader = service.store.reader()
    try:
        rows = reader.events(after, limit=min(PAGE_MAX, through - after))
        return [decode_event(row.body, None, row.hash) for row in rows]
    finally:
        reader.close()


def _line(event: Recorded) -> str:
    return msgspec.json.encode(
        {"seq": event.seq, "kind": event.kind, "goal_id": event.goal_id, "actor": event.actor, "at_ms": event.at_ms}
    ).decode()
