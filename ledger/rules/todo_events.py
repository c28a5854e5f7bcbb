"""What happened to a todo: the facts its rules decide on, and the words beside them."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import ArtifactId, MemberId, TodoId


class TodoAdded(Facts, frozen=True, kw_only=True):
    """Work exists."""

    todo_id: TodoId
    role: Literal["user", "agent"]
    priority: str
    task_class: str
    action_kind: str | None
    required_write_scopes: tuple[str, ...]
    required_capabilities: tuple[str, ...]
    depends_on: tuple[TodoId, ...]
    bound_agent: MemberId | None
    excluded_agents: tuple[MemberId, ...]
    claimed_by: MemberId | None = None
    decision_scope: str | None = None
    required_decision_scopes: tuple[str, ...] = ()
    unblocks_todo_id: TodoId | None = None
    validators: tuple[str, ...] = ()
    cadence_seconds: int | None = None
    max_no_change_before_replan: int | None = None
    plan_id: str | None = None
    lane_id: str | None = None


class TodoWords(Words, frozen=True, kw_only=True):
    """What the work is, and when it is good."""

    title: str
    acceptance: str


class TodoProposed(TodoAdded, frozen=True, kw_only=True):
    """Somebody who may only propose thinks that this should be done; it is nobody's work until it is admitted."""


class TodoAdmitted(Facts, frozen=True, kw_only=True):
    """A proposal is work from now on."""

    todo_id: TodoId


class TodoDeclined(Facts, frozen=True, kw_only=True):
    """A proposal was turned down, or taken back."""

    todo_id: TodoId


class TodoClaimed(Facts, frozen=True, kw_only=True):
    """An agent took the work, softly."""

    todo_id: TodoId
    agent_id: MemberId


class TodoReleased(Facts, frozen=True, kw_only=True):
    """A claim was given back."""

    todo_id: TodoId


class TodoUpdated(Facts, frozen=True, kw_only=True):
    """Facts of the work changed; None means as before."""

    todo_id: TodoId
    priority: str | None
    reopened: bool


class TodoUpdateWords(Words, frozen=True, kw_only=True):
    """Words of the work changed; None means as before."""

    title: str | None
    note: str | None


class TodoBlocked(Facts, frozen=True, kw_only=True):
    """The work cannot go on."""

    todo_id: TodoId


class TodoCompleted(Facts, frozen=True, kw_only=True):
    """The work is done, by whom, proved by what."""

    todo_id: TodoId
    completed_by: MemberId
    completion_turn_key: str | None
    evidence: tuple[ArtifactId, ...]
    successor_todo_id: TodoId | None
    on_behalf_of: MemberId | None = None
    """Whose work it was, where a delegate finished it."""
    grant_id: str | None = None
    """The delegation it was finished by."""
    decision_outcome: Literal["approve", "reject", "cancel"] | None = None
    continuation: Literal["active_goal", "successor", "no_followup"] | None = None


class TodoCancelled(Facts, frozen=True, kw_only=True):
    """The work is no longer wanted."""

    todo_id: TodoId


class ReasonWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


def as_proposal(added: TodoAdded) -> TodoProposed:
    """The same work, as a proposal."""
    return TodoProposed(**{name: getattr(added, name) for name in TodoAdded.__struct_fields__})


KINDS = (
    Kind("todo.added", 1, TodoAdded, TodoWords, upcast=dict),
    Kind("todo.added", 2, TodoAdded, TodoWords),
    Kind("todo.proposed", 1, TodoProposed, TodoWords),
    Kind("todo.admitted", 1, TodoAdmitted),
    Kind("todo.declined", 1, TodoDeclined, ReasonWords),
    Kind("todo.claimed", 1, TodoClaimed),
    Kind("todo.released", 1, TodoReleased),
    Kind("todo.updated", 1, TodoUpdated, TodoUpdateWords),
    Kind("todo.blocked", 1, TodoBlocked, ReasonWords),
    Kind("todo.completed", 1, TodoCompleted, ReasonWords, upcast=dict),
    Kind("todo.completed", 2, TodoCompleted, ReasonWords),
    Kind("todo.cancelled", 1, TodoCancelled, ReasonWords),
)
