"""Asking the daemon for an agent that speaks MCP: one call, one connection, one answer.

Nothing lasts from one call to the next, neither a connection nor a credential that was read from a file. So a daemon
that was away is found again by the next call, and so is a credential that was changed. A write carries a request key,
made here unless one was given; it goes into the answer, so that the same call can be made again whatever was lost.
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass

from daemon import wire
from daemon.aclient import AsyncClient
from daemon.agents.mcp_tools import Asked
from daemon.cli.credential import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, find_token
from daemon.cli.parse import UsageError
from daemon.client import Reply, new_request_key, query_of
from daemon.paths import Home

Envelope = dict[str, object]

SURFACE = "mcp"
AT_ONCE_MAX = 16
"""Calls of one agent that are asked at once; the others wait here and not in the daemon."""
_AGAIN = "Nothing is known of what became of it; the same call with the same request key does nothing twice."


@dataclass(frozen=True, kw_only=True)
class Told:
    """What came of one call: the envelope or the document, and the key it was asked under."""

    ok: bool
    body: Envelope
    request_key: str | None = None

    @property
    def code(self) -> str:
        """The refusal's code, or nothing."""
        return "" if self.ok else str(self.body.get("code", "fault"))

    @property
    def details(self) -> Mapping[str, object]:
        """What a refusal says besides."""
        details = self.body.get("details")
        return details if isinstance(details, dict) else {}


def refusal(action: str | None, code: str, message: str, hint: str, details: Envelope | None = None) -> Envelope:
    """A refusal that was reached here, as the envelope that the daemon would send."""
    return {
        "schema_version": "frontstage_result_v1",
        "ok": False,
        "action": action,
        "outcome": "rejected",
        "code": code,
        "message": message,
        "hint": hint,
        "details": details or {},
        "basis": None,
        "seq": None,
    }


def malformed(action: str | None, code: str, field: str, problem: str) -> Envelope:
    """A call that was not understood."""
    told = {"field": field, "problem": problem}
    message = f"The field {field} is not valid: {problem}."
    return refusal(action, code, message, "Correct it and try again.", {"fields": [told], **told})


def own_token(home: Home) -> str:
    """The agent's own credential, from the environment or a file that it names. Raises UsageError.

    The owner's, which the command line falls back to, is not looked for: whatever a model decides is an agent's act.
    """
    if TOKEN_VARIABLE not in os.environ and TOKEN_FILE_VARIABLE not in os.environ:
        raise UsageError(
            f"an agent needs a credential of its own: set {TOKEN_VARIABLE} or {TOKEN_FILE_VARIABLE}",
            hint="frontstage token issue --member-id AGENT makes one",
            code="credential_unusable",
        )
    token = find_token(home)
    assert token is not None, "one of the two variables is set"
    return token


class Daemon:
    """The daemon, as one agent asks it."""

    def __init__(self, home: Home, locale: str) -> None:
        self._home = home
        self._locale = locale
        self._places = asyncio.Semaphore(AT_ONCE_MAX)

    async def ask(self, asked: Asked) -> Told:
        """Ask; whatever goes wrong is an answer too."""
        key = (asked.request_key or new_request_key()) if asked.action.writes else None
        name = asked.action.name
        try:
            reply = await self._reply(asked, key)
        except UsageError as error:
            return Told(ok=False, body=refusal(name, error.code, error.message, error.hint), request_key=key)
        except wire.NotOurs as fault:
            return Told(ok=False, body=refusal(name, "fault", str(fault), _AGAIN), request_key=key)
        except wire.WireFault as fault:
            return Told(ok=False, body=refusal(name, "daemon_unreachable", str(fault), _hint(fault)), request_key=key)
        return Told(ok=reply.ok, body=reply.body, request_key=key)

    async def _reply(self, asked: Asked, key: str | None) -> Reply:
        """One answer; a connection that broke is tried once more, which the request key makes safe."""
        name, params = asked.action.name, dict(asked.params)
        token = own_token(self._home)
        made = AsyncClient(self._home.socket, token, surface=SURFACE, locale=self._locale)
        async with self._places, made as client:
            if key is None:
                _require_short(name, params)
                try:
                    return await client.read(name, params, at=asked.at)  # type: ignore[arg-type]  # the daemon checks it
                except wire.Dropped:
                    return await client.read(name, params, at=asked.at)  # type: ignore[arg-type]  # the same
            try:
                return await client.act(name, params, key)  # type: ignore[arg-type]  # the daemon checks it
            except wire.Dropped:
                return await client.act(name, params, key)  # type: ignore[arg-type]  # the same


def _require_short(name: str, params: dict[str, object]) -> None:
    """A question that no daemon would read is refused here. Raises UsageError."""
    try:
        length = len(query_of(params))  # type: ignore[arg-type]  # whatever it is, it is written as text
    except UnicodeEncodeError as error:
        raise UsageError(f"a parameter of {name} is not valid Unicode text") from error
    if length + len(name) + 64 > wire.TARGET_BYTES_MAX:
        raise UsageError(f"the parameters of {name} are too long", code="body_too_large")


def _hint(fault: wire.WireFault) -> str:
    if isinstance(fault, wire.NobodyListens):
        return "Nothing was done. `frontstage up` starts the daemon; then make the same call again."
    return _AGAIN
