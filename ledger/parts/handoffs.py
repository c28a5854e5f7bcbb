"""Work of a goal that was handed over, put off, delegated or only proposed.

What waits for a time or for other work is kept by that time and that work beside its record, so that nobody looks
through all that was put off to find what is due.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator

import msgspec

from ledger.ids import ArtifactId, MemberId, TodoId
from ledger.parts.base import Part


class HandoffNote(msgspec.Struct, frozen=True, kw_only=True):
    """What the last one who had the work left for the next. `context` and `remaining_work` are words."""

    todo_id: TodoId
    from_agent: MemberId
    to_agent: MemberId | None
    """None while the notes only wait for whoever comes."""
    artifact_ids: tuple[ArtifactId, ...]
    context: str
    remaining_work: str
    seq: int
    at_ms: int
    adopted_by: MemberId | None = None
    adopted_seq: int = 0


class Deferral(msgspec.Struct, frozen=True, kw_only=True):
    """What a todo that was put off waits for."""

    todo_id: TodoId
    condition: str
    """`todo_done`, `time`, `capability` or `report`."""
    reference: str
    """The todo, the capability, or the text that somebody will report on."""
    due_ms: int | None
    deferred_by: MemberId
    seq: int
    at_ms: int


class Delegation(msgspec.Struct, frozen=True, kw_only=True):
    """An owner's word that one agent may act on another's todos, until it ends. `reason` is words."""

    grant_id: str
    agent_id: MemberId
    on_behalf_of: MemberId
    todo_ids: tuple[TodoId, ...]
    action_kinds: tuple[str, ...]
    actions: tuple[str, ...]
    until_ms: int
    granted_by: MemberId
    reason: str
    seq: int


class Handoffs(Part):
    """Work of a goal that was handed over, put off, delegated or only proposed."""

    notes: dict[TodoId, HandoffNote] = msgspec.field(default_factory=dict)
    deferrals: dict[TodoId, Deferral] = msgspec.field(default_factory=dict)
    due: list[tuple[int, TodoId]] = msgspec.field(default_factory=list)
    awaiting: dict[TodoId, tuple[TodoId, ...]] = msgspec.field(default_factory=dict)
    """By the todo that must be done: those that wait for it."""
    wanting: dict[TodoId, str] = msgspec.field(default_factory=dict)
    """Those that wait for a capability, with its name."""
    ripe: dict[TodoId, None] = msgspec.field(default_factory=dict)
    """Those whose awaited todo is done."""
    delegations: dict[str, Delegation] = msgspec.field(default_factory=dict)
    of_delegate: dict[MemberId, tuple[str, ...]] = msgspec.field(default_factory=dict)
    proposals: dict[TodoId, None] = msgspec.field(default_factory=dict)
    """Todos that nobody has admitted or declined yet, in the order in which they were proposed."""

    def put_off(self, deferral: Deferral) -> None:
        """Enter one."""
        self.deferrals[deferral.todo_id] = deferral
        if deferral.due_ms is not None:
            insort(self.due, (deferral.due_ms, deferral.todo_id))
        if deferral.condition == "todo_done":
            awaited = TodoId(deferral.reference)
            self.awaiting[awaited] = (*self.awaiting.get(awaited, ()), deferral.todo_id)

        if deferral.condition == "capability":
            self.wanting[deferral.todo_id] = deferral.reference

    def taken_up(self, todo_id: TodoId) -> None:
        """Forget a deferral, if there is one: the work goes on, or is given up."""
        deferral = self.deferrals.pop(todo_id, None)
        self.ripe.pop(todo_id, None)
        self.wanting.pop(todo_id, None)
        if deferral is None:
            return
        entry = (deferral.due_ms or 0, todo_id)
        at = bisect_left(self.due, entry)
        if at < len(self.due) and self.due[at] == entry:
            del self.due[at]
        awaited = TodoId(deferral.reference)
        if deferral.condition == "todo_done" and awaited in self.awaiting:
            left = tuple(other for other in self.awaiting[awaited] if other != todo_id)
            if left:
                self.awaiting[awaited] = left
            else:
                del self.awaiting[awaited]

    def finished(self, todo_id: TodoId) -> None:
        """What waited for this todo need not wait any longer."""
        for other in self.awaiting.pop(todo_id, ()):
            self.ripe[other] = None

    def over(self, now_ms: int) -> Iterator[TodoId]:
        """Work whose deferral has come to its end by itself and is not yet written as taken up."""
        yield from self.ripe
        for due_ms, todo_id in self.due:
            if due_ms > now_ms:
                return
            yield todo_id

    def has_ripened(self, todo_id: TodoId, now_ms: int) -> bool:
        """Whether this todo's deferral is at its end."""
        deferral = self.deferrals.get(todo_id)
        if deferral is None:
            return False
        return todo_id in self.ripe or (deferral.due_ms is not None and deferral.due_ms <= now_ms)
