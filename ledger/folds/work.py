"""Folds of work: todos and leases, with the indexes that make reads and rules flat."""

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from ledger.events import ERASED, Facts, Recorded
from ledger.ids import MemberId, TodoId
from ledger.parts.runs import MONITOR
from ledger.records import Lease, Todo
from ledger.rules import leases, todo_events
from ledger.rules.common import is_met, needs
from ledger.rules.handoff_events import LeaseTransferred
from ledger.state import Goal, put, take

OVER = frozenset({"done", "cancelled"})
"""Work that waits for nothing any more."""


def _todo_added(goal: Goal, event: Recorded) -> None:
    facts, words = cast("todo_events.TodoAdded", event.facts), event.words
    title, acceptance = (words.title, words.acceptance) if isinstance(words, todo_events.TodoWords) else (ERASED, "")
    add_todo(goal, event, facts, title, acceptance)


def add_todo(goal: Goal, event: Recorded, facts: todo_events.TodoAdded, title: str, acceptance: str) -> None:
    """Enter one new todo, made by whichever event."""
    proposed_by = event.actor if isinstance(facts, todo_events.TodoProposed) else None
    todo = Todo(
        todo_id=facts.todo_id,
        seq=event.seq,
        status_seq=event.seq,
        role=facts.role,
        status="open" if proposed_by is None else "proposed",
        proposed_by=proposed_by,
        added_by=event.actor,
        priority=facts.priority,
        task_class=facts.task_class,
        action_kind=facts.action_kind,
        required_write_scopes=facts.required_write_scopes,
        required_capabilities=facts.required_capabilities,
        depends_on=facts.depends_on,
        bound_agent=facts.bound_agent,
        excluded_agents=facts.excluded_agents,
        title=title,
        acceptance=acceptance,
        decision_scope=facts.decision_scope,
        required_decision_scopes=facts.required_decision_scopes,
        unblocks_todo_id=facts.unblocks_todo_id,
        validators=facts.validators,
        cadence_seconds=facts.cadence_seconds,
        max_no_change_before_replan=facts.max_no_change_before_replan,
        plan_id=facts.plan_id,
        lane_id=facts.lane_id,
        claimed_by=facts.claimed_by,
        claim_seq=event.seq if facts.claimed_by else 0,
    )
    goal.todos[todo.todo_id] = todo
    index_todo(goal, todo)
    if proposed_by is None:
        _unblock_later(goal, todo)
    else:
        goal.handoffs.proposals[todo.todo_id] = None


def _todo_admitted(goal: Goal, event: Recorded) -> None:
    todo_id = cast("todo_events.TodoAdmitted", event.facts).todo_id
    del goal.handoffs.proposals[todo_id]
    change_todo(goal, todo_id, status="open")
    _unblock_later(goal, goal.todos[todo_id])


def _todo_declined(goal: Goal, event: Recorded) -> None:
    todo_id = cast("todo_events.TodoDeclined", event.facts).todo_id
    del goal.handoffs.proposals[todo_id]
    cancel_todo(goal, todo_id, _reason(event))


def _unblock_later(goal: Goal, decision: Todo) -> None:
    """What a decision unblocks waits for it from now on; a decision that is only proposed holds nothing up."""
    if (unblocked := decision.unblocks_todo_id) is not None:
        _wait_again(goal, unblocked, lambda: _ask_first(goal, unblocked, decision.todo_id))


def _ask_first(goal: Goal, todo_id: TodoId, decision_id: TodoId) -> None:
    goal.reviews.unblockers[todo_id] = (*goal.reviews.unblockers.get(todo_id, ()), decision_id)


def index_todo(goal: Goal, todo: Todo) -> None:
    """Enter a todo whose record is there already into the indexes, as after a snapshot."""
    for other in needs(goal, todo):
        goal.dependents.setdefault(other, {})[todo.todo_id] = None
        if todo.status not in OVER and not is_met(goal, goal.todos[other]):
            goal.waiting.setdefault(other, set()).add(todo.todo_id)
            goal.unmet[todo.todo_id] = goal.unmet.get(todo.todo_id, 0) + 1
    _store(goal, None, todo)


