"""A daemon's double for the command line: it answers as it is told and keeps what it was asked.

It speaks raw bytes on purpose: what the command line sends is checked to the byte, and a broken answer is one that a
library would not let a server give.
"""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

OK = b'{"ok": true, "seq": 7}'


class Asked(NamedTuple):
    """One request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


def answer(body: bytes = OK, *, status: int = 200, exit_code: int | None = 0, more: bytes = b"") -> bytes:
    """A whole answer."""
    exit_line = b"" if exit_code is None else b"X-Frontstage-Exit: %d\r\n" % exit_code
    return b"HTTP/1.1 %d X\r\n%s%sContent-Length: %d\r\n\r\n" % (status, exit_line, more, len(body)) + body


@dataclass
class Double:
    """Listens on a Unix socket and answers each connection with the next scripted bytes, the last one for ever."""

    path: str
    script: list[bytes] = field(default_factory=lambda: [answer()])
    asked: list[Asked] = field(default_factory=list)
    on_asked: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen(64)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                asked = _request(connection)
                if asked is None:
                    continue
                self.asked.append(asked)
                self.on_asked()
                # Who asked may have given up by now.
                with suppress(BrokenPipeError):
                    connection.sendall(self.script.pop(0) if len(self.script) > 1 else self.script[0])

    def stop_listening(self) -> None:
        """Take no further connection; the socket stays behind, as after a crash."""
        self._listener.close()

    def close(self) -> None:
        """Stop listening and take the socket away."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
        Path(self.path).unlink(missing_ok=True)


def _request(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65_536)
        if not part:
            return None
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65_536)
    method, target, _ = first.split(" ")
    return Asked(method, target, headers, body)
