"""What happened when work was handed over, put off or delegated."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import ArtifactId, MemberId, TodoId
from ledger.rules.todo_events import ReasonWords

Condition = Literal["todo_done", "time", "capability", "report"]


class LeaseTransferred(Facts, frozen=True, kw_only=True):
    """A lease, and the claim with it, goes on under another owner and another key."""

    todo_id: TodoId
    from_owner: MemberId
    owner: MemberId
    idempotency_key: str
    version: int
    lease_epoch: int
    acquire_ttl_seconds: int
    expires_at_ms: int


class TodoHandedOff(Facts, frozen=True, kw_only=True):
    """The claim goes to another agent, with what it needs to know."""

    todo_id: TodoId
    from_agent: MemberId
    to_agent: MemberId
    artifact_ids: tuple[ArtifactId, ...]


class HandoffPrepared(Facts, frozen=True, kw_only=True):
    """Notes were left for whoever goes on with the work; the claim stays."""

    todo_id: TodoId
    from_agent: MemberId
    artifact_ids: tuple[ArtifactId, ...]


class HandoffWords(Words, frozen=True, kw_only=True):
    """What the next one should know, and what is left to do."""

    context: str
    remaining_work: str


class TodoAdopted(Facts, frozen=True, kw_only=True):
    """Work whose holder did not come back goes on with somebody else."""

    todo_id: TodoId
    from_agent: MemberId
    to_agent: MemberId
    lease_epoch: int


class HandoffModeSet(Facts, frozen=True, kw_only=True):
    """How work of the goal is held from now on."""

    handoff_mode: str
    previous: str
    revision: int


class TodoDeferred(Facts, frozen=True, kw_only=True):
    """Work was put off until something holds."""

    todo_id: TodoId
    condition: Condition
    reference: str
    due_ms: int | None


class TodoResumed(Facts, frozen=True, kw_only=True):
    """Work that was put off is open again: by itself, or by somebody's word."""

    todo_id: TodoId
    by_itself: bool


class TodoDelegated(Facts, frozen=True, kw_only=True):
    """An owner lets one agent act on another's todos."""

    grant_id: str
    agent_id: MemberId
    on_behalf_of: MemberId
    todo_ids: tuple[TodoId, ...]
    action_kinds: tuple[str, ...]
    actions: tuple[str, ...]
    until_ms: int


class DelegationEnded(Facts, frozen=True, kw_only=True):
    """A delegation ends before its time."""

    grant_id: str
    agent_id: MemberId


KINDS: tuple[Kind, ...] = (
    Kind("lease.transferred", 1, LeaseTransferred),
    Kind("todo.handed_off", 1, TodoHandedOff, HandoffWords),
    Kind("todo.handoff_prepared", 1, HandoffPrepared, HandoffWords),
    Kind("todo.adopted", 1, TodoAdopted),
    Kind("goal.handoff_mode_set", 1, HandoffModeSet, ReasonWords),
    Kind("todo.deferred", 1, TodoDeferred, ReasonWords),
    Kind("todo.resumed", 1, TodoResumed, ReasonWords),
    Kind("todo.delegated", 1, TodoDelegated, ReasonWords),
    Kind("todo.delegation_ended", 1, DelegationEnded, ReasonWords),
)
