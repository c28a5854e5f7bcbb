"""Where a daemon's process begins: `python -m daemon.start --home DIR`.

Two things are left out while modules load, and made good before anything is served. The garbage collector rests:
nothing that is made then is garbage, and looking for some took a quarter of the start. And the server's library, which
as it loads reads the machine's certificates for a client that this process does not use, is shown an empty file: a
tenth. Such a client would trust nobody, until it is given certificates of its own.
"""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@contextmanager
def _no_certificates() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _CERTIFICATES}
    os.environ.update(dict.fromkeys(_CERTIFICATES, os.devnull))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def main() -> int:
    """Load the daemon and serve; the exit code."""
    gc.disable()
    with _no_certificates():
        from daemon.app import main as serve  # noqa: PLC0415  (what loads here is what is left out for)
    return serve()


if __name__ == "__main__":
    sys.exit(main())
