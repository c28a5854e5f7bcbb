"""Records: the frozen values that the state is made of."""

from typing import Literal

import msgspec

from ledger.ids import ArtifactId, GoalId, MemberId, TodoId, TokenId

GoalState = Literal[
    "proposed", "clarifying", "active", "paused", "delivered", "changes_requested",
    "accepted", "declined", "withdrawn", "stopped",
]  # fmt: skip
EXECUTABLE: frozenset[GoalState] = frozenset({"active", "changes_requested"})
CLOSED: frozenset[GoalState] = frozenset({"accepted", "declined", "withdrawn", "stopped"})


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A person, an agent or the bot. `display_name` is words; the rest are facts."""

    member_id: MemberId
    kind: Literal["person", "agent", "bot"]
    roles: tuple[str, ...]
    profile_role: str | None
    capabilities: tuple[str, ...]
    goals: tuple[str, ...]
    display_name: str
    identity_digest: str | None = None
    revoked: bool = False


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A credential, known by the digest of its secret."""

    token_id: TokenId
    member_id: MemberId
    secret_digest: str
    expires_at_ms: int | None
    revoked: bool = False
    actions: tuple[str, ...] = ()
    """Names or nouns of the actions it is good for; empty for all."""
    goal_ids: tuple[GoalId, ...] = ()


class Pairing(msgspec.Struct, frozen=True, kw_only=True):
    """A code that will bind one person's Lark identity, once."""

    member_id: MemberId
    code_digest: str
    expires_at_ms: int


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a paired person is reached; words, for the bot alone."""

    member_id: MemberId
    tenant_key: str
    app_id: str
    open_id: str
    union_id: str


class EventNote(msgspec.Struct, frozen=True):
    """What a projection says of a recent event."""

    seq: int
    kind: str
    actor: MemberId
    at_ms: int
    short_hash: str
    subject: str


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """One revision of what a goal promises. `basis` stands for exactly this promise."""

    number: int
    proposed_by: MemberId
    at_ms: int
    status: Literal["open", "confirmed", "declined", "withdrawn", "superseded"]
    priority: str
    criterion_ids: tuple[str, ...]
    write_scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    owners: tuple[MemberId, ...]
    approvers: tuple[MemberId, ...]
    handoff_mode: str
    allowed_slots: int | None
    enforce: tuple[str, ...]
    review: str
    """`independent`: evidence counts once somebody who is not its author accepted it; `owner`: acceptance decides."""
    plan_approval: str
    token_cap: int | None
    cost_cap_micros: int | None
    fold_case: bool
    private: bool
    basis: str
    title: str
    objective: str
    criteria: tuple[str, ...]
    non_goals: tuple[str, ...]
    constraints: tuple[str, ...]
    budget: str
    stop_conditions: tuple[str, ...]
    note: EventNote
    """The event that last changed this revision: what its card names as the cause."""
    decided_by: MemberId | None = None
    decided_at_ms: int | None = None
    reason: str = ""


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """What stays in memory of a goal that was put away: what a list says of it, and who or what still names it.

    `title` is words.
    """

    goal_id: GoalId
    created_seq: int
    last_seq: int
    state: GoalState
    proposed_by: MemberId
    number: int
    """The promise in force, or the first one proposed while none is."""
    pending: int
    confirmed: int
    priority: str
    title: str
    private: bool
    owners: tuple[MemberId, ...]
    approvers: tuple[MemberId, ...]
    opened: int
    blocked: int
    deferred: int
    done: int
    cause: EventNote
    channels: dict[str, str]
    asks: bool
    reviews: tuple[tuple[int, bool], ...]
    """Each revision, and whether it still waits."""
    deliveries: tuple[tuple[int, bool], ...]
    holders: tuple[MemberId, ...]
    """Whoever has a claim on any of its todos."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The one open question of a goal."""

    question_id: str
    asked_by: MemberId
    text: str
    options: tuple[str, ...]


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A result put before the owners, for the revision in force."""

    number: int
    revision: int
    delivered_by: MemberId
    at_ms: int
    status: Literal["open", "accepted", "changes_requested", "superseded"]
    artifact_ids: tuple[ArtifactId, ...]
    basis: str
    summary: str
    note: EventNote
    """The event that last changed this delivery."""
    decided_by: MemberId | None = None
    decided_at_ms: int | None = None
    reason: str = ""


class Todo(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of work. `title`, `acceptance`, `note` and `reason` are words."""

    todo_id: TodoId
    seq: int
    role: Literal["user", "agent"]
    status: Literal["open", "done", "blocked", "deferred", "cancelled", "proposed"]
    priority: str
    task_class: str
    action_kind: str | None
    required_write_scopes: tuple[str, ...]
    required_capabilities: tuple[str, ...]
    depends_on: tuple[TodoId, ...]
    bound_agent: MemberId | None
    excluded_agents: tuple[MemberId, ...]
    title: str
    acceptance: str
    decision_scope: str | None = None
    required_decision_scopes: tuple[str, ...] = ()
    unblocks_todo_id: TodoId | None = None
    validators: tuple[str, ...] = ()
    cadence_seconds: int | None = None
    max_no_change_before_replan: int | None = None
    plan_id: str | None = None
    lane_id: str | None = None
    proposed_by: MemberId | None = None
    """Who proposed it, where it was a proposal at first."""
    added_by: MemberId | None = None
    """Whose event it came by: who added or proposed it, or who confirmed the plan or the amendment that has it."""
    status_seq: int = 0
    """The event that gave it its status: the one that added it, until something changes it."""
    decision_outcome: Literal["approve", "reject", "cancel"] | None = None
    """How a person's decision that was asked for as a todo came out."""
    claimed_by: MemberId | None = None
    claim_seq: int = 0
    claim_from_lease: bool = False
    completed_by: MemberId | None = None
    completed_seq: int = 0
    completed_at_ms: int | None = None
    completion_turn_key: str | None = None
    evidence: tuple[ArtifactId, ...] = ()
    successor_todo_ids: tuple[TodoId, ...] = ()
    note: str = ""
    reason: str = ""


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """The one lease record of a todo; once released or expired it stays as the tombstone."""

    todo_id: TodoId
    owner: MemberId
    idempotency_key: str
    write_scopes: tuple[str, ...]
    acquire_ttl_seconds: int
    version: int
    lease_epoch: int
    acquired_at_ms: int
    updated_at_ms: int
    expires_at_ms: int
    status: Literal["active", "released", "expired"]
    released_at_ms: int | None = None
    seq: int = 0


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence with a digest and the revision it was made for."""

    artifact_id: ArtifactId
    todo_id: TodoId | None
    kind: str
    sha256: str
    size_bytes: int
    criterion_ids: tuple[str, ...]
    revision: int
    submitted_by: MemberId
    at_ms: int
    label: str
    summary: str