def recheck_dependents(goal: Goal, todo_id: TodoId) -> None:
    """Let what depends on a todo be ready, or wait for it again; whoever works on it already keeps it.

    A dependent that is over is left as it is: what it was made from is said beside it.
    """
    waiting = goal.waiting.get(todo_id, set())
    if is_met(goal, goal.todos[todo_id]):
        goal.waiting.pop(todo_id, None)
        for other in waiting:
            left = goal.unmet.pop(other) - 1
            if left:
                goal.unmet[other] = left
            else:
                _store(goal, None, goal.todos[other])
        return
    for other in goal.dependents.get(todo_id, ()):
        dependent = goal.todos[other]
        if dependent.status not in OVER and other not in waiting:
            goal.waiting.setdefault(todo_id, waiting).add(other)
            goal.unmet[other] = goal.unmet.get(other, 0) + 1
            take(goal.ready, (dependent.priority, dependent.seq, other))


def recheck_all(goal: Goal) -> None:
    """The same for all work, after what makes evidence count has changed."""
    for todo_id in tuple(goal.dependents):
        recheck_dependents(goal, todo_id)


def index_lease(goal: Goal, lease: Lease) -> None:
    """Enter a lease whose record is there already into the indexes."""
    if lease.status == "active":
        goal.scopes.add(lease.todo_id, lease.write_scopes)
        insort(goal.due, (lease.expires_at_ms, lease.todo_id))


def _todo_claimed(goal: Goal, event: Recorded) -> None:
    facts = cast("todo_events.TodoClaimed", event.facts)
    change_todo(goal, facts.todo_id, claimed_by=facts.agent_id, claim_seq=event.seq, claim_from_lease=False)


def _todo_released(goal: Goal, event: Recorded) -> None:
    change_todo(goal, cast("todo_events.TodoReleased", event.facts).todo_id, claimed_by=None, claim_from_lease=False)


def _todo_updated(goal: Goal, event: Recorded) -> None:
    facts, words = cast("todo_events.TodoUpdated", event.facts), event.words
    todo = goal.todos[facts.todo_id]
    title, note = (words.title, words.note) if isinstance(words, todo_events.TodoUpdateWords) else (None, None)
    change_todo(
        goal,
        facts.todo_id,
        priority=facts.priority or todo.priority,
        status="open" if facts.reopened else todo.status,
        reason="" if facts.reopened else todo.reason,
        title=title or todo.title,
        note=todo.note if note is None else note,
    )


def _todo_blocked(goal: Goal, event: Recorded) -> None:
    change_todo(goal, cast("todo_events.TodoBlocked", event.facts).todo_id, status="blocked", reason=_reason(event))


def _todo_completed(goal: Goal, event: Recorded) -> None:
    facts = cast("todo_events.TodoCompleted", event.facts)
    change_todo(
        goal,
        facts.todo_id,
        status="done",
        claimed_by=None,
        claim_from_lease=False,
        completed_by=facts.completed_by,
        completed_seq=event.seq,
        completed_at_ms=event.at_ms,
        completion_turn_key=facts.completion_turn_key,
        decision_outcome=facts.decision_outcome,
        evidence=facts.evidence,
        successor_todo_ids=() if facts.successor_todo_id is None else (facts.successor_todo_id,),
        note=_reason(event) or goal.todos[facts.todo_id].note,
    )
    goal.done_total += 1
    goal.handoffs.finished(facts.todo_id)
    recheck_dependents(goal, facts.todo_id)


def _todo_cancelled(goal: Goal, event: Recorded) -> None:
    cancel_todo(goal, cast("todo_events.TodoCancelled", event.facts).todo_id, _reason(event))


def cancel_todo(goal: Goal, todo_id: TodoId, reason: str) -> None:
    """Take work out, by whichever event: it is claimed by nobody and waits for nothing."""
    change_todo(goal, todo_id, status="cancelled", claimed_by=None, claim_from_lease=False, reason=reason)
    for other in needs(goal, goal.todos[todo_id]):
        _stop_waiting(goal, other, todo_id)
    goal.unmet.pop(todo_id, None)
    goal.handoffs.taken_up(todo_id)
    goal.amendments.held.pop(todo_id, None)


