"""The tools' program of a binding, started as its configuration says and spoken to by the official client.

What is seen is told as facts with a digest each; the first one that does not hold ends the look, and what comes after
it is not proven.
"""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client

from daemon.agents.qualify_facts import Not, digest

Document = dict[str, object]
TOOLS = ("quota_should_run", "read", "act")
SECONDS_MAX = 30


@dataclass
class Seen:
    """What held, what did not, and why not."""

    proven: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Asked:
    """What is run, for whom, and what it must write."""

    server: Mapping[str, object]
    agent_id: str
    goal_id: str | None
    challenge: str
    cwd: Path
    nowhere: TextIO
    """Where its remarks go: they are the program's own and prove nothing."""


def look(server: Mapping[str, object], agent_id: str, goal_id: str | None, challenge: str, cwd: Path) -> Seen:
    """Start it, shake hands, read the packet and have the challenge written."""
    seen = Seen()
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            asyncio.run(_within(_Asked(server, agent_id, goal_id, challenge, cwd, nowhere), seen))
    except Not as error:
        seen.failed[error.fact] = str(error)
    except TimeoutError:
        fact = "protocol" if "process_started" in seen.proven else "process_started"
        seen.failed[fact] = f"it did not answer within {SECONDS_MAX} seconds"
    return seen


async def _within(asked: "_Asked", seen: Seen) -> None:
    async with asyncio.timeout(SECONDS_MAX):
        try:
            await _session(asked, seen)
        except BaseExceptionGroup as group:
            found = _first(group)
            raise found from group


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong inside the client's own tasks."""
    inner: BaseException = group
    while isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    return inner


async def _session(asked: "_Asked", seen: Seen) -> None:
    command, args, env = (asked.server.get(name) for name in ("command", "args", "env"))
    if not isinstance(command, str) or not isinstance(args, list) or not isinstance(env, dict):
        raise Not("process_started", "the configuration names no program")
    words = [str(one) for one in args]
    variables = {str(name): str(value) for name, value in env.items()}
    parameters = StdioServerParameters(command=command, args=words, env=variables, cwd=asked.cwd)
    async with AsyncExitStack() as stack:
        try:
            reading, writing = await stack.enter_async_context(stdio_client(parameters, asked.nowhere))
        except OSError as error:
            raise Not("process_started", f"{command} does not start: {error.strerror}") from error
        seen.proven["process_started"] = digest([command, *words])
        session = await stack.enter_async_context(ClientSession(reading, writing))
        try:
            await session.initialize()
            tools = sorted(tool.name for tool in (await session.list_tools()).tools)
        except MCPError as error:
            raise Not("protocol", f"it does not speak the protocol: {error}") from error
        if missing := [name for name in TOOLS if name not in tools]:
            raise Not("protocol", f"it offers no tool {missing[0]}")
        seen.proven["protocol"] = digest(tools)
        if asked.goal_id is not None:
            await _packet(session, asked.agent_id, asked.goal_id, seen)
        await _write(session, asked, seen)


async def _called(session: ClientSession, tool: str, arguments: Document) -> tuple[bool, Document]:
    said = await session.call_tool(tool, arguments)
    body = said.structured_content if isinstance(said.structured_content, dict) else {}
    return not said.is_error, body


async def _packet(session: ClientSession, agent_id: str, goal_id: str, seen: Seen) -> None:
    done, body = await _called(session, "read", {"action": "agent.inbox", "params": {"goal_id": goal_id}})
    if not done:
        raise Not("packet_read", f"its packet is refused: {body.get('code')}")
    if body.get("agent_id") != agent_id:
        raise Not("identity", f"it acts as {body.get('agent_id')}")
    seen.proven["identity"] = digest(agent_id)
    seen.proven["packet_read"] = digest(body)


async def _write(session: ClientSession, asked: "_Asked", seen: Seen) -> None:
    params: Document = {"challenge": asked.challenge}
    if asked.goal_id is not None:
        params["goal_id"] = asked.goal_id
    done, body = await _called(session, "act", {"action": "agent.probe", "params": params})
    if not done:
        raise Not("write_path", f"its write is refused: {body.get('code')}")
    result = body.get("result")
    if not isinstance(result, dict) or result.get("agent_id") != asked.agent_id:
        raise Not("identity", "its write came in another name")
    seen.proven.setdefault("identity", digest(asked.agent_id))
    seen.proven["write_path"] = asked.challenge
