"""Readers who follow a page: each listens to the feed and asks for its page again when it is told, as the page does.

They run in a process of their own and parse no more than they must, so that what is measured is the daemon. The process
says `ready` when everybody is connected and has its page, and when it is ended what they did.

    python -m tests.bench.followers URL COUNT [drag]

With `drag` they do not follow: each asks for one moment of the past after another, as somebody does who moves the
slider.
"""

import asyncio
import json
import signal
import sys
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlsplit

from tests.bench.wide import BUSY

AGAIN_S = 1.0
"""How long a page waits that was shown less than it was told of."""
PATHS = ("", f"goals/{BUSY}")
"""What they look at, by turns."""
LINE_BYTES = 1 << 20
FIRST_MOMENT, MOMENTS, MOMENT_STEP = 20_000, 80_000, 7_919
"""Where the slider goes: all over the past of a wide ledger."""


@dataclass
class Told:
    """What all of them together were told and did."""

    told: int = 0
    asked: int = 0
    received: int = 0


class Follower:
    """One page that is open."""

    def __init__(self, url: str, path: str, told: Told) -> None:
        place = urlsplit(url)
        assert place.port is not None, url
        self._port, self._base, self._path = place.port, place.path, path
        self._told = told
        self._known = 0
        self.ready = asyncio.Event()

    async def follow(self) -> None:
        """Load the page, listen, and look again whenever there is something new, until cancelled."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=LINE_BYTES)
        self._known = await self._page()
        feed, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=LINE_BYTES)
        writer.write(self._request("live", f"Last-Event-ID: {self._known}\r\n"))
        await feed.readuntil(b"\r\n\r\n")
        self.ready.set()
        while True:
            line = await feed.readline()
            if line.startswith(b"data: "):
                self._told.told += 1
                await self._look(int(line[6:]))

    async def _look(self, wanted: int) -> None:
        while self._known < wanted:
            self._known = await self._page()
            if self._known < wanted:
                await asyncio.sleep(AGAIN_S)

    async def drag(self) -> None:
        """Ask for moments of the past, until cancelled."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=LINE_BYTES)
        self.ready.set()
        for step in count(1):
            seq = FIRST_MOMENT + step * MOMENT_STEP % MOMENTS
            await self._page(f"{self._path}?at={seq}")

    async def _page(self, path: str | None = None) -> int:
        path = self._path if path is None else path
        self._writer.write(self._request(path, "X-Frontstage-Following: 1\r\n"))
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
        body = await self._reader.readexactly(int(fields["Content-Length"]))
        assert head.startswith("HTTP/1.1 200"), body
        self._told.asked += 1
        self._told.received += len(body)
        return int(fields["X-Frontstage-Seq"])

    def _request(self, path: str, more: str) -> bytes:
        return f"GET {self._base}{path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{more}\r\n".encode()


async def main(url: str, number: int, *, drag: bool) -> None:
    """Follow until told to end, then say what was done."""
    told, ends = Told(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ends.set)
    everybody = [Follower(url, PATHS[one % len(PATHS)], told) for one in range(number)]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one.drag() if drag else one.follow()) for one in everybody]
        for one in everybody:
            await one.ready.wait()
        told.asked = 0
        print("ready", flush=True)
        await ends.wait()
        for task in tasks:
            task.cancel()
    print(json.dumps(vars(told)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), drag="drag" in sys.argv[3:]))
