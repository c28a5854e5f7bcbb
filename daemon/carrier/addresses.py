"""A hook that is an address: one signed request over TLS, and only its status as the answer.

The certificate is verified, always. A redirect is not followed: it would carry what was signed to whoever is named in
an answer. No proxy is taken from the environment. Of the answer its head is read and nothing else. The signature is an
HMAC-SHA256 over the time and the body, so that a receiver can tell our deliveries from others' and new from old.
"""

import hashlib
import hmac
import socket
import ssl
import stat
import threading
import time
from contextlib import suppress
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

from daemon.carrier.orders import DELIVERED, Order, Outcome

SECRET_BYTES_MIN, SECRET_BYTES_MAX = 16, 4_096
SIGNATURE = "Frontstage-Signature"


class SecretUnusable(Exception):
    """A file with a secret is not there, not private, too short or too long."""


def signature(secret: bytes, at_s: int, body: bytes) -> str:
    """What a receiver computes again: `v1` is over the time, a point, and the body as it came."""
    digest = hmac.new(secret, str(at_s).encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"t={at_s},v1={digest}"


def post(order: Order) -> Outcome:
    """Ask once."""
    body = order.body.encode()
    try:
        headers = _headers(order, body)
        context = ssl.create_default_context(cafile=order.ca_file or None)
    except SecretUnusable:
        return Outcome("secret_unusable")
    except (OSError, ssl.SSLError):
        return Outcome("tls_refused")
    parts = urlsplit(order.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    assert parts.hostname is not None, "the settings were looked at"
    connection = HTTPSConnection(parts.hostname, parts.port, timeout=order.timeout_s, context=context)
    late = threading.Event()
    watch = threading.Timer(order.timeout_s, _cut, (connection, late))
    watch.daemon = True
    watch.start()
    try:
        outcome = _asked(connection, target, headers, body)
        # An answer that was cut in its head looks whole to who reads it.
        return Outcome("timeout") if late.is_set() else outcome
    except ssl.SSLCertVerificationError:
        return Outcome("tls_refused")
    except TimeoutError:
        return Outcome("timeout")
    except (OSError, HTTPException):
        return Outcome("timeout" if late.is_set() else "unreachable")
    finally:
        watch.cancel()
        connection.close()


def _asked(connection: HTTPSConnection, target: str, headers: dict[str, str], body: bytes) -> Outcome:
    connection.request("POST", target, body, headers)
    answer = connection.getresponse()
    if 200 <= answer.status < 300:
        return DELIVERED
    return Outcome("redirected" if 300 <= answer.status < 400 else "http_status", answer.status)


def _cut(connection: HTTPSConnection, late: threading.Event) -> None:
    """Time is over for all of it, however it was spent: an answer that drips in is cut too."""
    late.set()
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _headers(order: Order, body: bytes) -> dict[str, str]:
    signed = signature(_secret(order.secret_file), time.time_ns() // 1_000_000_000, body)
    headers = {
        **order.headers,
        "Content-Type": "application/json",
        "User-Agent": "frontstage-hook",
        "Frontstage-Hook": order.hook,
        "Frontstage-Delivery": order.delivery_id,
        SIGNATURE: signed,
    }
    if order.authorization_file:
        headers["Authorization"] = _one_line(_secret(order.authorization_file))
    return headers


def _secret(path: str) -> bytes:
    """The secret without the line's end. Raises SecretUnusable, which does not say what it is."""
    try:
        if stat.S_IMODE(Path(path).stat().st_mode) & 0o077:
            raise SecretUnusable
        secret = Path(path).read_bytes().strip()
    except OSError as error:
        raise SecretUnusable from error
    if not SECRET_BYTES_MIN <= len(secret) <= SECRET_BYTES_MAX:
        raise SecretUnusable
    return secret


def _one_line(secret: bytes) -> str:
    text = secret.decode("ascii", "replace")
    if not text.isascii() or not text.isprintable():
        raise SecretUnusable
    return text
