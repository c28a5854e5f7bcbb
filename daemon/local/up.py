"""`frontstage up`: daemon and bot as children of one process.

Theory of operation. Each child has a keeper, a task that starts it, waits for its end and decides by one rule: a
child that ended with 0 was told to stop, one that ended otherwise failed and is started again, later each time, soon
again after it ran well for a while. The daemon's clean end (`frontstage stop`) ends the whole; so does a signal here,
which is passed on first. Children that do not stop in time are killed: the ledger is made for that.
"""

import asyncio
import signal
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from daemon.cli.output import tell
from daemon.cli.parse import Command, UsageError
from daemon.cli.spawn import module_environment
from daemon.local.homes import initialised_home_of
from daemon.local.processes import BOT_MODULE, DAEMON_MODULE, missing_for_bot, program
from daemon.paths import Home

BACK_OFF_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
RAN_WELL_S = 60.0
"""A child that ran this long starts its back-off anew."""
STOP_S_MAX = 15.0
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
EXIT_REFUSED = 1
EXIT_HELD = 7
"""What the daemon ends with when another holds the ledger: starting it again cannot help."""


@dataclass(frozen=True)
class Child:
    """One process to keep alive."""

    name: str
    argv: list[str]
    essential: bool
    """Whether its clean end ends the whole."""


def main(command: Command) -> int:
    """Run until told to stop."""
    home = initialised_home_of(command)
    children = [Child("daemon", program(DAEMON_MODULE, home), essential=True)]
    why_not = "as asked" if command.values.get("no_bot") else _why_no_bot(home)
    if why_not:
        tell(f"frontstage up: the bot is not started: {why_not}")
    else:
        children.append(Child("bot", program(BOT_MODULE, home), essential=False))
    tell("frontstage up: frontstage open shows the local page in a browser")
    return asyncio.run(supervise(children, tell))


def _why_no_bot(home: Home) -> str:
    try:
        settings = tomllib.loads(Path(home.config).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "there is no config.toml with a [lark] section"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"config.toml is not TOML: {error}", code="config_malformed") from error
    if "lark" not in settings:
        return "config.toml has no [lark] section"
    missing = missing_for_bot()
    if missing:
        raise UsageError(missing.removeprefix("frontstage: "), code="bot_not_installed")
    return ""


async def supervise(
    children: list[Child],
    say: Callable[[str], None],
    back_off_s: tuple[float, ...] = BACK_OFF_S,
) -> int:
    """Keep the children alive until an essential one ends by itself or a signal arrives; the exit code."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stopping.set)
    try:
        async with asyncio.TaskGroup() as group:
            keepers = [group.create_task(_keep(child, stopping, say, back_off_s)) for child in children]
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
    return max(keeper.result() for keeper in keepers)


async def _keep(
    child: Child, stopping: asyncio.Event, say: Callable[[str], None], back_off_s: tuple[float, ...]
) -> int:
    loop = asyncio.get_running_loop()
    failures = 0
    while not stopping.is_set():
        started_at_s = loop.time()
        process = await asyncio.create_subprocess_exec(*child.argv, env=module_environment(), start_new_session=True)
        code = await _until_ended(process, stopping)
        if stopping.is_set() or code == 0:
            return _ended(child, stopping)
        if child.essential and code in {EXIT_REFUSED, EXIT_HELD} and failures == 0:
            # It said itself why it cannot begin, and would say so again.
            stopping.set()
            return code
        failures = 1 if loop.time() - started_at_s >= RAN_WELL_S else failures + 1
        wait_s = back_off_s[min(failures, len(back_off_s)) - 1]
        say(f"frontstage up: the {child.name} ended with {_shown(code)}; starting it again in {wait_s:g} s")
        await _pause(stopping, wait_s)
    return 0


def _ended(child: Child, stopping: asyncio.Event) -> int:
    if child.essential:
        stopping.set()
    return 0


def _shown(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


async def _pause(stopping: asyncio.Event, wait_s: float) -> None:
    try:
        async with asyncio.timeout(wait_s):
            await stopping.wait()
    except TimeoutError:
        return


async def _until_ended(process: asyncio.subprocess.Process, stopping: asyncio.Event) -> int:
    """Its exit code; when the whole is stopping it is told to, and killed if it does not."""
    async with asyncio.TaskGroup() as group:
        told = group.create_task(_stop_when(process, stopping))
        code = await process.wait()
        told.cancel()
    return code


async def _stop_when(process: asyncio.subprocess.Process, stopping: asyncio.Event) -> None:
    await stopping.wait()
    _signal(process, signal.SIGTERM)
    await asyncio.sleep(STOP_S_MAX)
    _signal(process, signal.SIGKILL)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
