"""Where the page is to be found: the key that its addresses begin with, and the port, kept from one start to the next.

Both are files in the home, so that a page that is open in a browser finds its daemon again. There is no key before the
owner asks for the page, and no port is listened at. When the port is taken by somebody else meanwhile, the key is
made anew with it: a browser may have told the old one to whoever listens there now.
"""

import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from daemon.paths import Home

LOOPBACK = "127.0.0.1"
KEY_BYTES = 16
_KEY_CHARS = 2 * KEY_BYTES
PORT_MAX = 65_535


class PortTaken(OSError):
    """The port cannot be had: somebody else listens there, or this user may not."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """The page's address, and the socket that listens there."""

    key: str
    listener: socket.socket

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self.listener.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """What the owner opens."""
        return f"http://{LOOPBACK}:{self.port}/{self.key}/"


def is_kept(home: Home) -> bool:
    """Whether the owner has asked for the page, now or before an earlier end of the daemon."""
    return Path(home.page).exists()


def take(home: Home, *, port: int | None = None) -> Place:
    """Listen at the kept address, or at a new one: at `port` where one is set. Raises PortTaken and OSError."""
    kept_key, kept_port = _kept(home)
    listener = None if kept_port is None or port not in {None, kept_port} else _bound(kept_port)
    key = kept_key if listener is not None and kept_key is not None else secrets.token_hex(KEY_BYTES)
    if listener is None:
        try:
            listener = socket.create_server((LOOPBACK, port or 0))
        except OSError as error:
            if kept_port is not None and port == kept_port:
                _keep(home, f"{key} {port}\n")  # The one before may be known by now to whoever listens there.
            raise PortTaken(error.errno, error.strerror) from error
    listener.setblocking(False)  # noqa: FBT003  (the socket's own signature)
    place = Place(key=key, listener=listener)
    try:
        _keep(home, f"{key} {place.port}\n")
    except OSError:
        # An address that cannot be kept would die with this daemon: nobody is told of it.
        listener.close()
        raise
    return place


def forget(home: Home) -> None:
    """No page is wanted any more; the next one has another key."""
    Path(home.page).unlink(missing_ok=True)


def kept_port(home: Home) -> int | None:
    """The port of the page that was asked for, if one was."""
    return _kept(home)[1]


def is_taken(port: int) -> bool:
    """Whether this port cannot be listened on now, whoever has it."""
    listener = _bound(port)
    if listener is None:
        return True
    listener.close()
    return False


def _bound(port: int) -> socket.socket | None:
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError:
        return None


def _kept(home: Home) -> tuple[str | None, int | None]:
    """What the file says; one that says something else is as good as none, for both can be made anew."""
    try:
        key, port = Path(home.page).read_text(encoding="ascii").split()
        whole = len(key) == _KEY_CHARS and set(key) <= set("0123456789abcdef") and 0 < int(port) <= PORT_MAX
    except (OSError, ValueError):
        return None, None
    return (key, int(port)) if whole else (None, None)


def _keep(home: Home, text: str) -> None:
    """Write the file whole, readable by its owner alone."""
    fresh = Path(f"{home.page}.new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
    fresh.replace(home.page)
