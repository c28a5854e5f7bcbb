"""The very server of `frontstage mcp` behind HTTP on loopback, for the protocol's own conformance runner.

The product serves standard input and output alone: whoever can connect to a port could act in the agent's name. The
runner knows nothing but HTTP, so the tests lend it a door, with the SDK's check of `Host` and `Origin`.
"""

import asyncio
import socket
import sys

import uvicorn

from daemon.agents.mcp_calls import Daemon
from daemon.agents.mcp_server import Offer
from daemon.paths import find_home


async def serve() -> None:
    """Until it is ended; the address is the first line on standard output."""
    door = socket.create_server(("127.0.0.1", 0))
    app = Offer(Daemon(find_home(), "en"), full="--full" in sys.argv).server().streamable_http_app()
    sys.stdout.write(f"http://127.0.0.1:{door.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[door])


if __name__ == "__main__":
    asyncio.run(serve())
