"""An answer whose bytes are all known: head and body leave in one write.

The server's own response is made for everything an answer can be: cookies, packed or in pieces, with a head that grows
on the way. Ours are none of it, and what they are not was a fifth of what a hot read cost.
"""

from collections.abc import Sequence
from http import HTTPStatus

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter

from daemon.repeats import Again

JSON, TEXT = "application/json", "text/plain; charset=utf-8"


class Whole(web.StreamResponse):
    """A status, an exit code beside it, and a body."""

    def __init__(
        self, body: bytes, *, media: str = JSON, status: int = 200, exit_code: int = 0, retry_after_s: int | None = None
    ) -> None:
        super().__init__(status=status)
        self.body = body
        self._head = _HEAD_OF_GOOD if (status, media, exit_code) == (200, JSON, 0) else _head(media, status, exit_code)
        if retry_after_s is not None:
            self._head += b"Retry-After: %d\r\n" % retry_after_s
        self._writer: AbstractStreamWriter | None = None
        self._stays = False
        self.again: Again | None = None
        """How the same request, were it asked again, is to be answered; None where it must be asked in full."""

    def allow(self, methods: Sequence[str]) -> None:
        """Name the methods by which the path may be asked."""
        self._head += f"Allow: {', '.join(methods)}\r\n".encode("ascii")

    def alone(self) -> bytes:
        """All of it, for a connection that stays."""
        return b"%bContent-Length: %d\r\n\r\n%b" % (self._head, len(self.body), self.body)

    @property
    def keep_alive(self) -> bool:
        """Whether the connection stays open for another request."""
        return self._stays

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Take the connection. One that speaks an older dialect, or wants to hang up, is hung up on."""
        self._writer = request.writer
        self._stays = request.keep_alive and request.version >= HttpVersion11
        self._head += b"Content-Length: %d\r\n" % len(self.body)
        if not self._stays:
            self._head += b"Connection: close\r\n"
        if request.method == "HEAD":
            self.body = b""
        return self._writer

    async def write_eof(self, data: bytes = b"") -> None:
        """Send all of it."""
        assert self._writer is not None, "the answer was prepared"
        assert not data, "the answer is whole already"
        await self._writer.write_eof(b"%b\r\n%b" % (self._head, self.body))


def good(body: bytes) -> bytes:
    """A document as it leaves on a connection that stays."""
    return b"%bContent-Length: %d\r\n\r\n%b" % (_HEAD_OF_GOOD, len(body), body)


def _head(media: str, status: int, exit_code: int) -> bytes:
    line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
    return f"{line}\r\nContent-Type: {media}\r\nX-Frontstage-Exit: {exit_code}\r\n".encode("ascii")


_HEAD_OF_GOOD = _head(JSON, 200, 0)
