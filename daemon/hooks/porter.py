"""The process that carries one hook's deliveries, seen from the daemon.

Whatever a hook does (hang, flood, crash, send an endless answer) it does in there: the daemon hands over one line and
reads one short line, within a time that it keeps itself. A carrier that does not answer in time is ended with all that
it started. Nothing that a hook printed ever comes back: only one of a few reasons, and a number.
"""

import asyncio
from contextlib import suppress
from typing import Literal, NamedTuple, Protocol

import msgspec

from daemon.cli.spawn import module_argv, module_environment

MODULE = "daemon.carrier.main"
ANSWER_BYTES_MAX = 4_096
GRACE_S = 10.0
"""How much longer than the hook's own time a carrier may take, before it is taken for stuck."""
END_S_MAX = 2.0
"""How long a carrier has to end what it runs, before it is killed."""
Reason = Literal[
    "exit_code", "signal", "timeout", "not_found", "not_run", "output_not_kept", "http_status", "redirected",
    "unreachable", "tls_refused", "secret_unusable", "carrier_lost",
]  # fmt: skip


class Order(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One delivery, as the carrier is asked for it. Files are named, never read here."""

    body: str
    folder: str
    hook: str
    delivery_id: str
    seq: int
    timeout_s: float
    command: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    url: str = ""
    headers: dict[str, str] = {}
    secret_file: str = ""
    authorization_file: str = ""
    ca_file: str = ""


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """What came of it: delivered where there is no reason."""

    reason: Reason | None = None
    number: int | None = None

    @property
    def said(self) -> str:
        """The reason with its number."""
        return "" if self.reason is None else self.reason if self.number is None else f"{self.reason} {self.number}"


LOST = Outcome("carrier_lost")
_decode = msgspec.json.Decoder(Outcome).decode


class Carrier(Protocol):
    """Whoever carries, one delivery after the other."""

    async def carry(self, order: Order) -> Outcome:
        """Deliver, and say what came of it; it raises nothing."""
        ...

    async def end(self) -> None:
        """Stop, with all that was started."""
        ...


class _Running(NamedTuple):
    process: asyncio.subprocess.Process
    orders: asyncio.StreamWriter
    answers: asyncio.StreamReader


class Porter:
    """A carrier in a process of its own, begun at the first delivery and again after it was lost."""

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s
        self._running: _Running | None = None

    async def carry(self, order: Order) -> Outcome:
        """Hand over one delivery and wait for what came of it."""
        try:
            async with asyncio.timeout(order.timeout_s + self._grace_s):
                return await self._handed_over(order)
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, msgspec.MsgspecError):
            await self.end()
            return LOST

    async def _handed_over(self, order: Order) -> Outcome:
        running = await self._begun()
        running.orders.write(msgspec.json.encode(order) + b"\n")
        await running.orders.drain()
        return _decode(await running.answers.readuntil(b"\n"))

    async def _begun(self) -> _Running:
        if self._running is not None and self._running.process.returncode is None:
            return self._running
        process = await asyncio.create_subprocess_exec(
            *module_argv(MODULE),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
            env=module_environment(),
            start_new_session=True,
            limit=ANSWER_BYTES_MAX,
        )
        assert process.stdin is not None, "it was asked for"
        assert process.stdout is not None, "it was asked for"
        self._running = _Running(process, process.stdin, process.stdout)
        return self._running

    async def end(self) -> None:
        """End the process. Asked to, it ends what it started; one that does not hear is killed."""
        running, self._running = self._running, None
        if running is None:
            return
        running.orders.close()
        with suppress(ProcessLookupError):
            running.process.terminate()
        try:
            async with asyncio.timeout(END_S_MAX):
                await running.process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                running.process.kill()
            await running.process.wait()
