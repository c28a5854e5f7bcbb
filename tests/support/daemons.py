"""Real daemons: processes on a fresh home with a short path, watched through what they log."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from daemon.cli.spawn import module_argv, module_environment
from daemon.client import Client
from ledger.store.sqlite import open_sqlite, open_sqlite_reader
from ledger.verify import Report, verify
from tests.support.homes import Made, Scribe, begin, short_folder

READY_S_MAX = 60
"""Generous, because everything starts cold on a busy machine; nothing waits longer than what it waits for takes."""
ENDS_S_MAX = 60
_LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


class DaemonProcess:
    """One daemon. Its log is read as it comes, so that a pipe never fills up."""

    def __init__(
        self,
        made: Made,
        *words: str,
        wait: bool = True,
        files_max: int | None = None,
        pass_fds: tuple[int, ...] = (),
        module: str = "daemon.app",
    ) -> None:
        self.made = made
        self.log: list[str] = []
        self._ready = threading.Event()
        limited = [] if files_max is None else [sys.executable, "-c", _LIMITED, str(files_max)]
        self.process = subprocess.Popen(
            [*limited, *module_argv(module), "--home", made.home.path, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=module_environment(),
            cwd="/",
            pass_fds=pass_fds,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if wait:
            self.wait_until_ready()

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.log.append(line.decode("utf-8", "replace"))
                if b'"event": "ready"' in line:
                    self._ready.set()
        self._ready.set()

    def wait_until_ready(self) -> None:
        """Until it says so. A daemon that ends instead is a failure, with its last words."""
        assert self._ready.wait(READY_S_MAX), "the daemon did not become ready"
        assert any('"event": "ready"' in line for line in self.log), f"the daemon ended: {self.log}"

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever became of the test, it does not outlive it."""
        if self.process.poll() is None:
            self.kill()

    def client(self, who: str | None = "ann", **options: object) -> Client:
        """Somebody's connection; None is whoever runs the test."""
        return Client(self.made.home.socket, None if who is None else self.made.tokens[who], **options)

    def kill(self) -> None:
        """As when the machine takes it away: nothing is finished."""
        self.process.kill()
        self.ended()

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self) -> int:
        """Wait for its end; its exit code."""
        code = self.process.wait(ENDS_S_MAX)
        self._reader.join(ENDS_S_MAX)
        return code

    def records(self) -> list[dict[str, object]]:
        """The log, line by line; a line that is not JSON is a failure."""
        return [json.loads(line) for line in self.log]


@contextmanager
def fresh_home(seed: Callable[[Scribe], object] | None = None) -> Iterator[Made]:
    """A home with its people on disk, and whatever `seed` does in it; nobody serves it yet."""
    with short_folder() as folder:
        store = open_sqlite(folder / "ledger.sqlite3")
        try:
            made, scribe = begin(folder, store)
            if seed is not None:
                seed(scribe)
        finally:
            store.close()
        yield made


@contextmanager
def daemon_on_fresh_home(seed: Callable[[Scribe], object] | None = None) -> Iterator[DaemonProcess]:
    """The same with a daemon that is ready."""
    with fresh_home(seed) as made, DaemonProcess(made) as daemon:
        yield daemon


def proved(made: Made) -> Report:
    """Every hash of a home's ledger computed again, beside whoever serves it."""
    store = open_sqlite_reader(Path(made.home.ledger))
    try:
        return verify(store.events(0), receipts=store.receipts(), refusals=store.refusals(0))
    finally:
        store.close()


def refused_start(made: Made, *words: str) -> tuple[int, str]:
    """A daemon that is expected to end by itself; its exit code and what it said."""
    done = subprocess.run(
        [*module_argv("daemon.app"), "--home", made.home.path, *words],
        env=module_environment(),
        cwd="/",
        capture_output=True,
        timeout=ENDS_S_MAX,
        check=False,
    )
    return done.returncode, done.stderr.decode()
