"""Asking on loopback, one request after another on one connection, as a browser asks for a page again and again."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from tests.bench.processes import POLL_S, READY_S_MAX, ROOT

HOST = "127.0.0.1"
READ_BYTES = 1 << 20


class Answer(NamedTuple):
    """What came, and how long it took from the first byte sent to the last one read."""

    status: int
    body: bytes
    took_s: float


class Asker:
    """One connection that stays."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = socket.create_connection((HOST, port))
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @classmethod
    def of(cls, url: str) -> Self:
        """To whoever serves this address."""
        port = urlsplit(url).port
        assert port is not None, url
        return cls(port)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, path: str) -> Answer:
        """Ask and read the whole answer."""
        request = f"GET {path} HTTP/1.1\r\nHost: {HOST}:{self._port}\r\nAccept-Language: en\r\n\r\n".encode()
        began = time.perf_counter()
        self._connection.sendall(request)
        raw = bytearray()
        while (ends := raw.find(b"\r\n\r\n")) < 0:
            raw += self._more()
        length = int(raw[:ends].lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        while len(raw) < ends + 4 + length:
            raw += self._more()
        took_s = time.perf_counter() - began
        return Answer(int(raw[9:12]), bytes(raw[ends + 4 :]), took_s)

    def _more(self) -> bytes:
        part = self._connection.recv(READ_BYTES)
        if not part:
            raise ConnectionResetError("the answer broke off")
        return part


def computed_s(pid: int) -> float:
    """Time that a process has computed so far, in all its threads, as the scheduler counts it."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def echo(size: int) -> Iterator[tuple[Asker, int]]:
    """An aiohttp that answers with a body of this size, and its process."""
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.echo", str(port), str(size)], cwd=ROOT)
    try:
        yield _when_ready(port, process), process.pid
    finally:
        process.terminate()
        process.wait(READY_S_MAX)


def _when_ready(port: int, process: "subprocess.Popen[bytes]") -> Asker:
    give_up_at_s = time.monotonic() + READY_S_MAX
    while True:
        try:
            return Asker(port)
        except ConnectionRefusedError:
            assert process.poll() is None, "the echo ended"
            assert time.monotonic() < give_up_at_s, "the echo did not become ready"
            time.sleep(POLL_S)
