"""The bot's process: where its parts are put together, and nowhere else.

    python -m bot.app --home DIR

It reads its settings, waits for the daemon, and runs until it is told to stop. Everything runs in one task group: if
one part breaks, all of it ends, and whoever supervises it starts it anew. Nothing is lost by that, as nothing is kept
here.
"""

import argparse
import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.assembly import assemble
from bot.backend import Backend, BackendFault
from bot.clock import SystemClock
from bot.config import ConfigError, bot_token, lark_settings, load
from bot.daemon_backend import open_backend
from bot.lark_api import open_lark
from bot.lark_settings import LarkSettings
from bot.logs import configure, where
from bot.patience import Patience

STOP_S_MAX: Final = 5.0
EXIT_OK: Final = 0
EXIT_USAGE: Final = 2
EXIT_FAULT: Final = 8

_log = logging.getLogger("frontstage.bot")


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """Everything that is read before anything runs."""

    home: Path
    socket: str
    token: str = field(repr=False)
    lark: LarkSettings
    log_level: str


def main() -> int:
    """Run the bot; returns the exit code."""
    try:
        setup = read_setup(_arguments().parse_args())
    except ConfigError as error:
        sys.stderr.write(f"frontstage bot: {error}\n")
        return EXIT_USAGE
    configure(setup.log_level)
    try:
        asyncio.run(_until_stopped(setup))
    except Exception as error:  # noqa: BLE001 - the top of the process
        for one in _leaves(error):
            _log.error("the bot ends: %s", where(one))
        return EXIT_FAULT
    return EXIT_OK


def read_setup(given: argparse.Namespace) -> Setup:
    """Settings and secrets of a home. Raises ConfigError."""
    home = Path(given.home or os.environ.get("FRONTSTAGE_HOME") or "~/.frontstage").expanduser().absolute()
    config = load(home)
    return Setup(
        home=home,
        socket=given.socket or os.environ.get("FRONTSTAGE_SOCKET") or str(home / "daemon.sock"),
        token=bot_token(home),
        lark=lark_settings(home, config.lark),
        log_level=config.bot.log_level,
    )


async def _until_stopped(setup: Setup) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stop, stop, loop)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(_serve(setup))
        waiting = group.create_task(stop.wait())
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        running.cancel()
        waiting.cancel()
    _log.info("the bot has stopped")


async def _serve(setup: Setup) -> None:
    clock = SystemClock()
    async with (
        open_backend(setup.socket, setup.token) as backend,
        open_lark(setup.lark, now_ms=clock.steady_ms) as lark,
    ):
        await _daemon_is_there(backend)
        holder = f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(4)}"
        bot = assemble(lark, backend, clock, holder=holder, locale=setup.lark.locale, home=setup.home)
        _log.info("the bot runs")
        await bot.run()


async def _daemon_is_there(backend: Backend) -> None:
    """Wait until the daemon answers: a bot that connects before that would only turn people away."""
    patience = Patience(first_s=0.1, most_s=2.0)
    while True:
        try:
            await backend.slots()
        except BackendFault as fault:
            _log.info("waiting for the daemon: %s", fault)
        else:
            return
        await asyncio.sleep(patience.failed())


def _stop(stop: asyncio.Event, loop: asyncio.AbstractEventLoop) -> None:
    stop.set()
    # Whatever hangs then does not keep the process: what it was about to send is sent by the next one.
    loop.call_later(STOP_S_MAX, os._exit, EXIT_OK)


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    return [error]


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.app", description="Connects one Lark app to one ledger.")
    parser.add_argument("--home", help="the ledger's folder (default: FRONTSTAGE_HOME, else ~/.frontstage)")
    parser.add_argument("--socket", help="the daemon's socket (default: FRONTSTAGE_SOCKET, else in the home)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
