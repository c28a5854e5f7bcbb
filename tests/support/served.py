"""A daemon inside the test: real routes, guard and writer, on a store in memory and a clock that only the test moves.

It listens on a real socket, because the peer's uid comes from one. Requests are made byte by byte where a test needs
what no honest client sends.
"""

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from aiohttp import web

from daemon.app import KEEPALIVE_S, REQUEST_BYTES_MAX, STOP_WAIT_S, Parts, build
from daemon.clock import LedgerClock
from daemon.config import Config, LarkSection
from daemon.hook_settings import HookSection
from daemon.listen import bind, serve
from daemon.service import Service, replay
from ledger.ports import Group, Term
from ledger.store.memory import MemoryStore, Records
from ledger.testing import FailingStore
from tests.support.homes import APP, CHAT, TENANT, Made, begin, person, short_folder

WAIT_S_MAX = 60


class HandClock:
    """Wall and boot time as the test says."""

    def __init__(self, wall_ms: int, boot_ms: int = 5_000_000) -> None:
        self.wall = wall_ms
        self.boot = boot_ms

    def wall_ms(self) -> int:
        """Milliseconds since the epoch."""
        return self.wall

    def boot_ms(self) -> int:
        """Milliseconds since some moment."""
        return self.boot

    def advance(self, span_ms: int) -> None:
        """Time passes, by both clocks."""
        self.wall += span_ms
        self.boot += span_ms


@dataclass(frozen=True)
class Raw:
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> dict:
        """The body, parsed."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The refusal's code, or nothing."""
        return self.document.get("code", "")

    @property
    def exit_code(self) -> int:
        """What a command line would end with."""
        return int(self.headers["x-frontstage-exit"])


