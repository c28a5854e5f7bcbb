"""Prepared requests, as bytes: what the load generator sends."""

import hashlib
import json
import os
import socket
import time
from urllib.parse import urlencode

from tests.bench.preload import SECRET


def _head(secret: str) -> str:
    return f"Host: localhost\r\nAuthorization: Bearer {secret}\r\n"


def get(path: str, **query: str) -> bytes:
    """A read."""
    target = f"{path}?{urlencode(query)}" if query else path
    return f"GET {target} HTTP/1.1\r\n{_head(SECRET)}\r\n".encode()


def post(path: str, tag: str, *, secret: str = SECRET, **params: object) -> bytes:
    """A write with a request key of its own; `tag` must be as unique as the request."""
    body = json.dumps(params).encode()
    head = (
        f"POST {path} HTTP/1.1\r\n{_head(secret)}Content-Type: application/json\r\n"
        f"Idempotency-Key: {_key(tag)}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _key(tag: str) -> str:
    return f"k{time.time_ns() // 1_000_000:012x}-{hashlib.sha256(f'{tag}-{os.getpid()}'.encode()).hexdigest()[:16]}"


def action(name: str) -> str:
    """The path of an action."""
    return f"/v1/actions/{name}"


def answer(path: str, request: bytes) -> tuple[int, bytes]:
    """Ask once, on a connection of its own: status and body. Raises OSError where nobody answers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(request)
        raw = b""
        while b"\r\n\r\n" not in raw:
            raw += _more(connection)
        head, _, body = raw.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        while len(body) < length:
            body += _more(connection)
    return int(head[9:12]), body


def _more(connection: socket.socket) -> bytes:
    part = connection.recv(65_536)
    if not part:
        raise ConnectionResetError("the answer broke off")
    return part