def rewire_todo(goal: Goal, todo_id: TodoId, depends_on: tuple[TodoId, ...]) -> None:
    """Let a todo wait for other work than before; it is ready again exactly if nothing of that is left to do."""

    def rewired() -> None:
        goal.todos[todo_id] = replace(goal.todos[todo_id], depends_on=depends_on)

    _wait_again(goal, todo_id, rewired)


def _wait_again(goal: Goal, todo_id: TodoId, change: Callable[[], None]) -> None:
    """Change what a todo needs, with its places: it is ready again exactly if nothing of that is left to do."""
    before = goal.todos[todo_id]
    for other in needs(goal, before):
        _stop_waiting(goal, other, todo_id)
        goal.dependents[other].pop(todo_id, None)
        if not goal.dependents[other]:
            del goal.dependents[other]
    goal.unmet.pop(todo_id, None)
    take(goal.ready, (before.priority, before.seq, todo_id))
    change()
    index_todo(goal, goal.todos[todo_id])


def _stop_waiting(goal: Goal, other: TodoId, todo_id: TodoId) -> None:
    waiting = goal.waiting.get(other)
    if waiting is None:
        return
    waiting.discard(todo_id)
    if not waiting:
        del goal.waiting[other]


def change_todo(goal: Goal, todo_id: TodoId, **changes: object) -> None:
    """Another value of a todo's record, with its places in the indexes."""
    before = goal.todos[todo_id]
    if changes.get("status", before.status) != before.status:
        changes["status_seq"] = goal.last_seq
    _store(goal, before, replace(before, **changes))


def _store(goal: Goal, before: Todo | None, todo: Todo) -> None:
    """Keep the record and its places: in the open list, in its claimant's list, or among the ready."""
    goal.todos[todo.todo_id] = todo
    if todo.task_class == MONITOR:
        goal.runs.watch(todo)
    moved = True
    if before is not None:
        moved = (before.status, before.priority) != (todo.status, todo.priority)
        if not moved and before.claimed_by == todo.claimed_by:
            return  # Every place follows from these.
        old = (before.priority, before.seq, before.todo_id)
        if moved:
            take(goal.by_priority, old)
            take(goal.blocked, old)
        if before.claimed_by is None:
            take(goal.ready, old)
        else:
            _forget_claim(goal, before.claimed_by, todo.todo_id)
    entry = (todo.priority, todo.seq, todo.todo_id)
    if moved and todo.status in {"open", "blocked"}:
        _enter(goal.by_priority if todo.status == "open" else goal.blocked, entry)
    if todo.status == "open":
        if todo.claimed_by is not None:
            goal.mine.setdefault(todo.claimed_by, {})[todo.todo_id] = None
        elif todo.role == "agent" and todo.todo_id not in goal.unmet:
            put(goal.ready, entry)


def _forget_claim(goal: Goal, claimed_by: MemberId, todo_id: TodoId) -> None:
    """Only open work is listed by its claimant, so that a blocked todo may have a claim and no place here."""
    mine = goal.mine.get(claimed_by, {})
    mine.pop(todo_id, None)
    if not mine:
        goal.mine.pop(claimed_by, None)


def _enter(index: list[tuple[str, int, TodoId]], entry: tuple[str, int, TodoId]) -> None:
    at = bisect_left(index, entry)
    if at == len(index) or index[at] != entry:
        index.insert(at, entry)


def _lease_acquired(goal: Goal, event: Recorded) -> None:
    facts = cast("leases.LeaseAcquired", event.facts)
    _end(goal, facts.todo_id)
    goal.leases[facts.todo_id] = Lease(
        todo_id=facts.todo_id,
        owner=facts.owner,
        idempotency_key=facts.idempotency_key,
        write_scopes=facts.write_scopes,
        acquire_ttl_seconds=facts.acquire_ttl_seconds,
        version=facts.version,
        lease_epoch=facts.lease_epoch,
        acquired_at_ms=event.at_ms,
        updated_at_ms=event.at_ms,
        expires_at_ms=facts.expires_at_ms,
        status="active",
        seq=event.seq,
    )
    goal.keys.setdefault(facts.todo_id, set()).add(facts.idempotency_key)
    goal.scopes.add(facts.todo_id, facts.write_scopes)
    insort(goal.due, (facts.expires_at_ms, facts.todo_id))
    change_todo(goal, facts.todo_id, claimed_by=facts.owner, claim_seq=event.seq, claim_from_lease=True)


