"""Listening: a socket that only its owner can open, and a guard on every connection.

aiohttp closes no connection that stays silent, stops in the middle of a header or never finishes a body; the guard
does, and it keeps the number of connections bounded. The socket file is made private before anybody can connect.
"""

import asyncio
import errno
import os
import resource
import socket
import stat
from collections.abc import Callable
from pathlib import Path

from daemon.clock import Clock
from daemon.paths import SOCKET_PATH_BYTES_MAX
from daemon.repeats import Again, Repeats, is_one_request

BACKLOG = 2_048
ACCEPTED_AT_ONCE_MAX = 16
"""Connections that one turn of the loop takes from the backlog; those too many are closed a few turns later."""
CONNECTIONS_MAX = 2_048
FILES_RESERVED = 128
"""Open files that are not connections: the ledger, its readers, and the connections that are being turned away."""
SILENT_MS_MAX = 20_000
"""A connection that has asked nothing for this long, or has not finished asking, is closed."""
IDLE_MS_MAX = 120_000
"""A connection between two requests may rest this long."""
SWEEP_EVERY_S = 5.0
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
    b"X-Frontstage-Exit: 7\r\nConnection: close\r\n\r\n"
)


class SocketUnusable(ValueError):
    """Nobody can listen at the path; says why."""


class SocketPathTooLong(SocketUnusable):
    """The path does not fit the kernel's field."""


def still_ours(path: str, bound: os.stat_result) -> bool:
    """Whether the file at `path` is the socket that was bound; another daemon may have put its own there since."""
    try:
        now = Path(path).stat()
    except FileNotFoundError:
        return False
    return (now.st_dev, now.st_ino) == (bound.st_dev, bound.st_ino)