class Connection:
    """One connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        """Write some bytes."""
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self) -> Raw:
        """Read one whole answer."""
        async with asyncio.timeout(WAIT_S_MAX):
            head = await self.reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return Raw(int(first.split(" ")[1]), headers, body)

    async def ended(self) -> bytes:
        """Whatever still comes until the other end closes."""
        async with asyncio.timeout(WAIT_S_MAX):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""

    def close(self) -> None:
        """Hang up."""
        self.writer.close()


def head(method: str, target: str, headers: dict[str, str], body: bytes | None) -> bytes:
    """A request's bytes."""
    lines = [f"{method} {target} HTTP/1.1", "Host: test", *(f"{name}: {value}" for name, value in headers.items())]
    if body is not None and not any(name.lower() in {"content-length", "transfer-encoding"} for name in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


@dataclass
class Served:
    """A daemon being served in this process."""

    made: Made
    records: Records
    store: FailingStore
    service: Service
    parts: Parts
    clock: HandClock
    fatal: list[BaseException] = field(default_factory=list)
    _keys: count = field(default_factory=lambda: count(1))

    async def connect(self) -> Connection:
        """A connection that has said nothing yet."""
        return Connection(*await asyncio.open_unix_connection(self.made.home.socket))

    async def ask(
        self,
        method: str,
        target: str,
        *,
        who: str | None = "ann",
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Raw:
        """One request on a connection of its own, as somebody or (None) as whoever runs the test."""
        own = {} if who is None else {"Authorization": f"Bearer {self.made.tokens[who]}"}
        connection = await self.connect()
        try:
            await connection.send(head(method, target, {**own, **(headers or {})}, body))
            return await connection.answer()
        finally:
            connection.close()

    async def act(
        self, action: str, params: object, *, who: str | None = "ann", key: str | None = None, **headers: str
    ) -> Raw:
        """A write with a key of its own, unless one is given."""
        named = {"Idempotency-Key": key or f"test-{next(self._keys)}", **_header_names(headers)}
        return await self.ask("POST", f"/v1/actions/{action}", who=who, body=json.dumps(params).encode(), headers=named)

    async def do(self, action: str, params: object, *, who: str | None = "ann") -> dict:
        """A write that must be taken; its envelope."""
        answer = await self.act(action, params, who=who)
        assert answer.status == 200, answer.document
        return answer.document

    async def read(self, action: str, query: str = "", *, who: str | None = "ann") -> Raw:
        """A document."""
        return await self.ask("GET", f"/v1/actions/{action}{query}", who=who)

    async def relay(self, path: str, document: object, *, who: str | None = "bot", method: str = "POST") -> Raw:
        """Something the bot says."""
        return await self.ask(method, f"/v1/relay/{path}", who=who, body=json.dumps(document).encode())

    async def press(self, token: str, *, who: str = "ann", **changes: object) -> Raw:
        """A press relayed by the bot; every press is an event of its own unless it says otherwise."""
        document: dict[str, object] = {
            "event_id": f"event-{next(self._keys)}",
            "app_id": APP,
            "tenant_key": TENANT,
            "operator": person(who),
            "chat_id": CHAT,
            "message_id": "om_card",
            "token": token,
        }
        return await self.relay("press", document | changes)

    async def message(self, text: str, *, who: str = "ann", **changes: object) -> Raw:
        """A message relayed by the bot."""
        number = next(self._keys)
        document: dict[str, object] = {
            "event_id": f"event-{number}",
            "message_id": f"om_{number}",
            "app_id": APP,
            "tenant_key": TENANT,
            "sender": person(who),
            "chat_id": CHAT,
            "chat_type": "p2p",
            "text": text,
            "create_time_ms": self.service.clock.now_ms(),
        }
        return await self.relay("message", document | changes)

    async def view(self, slot: str) -> dict:
        """What a card is drawn from."""
        answer = await self.ask("GET", f"/v1/relay/view?slot={slot}", who="bot")
        assert answer.status == 200, answer.document
        return answer.document

    @property
    def seq(self) -> int:
        """The last event that readers see."""
        return self.service.committed.seq

    def audited(self) -> list[dict]:
        """The bodies of the refusals' chain."""
        return [json.loads(row.body) for row in self.store.refusals(0)]


def _header_names(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@asynccontextmanager
async def served(
    seed=None,
    *,
    clock: HandClock | None = None,
    app_id: str | None = APP,
    records: Records | None = None,
    hooks: tuple[HookSection, ...] = (),
) -> AsyncIterator[Served]:
    """A daemon on a new ledger in memory with its people, and whatever `seed` does in it; ended afterwards."""
    kept = records or Records()
    with home_in_memory(kept, seed) as (made, now_ms):
        async with serving(made, kept, clock or HandClock(now_ms), app_id, hooks) as running:
            yield running


@contextmanager
def home_in_memory(records: Records, seed=None) -> Iterator[tuple[Made, int]]:
    """A new ledger on these records, which nobody serves yet; and what time it is there."""
    with short_folder() as folder:
        made, scribe = begin(folder, MemoryStore(records))
        if seed is not None:
            seed(scribe)
        yield made, scribe.now_ms


@asynccontextmanager
async def serving(
    made: Made,
    records: Records,
    clock: HandClock,
    app_id: str | None = APP,
    hooks: tuple[HookSection, ...] = (),
) -> AsyncIterator[Served]:
    """A daemon on a ledger that is there: the first one, or the next after it has ended."""
    store = FailingStore(MemoryStore(records))
    fatal: list[BaseException] = []
    committed = replay(store)
    ledger_clock = LedgerClock(clock, committed.at_ms)
    term = store.open_term("unused")
    service = Service(store, term, committed, ledger_clock, os.urandom, "test", fatal.append)
    service.start()
    parts = build(made.home, service, clock, Config(lark=LarkSection(app_id=app_id), hooks=hooks))
    async with _listening(parts, made):
        yield Served(made, records, store, service, parts, clock, fatal)


@asynccontextmanager
async def _listening(parts: Parts, made: Made) -> AsyncIterator[None]:
    parts.page.add_to(parts.routes, os.getuid())
    runner = web.ServerRunner(parts.routes.server(REQUEST_BYTES_MAX, KEEPALIVE_S), shutdown_timeout=STOP_WAIT_S)
    await runner.setup()
    assert runner.server is not None
    server = await serve(bind(made.home.socket), parts.watch.factory(runner.server))
    try:
        yield
    finally:
        await parts.page.close()
        server.close()
        Path(made.home.socket).unlink(missing_ok=True)  # noqa: ASYNC240  (nothing is served any more)
        await parts.service.finish()
        await runner.cleanup()
        parts.service.close()


class Gate:
    """Holds a store's appends until it is opened, so that a test decides when a commit ends."""

    def __init__(self, store: FailingStore) -> None:
        self._append = store.append
        self._open = threading.Event()
        self.groups = 0
        store.append = self._wait  # type: ignore[method-assign]

    def _wait(self, term: Term, group: Group) -> None:
        assert self._open.wait(WAIT_S_MAX), "nobody opened the gate"
        self.groups += 1
        self._append(term, group)

    def open(self) -> None:
        """Let everything through from now on."""
        self._open.set()


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until something holds that no event tells of."""
    async with asyncio.timeout(WAIT_S_MAX):
        while not holds():  # noqa: ASYNC110  (what is waited for happens inside the daemon)
            await asyncio.sleep(0.001)
