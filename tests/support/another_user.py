"""A daemon that takes itself for another user's: `python -m tests.support.another_user --home DIR`."""

import os
import sys

from daemon import app

_uid = os.getuid()


def main():
    """Serve, with every connection a stranger's."""
    app.os.getuid = lambda: _uid + 1
    return app.main()


if __name__ == "__main__":
    sys.exit(main())
