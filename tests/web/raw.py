"""Talking to the page byte by byte, as no honest browser does."""

import socket
from dataclasses import dataclass

WAIT_S_MAX = 60


@dataclass(frozen=True)
class Heard:
    """One answer; header names are lower case, and each is there once."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body, read."""
        return self.body.decode()


def connected(port: int) -> socket.socket:
    """A connection that has said nothing yet."""
    return socket.create_connection(("127.0.0.1", port), WAIT_S_MAX)


def head_of(method: str, target: str, host: str | None, *lines: str) -> bytes:
    """A request's bytes, however strange."""
    first = f"{method} {target} HTTP/1.1"
    hosts = [] if host is None else [f"Host: {host}"]
    return "\r\n".join((first, *hosts, *lines, "", "")).encode("utf-8", "surrogateescape")


def heard(connection: socket.socket) -> Heard:
    """One whole answer; what has no length is read to its end, and a stream is no more than its head."""
    got = b""
    while b"\r\n\r\n" not in got:
        part = connection.recv(65_536)
        assert part, f"the connection ended after {got!r}"
        got += part
    top, _, body = got.partition(b"\r\n\r\n")
    first, *lines = top.decode("latin-1").split("\r\n")
    pairs = [line.split(": ", 1) for line in lines]
    headers = {name.lower(): value for name, value in pairs}
    assert len(headers) == len(pairs), f"a header is said twice: {lines}"
    missing = int(headers.get("content-length", "0")) - len(body)
    while missing > 0:
        part = connection.recv(65_536)
        assert part, "the body is not whole"
        body, missing = body + part, missing - len(part)
    return Heard(int(first.split(" ")[1]), headers, body)


def said(port: int, data: bytes) -> Heard:
    """What is answered to some bytes on a connection of its own."""
    with connected(port) as connection:
        connection.sendall(data)
        return heard(connection)


def got(looked, path: str = "", *lines: str, method: str = "GET") -> Heard:
    """A place of the page, asked for as it should be, or nearly so."""
    return said(looked.port, head_of(method, f"/{looked.key}/{path}", f"127.0.0.1:{looked.port}", *lines))