def bind(path: str) -> socket.socket:
    """A private listening socket at `path`. Raises SocketUnusable.

    The caller holds the ledger's lock, so a socket in its own home is stale. A path that was chosen may be anybody's:
    what is no socket is never removed, and neither is one that somebody answers at.
    """
    size = len(os.fsencode(path))
    if size > SOCKET_PATH_BYTES_MAX:
        raise SocketPathTooLong(
            f"the socket's path has {size} bytes, at most {SOCKET_PATH_BYTES_MAX} fit: "
            "choose a shorter home or set FRONTSTAGE_SOCKET"
        )
    _remove_stale(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    except OSError as error:
        listener.close()
        raise SocketUnusable(f"cannot listen at {path}: {error.strerror}") from error
    finally:
        os.umask(before)
    listener.setblocking(False)  # noqa: FBT003  (the socket's own signature)
    return listener


async def serve(listener: socket.socket, make: Callable[[], asyncio.Protocol]) -> asyncio.Server:
    """Take connections. The loop's one figure for the backlog and for how many it takes at once is set in two steps.

    Were it to take the whole backlog at once, those too many would use up the process's files before they are closed.
    """
    server = await asyncio.get_running_loop().create_unix_server(make, sock=listener, backlog=ACCEPTED_AT_ONCE_MAX)
    listener.listen(BACKLOG)
    return server


def _remove_stale(path: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise SocketUnusable(f"cannot look at {path}: {error.strerror}") from error
    if not stat.S_ISSOCK(mode):
        raise SocketUnusable(f"{path} is there and is no socket: move it away, or choose another path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visitor:
        visitor.setblocking(False)  # noqa: FBT003  (the socket's own signature)
        # A full backlog (EAGAIN) is somebody too; only a refusal says that nobody is behind it.
        if visitor.connect_ex(path) in {errno.ECONNREFUSED, errno.ENOENT}:
            Path(path).unlink(missing_ok=True)
            return
    raise SocketUnusable(f"somebody answers at {path}: another ledger's daemon listens there")


class Guard(asyncio.Protocol):
    """A connection under watch: passes everything to the server's own protocol and notes when it was heard.

    A repeat is answered here and a plain write is taken from here, provided that nothing is under way behind: all that
    was passed on was one whole request at a time, each answered before the next was heard. A connection on which that
    once was not so (a body in pieces, requests sent ahead) goes the long way for ever.
    """

    __slots__ = (
        "_held",
        "_inner",
        "_paused",
        "_strict",
        "_watch",
        "asked",
        "busy",
        "heard_ms",
        "patience_ms",
        "request",
        "transport",
    )

    def __init__(self, inner: asyncio.Protocol, watch: "Watch") -> None:
        self._inner = inner
        self._watch = watch
        self._strict = True
        self._paused = False
        self._held: bytes | None = None
        """What was heard while a plain request is being answered; None when none is."""
        self.transport: asyncio.Transport | None = None
        self.heard_ms = 0
        self.asked = False
        self.busy = 0
        self.patience_ms = SILENT_MS_MAX
        self.request: bytes | None = None
        """The whole of the request that is being answered, where it is known to be that."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the connection, unless there are too many."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.heard_ms = self._watch.clock.boot_ms()
        self._inner.connection_made(transport)
        if not self._watch.admit(transport, self):
            transport.write(self._watch.too_many)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Pass on what was heard. Time counts from the first byte of a request, so that a trickle cannot hold on."""
        self._watch.heard += 1
        if self._held is not None:
            self._hold(data)
            return
        if self.asked:
            self._strict, self.request = False, None
        else:
            self.heard_ms = self._watch.clock.boot_ms()
            if self._strict and self._went_the_short_way(data):
                return
            self.asked = True
            self.patience_ms = SILENT_MS_MAX
        self._inner.data_received(data)

    def _went_the_short_way(self, data: bytes) -> bool:
        """Answer a repeat at once, and take a plain request; anything else is remembered while it is answered."""
        if self.transport is not None and not self._paused:
            known = self._watch.repeats.answer(data)
            if known is not None:
                self.patience_ms = IDLE_MS_MAX
                self.transport.write(known)
                return True
        self._strict = is_one_request(data)
        if self._strict and not self._paused and self._watch.direct(data, self):
            self._held = b""
            self.busy += 1
            return True
        self.request = data if self._strict else None
        return False

    def _hold(self, data: bytes) -> None:
        """What is heard while a plain request is answered waits; more of it is not read meanwhile."""
        assert self.transport is not None, "something was heard"
        self._held = (self._held or b"") + data
        self.transport.pause_reading()

    def answer(self, whole: bytes) -> None:
        """Send the answer to a plain request that was taken, and go on with what was heard meanwhile."""
        held, self._held = self._held, None
        self._watch.ends(self)
        if self.transport is None or self.transport.is_closing():
            return
        self.transport.write(whole)
        if held:
            self.transport.resume_reading()
            self.data_received(held)

    def eof_received(self) -> bool | None:
        """The other end has finished writing."""
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self.transport is not None:
            self._watch.forget(self.transport)
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """The other end reads slowly."""
        self._paused = True
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """The other end reads again."""
        self._paused = False
        self._inner.resume_writing()


def connections_max() -> int:
    """How many connections this process can hold: the limit on open files is raised as far as it goes, and kept to."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS_MAX + FILES_RESERVED
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return CONNECTIONS_MAX if soft == resource.RLIM_INFINITY else max(1, min(CONNECTIONS_MAX, soft - FILES_RESERVED))


Direct = Callable[[bytes, Guard], bool]
"""Takes one whole request and will answer it, or leaves it to the server behind."""


def _leave(_asked: bytes, _connection: Guard) -> bool:
    return False


class Watch:
    """All connections, and which of them have overstayed."""

    def __init__(self, clock: Clock, connections_max: int = CONNECTIONS_MAX, too_many: bytes = _TOO_MANY) -> None:
        """`too_many` is what a connection hears for which there is no room."""
        self.clock = clock
        self.connections_max = connections_max
        self.too_many = too_many
        self.repeats = Repeats()
        self.heard = 0
        """How often anything was heard, on whichever connection."""
        self.direct: Direct = _leave
        """Takes plain requests; who serves says how."""
        self._open: dict[asyncio.BaseTransport, Guard] = {}

    def factory(self, make: Callable[[], asyncio.Protocol]) -> Callable[[], Guard]:
        """Put a guard before every protocol that `make` makes."""
        return lambda: Guard(make(), self)

    def admit(self, transport: asyncio.BaseTransport, guard: Guard) -> bool:
        """Whether there is room."""
        if len(self._open) >= self.connections_max:
            return False
        self._open[transport] = guard
        return True

    def forget(self, transport: asyncio.BaseTransport) -> None:
        """The connection is gone."""
        self._open.pop(transport, None)

    def begins(self, transport: asyncio.BaseTransport | None) -> Guard | None:
        """A complete request is being answered; it may take its time."""
        guard = None if transport is None else self._open.get(transport)
        if guard is not None:
            guard.busy += 1
        return guard

    def keep(self, guard: Guard, again: Again) -> None:
        """The request that is being answered can be answered again."""
        if guard.request is not None:
            self.repeats.keep(guard.request, again)

    def ends(self, guard: Guard | None) -> None:
        """The answer is written; the next request may begin."""
        if guard is not None:
            guard.request = None
            guard.busy -= 1
            guard.asked = False
            guard.patience_ms = IDLE_MS_MAX
            guard.heard_ms = self.clock.boot_ms()

    def sweep(self) -> int:
        """Close what has overstayed; returns how many."""
        now_ms = self.clock.boot_ms()
        over = [
            guard for guard in self._open.values() if not guard.busy and now_ms - guard.heard_ms > guard.patience_ms
        ]
        for guard in over:
            if guard.transport is not None:
                guard.transport.abort()
        return len(over)

    async def run(self) -> None:
        """Sweep for as long as the daemon listens."""
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            self.sweep()

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)
