"""What happened to gates. What is asked and why it was decided so are words; everything a rule reads is facts."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import MemberId, TodoId
from ledger.parts.gates import GateKind, GatePolicy, Severity


class GateOpened(Facts, frozen=True, kw_only=True):
    """A question stands in the way of something."""

    gate_id: str
    kind: GateKind
    severity: Severity
    blocked_todo_ids: tuple[TodoId, ...]
    blocks_goal: bool
    decision_scope: str | None
    evidence_digest: str | None
    policy: GatePolicy


class GateWords(Words, frozen=True, kw_only=True):
    """What is asked, what may be chosen, and what is meant when nothing is said."""

    question: str
    options: tuple[str, ...]
    default: str


class GateRevised(Facts, frozen=True, kw_only=True):
    """What is asked or what it rests on has changed: a new generation, without votes."""

    gate_id: str
    generation: int
    evidence_digest: str | None
    expires_at_ms: int | None


class GateVoteRecorded(Facts, frozen=True, kw_only=True):
    """A yes that is not enough yet: `votes` of `quorum`."""

    gate_id: str
    generation: int
    seat: MemberId
    votes: int
    quorum: int


class GateApproved(Facts, frozen=True, kw_only=True):
    """The yes that reached the quorum. `covers` are the scopes of the named work that it decided."""

    gate_id: str
    generation: int
    seat: MemberId
    votes: int
    quorum: int
    covers: tuple[str, ...]


class GateRefused(Facts, frozen=True, kw_only=True):
    """A no, or an end without an answer: what it blocks stays blocked."""

    gate_id: str
    generation: int
    seat: MemberId
    status: Literal["rejected", "cancelled"]


class GateDeferred(Facts, frozen=True, kw_only=True):
    """Not now; it still blocks, and is asked again at `remind_at_ms`."""

    gate_id: str
    generation: int
    seat: MemberId
    remind_at_ms: int | None


class GateReasonWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


class GateDelegated(Facts, frozen=True, kw_only=True):
    """Somebody votes in an approver's place on this gate, until a moment."""

    gate_id: str
    seat: MemberId
    delegate: MemberId
    until_ms: int


class GateDelegationEnded(Facts, frozen=True, kw_only=True):
    """An approver votes in person again."""

    gate_id: str
    seat: MemberId
    delegate: MemberId


class GateLifted(Facts, frozen=True, kw_only=True):
    """It was taken back, or another gate took its place: that grants nothing."""

    gate_id: str
    status: Literal["withdrawn", "superseded"]
    by_gate: str | None


class GateExpired(Facts, frozen=True, kw_only=True):
    """Nobody decided in time. `deny` ends it as a no; `escalate` asks the owners as well, in a new generation."""

    gate_id: str
    generation: int
    effect: Literal["deny", "escalate"]
    added: tuple[MemberId, ...]


class GateReminded(Facts, frozen=True, kw_only=True):
    """Whoever has not answered was reminded; the next time is `next_ms`."""

    gate_id: str
    generation: int
    next_ms: int | None


KINDS = (
    Kind("gate.opened", 1, GateOpened, GateWords),
    Kind("gate.revised", 1, GateRevised, GateWords),
    Kind("gate.vote_recorded", 1, GateVoteRecorded, GateReasonWords),
    Kind("gate.approved", 1, GateApproved, GateReasonWords),
    Kind("gate.refused", 1, GateRefused, GateReasonWords),
    Kind("gate.deferred", 1, GateDeferred, GateReasonWords),
    Kind("gate.delegated", 1, GateDelegated),
    Kind("gate.delegation_ended", 1, GateDelegationEnded),
    Kind("gate.lifted", 1, GateLifted, GateReasonWords),
    Kind("gate.expired", 1, GateExpired),
    Kind("gate.reminded", 1, GateReminded),
)
