"""`frontstage steward run`: the built-in steward, as any agent could be one.

Exit code 0: it was told to stop, or with --once there is nothing left that it wishes. Exit code 1: with --once, and
something that it wished was refused. Exit code 7: with --once, and no daemon is there.
"""

import asyncio
import os
import signal
import sys
import time

from daemon import wire
from daemon.aclient import AsyncClient
from daemon.agents.program_words import program_words
from daemon.agents.steward import Setting, Steward, serve
from daemon.cli.call import chosen_locale
from daemon.cli.credential import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, find_token
from daemon.cli.output import EXIT_UNREACHABLE
from daemon.cli.parse import Command, UsageError
from daemon.local.homes import home_of

EXIT_REFUSED = 1


def main(command: Command) -> int:
    """Run until told to stop, or until there is nothing left to do."""
    home = home_of(command)
    if TOKEN_VARIABLE not in os.environ and TOKEN_FILE_VARIABLE not in os.environ:
        raise UsageError(
            "a steward acts in its own name and needs its own token",
            hint=f"issue one with `frontstage token issue` and name its file in {TOKEN_FILE_VARIABLE}",
            code="credential_unusable",
        )
    token = find_token(home)
    setting = Setting(
        agent_id=str(command.values["agent"]),
        goal_id=None if command.values.get("goal_id") is None else str(command.values["goal_id"]),
        planner=()
        if command.values.get("planner") is None
        else program_words(str(command.values["planner"]), "planner"),
        locale=command.options.locale or chosen_locale(),
    )
    return asyncio.run(_run(home.socket, token, setting, once=bool(command.values.get("once"))))


async def _run(socket: str, token: str | None, setting: Setting, *, once: bool) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def say(line: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {setting.agent_id}: {line}", file=sys.stderr, flush=True)  # noqa: T201

    async with AsyncClient(socket, token, locale=setting.locale) as client:
        steward = Steward(client, setting, say)
        if not once:
            await serve(steward, stop)
            return 0
        try:
            await steward.look()
        except wire.WireFault as fault:
            say(f"the daemon is not there ({fault})")
            return EXIT_UNREACHABLE
        return EXIT_REFUSED if steward.refusals else 0
