"""`frontstage mcp` as a client of the protocol has it: a process of its own, spoken to by the SDK or line by line."""

import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from queue import Queue
from typing import Self

from mcp import ClientSession, StdioServerParameters, stdio_client

from daemon.cli.spawn import module_environment
from tests.support.daemons import ENDS_S_MAX
from tests.support.homes import Made

PROGRAM = "import sys; from daemon.cli.main import main; sys.exit(main())"
NOTHING_ELSE = ("PATH", "PYTHONPATH", "LC_ALL", "PYTHONHASHSEED")
"""What an agent in a sandbox has of its environment, besides the socket and its token."""


def environment(made: Made, who: str | None, **chosen: str) -> dict[str, str]:
    """A sandbox: no home, no terminal, nothing but the socket and a token."""
    kept = {name: value for name, value in module_environment().items() if name in NOTHING_ELSE}
    token = {} if who is None else {"FRONTSTAGE_TOKEN": made.tokens[who]}
    return kept | {"FRONTSTAGE_SOCKET": made.home.socket, "HOME": "/nonexistent"} | token | chosen


def argv(*words: str) -> list[str]:
    """The command line of the server."""
    return [sys.executable, "-P", "-c", PROGRAM, "mcp", *words]


@asynccontextmanager
async def served(made: Made, who: str = "builder", *words: str, **chosen: str) -> AsyncIterator[ClientSession]:
    """A session of the official client with a server of its own."""
    program, *rest = argv(*words)
    parameters = StdioServerParameters(command=program, args=rest, env=environment(made, who, **chosen), cwd="/")
    async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        yield session


class Lines:
    """The same process, spoken to in bytes: what no client would send can be sent, and every byte is seen."""

    def __init__(self, made: Made, who: str | None = "builder", *words: str, **chosen: str) -> None:
        self.process = subprocess.Popen(
            argv(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(made, who, **chosen),
            cwd="/",
        )
        self.out: list[bytes] = []
        self.err: list[bytes] = []
        self._heard: Queue[bytes] = Queue()
        self._readers = [
            threading.Thread(target=self._read_out, daemon=True),
            threading.Thread(target=self._read_err, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.out.append(line)
            self._heard.put(line)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        self.err.extend(self.process.stderr)

    def send(self, line: bytes | dict[str, object]) -> None:
        """One line."""
        assert self.process.stdin is not None
        self.process.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        self.process.stdin.flush()

    def heard(self) -> dict[str, object]:
        """The next message; a line that is no JSON object is a failure."""
        message = json.loads(self._heard.get(timeout=ENDS_S_MAX))
        assert isinstance(message, dict)
        return message

    def begin(self) -> dict[str, object]:
        """The handshake."""
        self.send(asked(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=ME))
        said = self.heard()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return said

    def call(self, number: int, tool: str, arguments: dict[str, object]) -> dict[str, object]:
        """One call; its answer, whole."""
        self.send(asked(number, "tools/call", name=tool, arguments=arguments))
        return self.heard()

    def end(self) -> int:
        """Close what it reads; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(ENDS_S_MAX)
        for reader in self._readers:
            reader.join(ENDS_S_MAX)
        return code

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever became of the test, it does not outlive it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(ENDS_S_MAX)


ME = {"name": "tests", "version": "1"}


def asked(number: int, method: str, **params: object) -> dict[str, object]:
    """A request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
