"""The gates of a goal, with indexes by what they name, by the kind of decision, and by when something is due."""

from bisect import bisect_left, insort
from typing import Literal, TypeVar

import msgspec

from ledger.ids import MemberId, TodoId
from ledger.parts.base import Part

_Key = TypeVar("_Key", bound=str)
GateKind = Literal[
    "operator_gate", "owner_decision", "write_scope", "production", "publish", "budget", "acceptance", "amendment",
    "private_read", "resource", "direction", "other",
]  # fmt: skip
Severity = Literal["low", "normal", "high", "critical"]
OnExpiry = Literal["deny", "escalate", "wait"]
Choice = Literal["approve", "reject", "defer", "cancel"]
GateStatus = Literal[
    "waiting_on_user", "approved", "rejected", "deferred", "cancelled", "expired", "withdrawn", "superseded"
]
UNDECIDED: frozenset[GateStatus] = frozenset({"waiting_on_user", "deferred"})
LIFTED: frozenset[GateStatus] = frozenset({"withdrawn", "superseded"})
"""Ends that decide nothing: neither a yes nor a no."""


class GatePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Who may decide, how many it takes, and what happens when nobody does."""

    approvers: tuple[MemberId, ...]
    quorum: int
    exclude_proposer: bool
    delegable: bool
    expires_at_ms: int | None
    on_expiry: OnExpiry
    remind_every_ms: int | None
    step_up: bool


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """One seat's yes. `seat` is the approver whose vote it is; `voter` is who gave it, the delegate if there is one."""

    seat: MemberId
    voter: MemberId
    seq: int
    at_ms: int


class GateDelegate(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who votes in an approver's place on this gate, until a moment."""

    seat: MemberId
    delegate: MemberId
    until_ms: int
    seq: int


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """One question that stands in the way of work. `question`, `options`, `default` and `reason` are words."""

    gate_id: str
    generation: int
    kind: GateKind
    severity: Severity
    opened_by: MemberId
    opened_at_ms: int
    seq: int
    blocked_todo_ids: tuple[TodoId, ...]
    blocks_goal: bool
    decision_scope: str | None
    evidence_digest: str | None
    content_digest: str
    """The hash of the event that last changed what is asked: it stands for exactly its facts and words."""
    policy: GatePolicy
    question: str
    options: tuple[str, ...]
    default: str
    votes: tuple[Vote, ...] = ()
    delegates: tuple[GateDelegate, ...] = ()
    status: GateStatus = "waiting_on_user"
    remind_at_ms: int | None = None
    reminders: int = 0
    escalated_to: tuple[MemberId, ...] | None = None
    """Whom its end brought in; empty where nobody was left to ask, None where it was never escalated."""
    resolved_by: MemberId | None = None
    resolved_for: MemberId | None = None
    """The approver in whose place a delegate decided."""
    resolved_at_ms: int | None = None
    resolved_seq: int = 0
    changed_seq: int = 0
    """The last event that made it what it is; reminders are none."""
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it still waits for somebody."""
        return self.status in UNDECIDED

    @property
    def topic(self) -> tuple[str, str | None]:
        """What it decides: of two gates with one topic and one target, the later one counts."""
        return self.kind, self.decision_scope

    def due_ms(self) -> tuple[int, ...]:
        """When it expires and when its approvers are reminded, where either will happen."""
        if not self.is_open:
            return ()
        ends = self.policy.expires_at_ms if self.policy.on_expiry != "wait" else None
        return tuple(at_ms for at_ms in (ends, self.remind_at_ms) if at_ms is not None)

    def passes_ms(self) -> tuple[int, ...]:
        """When what is said of it changes though nothing is due: a delegation ends, or its time, and it waits on."""
        if not self.is_open:
            return ()
        ends = self.policy.expires_at_ms if self.policy.on_expiry == "wait" else None
        return (*(one.until_ms for one in self.delegates), *(() if ends is None else (ends,)))


class Gates(Part):
    """The gates of a goal."""

    by_id: dict[str, Gate] = msgspec.field(default_factory=dict)
    waiting: dict[str, None] = msgspec.field(default_factory=dict)
    """Those that nobody has decided yet, oldest first."""
    of_todo: dict[TodoId, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By todo: the gates that name it and were not lifted, oldest first."""
    of_goal: dict[str, None] = msgspec.field(default_factory=dict)
    """Goal-wide gates that were not lifted, oldest first."""
    broad: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By kind of decision: undecided gates that name no target and stand for every need they cover."""
    due: list[tuple[int, str]] = msgspec.field(default_factory=list)
    passing: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """Undecided gates by when what is said of them changes by time alone, though nothing is due."""

    def put(self, gate: Gate) -> None:
        """Enter a gate, or what became of it, in every index."""
        before = self.by_id.get(gate.gate_id)
        if before is not None:
            _take(self.due, before.due_ms(), gate.gate_id)
            _take(self.passing, before.passes_ms(), gate.gate_id)
        for at_ms in gate.due_ms():
            insort(self.due, (at_ms, gate.gate_id))
        for at_ms in gate.passes_ms():
            insort(self.passing, (at_ms, gate.gate_id))
        self.by_id[gate.gate_id] = gate
        if gate.is_open:
            self.waiting[gate.gate_id] = None
        else:
            self.waiting.pop(gate.gate_id, None)
        self._targets(gate, new=before is None)

    def _targets(self, gate: Gate, *, new: bool) -> None:
        lifted = gate.status in LIFTED
        for todo_id in gate.blocked_todo_ids:
            _list_under(self.of_todo, todo_id, gate.gate_id, new=new, gone=lifted)
        if gate.blocks_goal and new:
            self.of_goal[gate.gate_id] = None
        if gate.blocks_goal and lifted:
            self.of_goal.pop(gate.gate_id, None)
        if gate.decision_scope is not None and not gate.blocked_todo_ids and not gate.blocks_goal:
            kind = gate.decision_scope.partition(":")[0]
            _list_under(self.broad, kind, gate.gate_id, new=new, gone=not gate.is_open)


def _take(index: list[tuple[int, str]], moments_ms: tuple[int, ...], gate_id: str) -> None:
    for at_ms in moments_ms:
        del index[bisect_left(index, (at_ms, gate_id))]


def _list_under(index: dict[_Key, tuple[str, ...]], key: _Key, gate_id: str, *, new: bool, gone: bool) -> None:
    listed = index.get(key, ())
    if new:
        index[key] = (*listed, gate_id)
    elif gone:
        left = tuple(other for other in listed if other != gate_id)
        if left:
            index[key] = left
        else:
            index.pop(key, None)
