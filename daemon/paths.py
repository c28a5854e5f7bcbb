"""Where a ledger lives: one private folder, found from flags and the environment.

Everything the product keeps is in this folder, so that moving or removing it moves or removes the whole. This module
is on the command line's hot path and imports nothing that is not already loaded.
"""

import os

HOME_VARIABLE = "FRONTSTAGE_HOME"
SOCKET_VARIABLE = "FRONTSTAGE_SOCKET"
HOME_DEFAULT = "~/.frontstage"
SOCKET_PATH_BYTES_MAX = 107
"""Longest path of a Unix socket on Linux, in bytes; the kernel's field has 108 with its closing zero."""


class HomeUnclear(ValueError):
    """The environment names no usable folder."""


class Home:
    """The paths inside one home."""

    __slots__ = ("path", "socket")

    def __init__(self, path: str, socket: str | None = None) -> None:
        self.path = path
        self.socket = socket or f"{path}/daemon.sock"

    @property
    def config(self) -> str:
        """Settings, in TOML."""
        return f"{self.path}/config.toml"

    @property
    def ledger(self) -> str:
        """The ledger itself."""
        return f"{self.path}/ledger.sqlite3"

    @property
    def lock(self) -> str:
        """Held by the one process that writes; names it."""
        return f"{self.path}/daemon.lock"

    @property
    def owner_token(self) -> str:
        """The first owner's credential."""
        return f"{self.path}/owner.token"

    @property
    def bot_token(self) -> str:
        """The bot's credential."""
        return f"{self.path}/bot.token"

    @property
    def button_key(self) -> str:
        """What button tokens are signed with."""
        return f"{self.path}/button.key"

    @property
    def code_key(self) -> str:
        """What the secrets of one-time codes follow from."""
        return f"{self.path}/step-up.key"

    @property
    def page(self) -> str:
        """The local page's key and port, once the owner has asked for it."""
        return f"{self.path}/page.key"

    @property
    def hooks(self) -> str:
        """What hooks printed last, a private folder for each."""
        return f"{self.path}/hooks"

    @property
    def logs(self) -> str:
        """Log files."""
        return f"{self.path}/logs"


def find_home(home: str | None = None, socket: str | None = None) -> Home:
    """The home that is meant: the argument, else the environment, else the default. Raises HomeUnclear.

    A variable that is set but empty is a mistake in somebody's script; guessing would choose another ledger.
    """
    chosen = home if home is not None else os.environ.get(HOME_VARIABLE)
    socket = socket if socket is not None else os.environ.get(SOCKET_VARIABLE)
    if chosen == "":
        raise HomeUnclear(f"the home folder is empty text: set {HOME_VARIABLE} or --home to a folder, or leave it out")
    if socket == "":
        raise HomeUnclear(f"the socket is empty text: set {SOCKET_VARIABLE} or --socket to a path, or leave it out")
    expanded = os.path.expanduser(chosen or HOME_DEFAULT)  # noqa: PTH111  (pathlib costs more than the whole call)
    if expanded.startswith("~"):
        raise HomeUnclear(f"no home directory is known for this user: set {HOME_VARIABLE} to a folder")
    return Home(
        os.path.abspath(expanded),  # noqa: PTH100
        None if socket is None else os.path.abspath(socket),  # noqa: PTH100
    )
