"""A load generator: many clients on one Unix socket, each with one request under way.

It runs in a process of its own and parses no more of an answer than its length, so that what is measured is the server.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LATENCIES_MAX = 200_000


@dataclass(frozen=True)
class Load:
    """What one run is: how many clients, for how long, with which prepared requests."""

    socket: str
    clients: int
    seconds: float
    requests_file: str


class Client(asyncio.Protocol):
    """One connection that asks, waits for the whole answer, and asks again."""

    def __init__(
        self,
        requests: Iterator[bytes],
        ends_at: float,
        latencies: list[float],
        bad: list[str],
        done: asyncio.Future[None],
    ) -> None:
        self._requests = requests
        self._ends_at = ends_at
        self._latencies = latencies
        self._bad = bad
        self._done = done
        self._buffer = b""
        self._asked_at = 0.0

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
            self._bad.append(self._buffer[end + 4 :].decode()[:300])
        self._latencies.append(time.perf_counter() - self._asked_at)
        self._buffer = b""
        self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_result(None)

    def _ask(self) -> None:
        self._asked_at = time.perf_counter()
        request = next(self._requests, None) if self._asked_at < self._ends_at else None
        if request is None:
            self._transport.close()
            return
        self._transport.write(request)


async def drive(load: Load) -> dict[str, float]:
    """Run the load; rate in answers a second, latencies in seconds."""
    loop = asyncio.get_running_loop()
    raw = Path(load.requests_file).read_bytes().split(b"\n\x00\n")  # noqa: ASYNC240  (before the clock runs)
    supply = iter(raw)
    if len(raw) <= 64:
        supply = _cycle(raw)
    latencies: list[float] = []
    bad: list[str] = []
    began = time.perf_counter()
    waits = []
    for _ in range(load.clients):
        done = loop.create_future()
        waits.append(done)
        await loop.create_unix_connection(
            lambda done=done: Client(supply, began + load.seconds, latencies, bad, done), load.socket
        )
    await asyncio.gather(*waits)
    took = time.perf_counter() - began
    latencies.sort()
    count = len(latencies)
    return {
        "rate": count / took,
        "p50": latencies[count // 2],
        "p99": latencies[min(count - 1, int(count * 0.99))],
        "count": count,
        "bad": len(bad),
        **({"first_bad": bad[0]} if bad else {}),
    }


def _cycle(raw: list[bytes]) -> Iterator[bytes]:
    while True:
        yield from raw


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(Load(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])))))
