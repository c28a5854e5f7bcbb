"""The requests between those who work on a goal, with indexes by what they stand in the way of and by what is owed."""

from typing import Literal, TypeVar

import msgspec

from ledger.events import Surface
from ledger.ids import ArtifactId, MemberId, TodoId
from ledger.parts.base import Part

_Key = TypeVar("_Key", bound=str)
Answer = Literal["adopt", "defer", "reject", "no_change"]
Relation = Literal["responds_to", "revises", "uses"]
ReturnOutcome = Literal["result", "rejected", "no_change"]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """One of the facts of a request: by which event, by whom and when it became true."""

    seq: int
    actor: MemberId
    at_ms: int


class RequestInput(msgspec.Struct, frozen=True, kw_only=True):
    """Something the receiver is given, by its digest. `ref` and `description` are words."""

    sha256: str
    relation: Relation
    ref: str
    description: str


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation a request was sent from: its return goes there and nowhere else."""

    surface: Surface
    channel_id: str | None
    key: str | None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What the receiver last said to it. `reason` is words."""

    answer: Answer
    reason: str
    mark: Mark


class Returned(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. `summary` is words."""

    outcome: ReturnOutcome
    artifact_ids: tuple[ArtifactId, ...]
    digests: tuple[str, ...]
    automatic: bool
    summary: str
    mark: Mark


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What one peer asks of another. Received, adopted, committed, returned and delivered are five separate facts.

    `purpose`, `context`, `constraints`, `acceptance` and `return_requirement` are words.
    """

    request_id: str
    sender: MemberId
    receiver: MemberId
    seq: int
    at_ms: int
    parent_id: str | None
    blocks_todo_id: TodoId | None
    origin: Origin
    inputs: tuple[RequestInput, ...]
    purpose: str
    context: str
    constraints: tuple[str, ...]
    acceptance: tuple[str, ...]
    return_requirement: str
    received: Mark | None = None
    answered: Answered | None = None
    adopted: Mark | None = None
    todo_id: TodoId | None = None
    committed: Mark | None = None
    returned: Returned | None = None
    delivered: Mark | None = None
    withdrawn: Mark | None = None
    withdrawn_reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether somebody still waits for it."""
        return self.returned is None and self.withdrawn is None


class Requests(Part):
    """The requests of a goal."""

    by_id: dict[str, Request] = msgspec.field(default_factory=dict)
    blocks: dict[TodoId, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By todo: the open requests that it waits for, by id."""
    of_todo: dict[TodoId, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By todo: the open requests that it was made for, by id."""
    children: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By request: the open ones that were sent to fulfil it."""
    owed: dict[str, None] = msgspec.field(default_factory=dict)
    """Those whose return has not reached its origin, in the order of their return."""
    open_for: dict[MemberId, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By receiver: the open requests, by id."""

    def put(self, request: Request) -> None:
        """Enter a request, or what became of it, in every index."""
        before = self.by_id.get(request.request_id)
        if before is not None and before.is_open:
            _leave(self.blocks, before.blocks_todo_id, before.request_id)
            _leave(self.of_todo, before.todo_id, before.request_id)
            _leave(self.children, before.parent_id, before.request_id)
            _leave(self.open_for, before.receiver, before.request_id)
        self.by_id[request.request_id] = request
        if request.is_open:
            _enter(self.blocks, request.blocks_todo_id, request.request_id)
            _enter(self.of_todo, request.todo_id, request.request_id)
            _enter(self.children, request.parent_id, request.request_id)
            _enter(self.open_for, request.receiver, request.request_id)
        if request.returned is not None and request.delivered is None:
            self.owed.setdefault(request.request_id)
        else:
            self.owed.pop(request.request_id, None)


def _enter(index: dict[_Key, tuple[str, ...]], key: _Key | None, request_id: str) -> None:
    if key is not None:
        index[key] = tuple(sorted((*index.get(key, ()), request_id)))


def _leave(index: dict[_Key, tuple[str, ...]], key: _Key | None, request_id: str) -> None:
    if key is None:
        return
    left = tuple(other for other in index[key] if other != request_id)
    if left:
        index[key] = left
    else:
        del index[key]
