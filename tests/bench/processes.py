"""The processes of a bench: daemons, echo servers and the load generator, each its own, all ended with the bench."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from tests.bench.asked import answer, get
from tests.bench.load import Script, pack

ROOT = Path(__file__).resolve().parents[2]
READY_S_MAX = 60
POLL_S = 0.002


@dataclass(frozen=True)
class Server:
    """A server that answers."""

    socket: str
    process: subprocess.Popen[bytes]

    @property
    def cpu_s(self) -> float:
        """Time it has computed so far, in all its threads."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    @property
    def resident_mib(self) -> float:
        """Memory it holds."""
        return psutil.Process(self.process.pid).memory_info().rss / 2**20


@dataclass(frozen=True)
class Figures:
    """What one kind of request cost in one run."""

    count: int
    rate: float
    p50: float
    p99: float


@dataclass(frozen=True)
class Run:
    """What one run of the load generator found."""

    reads: Figures
    writes: Figures
    taken: int
    """Scripts that were played."""
    cpu_us: float
    """What the server computed for each answer, in microseconds."""
    client_share: float
    """How busy the generator itself was; near 1 it is what is measured."""


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

    def daemon(self, home: str) -> Server:
        """A daemon on a home, ready."""
        with (self._root / "daemon.log").open("ab") as log:
            process = subprocess.Popen([sys.executable, "-m", "daemon.start", "--home", home], stderr=log, cwd=ROOT)
        self._running.append(process)
        try:
            return _when_ready(Server(str(Path(home) / "daemon.sock"), process), "/readyz")
        except RuntimeError as error:
            error.add_note((self._root / "daemon.log").read_text()[-2_000:])
            raise

    def echo(self, size: int) -> Server:
        """An echo server, ready."""
        socket = self._root / f"echo-{size}-{len(self._running)}.sock"
        argv = [sys.executable, "-m", "tests.bench.echo", str(socket), str(size)]
        process = subprocess.Popen(argv, stderr=subprocess.DEVNULL, cwd=ROOT)
        self._running.append(process)
        return _when_ready(Server(str(socket), process), "/echo")


def ready(socket: str, path: str) -> bool:
    """Whether a server answers as it should by now."""
    try:
        return answer(socket, get(path))[0] == 200
    except OSError:
        return False


def _when_ready(server: Server, path: str) -> Server:
    give_up_at_s = time.monotonic() + READY_S_MAX
    while True:
        if ready(server.socket, path):
            return server
        if server.process.poll() is not None:
            raise RuntimeError(f"a server ended with {server.process.returncode}")
        if time.monotonic() > give_up_at_s:
            raise TimeoutError(f"{server.socket} did not become ready")
        time.sleep(POLL_S)


def load(
    server: Server, clients: int, seconds: float, scripts: list[Script], *, again: bool = False, awake: bool = False
) -> Run:
    """Play scripts against a server; each must be answered with 200. See `load.Load` for the last two."""
    file = Path(server.socket).parent / "scripts"
    file.write_bytes(pack(scripts))
    before_s = server.cpu_s
    argv = [sys.executable, "-m", "tests.bench.load", server.socket, str(clients), str(seconds), str(file)]
    how = [name for name, wanted in (("again", again), ("awake", awake)) if wanted]
    out = subprocess.run([*argv, *how], check=True, capture_output=True, text=True, cwd=ROOT)
    found = json.loads(out.stdout)
    assert not found["bad"], found["first_bad"]
    assert not found["starved"], f"{len(scripts)} scripts did not last for {seconds} s"
    reads, writes = Figures(**found["reads"]), Figures(**found["writes"])
    cpu_us = (server.cpu_s - before_s) / (reads.count + writes.count) * 1e6
    return Run(reads, writes, found["taken"], cpu_us, found["own_cpu_share"])
