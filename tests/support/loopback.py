"""A daemon's Unix socket on a port of the loopback, for tools that know no other way: bytes go through as they are."""

import socket
import threading
from contextlib import contextmanager, suppress

BYTES = 65_536


def _pump(source, target):
    with suppress(OSError):
        while data := source.recv(BYTES):
            target.sendall(data)
    for one, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with suppress(OSError):
            one.shutdown(how)


def _serve(path, client):
    with client, socket.socket(socket.AF_UNIX) as daemon:
        try:
            daemon.connect(path)
        except OSError:
            return
        back = threading.Thread(target=_pump, args=(daemon, client), daemon=True)
        back.start()
        _pump(client, daemon)
        back.join()


@contextmanager
def on_loopback(path):
    """The address at which the socket is reached."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def accept():
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=_serve, args=(path, client), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
