"""`python -m bot.simulator`: run the simulator and print one JSON line that says where it is."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from bot.simulator.scenario import DEMO_APP_ID
from bot.simulator.server import Simulator
from bot.simulator.wire import JsonObject, dump_text, parse_object

LOOPBACK = ("127.0.0.1", "localhost")


def main() -> int:
    """Parse the command line and serve until a signal."""
    parser = argparse.ArgumentParser(prog="python -m bot.simulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="loopback address to listen on")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--scenario", type=Path, help="JSON file with tenants, apps, people and groups")
    parser.add_argument("--seed", help="makes ids and routing repeatable")
    options = parser.parse_args()
    if options.host not in LOOPBACK:
        parser.error(f"--host must be one of {', '.join(LOOPBACK)}: a simulator is for this machine only")
    try:
        scenario = parse_object(options.scenario.read_bytes()) if options.scenario else None
        simulator = Simulator(scenario, seed=options.seed)
    except (OSError, ValueError) as error:
        print(f"the scenario cannot be used: {error}", file=sys.stderr)  # noqa: T201 - the command's own output
        return 2
    try:
        asyncio.run(_serve(simulator, options.host, options.port))
    except OSError as error:
        print(f"cannot listen on {options.host}:{options.port}: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


async def _serve(simulator: Simulator, host: str, port: int) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    base_url = await simulator.start(host=host, port=port)
    print(dump_text(greeting(simulator, base_url)), flush=True)  # noqa: T201 - the line launchers read
    await stop.wait()
    await simulator.stop()


def greeting(simulator: Simulator, base_url: str) -> JsonObject:
    """What a launcher needs to know: where, which app, which people and chats."""
    world = simulator.world
    app = world.apps.get(DEMO_APP_ID) or next(iter(world.apps.values()))
    return {
        "base_url": base_url,
        "chat_url": f"{base_url}/",
        "app_id": app.app_id,
        "app_secret": app.app_secret,
        "tenant_key": app.tenant_key,
        "bot_open_id": app.bot_open_id,
        "people": [
            {"key": person.key, "name": person.name, "language": person.language, "union_id": person.union_id,
             "open_id": person.open_id(app.app_id)}
            for person in world.people.values()
        ],
        "chats": [
            {"chat_id": chat.chat_id, "name": chat.name, "kind": chat.kind, "people": chat.people}
            for chat in world.chats.values()
        ],
    }  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