def _lease_renewed(goal: Goal, event: Recorded) -> None:
    facts = cast("leases.LeaseRenewed", event.facts)
    lease = goal.leases[facts.todo_id]
    _forget_due(goal, lease)
    goal.leases[facts.todo_id] = replace(
        lease, version=facts.version, expires_at_ms=facts.expires_at_ms, updated_at_ms=event.at_ms, seq=event.seq
    )
    insort(goal.due, (facts.expires_at_ms, facts.todo_id))


def move_lease(goal: Goal, event: Recorded, facts: LeaseTransferred) -> None:
    """The lease and the claim that it set go on under another owner; what it may write stays."""
    lease = goal.leases[facts.todo_id]
    _forget_due(goal, lease)
    goal.leases[facts.todo_id] = replace(
        lease,
        owner=facts.owner,
        idempotency_key=facts.idempotency_key,
        acquire_ttl_seconds=facts.acquire_ttl_seconds,
        version=facts.version,
        lease_epoch=facts.lease_epoch,
        acquired_at_ms=event.at_ms,
        updated_at_ms=event.at_ms,
        expires_at_ms=facts.expires_at_ms,
        seq=event.seq,
    )
    goal.keys.setdefault(facts.todo_id, set()).add(facts.idempotency_key)
    insort(goal.due, (facts.expires_at_ms, facts.todo_id))
    change_todo(goal, facts.todo_id, claimed_by=facts.owner, claim_seq=event.seq, claim_from_lease=True)


def _lease_released(goal: Goal, event: Recorded) -> None:
    facts = cast("leases.LeaseReleased", event.facts)
    _end(goal, facts.todo_id)
    goal.leases[facts.todo_id] = replace(
        goal.leases[facts.todo_id],
        status="released",
        released_at_ms=event.at_ms,
        updated_at_ms=event.at_ms,
        seq=event.seq,
    )
    _end_claim(goal, facts.todo_id)


def _lease_expired(goal: Goal, event: Recorded) -> None:
    facts = cast("leases.LeaseExpired", event.facts)
    _end(goal, facts.todo_id)
    goal.leases[facts.todo_id] = replace(
        goal.leases[facts.todo_id],
        status="expired",
        released_at_ms=facts.expired_at_ms,
        updated_at_ms=event.at_ms,
        seq=event.seq,
    )
    _end_claim(goal, facts.todo_id)


def _end(goal: Goal, todo_id: TodoId) -> None:
    lease = goal.leases.get(todo_id)
    if lease is not None and lease.status == "active":
        goal.scopes.remove(todo_id, lease.write_scopes)
        _forget_due(goal, lease)


def _forget_due(goal: Goal, lease: Lease) -> None:
    at = bisect_left(goal.due, entry := (lease.expires_at_ms, lease.todo_id))
    if at < len(goal.due) and goal.due[at] == entry:
        del goal.due[at]


def _end_claim(goal: Goal, todo_id: TodoId) -> None:
    if goal.todos[todo_id].claim_from_lease:
        change_todo(goal, todo_id, claimed_by=None, claim_from_lease=False)


def _reason(event: Recorded) -> str:
    return event.words.reason if isinstance(event.words, todo_events.ReasonWords) else ""


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    todo_events.TodoAdded: _todo_added,
    todo_events.TodoProposed: _todo_added,
    todo_events.TodoAdmitted: _todo_admitted,
    todo_events.TodoDeclined: _todo_declined,
    todo_events.TodoClaimed: _todo_claimed,
    todo_events.TodoReleased: _todo_released,
    todo_events.TodoUpdated: _todo_updated,
    todo_events.TodoBlocked: _todo_blocked,
    todo_events.TodoCompleted: _todo_completed,
    todo_events.TodoCancelled: _todo_cancelled,
    leases.LeaseAcquired: _lease_acquired,
    leases.LeaseRenewed: _lease_renewed,
    leases.LeaseReleased: _lease_released,
    leases.LeaseExpired: _lease_expired,
}
