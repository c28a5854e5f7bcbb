"""HTTP/1.1 over a Unix socket, by hand, for programs that live a few milliseconds.

The command line runs once per call, so its imports are its cost: this module speaks just enough HTTP to ask one
daemon one thing, with nothing but the interpreter's built-in modules. It knows the wire and no more of the daemon.

What can go wrong is told apart, because the remedies differ: nobody listens (start one), the connection ended before
the answer was whole (ask again with the same request key), the answer takes too long (its outcome is unknown), and
what came is not an answer of ours.
"""

import _socket
import errno
import os
import time

CONNECT_MS_MAX = 5_000
"""How long a full backlog is waited out."""
REFUSED_MS_MAX = 150
"""How long a refused connection is tried again: a daemon that restarts is back, a dead one's socket stays dead."""
ANSWER_MS_MAX = 60_000
HEADER_BYTES_MAX = 65_536
TARGET_BYTES_MAX = 8_000
"""A longer target is no HTTP to the server; no question whose parameters hold comes near it."""
BODY_BYTES_MAX = 64 * 1024 * 1024
_BACK_OFF_MS = (2, 4, 8, 16, 32, 64, 100)
_CHUNK_BYTES = 65_536
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


Socket = _socket.socket
"""The interpreter's own socket; the standard library's class around it costs an import of its own."""


class WireFault(Exception):
    """No whole answer arrived."""


class NobodyListens(WireFault):
    """Nothing was sent: there is no socket, nobody behind it, or no right to it."""


class Dropped(WireFault):
    """The connection ended before the answer was whole; the outcome is unknown."""


class TooSlow(WireFault):
    """No whole answer in the time allowed; the outcome is unknown."""


class NotOurs(WireFault):
    """What came back is not an answer of a Frontstage daemon."""


class Answer:
    """One whole HTTP answer."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def exit_code(self) -> int:
        """The exit code the daemon gave this answer; raises NotOurs when it gave none."""
        text = self.headers.get("x-frontstage-exit", "")
        if len(text) == 1 and text in "012345678":
            return int(text)
        raise NotOurs("the answer carries no exit code: the socket belongs to something else")


def quote(text: str) -> str:
    """Percent-encode a query value. Raises UnicodeEncodeError for half of a surrogate pair."""
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in text.encode())


def request_bytes(method: str, target: str, headers: dict[str, str], body: bytes | None) -> bytes:
    """One request. Header values must be single lines; a value that is not is a bug of the caller."""
    lines = [f"{method} {target} HTTP/1.1", "Host: frontstage", "Connection: close"]
    for name, value in headers.items():
        assert value.isascii(), name
        assert value.isprintable(), name
        lines.append(f"{name}: {value}")
    if body is not None:
        lines.append("Content-Type: application/json")
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii") + (body or b"")


def connect(path: str) -> Socket:
    """Connect to a daemon's socket, waiting out a full backlog. Raises NobodyListens."""
    started = time.monotonic_ns()
    attempt = 0
    while True:
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            sock.settimeout(CONNECT_MS_MAX / 1000)
            sock.connect(path)
        except OSError as error:
            sock.close()
            waited_ms = (time.monotonic_ns() - started) // 1_000_000
            if waited_ms >= _patience_ms(error):
                raise NobodyListens(_why(path, error)) from error
        else:
            return sock
        step_ms = _BACK_OFF_MS[min(attempt, len(_BACK_OFF_MS) - 1)]
        # Spread, so that many who were turned away together do not come back together.
        time.sleep(step_ms * (0.5 + os.urandom(1)[0] / 256) / 1000)
        attempt += 1


def _patience_ms(error: OSError) -> int:
    if error.errno in {errno.EAGAIN, errno.EINTR}:
        return CONNECT_MS_MAX
    return REFUSED_MS_MAX if error.errno == errno.ECONNREFUSED else 0


def _why(path: str, error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return f"there is no daemon at {path}"
    if error.errno == errno.ECONNREFUSED:
        return f"nobody answers at {path}"
    if error.errno == errno.EACCES:
        return f"this user may not use {path}"
    return f"cannot connect to {path}: {error.strerror or error}"


def adopt(descriptor: int) -> Socket:
    """A connected socket that was made elsewhere."""
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)


