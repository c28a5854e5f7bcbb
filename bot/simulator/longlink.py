"""The long connection: endpoint discovery, the WebSocket, frames out, acks in.

An app may hold fifty connections; an event goes to one of them, chosen at random, never to all (the platform's
cluster mode). A pushed frame waits for its ack: the same frame back, with a JSON payload. A connection can be made
to misbehave: `zombie` answers pings but delivers nothing, `no_pong` hears pings and stays silent.
"""

import asyncio
import base64
import binascii
import hmac
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from aiohttp import WSMsgType, web

from bot.simulator.changes import Changes
from bot.simulator.documented import CONNECTIONS_MAX
from bot.simulator.errors import PlatformError
from bot.simulator.frames import CONTROL, DATA, FRAME_BYTES_MAX, Frame, decode, encode
from bot.simulator.gate import CallNote, Gate
from bot.simulator.ids import Ids
from bot.simulator.model import App
from bot.simulator.openapi import read_body
from bot.simulator.wire import JsonObject, dump, number_at, parse_object, text_at
from bot.simulator.world import World

TICKETS_MAX = 1_000
CLOSE_WITHIN_S = 1.0
SERVICE_ID = 33554678


@dataclass(kw_only=True)
class ClientConfig:
    """What the platform tells a client about pings and reconnects; small values, for a loopback."""

    ping_interval_s: int = 120
    reconnect_interval_s: int = 1
    reconnect_nonce_s: int = 1
    reconnect_count: int = -1

    def view(self) -> JsonObject:
        """In the platform's spelling."""
        return {
            "ReconnectCount": self.reconnect_count,
            "ReconnectInterval": self.reconnect_interval_s,
            "ReconnectNonce": self.reconnect_nonce_s,
            "PingInterval": self.ping_interval_s,
        }


@dataclass(frozen=True)
class Ack:
    """The answer to a pushed frame: its code (0 if unreadable), and the bytes of `data` (None if there are none)."""

    code: int
    data: bytes | None


@dataclass(kw_only=True, eq=False)
class Connection:
    """One open WebSocket of an app."""

    conn_id: str
    app_id: str
    socket: web.WebSocketResponse
    zombie: bool = False
    no_pong: bool = False
    pings: int = 0
    waiting: dict[str, asyncio.Future[Ack | None]] = field(default_factory=dict)


@dataclass(kw_only=True)
class PushFaults:
    """How the next pushes are to be distorted."""

    fragments: int = 1
    fragments_count: int = 0
    duplicates: int = 0
    card_typed: int = 0
    lost_fragments: int = 0
    swapped: int = 0
    reversed_fragments: int = 0


