"""Which home a local command is about."""

from pathlib import Path

from daemon.cli.parse import Command, UsageError
from daemon.paths import Home, HomeUnclear, find_home


def home_of(command: Command) -> Home:
    """The home a local command is about. Raises UsageError."""
    try:
        return find_home(command.options.home, command.options.socket)
    except HomeUnclear as error:
        raise UsageError(str(error), code="home_unclear") from error


def initialised_home_of(command: Command) -> Home:
    """The same, with a ledger in it. Raises UsageError."""
    home = home_of(command)
    if not Path(home.ledger).exists():
        raise UsageError(f"there is no ledger in {home.path}", hint="run frontstage init", code="home_not_initialised")
    return home
