"""The whole write path over the socket against an aiohttp echo of the same request: parse, rules, chain, receipt, sync.

The ledger has a million events before the first measured one, for a young database hides what grows. Daemon, echo and
load generator are processes of their own; each round measures both sides one after the other.

    python -m tests.bench.bench_write_path
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Self

from tests.bench.preload import SECRET, copy_of, preloaded
from tests.bench.row import Row

EVENTS = 1_000_000
GOALS = 20
ROUNDS = 9
SECONDS = 0.7
RATE_MIN = {32: 0.35, 128: 0.45}
P50_MAX, P99_MAX = 5.0, 4.0


def run() -> list[Row]:
    """Rates and latencies as ratios of the same figures of the echo."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        home = copy_of(preloaded(EVENTS, GOALS, 50), root / "home")
        with Processes(root) as processes:
            processes.daemon(home.path)
            echo_socket = processes.echo(600)
            return _rounds(root, home.socket, echo_socket)


def _rounds(root: Path, socket: str, echo_socket: str) -> list[Row]:
    rates: dict[int, list[float]] = {32: [], 128: []}
    p50: list[float] = []
    p99: list[float] = []
    for number in range(ROUNDS):
        for clients in (1, 32, 128):
            mine = _load(
                root,
                socket,
                clients,
                requests(
                    f"{number}-{clients}", int(SECONDS * (4_000 if clients == 1 else 20_000)), "/v1/actions/todo.update"
                ),
            )
            theirs = _load(root, echo_socket, clients, requests("echo", 32, "/echo"))
            if clients == 1:
                p50.append(mine["p50"] / theirs["p50"])
            else:
                rates[clients].append(mine["rate"] / theirs["rate"])
            if clients == 32:
                p99.append(mine["p99"] / theirs["p99"])
    return [
        Row("durable action, rate, 32 clients", median(rates[32]), RATE_MIN[32], "at least", "x aiohttp echo"),
        Row("durable action, rate, 128 clients", median(rates[128]), RATE_MIN[128], "at least", "x aiohttp echo"),
        Row("durable action, p50, 1 client", median(p50), P50_MAX, "at most", "x aiohttp echo"),
        Row("durable action, p99, 32 clients", median(p99), P99_MAX, "at most", "x aiohttp echo"),
    ]


def requests(tag: str, count: int, path: str) -> list[bytes]:
    """Prepared requests, each with a key of its own."""
    made = []
    for number in range(count):
        at_ms = time.time_ns() // 1_000_000
        goal = number % GOALS
        todo = f"todo_{goal}-{1 + number // GOALS % 49}"
        body = json.dumps({"goal_id": f"g{goal}", "todo_id": todo, "note": f"Step {tag} {number}"}).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {SECRET}\r\nIdempotency-Key: k{at_ms:012x}-{_random_part(tag, number)}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        made.append(head.encode() + body)
    return made


def _random_part(tag: str, number: int) -> str:
    return hashlib.sha256(f"{tag}-{number}-{os.getpid()}".encode()).hexdigest()[:16]


def _load(root: Path, socket: str, clients: int, prepared: list[bytes]) -> dict[str, float]:
    file = root / "requests"
    file.write_bytes(b"\n\x00\n".join(prepared))
    out = subprocess.run(
        [sys.executable, "-m", "tests.bench.load", socket, str(clients), str(SECONDS), str(file)],
        check=True,
        capture_output=True,
        text=True,
    )
    figures = json.loads(out.stdout)
    assert not figures["bad"], figures.get("first_bad")
    return figures


class Processes:
    """The servers of a bench; all end with it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.wait(30)

    def daemon(self, home: str) -> subprocess.Popen[bytes]:
        """A daemon on a home, ready."""
        log = (self._root / "daemon.log").open("wb")
        return self._start([sys.executable, "-m", "daemon.app", "--home", home], Path(home) / "daemon.sock", log)

    def echo(self, size: int) -> str:
        """An echo server, ready; its socket."""
        socket = self._root / f"echo-{size}.sock"
        self._start([sys.executable, "-m", "tests.bench.echo", str(socket), str(size)], socket, subprocess.DEVNULL)
        return str(socket)

    def _start(self, argv: list[str], socket: Path, log: object) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(argv, stderr=log, cwd=Path(__file__).parents[2])  # type: ignore[call-overload]
        self._running.append(process)
        for _ in range(6_000):
            if socket.exists():
                return process
            assert process.poll() is None, f"{argv} ended with {process.returncode}"
            time.sleep(0.01)
        raise TimeoutError(f"{argv} did not begin to listen")


if __name__ == "__main__":
    for row in run():
        print(row)
