"""A load generator: many clients on one Unix socket, each with one request under way.

It runs in a process of its own and parses no more of an answer than its length, so that what is measured is the server.
What the clients ask is a supply of scripts, made beforehand: a client plays one script to its end, one request after
the other, and takes the next one that nobody has taken. When time is up a script that has begun is still finished, so
that the supply can be taken up again where it was left.
"""

import asyncio
import json
import selectors
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

LOOKS_MAX = 200
"""About as many microseconds."""

REQUEST_END, SCRIPT_END = b"\n\x00\n", b"\n\x01\n"
_GET = b"G"[0]

Script = list[bytes]


@dataclass(frozen=True)
class Load:
    """What one run is: how many clients, for how long, with which prepared scripts.

    `again` begins these anew when they are through. `awake` looks for answers without sleeping: to wake a sleeper costs
    a server a third of what a hot read does, and one that keeps its clients busy is spared it while a slower one is
    not, so that a ratio of the two would mean neither. Where a server waits for the disk its clients have to sleep, for
    they would take the processor from the thread that writes.
    """

    socket: str
    clients: int
    seconds: float
    scripts_file: str
    again: bool
    awake: bool


@dataclass
class Found:
    """What the clients saw."""

    reads_s: list[float] = field(default_factory=list)
    writes_s: list[float] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    taken: int = 0
    starved: bool = False


class Client(asyncio.Protocol):
    """One connection that asks, waits for the whole answer, and asks again."""

    def __init__(self, supply: Iterator[Script], ends_at: float, found: Found, done: asyncio.Future[None]) -> None:
        self._supply = supply
        self._ends_at = ends_at
        self._found = found
        self._done = done
        self._buffer = b""
        self._asked_at = 0.0
        self._script: Iterator[bytes] = iter(())
        self._latencies = found.reads_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        at = self._buffer.find(b"Content-Length: ") + 16
        length = int(self._buffer[at : self._buffer.find(b"\r", at)])
        if len(self._buffer) < end + 4 + length:
            return
        if self._buffer[9:12] != b"200":
            self._found.bad.append(self._buffer[end + 4 :].decode()[:300])
        self._latencies.append(time.perf_counter() - self._asked_at)
        self._buffer = b""
        self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_result(None)

    def _ask(self) -> None:
        self._asked_at = time.perf_counter()
        request = next(self._script, None) or self._begin()
        if request is None:
            self._transport.close()
            return
        self._latencies = self._found.reads_s if request[0] == _GET else self._found.writes_s
        self._transport.write(request)

    def _begin(self) -> bytes | None:
        """The first request of the next script; None when time is up."""
        if self._asked_at >= self._ends_at:
            return None
        script = next(self._supply, None)
        if script is None:
            self._found.starved = True
            return None
        self._found.taken += 1
        self._script = iter(script)
        return next(self._script)


async def drive(load: Load) -> dict[str, object]:
    """Run the load; rates in answers a second, latencies in seconds."""
    loop = asyncio.get_running_loop()
    scripts = unpack(Path(load.scripts_file).read_bytes())  # noqa: ASYNC240  (before the clock runs)
    supply = _again(scripts) if load.again else iter(scripts)
    found = Found()
    began, busy_from = time.perf_counter(), time.process_time()
    waits = []
    for _ in range(load.clients):
        done = loop.create_future()
        waits.append(done)
        await loop.create_unix_connection(
            lambda done=done: Client(supply, began + load.seconds, found, done), load.socket
        )
    await asyncio.gather(*waits)
    took = time.perf_counter() - began
    return {
        "seconds": took,
        "own_cpu_share": (time.process_time() - busy_from) / took,
        "taken": found.taken,
        "starved": found.starved,
        "bad": len(found.bad),
        "first_bad": found.bad[0] if found.bad else "",
        "reads": _figures(found.reads_s, took),
        "writes": _figures(found.writes_s, took),
    }


def pack(scripts: list[Script]) -> bytes:
    """Scripts as one file."""
    return SCRIPT_END.join(REQUEST_END.join(script) for script in scripts)


def unpack(raw: bytes) -> list[Script]:
    """The scripts of a file."""
    return [script.split(REQUEST_END) for script in raw.split(SCRIPT_END)]


def _figures(latencies_s: list[float], took_s: float) -> dict[str, float]:
    if not latencies_s:
        return {"count": 0, "rate": 0.0, "p50": 0.0, "p99": 0.0}
    latencies_s.sort()
    count = len(latencies_s)
    return {
        "count": count,
        "rate": count / took_s,
        "p50": latencies_s[count // 2],
        "p99": latencies_s[min(count - 1, int(count * 0.99))],
    }


def _again(scripts: list[Script]) -> Iterator[Script]:
    while True:
        yield from scripts


class Awake(selectors.DefaultSelector):
    """Looks a few times before it sleeps."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        for _ in range(LOOKS_MAX):
            if ready := super().select(0):
                return ready
        return super().select(timeout)


def main(socket: str, clients: str, seconds: str, file: str, *how: str) -> None:
    """Run and print what was found as JSON."""
    load = Load(socket, int(clients), float(seconds), file, "again" in how, "awake" in how)
    selector = Awake() if load.awake else selectors.DefaultSelector()
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        print(json.dumps(runner.run(drive(load))))


if __name__ == "__main__":
    main(*sys.argv[1:])
