"""The amendments of a goal: changes of what was agreed, with what each of them saw."""

from typing import Literal

import msgspec

from ledger.ids import MemberId, TodoId
from ledger.parts.base import Part

AmendmentClass = Literal["lane_route", "shared_work_graph", "shared_acceptance", "protected_authority"]
OperationName = Literal["add", "cancel", "reprioritise", "rewire", "rebind", "rescope", "restate"]
Choice = Literal["continue", "rebase", "stop"]


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one todo. What is None is not changed; new title and acceptance are words and stand elsewhere."""

    op: OperationName
    todo_id: TodoId
    priority: str | None = None
    depends_on: tuple[TodoId, ...] | None = None
    agent: MemberId | None = None
    write_scopes: tuple[str, ...] | None = None
    capabilities: tuple[str, ...] = ()


class Disposition(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of the work that somebody has in hand."""

    todo_id: TodoId
    choice: Choice
    agent_id: MemberId


class SeenTodo(msgspec.Struct, frozen=True, kw_only=True):
    """A todo as an amendment saw it: what a change of it rests on."""

    todo_id: TodoId
    status: str
    priority: str
    depends_on: tuple[TodoId, ...]
    bound_agent: MemberId | None
    write_scopes: tuple[str, ...]
    holder: MemberId | None
    lease_epoch: int


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """The work graph and the promise that an amendment was made for."""

    revision: int
    graph_seq: int
    todos: tuple[SeenTodo, ...]


class Amendment(msgspec.Struct, frozen=True, kw_only=True):
    """An amendment and what became of it. `why`, `titles`, `acceptances` and `reason` are words."""

    amendment_id: str
    amendment_class: AmendmentClass
    submitted_by: MemberId
    at_ms: int
    seq: int
    status: Literal["open", "committed", "rejected", "withdrawn"]
    operations: tuple[Operation, ...]
    titles: tuple[str | None, ...]
    acceptances: tuple[str | None, ...]
    dispositions: tuple[Disposition, ...]
    seen: Seen
    gate_id: str | None
    digest: str
    """The hash of the event that last said what it is: its submission, or its last rebase."""
    why: str
    basis: str | None = None
    """What it was committed by."""
    decided_by: MemberId | None = None
    decided_seq: int = 0
    rebased_seq: int = 0
    decided_at_ms: int | None = None
    reason: str = ""


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """A todo that nobody goes on with before its amendment was read."""

    amendment_id: str
    choice: Choice
    agent_id: MemberId


class Amendments(Part):
    """The amendments of a goal."""

    by_id: dict[str, Amendment] = msgspec.field(default_factory=dict)
    held: dict[TodoId, Hold] = msgspec.field(default_factory=dict)
    adopted: dict[str, int] = msgspec.field(default_factory=dict)
    """The seq of each adoption, by amendment, todo and agent."""
    graph_seq: int = 0
    """The last amendment that changed the graph: of two on one basis, the second sees that it moved."""
