"""State: what is true now, folded from the events and from nothing else.

The values are frozen; only the containers change, and only the reducer (`ledger.reduce`) changes them. Indexes
(ready work, scopes, expiries) are kept beside the records so that neither a rule nor a read has to scan.
`copy` shares the frozen values and copies the containers: the writer's own view costs little.
"""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator
from typing import Literal

import msgspec

from ledger.ids import ArtifactId, GoalId, MemberId, TodoId, TokenId
from ledger.scopes import ScopeIndex

RECENT_EVENTS_MAX = 5
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


class EventNote(msgspec.Struct, frozen=True, kw_only=True):
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
    status: Literal["open", "done", "blocked", "cancelled"]
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


class Goal:
    """A goal and all that belongs to it; a container that the reducer alone changes."""

    __slots__ = (
        "adopted",
        "artifacts",
        "by_priority",
        "cause",
        "channels",
        "confirmed",
        "created_seq",
        "deliveries",
        "done_total",
        "due",
        "first_confirmed",
        "goal_id",
        "intents",
        "keys",
        "last_seq",
        "leases",
        "mine",
        "proposed_by",
        "question",
        "ready",
        "reason",
        "recent",
        "resume_to",
        "scopes",
        "state",
        "state_note",
        "state_seq",
        "todos",
        "unmet",
        "waiting",
    )  # fmt: skip

    def __init__(self, goal_id: GoalId, proposed_by: MemberId, created_seq: int) -> None:
        self.goal_id = goal_id
        self.proposed_by = proposed_by
        self.created_seq = created_seq
        self.state: GoalState = "proposed"
        self.state_seq = created_seq
        self.resume_to: GoalState = "active"
        self.reason = ""
        self.confirmed = 0
        self.first_confirmed = 0
        self.intents: list[Intent] = []
        self.question: Question | None = None
        self.deliveries: list[Delivery] = []
        self.todos: dict[TodoId, Todo] = {}
        self.leases: dict[TodoId, Lease] = {}
        self.keys: dict[TodoId, set[str]] = {}
        self.artifacts: dict[ArtifactId, Artifact] = {}
        self.channels: dict[str, str] = {}
        self.adopted: dict[MemberId, int] = {}
        self.done_total = 0
        self.last_seq = created_seq
        self.cause: EventNote | None = None
        self.state_note: EventNote | None = None
        self.recent: deque[EventNote] = deque(maxlen=RECENT_EVENTS_MAX)
        # Indexes, all derived: see the functions of `ledger.reduce` that keep them.
        self.unmet: dict[TodoId, int] = {}
        self.waiting: dict[TodoId, set[TodoId]] = {}
        self.ready: list[tuple[str, int, TodoId]] = []
        self.by_priority: list[tuple[str, int, TodoId]] = []
        self.mine: dict[MemberId, dict[TodoId, None]] = {}
        self.scopes = ScopeIndex()
        self.due: list[tuple[int, TodoId]] = []

    @property
    def intent(self) -> Intent:
        """The promise in force, or the first one proposed while none is."""
        return self.intents[(self.confirmed or self.pending or len(self.intents)) - 1]

    @property
    def pending(self) -> int:
        """The number of the revision that waits for its owners, or 0."""
        return len(self.intents) if self.intents and self.intents[-1].status == "open" else 0

    @property
    def delivery(self) -> Delivery | None:
        """The latest delivery."""
        return self.deliveries[-1] if self.deliveries else None

    @property
    def is_executable(self) -> bool:
        """Whether work may begin now."""
        return self.state in EXECUTABLE

    def lapsed(self, now_ms: int) -> Iterator[TodoId]:
        """Todos whose lease has passed its end and is not yet written off."""
        for expires_at_ms, todo_id in self.due:
            if expires_at_ms > now_ms:
                return
            yield todo_id

    def copy(self) -> "Goal":
        """The same goal in containers of its own."""
        twin = Goal(self.goal_id, self.proposed_by, self.created_seq)
        for name in (
            "state",
            "state_seq",
            "state_note",
            "resume_to",
            "reason",
            "confirmed",
            "first_confirmed",
            "question",
            "last_seq",
            "cause",
            "done_total",
        ):
            setattr(twin, name, getattr(self, name))
        for name in (
            "intents",
            "deliveries",
            "todos",
            "leases",
            "artifacts",
            "channels",
            "adopted",
            "unmet",
            "ready",
            "due",
            "recent",
            "by_priority",
        ):
            setattr(twin, name, getattr(self, name).copy())
        twin.keys = {todo_id: set(keys) for todo_id, keys in self.keys.items()}
        twin.waiting = {todo_id: set(others) for todo_id, others in self.waiting.items()}
        twin.mine = {member_id: dict(mine) for member_id, mine in self.mine.items()}
        for todo_id, lease in self.leases.items():
            if lease.status == "active":
                twin.scopes.add(todo_id, lease.write_scopes)
        return twin


class Workspace:
    """Everything one ledger says; a container that the reducer alone changes."""

    __slots__ = (
        "addresses",
        "at_ms",
        "button_keys",
        "created",
        "goals",
        "hash",
        "identities",
        "members",
        "name",
        "pairings",
        "seq",
        "tokens",
        "tokens_by_id",
    )

    def __init__(self) -> None:
        self.seq = 0
        self.hash = bytes(32)
        self.at_ms = 0
        self.created = False
        self.name = ""
        self.members: dict[MemberId, Member] = {}
        self.tokens: dict[str, Token] = {}
        self.tokens_by_id: dict[TokenId, str] = {}
        self.pairings: dict[str, Pairing] = {}
        self.identities: dict[str, MemberId] = {}
        self.addresses: dict[MemberId, Address] = {}
        self.button_keys: dict[int, int | None] = {1: None}
        self.goals: dict[GoalId, Goal] = {}

    def copy(self) -> "Workspace":
        """The same workspace in containers of its own."""
        twin = Workspace()
        for name in ("seq", "hash", "at_ms", "created", "name"):
            setattr(twin, name, getattr(self, name))
        for name in ("members", "tokens", "tokens_by_id", "pairings", "identities", "addresses", "button_keys"):
            setattr(twin, name, getattr(self, name).copy())
        twin.goals = {goal_id: goal.copy() for goal_id, goal in self.goals.items()}
        return twin

    @property
    def button_key_id(self) -> int:
        """The key that new button tokens are signed with."""
        return max(self.button_keys)


def put(index: list[tuple[str, int, TodoId]], entry: tuple[str, int, TodoId]) -> None:
    """Enter a todo into an index that is sorted by priority, then order of creation."""
    insort(index, entry)


def take(index: list[tuple[str, int, TodoId]], entry: tuple[str, int, TodoId]) -> None:
    """Take a todo out of such an index, if it is there."""
    at = bisect_left(index, entry)
    if at < len(index) and index[at] == entry:
        del index[at]
