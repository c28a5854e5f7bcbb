"""Where a daemon's process begins: `python -m daemon.start --home DIR`.

The garbage collector rests while modules load and the state is folded. Nothing that is made then is garbage, and
looking for some took a quarter of the start.
"""

import gc
import sys


def main() -> int:
    """Load the daemon and serve; the exit code."""
    gc.disable()
    from daemon.app import main as serve  # noqa: PLC0415  (what loads here is what the collector would look through)

    return serve()


if __name__ == "__main__":
    sys.exit(main())