class LongLink:
    """All connections of all apps."""

    def __init__(self, world: World, gate: Gate, ids: Ids) -> None:
        self._world = world
        self._gate = gate
        self._ids = ids
        self._tickets: dict[str, str] = {}
        self._log_id = 0
        self.config = ClientConfig()
        self.connections: list[Connection] = []
        self.faults = PushFaults()
        self.refusals: list[dict[str, str]] = []
        self._held: list[tuple[Connection, list[Frame]]] = []
        self.born_zombie = False
        self.counters: Counter[str] = Counter()
        self.changes = Changes()

    def routes(self) -> list[web.RouteDef]:
        """Discovery and the socket."""
        return [web.post("/callback/ws/endpoint", self._endpoint), web.get("/ws/v2", self._socket)]

    def of_app(self, app_id: str) -> list[Connection]:
        """The app's open connections."""
        return [connection for connection in self.connections if connection.app_id == app_id]

    async def _endpoint(self, request: web.Request) -> web.StreamResponse:
        async def run(request: web.Request, body: bytes, note: CallNote) -> JsonObject:
            return self._discover(request, body, note)

        return await self._gate.pass_through("ws.endpoint", request, run)

    def _discover(self, request: web.Request, body: bytes, note: CallNote) -> JsonObject:
        fields = read_body(body)
        app_id, secret = text_at(fields, "AppID"), text_at(fields, "AppSecret")
        if not app_id or not secret:
            raise PlatformError(1000040344, "no credential", status=200)
        app = self._world.apps.get(app_id)
        if app is None or not hmac.compare_digest(app.app_secret.encode(), secret.encode()):
            raise PlatformError(514, "auth failed", status=200)
        if len(self.of_app(app_id)) >= CONNECTIONS_MAX:
            raise PlatformError(1000040350, "the number of connections exceeded the limit", status=200)
        ticket, conn_id = self._ids.fresh(""), self._ids.fresh("")
        self._tickets[ticket] = app_id
        while len(self._tickets) > TICKETS_MAX:
            del self._tickets[next(iter(self._tickets))]
        note.app_id = app_id
        query = f"device_id={conn_id}&service_id={SERVICE_ID}&access_key={self._ids.fresh('')}&ticket={ticket}"
        url = f"ws://{request.host}/ws/v2?{query}"
        return {"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": self.config.view()}}

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        app_id = self._tickets.pop(request.query.get("ticket", ""), "")
        refusal = self.refusals.pop(0) if self.refusals else None
        if not app_id and refusal is None:
            refusal = handshake_refusal(514, "the ticket is not valid", 1000040343)
        if len(self.of_app(app_id)) >= CONNECTIONS_MAX and refusal is None:
            refusal = handshake_refusal(514, "exceeds the connection limit", 1000040350)
        if refusal is not None:
            return web.Response(status=400, headers=refusal)
        socket = web.WebSocketResponse(max_msg_size=FRAME_BYTES_MAX, timeout=CLOSE_WITHIN_S)
        await socket.prepare(request)
        conn_id = request.query.get("device_id", "")
        connection = Connection(conn_id=conn_id, app_id=app_id, socket=socket, zombie=self.born_zombie)
        self.connections.append(connection)
        self.counters["connects"] += 1
        self._world.changes.bump()
        try:
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    await self._received(connection, message.data)
        finally:
            self.connections.remove(connection)
            self._world.changes.bump()
            for waiter in connection.waiting.values():
                if not waiter.done():
                    waiter.set_result(None)
        return socket

    async def _received(self, connection: Connection, data: bytes) -> None:
        try:
            frame = decode(data)
        except ValueError:
            self.counters["bad_frames"] += 1
            await connection.socket.close(code=1007, message=b"the frame cannot be read")
            return
        if frame.method == CONTROL and frame.header("type") == "ping":
            connection.pings += 1
            self.counters["pings"] += 1
            self.changes.bump()
            if not connection.no_pong:
                await self._pong(connection)
        elif frame.method == DATA:
            self._acknowledged(connection, frame)

    async def _pong(self, connection: Connection) -> None:
        payload = dump(self.config.view())
        headers = (("type", "pong"),)
        pong = Frame(seq_id=0, log_id=0, service=SERVICE_ID, method=CONTROL, headers=headers, payload=payload)
        await connection.socket.send_bytes(encode(pong))

    def _acknowledged(self, connection: Connection, frame: Frame) -> None:
        waiter = connection.waiting.get(frame.header("message_id"))
        try:
            ack = read_ack(frame.payload)
        except ValueError:
            self.counters["bad_acks"] += 1
            ack = Ack(0, None)
        self.counters[f"ack:{ack.code}"] += 1
        if waiter is not None and not waiter.done():
            waiter.set_result(ack)

    def choose(self, app: App) -> Connection | None:
        """One of the app's connections, at random."""
        open_ones = self.of_app(app.app_id)
        return open_ones[self._ids.number(len(open_ones))] if open_ones else None

    @contextmanager
    def pushed(self, connection: Connection) -> Iterator[tuple[str, asyncio.Future[Ack | None]]]:
        """A message id and the future of its ack: None when the connection is lost first."""
        message_id = self._ids.fresh("m-")
        waiter: asyncio.Future[Ack | None] = asyncio.get_running_loop().create_future()
        connection.waiting[message_id] = waiter
        try:
            yield message_id, waiter
        finally:
            del connection.waiting[message_id]

    async def push(self, connection: Connection, message_id: str, payload: bytes) -> None:
        """Write an event's frames, distorted as planned; a zombie writes nothing."""
        if connection.zombie:
            self.counters["swallowed"] += 1
            self.changes.bump()
            return
        kind = "event"
        if self.faults.card_typed > 0:
            self.faults.card_typed -= 1
            kind = "card"
        parts = 1
        if self.faults.fragments_count > 0:
            self.faults.fragments_count -= 1
            parts = max(1, min(self.faults.fragments, len(payload)))
        copies = 1
        if self.faults.duplicates > 0:
            self.faults.duplicates -= 1
            copies = 2
        frames = self._frames(message_id, payload, kind, parts)
        if self.faults.lost_fragments > 0 and parts > 1:
            self.faults.lost_fragments -= 1
            frames = frames[:-1]
        if self.faults.reversed_fragments > 0 and parts > 1:
            self.faults.reversed_fragments -= 1
            frames.reverse()
        if self.faults.swapped > 0:
            self.faults.swapped -= 1
            self._held.append((connection, frames * copies))
            self.counters["held_back"] += 1
        else:
            late, self._held = self._held, []
            for receiver, held in ((connection, frames * copies), *late):
                if receiver is connection or not receiver.socket.closed:
                    await self._write(receiver, held)
        self.changes.bump()

    async def _write(self, connection: Connection, frames: list[Frame]) -> None:
        for frame in frames:
            await connection.socket.send_bytes(encode(frame))
            self.counters["frames"] += 1

    def _frames(self, message_id: str, payload: bytes, kind: str, parts: int) -> list[Frame]:
        self._log_id += 1
        size = -(-len(payload) // parts)
        whole = Frame(seq_id=self._log_id, log_id=self._log_id, service=SERVICE_ID, method=DATA)
        shared = (("type", kind), ("message_id", message_id), ("trace_id", self._ids.fresh("t-")))
        return [
            replace(
                whole,
                headers=(*shared, ("sum", str(parts)), ("seq", str(number))),
                payload=payload[number * size : (number + 1) * size],
            )
            for number in range(parts)
        ]

    async def push_config(self) -> None:
        """Send the client config on every open connection, as the platform may at any time."""
        for connection in tuple(self.connections):
            await self._pong(connection)

    async def close_all(self, app_id: str | None = None, *, code: int = 1001) -> int:
        """Close the connections of one app, or of all."""
        chosen = [connection for connection in self.connections if app_id in {None, connection.app_id}]
        for connection in chosen:
            await connection.socket.close(code=code, message=b"closed by the simulator")
        return len(chosen)


def handshake_refusal(status: int, msg: str, auth_code: int) -> dict[str, str]:
    """The headers that tell a client why its handshake is refused."""
    return {"handshake-status": str(status), "handshake-msg": msg, "handshake-autherrcode": str(auth_code)}


def read_ack(payload: bytes) -> Ack:
    """An ack's payload: `{"code": 200, "data": base64}`; anything else is a ValueError."""
    answer = parse_object(payload)
    data = answer.get("data")
    if data is None:
        return Ack(number_at(answer, "code"), None)
    if not isinstance(data, str):
        raise ValueError("data must be base64 text")  # noqa: TRY004 - bad bytes are a ValueError here, whatever their type
    try:
        return Ack(number_at(answer, "code"), base64.b64decode(data, validate=True))
    except binascii.Error as error:
        raise ValueError("data is not base64") from error
