"""`frontstage version`."""

import platform
from importlib.metadata import PackageNotFoundError, version

from daemon.cli.output import STDOUT, write
from daemon.cli.parse import Command


def main(command: Command) -> int:
    """Print the version of the installed distribution and of the interpreter."""
    try:
        ours = version("frontstage")
    except PackageNotFoundError:
        ours = "not installed (run from a checkout)"
    if command.options.json:
        text = f'{{"frontstage": "{ours}", "python": "{platform.python_version()}"}}\n'
    else:
        text = f"frontstage {ours} (Python {platform.python_version()})\n"
    write(STDOUT, text.encode("ascii"))
    return 0
