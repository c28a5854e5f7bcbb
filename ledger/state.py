"""State: what is true now, folded from the events and from nothing else.

The values are frozen; only the containers change, and only the reducer (`ledger.reduce`) changes them. Indexes
(ready work, scopes, expiries) are kept beside the records so that neither a rule nor a read has to scan.
`copy` shares the frozen values and copies the containers: the writer's own view costs little.
"""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator

from ledger.goal_map import Goals
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId, TokenId
from ledger.parts.agents import Agents
from ledger.parts.amendments import Amendments
from ledger.parts.authority import Authority
from ledger.parts.gates import Gates
from ledger.parts.grants import Grants
from ledger.parts.handoffs import Handoffs
from ledger.parts.identity import Identity, LeftChats
from ledger.parts.plans import Plans
from ledger.parts.requests import Requests
from ledger.parts.reviews import Reviews
from ledger.parts.runs import Runs
from ledger.parts.slots import Slots
from ledger.parts.summaries import Summaries
from ledger.records import (
    EXECUTABLE,
    Address,
    Artifact,
    Delivery,
    EventNote,
    GoalState,
    Intent,
    Lease,
    Member,
    Pairing,
    Question,
    Todo,
    Token,
)
from ledger.scope_index import ScopeIndex

RECENT_EVENTS_MAX = 5


GOAL_PARTS = ("amendments", "gates", "handoffs", "left_chats", "plans", "requests", "reviews", "runs", "slots")
"""The attributes of a goal that are a family's own part."""
WORKSPACE_PARTS = ("agents", "authority", "grants", "identity", "summaries")
"""The same of the workspace."""


class Goal:
    """A goal and all that belongs to it; a container that the reducer alone changes."""

    __slots__ = (
        "acts",
        "adopted",
        "amendments",
        "artifacts",
        "blocked",
        "by_priority",
        "cause",
        "channels",
        "confirmed",
        "created_seq",
        "deliveries",
        "dependents",
        "done_total",
        "due",
        "first_confirmed",
        "gates",
        "goal_id",
        "handoffs",
        "intents",
        "keys",
        "last_seq",
        "leases",
        "left_chats",
        "mine",
        "plans",
        "proposed_by",
        "question",
        "ready",
        "reason",
        "recent",
        "requests",
        "resume_to",
        "reviews",
        "runs",
        "scopes",
        "slots",
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
        self.acts: dict[MemberId, EventNote] = {}
        """By member: the last event of their own in the goal."""
        self.done_total = 0
        self.last_seq = created_seq
        self.cause: EventNote | None = None
        self.state_note: EventNote | None = None
        self.recent: deque[EventNote] = deque(maxlen=RECENT_EVENTS_MAX)
        self.amendments = Amendments()
        self.gates = Gates()
        self.handoffs = Handoffs()
        self.left_chats = LeftChats()
        self.plans = Plans()
        self.requests = Requests()
        self.reviews = Reviews()
        self.runs = Runs()
        self.slots = Slots()
        # Indexes, all derived: see the functions of `ledger.reduce` that keep them.
        self.unmet: dict[TodoId, int] = {}
        self.waiting: dict[TodoId, set[TodoId]] = {}
        self.dependents: dict[TodoId, dict[TodoId, None]] = {}
        self.ready: list[tuple[str, int, TodoId]] = []
        self.by_priority: list[tuple[str, int, TodoId]] = []
        self.blocked: list[tuple[str, int, TodoId]] = []
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
            "acts",
            "unmet",
            "ready",
            "due",
            "recent",
            "by_priority",
            "blocked",
            *GOAL_PARTS,
        ):
            setattr(twin, name, getattr(self, name).copy())
        twin.keys = {todo_id: set(keys) for todo_id, keys in self.keys.items()}
        twin.waiting = {todo_id: set(others) for todo_id, others in self.waiting.items()}
        twin.dependents = {todo_id: dict(others) for todo_id, others in self.dependents.items()}
        twin.mine = {member_id: dict(mine) for member_id, mine in self.mine.items()}
        twin.scopes = type(self.scopes)()
        for todo_id, lease in self.leases.items():
            if lease.status == "active":
                twin.scopes.add(todo_id, lease.write_scopes)
        return twin


class Workspace:
    """Everything one ledger says; a container that the reducer alone changes."""

    __slots__ = (
        "addresses",
        "agents",
        "at_ms",
        "authority",
        "button_keys",
        "created",
        "goals",
        "grants",
        "hash",
        "identities",
        "identity",
        "members",
        "name",
        "pairings",
        "seq",
        "summaries",
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
        self.goals: Goals[Goal] = Goals()
        self.agents = Agents()
        self.authority = Authority()
        self.grants = Grants()
        self.identity = Identity()
        self.summaries = Summaries()

    def copy(self) -> "Workspace":
        """The same workspace in containers of its own."""
        twin = Workspace()
        for name in ("seq", "hash", "at_ms", "created", "name"):
            setattr(twin, name, getattr(self, name))
        for name in (
            "members",
            "tokens",
            "tokens_by_id",
            "pairings",
            "identities",
            "addresses",
            "button_keys",
            *WORKSPACE_PARTS,
        ):
            setattr(twin, name, getattr(self, name).copy())
        twin.goals = self.goals.copy()
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
