"""MCP as a surface of the scenarios: a server for each member, as the agents of a team each have their own."""

from itertools import count

from daemon import wire
from daemon.agents.mcp_tools import actions, tool_name
from tests.support.daemons import DaemonProcess
from tests.support.mcp import Lines
from tests.support.surfaces import Document
from tests.support.wire_surfaces import HttpSurface

OF_MCP_ALONE = ("request_key", "next")
"""What stands in a result beside the envelope."""


class McpSurface(HttpSurface):
    """Whatever an agent may call comes by MCP, whoever calls; what only people and the daemon do comes by HTTP."""

    def __init__(self, daemon: DaemonProcess) -> None:
        super().__init__(daemon)
        self._servers: dict[str, Lines] = {}
        self._numbers = count(1)
        self.following: Document = {}

    def ask(self, action: str, params: Document, who: str, request_key: str) -> tuple[Document, int]:
        """Call a tool, if there is one; no exit code goes with it."""
        if action not in actions():
            return super().ask(action, params, who, request_key)
        document = self._call(action, {**params, "request_key": request_key}, who)
        if document.get("code") == "daemon_unreachable":
            raise wire.Dropped(str(document["message"]))
        assert document["request_key"] == request_key
        self.following = document.get("next", {})  # type: ignore[assignment]
        assert bool(self.following) is not document["ok"]
        return {name: value for name, value in document.items() if name not in OF_MCP_ALONE}, -1

    def read(self, action: str, params: Document, who: str) -> Document:
        """A document, as a tool gives it."""
        if action not in actions():
            return super().read(action, params, who)
        document = self._call(action, params, who)
        assert document["ok"], document
        return document

    def _call(self, action: str, arguments: Document, who: str) -> Document:
        server = self._servers.get(who)
        if server is None:
            server = self._servers[who] = Lines(self.made, who, "--full", FRONTSTAGE_SOCKET=self.wire.path)
            server.begin()
        given = {name: value for name, value in arguments.items() if value is not None}
        said = server.call(next(self._numbers), tool_name(action), given)["result"]
        assert isinstance(said, dict)
        document: Document = said["structuredContent"]
        assert said["isError"] is not document["ok"]
        return document

    def close(self) -> None:
        """Let go of the servers and the wire."""
        for server in self._servers.values():
            assert server.end() == 0
        super().close()
