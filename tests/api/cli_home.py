"""A real home for the command line's tests, and a real daemon beside it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from daemon.cli.main import run
from daemon.cli.spawn import module_argv, module_environment
from daemon.client import Client


class Daemon(NamedTuple):
    """A daemon that is ready."""

    process: "subprocess.Popen[bytes]"
    owner: Client
    bot_token: str
    socket: str


def make_home(path: Path) -> Path:
    """A new home with its owner `ann`."""
    assert run(["init", "--home", str(path), "--owner", "ann", "--owner-name", "Ann", "--json"]) == 0
    return path


@contextmanager
def daemon_in(home: Path) -> Iterator[Daemon]:
    """Start a daemon and wait for the line with which it says that it is ready."""
    process = subprocess.Popen(
        [*module_argv("daemon.app"), "--home", str(home)], stderr=subprocess.PIPE, env=module_environment(), cwd="/"
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if b'"ready"' in line:
                break
        else:
            raise AssertionError(f"the daemon ended with {process.wait()}")
        socket = str(home / "daemon.sock")
        owner = Client(socket, (home / "owner.token").read_text().strip())
        yield Daemon(process, owner, (home / "bot.token").read_text().strip(), socket)
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()
