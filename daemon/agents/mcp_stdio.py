"""Standard input and output as a transport that answers whatever it is sent.

Two things are added to the SDK's own. A line that is no message is answered with an error, where it would be passed
over in silence. And the end of input does not cut off what was asked before it: each call that is under way is answered
first, so that a few lines can be piped in from a shell.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

ANSWER_S_MAX = 90
"""How long calls are waited for after the end of input: longer than the daemon is waited for."""
Reading = MemoryObjectReceiveStream[SessionMessage | Exception]
Writing = MemoryObjectSendStream[SessionMessage]


class _Calls:
    """What was asked and not answered yet."""

    def __init__(self) -> None:
        self._open: set[types.RequestId] = set()
        self._changed = anyio.Event()

    def asked(self, message: types.JSONRPCMessage) -> None:
        """Note a request, and that nobody waits for one any more."""
        if isinstance(message, types.JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._close((message.params or {}).get("requestId"))

    def answered(self, message: types.JSONRPCMessage) -> None:
        """Note an answer."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._close(message.id)

    def _close(self, request_id: object) -> None:
        self._open = {one for one in self._open if one != request_id}
        self._changed.set()

    async def all_answered(self) -> None:
        """Until nothing is open, or until it has taken too long."""
        with anyio.move_on_after(ANSWER_S_MAX):
            while self._open:
                self._changed = anyio.Event()
                await self._changed.wait()


@asynccontextmanager
async def standard_streams() -> AsyncIterator[tuple[Reading, Writing]]:
    """Messages that are ones, and where answers go."""
    calls = _Calls()
    heard, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    send, said = anyio.create_memory_object_stream[SessionMessage](0)
    async with stdio_server() as (reading, writing), anyio.create_task_group() as group:

        async def relay_in() -> None:
            async with heard:
                async for message in reading:
                    if isinstance(message, Exception):
                        await writing.send(_no_message())
                        continue
                    calls.asked(message.message)
                    await heard.send(message)
                await calls.all_answered()

        async def relay_out() -> None:
            async with said, writing:
                async for message in said:
                    await writing.send(message)
                    calls.answered(message.message)

        group.start_soon(relay_in)
        group.start_soon(relay_out)
        yield receive, send
        group.cancel_scope.cancel()


def _no_message() -> SessionMessage:
    """An answer to nobody in particular, quoting nothing of what came."""
    error = types.ErrorData(code=types.PARSE_ERROR, message="This line is no JSON-RPC message.")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
