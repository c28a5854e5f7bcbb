"""Connecting: a full backlog is waited out, a restart is waited for, a dead socket is not."""

import socket
import time
from contextlib import closing

import pytest

from daemon import wire


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "s")


def listener_at(path):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    return listener


def fill(path):
    """Connect until the backlog takes no more."""
    held = []
    while True:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            sock.connect(path)
        except BlockingIOError:
            sock.close()
            return held
        held.append(sock)


def test_a_full_backlog_is_waited_out(path, monkeypatch):
    with closing(listener_at(path)) as listener:
        listener.listen(0)
        held = fill(path)
        waits = []

        def sleep(seconds):
            waits.append(seconds)
            if len(waits) == 3:
                listener.accept()[0].close()

        monkeypatch.setattr(wire, "CONNECT_MS_MAX", 0.0001)  # the kernel's own wait; ours is counted below
        monkeypatch.setattr(wire, "_patience_ms", lambda _error: 5_000)
        monkeypatch.setattr(wire.time, "sleep", sleep)
        wire.connect(path).close()
        assert len(waits) == 3
        assert all(sock.close() is None for sock in held)


def test_a_daemon_that_restarts_is_waited_for(path, monkeypatch):
    with closing(listener_at(path)) as listener:
        monkeypatch.setattr(wire.time, "sleep", lambda _seconds: listener.listen(1))
        wire.connect(path).close()


def test_a_dead_socket_is_given_up_soon(path):
    listener_at(path).close()
    started = time.monotonic()
    with pytest.raises(wire.NobodyListens, match="nobody answers at"):
        wire.connect(path)
    assert wire.REFUSED_MS_MAX / 1000 <= time.monotonic() - started < 5


def test_no_socket_is_given_up_at_once(path, monkeypatch):
    monkeypatch.setattr(wire.time, "sleep", lambda _seconds: pytest.fail("waited"))
    with pytest.raises(wire.NobodyListens, match="there is no daemon at"):
        wire.connect(path)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("docs", "docs"),
        ("a b&c=d?e#f%g+h/i", "a%20b%26c%3Dd%3Fe%23f%25g%2Bh%2Fi"),
        ("ü🙂", "%C3%BC%F0%9F%99%82"),
        ("\r\n\0", "%0D%0A%00"),
        ("", ""),
    ],
)
def test_quoting(text, quoted):
    assert wire.quote(text) == quoted


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb", "ü"])
def test_a_header_is_one_line(value):
    with pytest.raises(AssertionError):
        wire.request_bytes("GET", "/", {"X": value}, None)
