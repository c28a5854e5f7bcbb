"""An address over TLS inside the test, whose certificate its own authority signed, and which answers as it is told."""

import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def certificate(folder, name="localhost"):
    """A certificate and its key, in files."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-keyout", str(key), "-out", str(cert),
            "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return cert, key


class Receiver(ThreadingHTTPServer):
    """Remembers what it was sent; `answer` is a status, or a function that writes to the handler."""

    daemon_threads = True

    def __init__(self, cert, key):
        super().__init__(("127.0.0.1", 0), _Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.requests = []
        self.answer = 204
        self.location = None

    def handle_error(self, request, client_address):
        """A sender that hangs up is part of the test."""

    @property
    def url(self):
        return f"https://localhost:{self.server_port}/in?team=docs"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.path, dict(self.headers), body))
        if callable(self.server.answer):
            self.server.answer(self)
            return
        self.send_response(self.server.answer)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Nothing is printed."""


def dripping(handler):
    """An answer whose head never ends, a byte at a time."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for _ in range(200):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def hung_up(handler):
    """No answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def endless(handler):
    """An answer of many megabytes, as quick as it can be sent."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    for _ in range(1_000):
        handler.wfile.write(b"x" * 65_536)


@contextmanager
def receiver(folder):
    """A receiver that serves until the end of the test."""
    cert, key = certificate(folder)
    server = Receiver(cert, key)
    server.cert = cert
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
