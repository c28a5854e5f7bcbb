"""Faults that a test plans: the next N calls of an endpoint are slow, hang, break or answer something else.

- `latency`: answer after `latency_ms`
- `hang`: never answer (until the caller leaves, or the faults are cleared)
- `reset`: cut the connection before anything is done
- `drop_after_commit`: do the work, then cut the connection, so that the caller cannot know
- `hang_after_commit`: do the work, then never answer
- `html`: HTTP `status` (502) with a gateway's HTML page
- `empty`: HTTP 200 with no body
- `revoke`: invalidate all tokens, and only then do the work, as when a secret is rotated under a running call
- `code`: the platform's error `code` with HTTP `status` (400) and `msg`
"""

import asyncio
from dataclasses import dataclass
from typing import Literal, get_args

from bot.simulator.changes import Changes
from bot.simulator.wire import JsonObject, number_at, text_at

FAULTS_MAX = 1_000

FaultKind = Literal[
    "latency", "hang", "reset", "drop_after_commit", "hang_after_commit", "html", "empty", "revoke", "code"
]
KINDS: tuple[str, ...] = get_args(FaultKind)


@dataclass(kw_only=True)
class Fault:
    """One planned fault; `skip` lets that many calls through first, `count` is how many it spoils."""

    api: str
    kind: FaultKind
    count: int = 1
    skip: int = 0
    latency_ms: int = 0
    status: int = 0
    code: int = 0
    msg: str = ""

    def view(self) -> JsonObject:
        """As the control interface shows it."""
        return {
            "api": self.api, "kind": self.kind, "count": self.count, "skip": self.skip, "latency_ms": self.latency_ms,
            "status": self.status, "code": self.code, "msg": self.msg,
        }  # fmt: skip


def read_fault(source: JsonObject, apis: tuple[str, ...]) -> Fault:
    """A fault from JSON; an unknown endpoint or kind is a ValueError, never a fault that silently does nothing."""
    api = text_at(source, "api")
    if api != "*" and api not in apis:
        raise ValueError(f"no endpoint {api!r}; there are {', '.join(apis)} and *")
    kind = text_at(source, "kind")
    if kind not in KINDS:
        raise ValueError(f"no fault {kind!r}; there are {', '.join(KINDS)}")
    fault = Fault(
        api=api,
        kind=kind,  # type: ignore[arg-type]  # checked against KINDS just above
        count=number_at(source, "count", 1),
        skip=number_at(source, "skip"),
        latency_ms=number_at(source, "latency_ms"),
        status=number_at(source, "status", 502 if kind == "html" else 400),
        code=number_at(source, "code"),
        msg=text_at(source, "msg", "injected"),
    )
    if fault.count < 1 or fault.skip < 0 or fault.latency_ms < 0:
        raise ValueError("count must be at least 1, skip and latency_ms at least 0")
    if kind == "code" and not fault.code:
        raise ValueError("a fault of kind 'code' needs the code")
    return fault


class Faults:
    """The plan, in order; the first fault that fits a call is used up by it."""

    def __init__(self) -> None:
        self.planned: list[Fault] = []
        self.holding = 0
        self.changes = Changes()
        self._cleared = asyncio.Event()

    def plan(self, fault: Fault) -> None:
        """Add one."""
        if len(self.planned) >= FAULTS_MAX:
            raise ValueError(f"no more than {FAULTS_MAX} faults can be planned")
        self.planned.append(fault)

    def clear(self) -> None:
        """Drop the plan and let go of every call that hangs."""
        self.planned.clear()
        self._cleared.set()
        self._cleared = asyncio.Event()

    async def hold(self) -> None:
        """Hang until the faults are cleared (or the caller's connection is gone)."""
        self.holding += 1
        self.changes.bump()
        try:
            await self._cleared.wait()
        finally:
            self.holding -= 1
            self.changes.bump()

    def next_for(self, api: str) -> Fault | None:
        """The fault for this call, if one is planned."""
        for fault in self.planned:
            if fault.api not in {"*", api}:
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            fault.count -= 1
            if fault.count == 0:
                self.planned.remove(fault)
            return fault
        return None
