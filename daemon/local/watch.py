"""`frontstage status --watch`: the overview stays on the terminal and follows the ledger until Ctrl-C.

Theory of operation. A thread follows the feed and says no more than that something was committed; the overview is read
anew then, and once in a while, for time alone changes it too. When the daemon is away it is said, what was last seen
stays, and it is asked again each second. Without a terminal the overview is printed once: nobody watches a pipe.
"""

import signal
import threading
import time
from dataclasses import dataclass, field
from typing import NoReturn

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from daemon import wire
from daemon.cli.credential import find_token
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, tell
from daemon.cli.parse import Command
from daemon.client import Client, Document, Refused
from daemon.local.homes import home_of
from daemon.local.open import locale_of
from daemon.local.watch_view import drawn
from ledger.text.pieces import COLON, as_map, named
from ledger.text.say import Locale, one_line, say

GOALS_MAX = 50
ANSWER_MS_MAX = 10_000
AGED_S = 15.0
"""How old an overview may be while nothing is committed: leases run out and windows move on."""
TICK_S = 1.0
"""How often what is shown is drawn anew: spans shrink, and a terminal may have another size."""
PAUSE_S_MIN = 0.25
"""The least time between two looks, however busy the ledger is."""
REFUSED_AGAIN_S = 5.0


@dataclass
class Seen:
    """What is known, and how it stands with the daemon."""

    document: Document
    health: Document
    away: bool = False
    refusal: str = ""
    read_at_s: float = field(default_factory=time.monotonic)


def main(command: Command) -> int:
    """Show it until interrupted; the exit code of an interrupted command is 130."""
    locale = locale_of(command)
    home = home_of(command)
    client = Client(home.socket, find_token(home), surface="cli", locale=locale, answer_ms_max=ANSWER_MS_MAX)
    try:
        reply, health = client.read("overview.show", {"limit": GOALS_MAX}), client.get("/healthz").body
    except wire.WireFault as error:
        tell(f"frontstage: {error}\n  {say('page.watch.needs_daemon', locale)}")
        return EXIT_FAULT if isinstance(error, wire.NotOurs) else EXIT_UNREACHABLE
    if not reply.ok:
        tell(f"{reply.body.get('message', '')}\n{reply.body.get('hint', '')}".strip())
        return reply.exit_code
    console = Console(highlight=False, markup=False, emoji=False)
    seen = Seen(reply.body, health)
    if not console.is_terminal or console.is_dumb_terminal:
        console.print(_picture(seen, console, locale, whole=True))
        tell(say("page.watch.once", locale))
        return 0
    return _watched(client, seen, console, locale)


def _watched(client: Client, seen: Seen, console: Console, locale: Locale) -> NoReturn:
    """Draw until a signal ends it; the terminal is as it was before, whatever ends it."""
    changed = threading.Event()
    threading.Thread(target=_follow, args=(client, seen, changed), daemon=True).start()
    # Ctrl-C, too, is asked for by name: whatever started this may have had it ignored, and it is the only way out.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    signal.signal(signal.SIGWINCH, lambda *_: changed.set())
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            live.update(_picture(seen, console, locale, whole=False), refresh=True)
            is_new = changed.wait(TICK_S)
            changed.clear()
            if is_new or seen.away or time.monotonic() - seen.read_at_s > AGED_S:
                _look(client, seen)
                time.sleep(PAUSE_S_MIN)


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _follow(client: Client, seen: Seen, changed: threading.Event) -> None:
    """Say that something happened, for as long as the program lives."""
    while True:
        after = seen.document.get("seq")
        assert isinstance(after, int), "a document says as of which event it is"
        try:
            for _ in client.follow(after, lambda _: changed.set()):
                changed.set()
        except Refused:
            # A ledger that was put back has fewer events, a credential may have ended: the next look says which.
            changed.set()
            time.sleep(REFUSED_AGAIN_S)


def _look(client: Client, seen: Seen) -> None:
    """Read the overview anew; what was last seen stays where that fails."""
    try:
        reply, seen.health = client.read("overview.show", {"limit": GOALS_MAX}), client.get("/healthz").body
    except wire.WireFault:
        seen.away = True
        return
    seen.away, seen.read_at_s = False, time.monotonic()
    if reply.ok:
        seen.document, seen.refusal = reply.body, ""
    else:
        seen.refusal = one_line(str(reply.body.get("message", reply.code)))


def _picture(seen: Seen, console: Console, locale: Locale, *, whole: bool) -> Table:
    width, height = console.size
    return drawn(
        seen.document,
        _state(seen, locale, whole=whole),
        width=width,
        height=None if whole else height,
        locale=locale,
        now_ms=time.time_ns() // 1_000_000,
    )


def _state(seen: Seen, locale: Locale, *, whole: bool) -> Text:
    """How it stands with the daemon: what is shown may be old."""
    if seen.refusal:
        return Text(f"■ {seen.refusal}", style="bold red")
    if seen.away:
        return Text(f"■ {say('page.watch.away', locale)}", style="bold red")
    said = [] if whole else [say("page.watch.live", locale)]
    bot = as_map(seen.health.get("bot")).get("state")
    said.append(f"{say('page.lark', locale)}{COLON[locale]}{named('page.bot', bot, locale)}")
    if seen.health.get("writable") is not True:
        return Text(f"■ {say('page.not_writable', locale)} · {' · '.join(said)}", style="bold red")
    return Text.assemble(("● ", "green"), (" · ".join(said), "dim"))
