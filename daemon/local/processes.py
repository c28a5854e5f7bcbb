"""`frontstage daemon` and `frontstage bot`: this process becomes the one that was asked for."""

import os
import sys
from importlib.util import find_spec

from daemon.cli.output import EXIT_USAGE, tell
from daemon.cli.parse import Command
from daemon.cli.spawn import module_argv, module_environment
from daemon.local.homes import home_of
from daemon.paths import Home

DAEMON_MODULE = "daemon.start"
BOT_MODULE = "bot.app"
INSTALL_HINT = "pipx install --force '.[lark]', from the checkout"
BOT_NEEDS = ("lark_oapi", "httpx", "aiolimiter")


def run_daemon(command: Command) -> int:
    """Become the daemon."""
    return become(program(DAEMON_MODULE, home_of(command)))


def run_bot(command: Command) -> int:
    """Become the bot, if what it needs is installed."""
    missing = missing_for_bot()
    if missing:
        tell(missing)
        return EXIT_USAGE
    return become(program(BOT_MODULE, home_of(command)))


def program(module: str, home: Home) -> list[str]:
    """How one of our processes is started for a home."""
    return [*module_argv(module), "--home", home.path, "--socket", home.socket]


def missing_for_bot() -> str:
    """What to do when the bot's packages are not installed, or nothing."""
    missing = [name for name in BOT_NEEDS if find_spec(name) is None]
    if not missing:
        return ""
    return f"frontstage: the bot needs {', '.join(missing)}\n  {INSTALL_HINT}"


def become(argv: list[str]) -> int:
    """Go on as another program of ours."""
    sys.stdout.flush()
    os.execve(argv[0], argv, module_environment())  # noqa: S606  (this interpreter and our own module)
