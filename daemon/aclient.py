"""The same client for asyncio, with the routes that only the bot may use.

Each call has its own connection: on a Unix socket that costs microseconds, and no request is ever written into a
connection that the daemon has just closed. Nothing is asked twice in here unless patience was given; the bot knows what
its event ids make safe to ask again.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import aiohttp

from daemon import wire
from daemon.client import (
    AGAIN,
    FEED_SILENT_MS_MAX,
    HTTP_BUSY,
    HTTP_OK,
    RESUME_S,
    TOKEN_VARIABLE,
    Asked,
    Document,
    Params,
    Refused,
    Reply,
    action_headers,
    batch_body,
    body_of,
    new_request_key,
    query_of,
    reply_of,
)
from daemon.paths import find_home
from daemon.patience import Patience
from daemon.sse import FeedEvent, FeedMalformed, FeedParser

HTTP_NOT_FOUND = 404


class AsyncClient:
    """One daemon, asked from an event loop: `async with AsyncClient(socket, token) as client`."""

    def __init__(
        self,
        socket: str,
        token: str | None = None,
        *,
        surface: str = "http",
        locale: str = "en",
        answer_ms_max: int = wire.ANSWER_MS_MAX,
        patience_s: float = 0.0,
    ) -> None:
        self._socket = socket
        self._token = token
        self._surface = surface
        self._locale = locale
        self._answer_s = answer_ms_max / 1000
        self._patience_s = patience_s
        self._session: aiohttp.ClientSession | None = None

    @classmethod
    def of_environment(cls, *, patience_s: float = 0.0) -> Self:
        """The daemon and credential that the environment names, as `Client.of_environment`. Raises HomeUnclear."""
        return cls(find_home().socket, os.environ.get(TOKEN_VARIABLE), patience_s=patience_s)

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            "http://frontstage",
            connector=aiohttp.UnixConnector(self._socket, force_close=True, limit=0),
            skip_auto_headers=("User-Agent",),
        )
        return self

    async def __aexit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def act(self, name: str, params: Params, request_key: str | None = None) -> Reply:
        """Do something. With no key one is made; give one to be able to ask again. Raises wire.WireFault."""
        return await self._patiently("POST", f"/v1/actions/{name}", params, request_key or new_request_key())

    async def read(self, name: str, params: Params | None = None, *, at: int | None = None) -> Reply:
        """Ask for a document, of now or as it was after the event `at`. Raises wire.WireFault."""
        return await self._patiently("GET", f"/v1/actions/{name}{query_of({**(params or {}), 'at': at})}")

    async def batch(self, asked: Sequence[Asked], *, stop_on_refusal: bool = False) -> Reply:
        """Do many things, each for itself, as `Client.batch` does. Raises wire.WireFault."""
        return await self._patiently("POST", "/v1/batch", batch_body(asked, stop_on_refusal=stop_on_refusal))

    async def get(self, path: str) -> Reply:
        """Ask for one of the daemon's own pages: `/healthz`, `/readyz`, `/capabilities`. Raises wire.WireFault."""
        return await self._ask("GET", path)

    async def post(self, path: str, document: Mapping[str, object]) -> Reply:
        """Tell one of the daemon's own pages something that may be told twice. Raises wire.WireFault."""
        return await self._ask("POST", path, document)

    async def relay_press(self, press: Mapping[str, object]) -> Document:
        """Relay a button press; the same event id has its first outcome again. Raises Refused and wire.WireFault."""
        return await self._relay("POST", "press", press)

    async def relay_message(self, message: Mapping[str, object]) -> Document:
        """Relay a message; it has its first outcome again until it was answered. Raises Refused and wire.WireFault."""
        return await self._relay("POST", "message", message)

    async def relay_answered(self, app_id: str, message_id: str) -> Document:
        """Say that a message has its answer in the chat. Raises Refused and wire.WireFault."""
        return await self._relay("POST", "answered", {"app_id": app_id, "message_id": message_id})

    async def relay_heard(self, event: Mapping[str, object]) -> Document:
        """Relay what the platform says of people and chats. Raises Refused and wire.WireFault."""
        return await self._relay("POST", "heard", event)

    async def slots(self, goal_id: str | None = None) -> Document:
        """Which cards should be where: `{"seq", "slots"}`. Raises Refused and wire.WireFault."""
        return await self._relay("GET", "slots" + query_of({"goal_id": goal_id}))

    async def view(self, slot: str) -> Document | None:
        """What a slot's card is drawn from; None when there is no such card. Raises Refused and wire.WireFault."""
        try:
            return await self._relay("GET", "view" + query_of({"slot": slot}))
        except Refused as refused:
            if refused.status == HTTP_NOT_FOUND:
                return None
            raise

    async def deliveries(self) -> Document:
        """What was delivered: `{"deliveries"}`. Raises Refused and wire.WireFault."""
        return await self._relay("GET", "deliveries")

    async def put_delivery(self, delivery: Mapping[str, object]) -> Document:
        """Remember a delivery. Raises Refused and wire.WireFault."""
        return await self._relay("PUT", "deliveries", delivery)

    async def leader(self, holder: str, ttl_ms: int) -> Document:
        """Ask to be the bot that sends: `{"leader", "holder", "expires_at_ms", "touched"}`.

        `touched` names the cards that presses changed, to whoever leads: `{"slot", "at_ms"}`. Raises Refused and
        wire.WireFault.
        """
        return await self._relay("POST", "leader", {"holder": holder, "ttl_ms": ttl_ms})

    async def put_health(self, health: Mapping[str, object]) -> Document:
        """Tell the daemon how the bot is. Raises Refused and wire.WireFault."""
        return await self._relay("PUT", "health", health)

    async def feed(self, after: int) -> AsyncIterator[FeedEvent]:
        """Everything committed past `after`, then what comes, until the daemon ends it.

        Raises Refused and wire.WireFault. Use it under `contextlib.aclosing`, or `follow` it.
        """
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._answer_s, sock_read=FEED_SILENT_MS_MAX / 1000)
        parser = FeedParser()
        try:
            request = self._opened().get(f"/v1/feed?after={after}", headers=self._headers(None), timeout=timeout)
            async with request as response:
                if response.status != HTTP_OK:
                    raise _refused(reply_of(response.status, _lower(response), await response.read()))
                async for part in response.content.iter_any():
                    for event in parser.receive(part):
                        yield event
        except FeedMalformed as error:
            raise wire.NotOurs(str(error)) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._fault(error) from error

    async def follow(
        self, after: int, broke: Callable[[wire.WireFault], None] = lambda _: None
    ) -> AsyncIterator[FeedEvent]:
        """The feed without an end: when it breaks, `broke` is told and it goes on after the last seq that came.

        Raises Refused.
        """
        failures = 0
        while True:
            try:
                async for event in self.feed(after):
                    after = event.seq
                    failures = 0
                    yield event
            except wire.WireFault as fault:
                broke(fault)
            await asyncio.sleep(RESUME_S[min(failures, len(RESUME_S) - 1)])
            failures += 1

    async def _relay(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Document:
        reply = await self._ask(method, f"/v1/relay/{path}", body)
        if not reply.ok:
            raise _refused(reply)
        return reply.body

    async def _patiently(
        self, method: str, target: str, body: Mapping[str, object] | None = None, request_key: str | None = None
    ) -> Reply:
        patience = Patience(self._patience_s)
        while True:
            try:
                reply = await self._ask(method, target, body, request_key)
            except AGAIN:
                pause_s = patience.pause_s()
                if pause_s is None:
                    raise
            else:
                pause_s = patience.pause_s(reply.retry_after_s) if reply.status == HTTP_BUSY else None
                if pause_s is None:
                    return reply
            await asyncio.sleep(pause_s)

    async def _ask(
        self,
        method: str,
        target: str,
        body: Mapping[str, object] | None = None,
        request_key: str | None = None,
    ) -> Reply:
        headers = self._headers(request_key)
        if body is not None:
            headers["Content-Type"] = "application/json"
        timeout = aiohttp.ClientTimeout(total=self._answer_s)
        data = None if body is None else body_of(body)
        try:
            async with self._opened().request(method, target, data=data, headers=headers, timeout=timeout) as response:
                if (response.content_length or 0) > wire.BODY_BYTES_MAX:
                    raise wire.NotOurs(f"the answer is longer than {wire.BODY_BYTES_MAX} bytes")
                return reply_of(response.status, _lower(response), await response.read())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._fault(error) from error

    def _headers(self, request_key: str | None) -> dict[str, str]:
        return action_headers(self._token, self._surface, self._locale, request_key)

    def _opened(self) -> aiohttp.ClientSession:
        assert self._session is not None, "used inside `async with`"
        return self._session

    def _fault(self, error: Exception) -> wire.WireFault:
        """Which of the wire's faults an error of the library is; only an unmade connection surely sent nothing."""
        if isinstance(error, aiohttp.ClientConnectorError):
            return wire.NobodyListens(f"nobody answers at {self._socket}: {error.os_error.strerror}")
        if isinstance(error, TimeoutError):
            return wire.TooSlow(f"no answer within {self._answer_s:g} s")
        if isinstance(error, aiohttp.InvalidURL | aiohttp.ClientResponseError):
            return wire.NotOurs(f"what answers is no daemon: {type(error).__name__}")
        return wire.Dropped(f"the connection broke: {type(error).__name__}")


def _lower(response: aiohttp.ClientResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _refused(reply: Reply) -> Refused:
    return Refused(reply.status, reply.code, reply.retry_after_s)
