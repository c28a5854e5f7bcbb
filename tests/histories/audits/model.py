"""What the auditor believes: everything the events told it, and nothing that the ledger's own state says."""

from dataclasses import dataclass, field

REACH = ("action", "lane", "goal", "project", "global")
EXECUTABLE = frozenset({"active", "changes_requested"})
ENDED = frozenset({"accepted", "declined", "withdrawn", "stopped"})
OVER = frozenset({"done", "cancelled"})


def decides(scope: str, need: str) -> bool:
    """Whether a word on one scope is a word on another: of one kind, on its key or on all, and no narrower."""
    kind, reach, key = scope.split(":", 2)
    wanted_kind, wanted_reach, wanted_key = need.split(":", 2)
    return kind == wanted_kind and key in {"*", wanted_key} and REACH.index(reach) >= REACH.index(wanted_reach)


@dataclass
class Being:
    """A member."""

    kind: str
    roles: frozenset[str]
    role: str | None
    goals: tuple[str, ...]
    capabilities: tuple[str, ...]
    revoked: bool = False


@dataclass
class Right:
    """What an owner granted to an agent."""

    member: str
    goals: tuple[str, ...]
    kinds: tuple[str, ...]
    scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    until_ms: int | None
    ended: bool = False

    def about(self, member: str, goal_id: str) -> bool:
        """Whether it says anything of this agent and this goal."""
        return self.member == member and (not self.goals or goal_id in self.goals)

    def alive(self, at_ms: int) -> bool:
        """Whether it is in force."""
        return not self.ended and (self.until_ms is None or at_ms < self.until_ms)


@dataclass
class Hold:
    """A lease."""

    owner: str
    key: str
    paths: frozenset[str]
    ends_at_ms: int
    version: int
    epoch: int
    active: bool = True
    expired: bool = False


@dataclass
class Work:
    """A todo."""

    todo_id: str
    role: str
    task_class: str
    action_kind: str | None
    needs: tuple[str, ...]
    bound: str | None
    excluded: tuple[str, ...]
    capabilities: tuple[str, ...]
    scopes: tuple[str, ...]
    validators: tuple[str, ...]
    priority: str
    replan_after: int | None = None
    decisions: tuple[str, ...] = ()
    unblocks: str | None = None
    due_ms: int = 0
    rung_ms: int | None = None
    claimant: str | None = None
    by_lease: bool = False
    status: str = "open"
    completions: int = 0
    successors: int = 0
    completed_by: str | None = None
    outcome: str | None = None
    evidence: tuple[str, ...] = ()
    held_by: str | None = None
    waits: tuple[str, str, int | None] | None = None
    seen: tuple[str | None, int] = (None, 0)


@dataclass
class Proof:
    """An artifact."""

    artifact_id: str
    todo_id: str | None
    sha256: str
    by: str
    criteria: tuple[str, ...]
    revision: int
    inputs: tuple[str, ...]
    verdict: str | None = None
    undone: str | None = None
    checks: dict[str, bool] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing speaks against it."""
        return self.undone is None and self.verdict != "rejected"


@dataclass
class Question:
    """A gate."""

    gate_id: str
    topic: tuple[str, str | None]
    opened_by: str
    todos: tuple[str, ...]
    whole_goal: bool
    scope: str | None
    evidence: str | None
    approvers: tuple[str, ...]
    quorum: int
    severity: str
    delegable: bool
    step_up: bool
    ends_at_ms: int | None
    on_expiry: str
    generation: int = 1
    status: str = "open"
    decided_by: str = ""
    votes: dict[str, str] = field(default_factory=dict)
    delegates: dict[str, tuple[str, int]] = field(default_factory=dict)


@dataclass
class Word:
    """A standing decision on everything of a kind, in one goal or in all of them."""

    goal_id: str | None
    scope: str
    yes: bool
    gate: Question
    revoked: bool = False


@dataclass
class Asked:
    """A request between peers."""

    sender: str
    receiver: str
    blocks: str | None
    status: str = "open"
    received: bool = False
    answer: str | None = None
    adopted: bool = False
    todo_id: str | None = None
    delivered: bool = False


@dataclass
class Admitted:
    """An admission."""

    admission_id: str
    agent: str
    turn: str
    slots: int
    ends_at_ms: int


@dataclass
class Paid:
    """A spend."""

    key: tuple[str, str, str]
    slots: int
    at_ms: int
    voided: bool = False


@dataclass
class Change:
    """An amendment: its operations, its fates, and the picture of the goal that it was made for."""

    change_class: str
    by: str
    operations: tuple[object, ...]
    fates: tuple[object, ...]
    picture: object
    gate_id: str | None
    digest: str
    status: str = "open"


@dataclass
class Draft:
    """A plan at its latest revision."""

    by: str
    revision: int
    lanes: tuple[object, ...]
    status: str = "open"
    todos: tuple[str, ...] = ()


@dataclass
class Promise:
    """A goal."""

    goal_id: str
    proposer: str
    state: str = "proposed"
    before_pause: str = "active"
    confirmed: int = 0
    first: int = 0
    open_revision: int = 1
    intents: list[object] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    mode: str = "optional_lease"
    adopted: dict[str, int] = field(default_factory=dict)
    deliveries: list[str] = field(default_factory=list)
    work: dict[str, Work] = field(default_factory=dict)
    unblockers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    holds: dict[str, Hold] = field(default_factory=dict)
    keys: set[tuple[str, str]] = field(default_factory=set)
    proofs: dict[str, Proof] = field(default_factory=dict)
    gates: dict[str, Question] = field(default_factory=dict)
    plans: dict[str, Draft] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    graph_seq: int = 0
    requests: dict[str, Asked] = field(default_factory=dict)
    admissions: dict[str, Admitted] = field(default_factory=dict)
    spends: dict[str, Paid] = field(default_factory=dict)
    settings: tuple[int, int, int, int | None] = (1_000, 24, 1, None)
    runs: dict[str, tuple[tuple[str, str, str], str]] = field(default_factory=dict)
    streaks: dict[str, tuple[str, int, int, bool]] = field(default_factory=dict)
    tokens: int = 0
    plan_seq: int = 0
    lent: dict[str, object] = field(default_factory=dict)

    @property
    def intent(self) -> object:
        """The facts of the promise in force."""
        return self.intents[(self.confirmed or len(self.intents)) - 1]
