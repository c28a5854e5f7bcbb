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
from pathlib import Path
from typing import Final

from bot.assembly import assemble
from bot.backend import Backend, BackendFault
from bot.clock import SystemClock
from bot.config import Config, ConfigError, app_secret, load
from bot.daemon_backend import open_backend
from bot.lark_api import LarkSettings, open_lark
from bot.logs import configure, where
from bot.patience import Patience

STOP_S_MAX: Final = 5.0
EXIT_OK: Final = 0
EXIT_USAGE: Final = 2
EXIT_FAULT: Final = 8

_log = logging.getLogger("frontstage.bot")


def main() -> int:
    """Run the bot; returns the exit code."""
    given = _arguments().parse_args()
    home, path = _home(given.home), given.socket or os.environ.get("FRONTSTAGE_SOCKET") or None
    try:
        config = load(home)
        secret = app_secret(home, config.lark)
    except ConfigError as error:
        sys.stderr.write(f"frontstage bot: {error}\n")
        return EXIT_USAGE
    configure(config.bot.log_level)
    try:
        asyncio.run(_until_stopped(home, path, config, secret))
    except Exception as error:  # noqa: BLE001 - the top of the process
        for one in _leaves(error):
            _log.error("the bot ends: %s", where(one))
        return EXIT_FAULT
    return EXIT_OK


async def _until_stopped(home: Path, path: str | None, config: Config, secret: str) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stop, stop, loop)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(_serve(home, path, config, secret))
        waiting = group.create_task(stop.wait())
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        running.cancel()
        waiting.cancel()
    _log.info("the bot has stopped")


async def _serve(home: Path, path: str | None, config: Config, secret: str) -> None:
    clock = SystemClock()
    settings = LarkSettings(
        app_id=config.lark.app_id, app_secret=secret, domain=config.lark.domain, locale=config.lark.locale
    )
    async with open_backend(home, path) as backend, open_lark(settings, now_ms=clock.steady_ms) as lark:
        await _daemon_is_there(backend)
        holder = f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(4)}"
        bot = assemble(lark, backend, clock, holder=holder, locale=config.lark.locale, home=home)
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


def _home(given: str | None) -> Path:
    return Path(given or os.environ.get("FRONTSTAGE_HOME") or "~/.frontstage").expanduser().absolute()


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.app", description="Connects one Lark app to one ledger.")
    parser.add_argument("--home", help="the ledger's folder (default: FRONTSTAGE_HOME, else ~/.frontstage)")
    parser.add_argument("--socket", help="the daemon's socket (default: FRONTSTAGE_SOCKET, else in the home)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
