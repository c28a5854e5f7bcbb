"""A load generator whose clients claim what is ready: each an agent of its own, none knows of the others.

A client asks for the next piece of its goal that nobody has, as a worker does that takes from a queue. That none was
granted twice is checked.
"""

import asyncio
import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.bench.asked import action, post

_HEAD_END = b"\r\n\r\n"
_GRANTED = re.compile(rb'"todo_id":"([a-z0-9_.-]+)"')


@dataclass
class Found:
    """What all clients together came to."""

    granted: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Claims:
    """What a run is."""

    socket: str
    clients: int
    seconds: float
    goals: int
    tag: str


class Claimant(asyncio.Protocol):
    """One agent on one connection."""

    def __init__(self, claims: Claims, number: int, found: Found) -> None:
        self._claims = claims
        self._goal_id = f"g{number % claims.goals}"
        self._number = number
        self._ends_at = 0.0
        self._found = found
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the first piece was claimed."""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count = 0
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, body = self._buffer.partition(_HEAD_END)
        length = head.partition(b"Content-Length: ")[2].partition(b"\r")[0]
        if not end or len(body) < int(length):
            return
        self._buffer = b""
        granted = _GRANTED.search(body) if head[9:12] == b"200" else None
        if granted is None:
            self._found.broken.append(body.decode())
        else:
            self._found.granted.append(granted[1].decode())
        if not self.ready.done():
            self.ready.set_result(None)
        elif self._found.broken or time.perf_counter() >= self._ends_at:
            self._transport.close()
        else:
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        for waited_for in (self.ready, self.done):
            if not waited_for.done():
                waited_for.set_result(None)

    def begin(self, ends_at: float) -> None:
        """Claim until then."""
        self._ends_at = ends_at
        self._ask()

    def _ask(self) -> None:
        self._count += 1
        tag = f"{self._claims.tag}-{self._number}-{self._count}"
        secret = secret_of(self._number)
        self._transport.write(post(action("todo.claim"), tag, secret=secret, goal_id=self._goal_id, another=True))


def secret_of(number: int) -> str:
    """The credential of a claiming agent."""
    return f"fs_bench_claimer_{number:03d}_0123456789abcdef"


async def drive(claims: Claims) -> dict[str, object]:
    """Claim until time is up, counted from when all have claimed something."""
    loop, found = asyncio.get_running_loop(), Found()
    claimants = [Claimant(claims, number, found) for number in range(claims.clients)]
    for claimant in claimants:
        await loop.create_unix_connection(lambda claimant=claimant: claimant, claims.socket)
    await asyncio.gather(*(claimant.ready for claimant in claimants))
    began = time.perf_counter()
    for claimant in claimants:
        claimant.begin(began + claims.seconds)
    await asyncio.gather(*(claimant.done for claimant in claimants))
    took = time.perf_counter() - began
    assert not found.broken, found.broken[0]
    twice = [todo_id for todo_id, count in Counter(found.granted).items() if count > 1]
    assert not twice, f"granted twice: {twice[:5]}"
    return {"rate": (len(found.granted) - len(claimants)) / took, "granted": len(found.granted)}


def main(socket: str, clients: str, seconds: str, goals: str, tag: str) -> None:
    """Run and print what was found as JSON."""
    claims = Claims(socket, int(clients), float(seconds), int(goals), tag)
    print(json.dumps(asyncio.run(drive(claims))))


if __name__ == "__main__":
    main(*sys.argv[1:])
