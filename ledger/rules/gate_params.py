"""What may be asked of gates and standing grants."""

from typing import Annotated, Literal

from pydantic import Field

from ledger.params import (
    LIST_MAX,
    BasisText,
    Full,
    GoalIdText,
    Line,
    MemberIdText,
    OptionalReason,
    Params,
    Reason,
    Sha256Text,
    TodoIdText,
)
from ledger.parts.gates import GateKind, OnExpiry, Severity
from ledger.rules.gate_scopes import DECISION_SCOPE_PATTERN

APPROVERS_MAX = 16
OPTIONS_MAX = 8
GATE_SECONDS_MAX = 90 * 86_400
REMIND_SECONDS_MIN = 300
DELEGATION_SECONDS_DEFAULT = 86_400
GATES_LISTED_MAX = 200
CODE_CHARS_MAX = 16
GATE_ID_PATTERN = r"^gate_[a-z0-9_-]{1,58}$"
GRANT_ID_PATTERN = r"^standing_[0-9]{6,16}$"

GateIdText = Annotated[str, Field(pattern=GATE_ID_PATTERN)]
_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Gate = Annotated[GateIdText, Field(description="The gate.")]
_Evidence = Annotated[
    Sha256Text | None, Field(description="SHA-256 of what the decision rests on; a new one voids every vote.")
]
_Expires = Annotated[
    int | None, Field(ge=60, le=GATE_SECONDS_MAX, description="Seconds from now until it expires; never when absent.")
]


class OpenGate(Params):
    """Ask people for a decision that work waits for."""

    goal_id: _Goal
    gate_id: Annotated[GateIdText | None, Field(description="Its id; made from the ledger's seq when absent.")] = None
    question: Annotated[Reason, Field(description="What is to be decided.")]
    kind: Annotated[GateKind, Field(description="What kind of decision it is.")] = "owner_decision"
    severity: Annotated[Severity, Field(description="How much depends on it; no button approves a `critical` one.")] = (
        "normal"
    )
    option: Annotated[tuple[Line, ...], Field(max_length=OPTIONS_MAX, description="What could be chosen.")] = ()
    default: Annotated[Line | None, Field(description="What the asker would choose; it never applies by itself.")] = (
        None
    )
    blocks_todo: Annotated[
        tuple[TodoIdText, ...], Field(max_length=LIST_MAX, description="Work that waits for exactly this gate.")
    ] = ()
    blocks_goal: Annotated[bool, Field(description="The whole goal waits.")] = False
    decision_scope: Annotated[
        str | None, Field(pattern=DECISION_SCOPE_PATTERN, description="What is decided, as kind:granularity:key.")
    ] = None
    evidence_digest: _Evidence = None
    approver: Annotated[
        tuple[MemberIdText, ...],
        Field(max_length=APPROVERS_MAX, description="Who may decide; the goal's approvers or owners when absent."),
    ] = ()
    quorum: Annotated[int, Field(ge=1, le=APPROVERS_MAX, description="How many of them must say yes.")] = 1
    not_delegable: Annotated[bool, Field(description="Approvers must vote in person.")] = False
    expires_in_seconds: _Expires = None
    on_expiry: Annotated[
        OnExpiry, Field(description="When nobody decided in time: deny, ask the owners too, or keep waiting.")
    ] = "wait"
    remind_every_seconds: Annotated[
        int | None, Field(ge=REMIND_SECONDS_MIN, le=GATE_SECONDS_MAX, description="How often approvers are reminded.")
    ] = None
    step_up: Annotated[bool, Field(description="A plain button is not enough to say yes.")] = False
    supersedes: Annotated[GateIdText | None, Field(description="An undecided gate that this one replaces.")] = None


class _Decision(Params):
    goal_id: _Goal
    gate_id: _Gate
    basis: Annotated[BasisText | None, Field(description="The generation and evidence that were shown.")] = None
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class ApproveGate(_Decision):
    """Say yes to a gate as it was shown."""

    code: Annotated[
        str | None,
        Field(max_length=CODE_CHARS_MAX, description="A one-time code, for a gate that no plain button approves."),
    ] = None


class RejectGate(_Decision):
    """Say no to a gate; what it blocks stays blocked."""


class CancelGate(_Decision):
    """End a gate without a yes; what it blocks stays blocked."""


class DeferGate(_Decision):
    """Put a gate off; it goes on blocking."""

    remind_in_seconds: Annotated[
        int | None, Field(ge=60, le=GATE_SECONDS_MAX, description="When to ask again, in seconds from now.")
    ] = None


class DelegateGate(Params):
    """Let somebody vote on a gate in your place, until a moment; or end that."""

    goal_id: _Goal
    gate_id: _Gate
    to: Annotated[MemberIdText | None, Field(description="Who votes in your place; nobody any longer when absent.")] = (
        None
    )
    for_seconds: Annotated[int, Field(ge=60, le=GATE_SECONDS_MAX, description="For how long, in seconds.")] = (
        DELEGATION_SECONDS_DEFAULT
    )


class WithdrawGate(Params):
    """Take back a gate that is not decided; that grants nothing."""

    goal_id: _Goal
    gate_id: _Gate
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class ReviseGate(Params):
    """Change what a gate asks or what it rests on; every vote so far is void."""

    goal_id: _Goal
    gate_id: _Gate
    question: Annotated[Reason | None, Field(description="What is to be decided; as before when absent.")] = None
    option: Annotated[
        tuple[Line, ...] | None,
        Field(max_length=OPTIONS_MAX, description="The choices; as before when absent."),
    ] = None
    evidence_digest: _Evidence = None
    expires_in_seconds: _Expires = None


class ListGates(Params):
    """The gates of a goal, newest first."""

    goal_id: _Goal
    status: Annotated[Literal["open", "closed"] | None, Field(description="Only those; all when absent.")] = None
    limit: Annotated[int, Field(ge=1, le=GATES_LISTED_MAX, description="How many at most.")] = 50


class ShowGate(Params):
    """A gate with its votes, its policy and the basis to decide it by."""

    goal_id: _Goal
    gate_id: _Gate
    full: Full = False


class RevokeGrant(Params):
    """Take back a standing grant: what it covered must be asked for again."""

    grant_id: Annotated[str, Field(pattern=GRANT_ID_PATTERN, description="The grant, as `gate show` names it.")]
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class ExpireGate(Params):
    """Write down that a gate's time is over, if it is."""

    goal_id: _Goal
    gate_id: _Gate


class RemindGate(Params):
    """Write down that a gate's approvers are reminded, if it is time."""

    goal_id: _Goal
    gate_id: _Gate
