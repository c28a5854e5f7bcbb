"""What the card of a gate is drawn from: the question as it is put before its approvers, and what became of it."""

import msgspec

from ledger.parts.gates import GateKind, GateStatus, OnExpiry, Severity


class GateVoteView(msgspec.Struct, frozen=True, kw_only=True):
    """One yes: whose vote it is, and who gave it; two names where a delegate did."""

    seat: str
    voter: str


class GateDelegateView(msgspec.Struct, frozen=True, kw_only=True):
    """Who votes in whose place, and until when."""

    seat: str
    delegate: str
    until_ms: int


class GateCause(msgspec.Struct, frozen=True, kw_only=True):
    """The event that made the shown state true, as far as the gate itself keeps it.

    `kind` and `actor_name` are empty, and `at_ms` is None, where it keeps the place in the ledger alone.
    """

    seq: int
    kind: str
    actor_name: str
    at_ms: int | None
    short_hash: str


class GateView(msgspec.Struct, frozen=True, kw_only=True):
    """One generation of a gate.

    Of a generation that was asked anew nothing is left but its place: it is `superseded`, and asks nothing.
    """

    gate_id: str
    generation: int
    asked_anew: bool
    status: GateStatus
    open: bool
    """Whether somebody may still decide it; an undecided gate of a goal that is over is not open."""
    kind: GateKind
    severity: Severity
    question: str
    options: tuple[str, ...]
    default: str
    waiting_work: tuple[str, ...]
    """The titles of the work that waits for exactly this gate."""
    blocks_goal: bool
    evidence_digest: str | None
    votes: tuple[GateVoteView, ...]
    votes_counted: int
    quorum: int
    waits_for: tuple[str, ...]
    delegates: tuple[GateDelegateView, ...]
    expires_at_ms: int | None
    on_expiry: OnExpiry
    step_up: bool
    opened_by: str
    decided_by: str | None
    on_behalf_of: str | None
    decided_at_ms: int | None
    reason: str
    basis: str
    cause: GateCause


class WaitingGateView(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that a goal's work waits for, in one line; its own card says the rest."""

    question: str
    people: tuple[str, ...]
    blocks_goal: bool