def exchange(sock: Socket, request: bytes, answer_ms_max: int = ANSWER_MS_MAX) -> Answer:
    """Send one request and read its whole answer; closes the socket. Raises Dropped, TooSlow or NotOurs."""
    deadline_ns = time.monotonic_ns() + answer_ms_max * 1_000_000
    try:
        sock.settimeout(answer_ms_max / 1000)
        _send(sock, request)
        return _read(sock, deadline_ns)
    except TimeoutError as error:
        raise TooSlow(f"no answer within {answer_ms_max / 1000:g} s") from error
    except OSError as error:
        raise Dropped(f"the connection broke: {error.strerror or error}") from error
    finally:
        sock.close()


def ask(path: str, request: bytes, answer_ms_max: int = ANSWER_MS_MAX) -> Answer:
    """One request to the daemon at `path`; asked once more if the connection ends too early.

    The second attempt is safe because a write carries its request key: what was done already is answered from its
    receipt.
    """
    try:
        return exchange(connect(path), request, answer_ms_max)
    except Dropped:
        return exchange(connect(path), request, answer_ms_max)


def _send(sock: Socket, request: bytes) -> None:
    """Send it all; a daemon that refuses early and closes has an answer to read all the same."""
    try:
        sock.sendall(request)
    except (BrokenPipeError, ConnectionResetError):
        return


def _receive(sock: Socket, deadline_ns: int) -> bytes:
    left_ns = deadline_ns - time.monotonic_ns()
    if left_ns <= 0:
        raise TimeoutError
    sock.settimeout(left_ns / 1_000_000_000)
    return sock.recv(_CHUNK_BYTES)


def begin(sock: Socket, request: bytes, answer_ms_max: int) -> Answer:
    """Send a request whose answer has no end, and read its head; the body is what came with it.

    Raises Dropped, TooSlow or NotOurs; the socket stays open.
    """
    try:
        sock.settimeout(answer_ms_max / 1000)
        _send(sock, request)
        status, headers, rest = _read_head(sock, time.monotonic_ns() + answer_ms_max * 1_000_000)
    except TimeoutError as error:
        raise TooSlow(f"no answer within {answer_ms_max / 1000:g} s") from error
    except OSError as error:
        raise Dropped(f"the connection broke: {error.strerror or error}") from error
    return Answer(status, headers, rest)


def more(sock: Socket, silent_ms_max: int) -> bytes:
    """The next bytes of such an answer; nothing at its end. Raises Dropped or TooSlow."""
    try:
        return _receive(sock, time.monotonic_ns() + silent_ms_max * 1_000_000)
    except TimeoutError as error:
        raise TooSlow(f"nothing was heard for {silent_ms_max / 1000:g} s") from error
    except OSError as error:
        raise Dropped(f"the connection broke: {error.strerror or error}") from error


def _read_head(sock: Socket, deadline_ns: int) -> tuple[int, dict[str, str], bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > HEADER_BYTES_MAX:
            raise NotOurs("the answer's header is too long")
        part = _receive(sock, deadline_ns)
        if not part:
            raise Dropped("the connection ended before an answer")
        data += part
    head, _, rest = data.partition(b"\r\n\r\n")
    return *_parse_head(head), rest


def _read(sock: Socket, deadline_ns: int) -> Answer:
    status, headers, rest = _read_head(sock, deadline_ns)
    length_text = headers.get("content-length", "")
    if not (length_text.isascii() and length_text.isdigit()) or len(length_text) > 12:
        raise NotOurs("the answer does not say how long it is")
    length = int(length_text)
    if length > BODY_BYTES_MAX:
        raise NotOurs(f"the answer is longer than {BODY_BYTES_MAX} bytes")
    parts, have = [rest], len(rest)
    while have < length:
        part = _receive(sock, deadline_ns)
        if not part:
            raise Dropped("the connection ended in the middle of an answer")
        parts.append(part)
        have += len(part)
    return Answer(status, headers, b"".join(parts)[:length])


def _parse_head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit() or len(words[1]) != 3:
        raise NotOurs("what answers does not speak HTTP")
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return int(words[1]), headers
