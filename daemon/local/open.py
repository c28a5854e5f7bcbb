"""`frontstage open`: asks the daemon for the local page and shows it in a browser.

The address begins with a key, so it is printed for whoever asked and goes nowhere else. A browser is started only where
the person is: over SSH it would open on a screen that nobody sits before, so the way there is said instead.
"""

import getpass
import os
import sys
import webbrowser
from pathlib import Path
from urllib.parse import quote, urlsplit

from daemon import wire
from daemon.cli.call import chosen_locale
from daemon.cli.credential import find_token
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.client import Client, Reply
from daemon.local.homes import home_of
from ledger.canonical import canonical
from ledger.text.say import Locale, one_line, say

SCHEMA_VERSION = "frontstage_page_v0"
PATH, CLOSE_PATH = "/v1/page", "/v1/page/close"
PLACES = ("history", "agents", "compose")
SSH_PORT = "22"


def main(command: Command) -> int:
    """Open the page, or close it."""
    path, locale = _place(command), locale_of(command)
    home = home_of(command)
    closes = bool(command.values.get("close"))
    client = Client(home.socket, find_token(home), surface="cli", locale=locale)
    try:
        reply = client.post(CLOSE_PATH if closes else PATH, {})
    except wire.WireFault as error:
        if isinstance(error, wire.NobodyListens) and command.options.socket is None and not Path(home.ledger).exists():
            hint = "run frontstage init"
            raise UsageError(f"there is no ledger in {home.path}", hint=hint, code="home_not_initialised") from error
        return _unreachable(command, error, locale)
    if not reply.ok:
        return _refused(command, reply)
    if closes:
        return _closed(command, reply, locale)
    language = command.values.get("lang")
    return _shown(command, reply, f"{reply.body['url']}{path}" + (f"?lang={language}" if language else ""), locale)


def locale_of(command: Command) -> Locale:
    """The language of what is said here."""
    return "zh" if (command.options.locale or chosen_locale()).startswith("zh") else "en"


def _place(command: Command) -> str:
    """Where on the page, below its address. Raises UsageError for more than one place, and for one of a closed page."""
    values = command.values
    named = [name for name in PLACES if values.get(name)]
    goal_id = values.get("goal_id")
    flags = [f"--{name}" for name in named] + ([] if goal_id is None else ["--goal-id"])
    if values.get("close"):
        flags += [f"--{name}" for name in ("lang", "print") if values.get(name)]
        if flags:
            raise UsageError(f"--close goes without {' and '.join(flags)}", hint="see frontstage open --help")
    elif len(flags) > 1:
        raise UsageError(f"{' and '.join(flags)} are different places", hint="name one of them")
    return named[0] if named else "" if goal_id is None else f"goals/{quote(str(goal_id), safe='')}"


def _shown(command: Command, reply: Reply, url: str, locale: Locale) -> int:
    if command.options.json:
        write(STDOUT, canonical({**reply.body, "url": url, "schema_version": SCHEMA_VERSION}) + b"\n")
        return 0
    remark = _remark(command, url, locale)
    write(STDOUT, f"{url}\n".encode())
    if remark:
        tell(remark)
    return 0


def _remark(command: Command, url: str, locale: Locale) -> str:
    """Start a browser where that makes sense; what to say about it."""
    if command.values.get("print"):
        return ""
    if over_ssh() and not os.environ.get("BROWSER"):
        # Who has set one, as editors do that work on another machine, has a way to one's own screen.
        return say("page_open.over_ssh", locale, line=forwarding_line(urlsplit(url).port or 0))
    return say("page_open.opened" if has_display() and _started(url) else "page_open.no_browser", locale)


def over_ssh() -> bool:
    """Whether whoever asked sits before another machine."""
    return any(os.environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))


def forwarding_line(port: int) -> str:
    """What to run on one's own machine, so that the same address works in the browser there."""
    there = os.environ.get("SSH_CONNECTION", "").split()
    host, ssh_port = (there[2], there[3]) if len(there) == len(("from", "port", "to", "port")) else ("HOST", SSH_PORT)
    beside = "" if ssh_port == SSH_PORT else f" -p {ssh_port}"
    return one_line(f"ssh -N -L {port}:127.0.0.1:{port}{beside} {_user()}@{host}")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "USER"  # A number without a name, as in some containers.


def has_display() -> bool:
    """Whether a browser with a window could be seen; one in the terminal would take it over."""
    if sys.platform == "darwin" or sys.platform.startswith("win"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"))


def _started(url: str) -> bool:
    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


def _closed(command: Command, reply: Reply, locale: Locale) -> int:
    if command.options.json:
        write(STDOUT, canonical({**reply.body, "schema_version": SCHEMA_VERSION}) + b"\n")
    else:
        write(STDOUT, (say("page_open.closed", locale) + "\n").encode())
    return 0


def _refused(command: Command, reply: Reply) -> int:
    if command.options.json:
        write(STDOUT, canonical(reply.body) + b"\n")
    else:
        tell(f"{reply.body.get('message', '')}\n{reply.body.get('hint', '')}".strip())
    return reply.exit_code


def _unreachable(command: Command, error: wire.WireFault, locale: Locale) -> int:
    exit_code = EXIT_FAULT if isinstance(error, wire.NotOurs) else EXIT_UNREACHABLE
    hint = say("page_open.needs_daemon", locale)
    if command.options.json:
        code = "fault" if exit_code == EXIT_FAULT else "daemon_unreachable"
        return refuse(code, str(error), hint, action="open", details={}, exit_code=exit_code)
    tell(f"frontstage: {error}\n  {hint}")
    return exit_code
