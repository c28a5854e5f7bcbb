"""Leases: one holder at a time, for a bounded time.

A lease is a fact with an expiry, never a lock that a process holds: nobody has to be alive for it to end. Each
grant carries an epoch that only grows, so a holder who wakes up late can be told from the holder of now. A lease
and a claim on one todo never diverge: acquiring sets the claim, and the claim it set ends with it.

Two keys, not one. The request key makes any call repeatable. The lease's idempotency key names the execution that
holds it; once retired on a todo it is refused for ever.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledger.events import Draft, Facts, Kind
from ledger.ids import GoalId, MemberId, TodoId
from ledger.params import GoalIdText, KeyText, MemberIdText, Params, Scopes, TodoIdText, TtlSeconds, Version
from ledger.records import Lease, Todo
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, granted, lacking, must_review, refuse, registered, unmet
from ledger.rules.waking import is_open, woken
from ledger.scopes import canonical_scope, within
from ledger.state import Goal, Workspace

TTL_SECONDS_DEFAULT = 2700
CONFLICTS_SHOWN_MAX = 10


class LeaseRefusal(StrEnum):
    """Why no lease is granted or kept, in order of precedence: the first that applies is the answer."""

    INVALID_WRITE_SCOPE = "invalid_write_scope"
    SCOPE_OUTSIDE_BOUNDARY = "scope_outside_boundary"
    HANDOFF_MODE_FORBIDS_LEASE = "handoff_mode_forbids_lease"
    TODO_NOT_FOUND = "todo_not_found"
    TODO_NOT_OPEN = "todo_not_open"
    INVALID_OWNER = "invalid_owner"
    OWNER_NOT_REGISTERED = "owner_not_registered"
    OWNER_EXCLUDED_FROM_TODO = "owner_excluded_from_todo"
    OWNER_CONFLICTS_WITH_CLAIM = "owner_conflicts_with_claim"
    TODO_NOT_EXECUTABLE = "todo_not_executable"
    VERSION_REQUIRED = "version_required"
    VERSION_MISMATCH = "version_mismatch"
    LEASE_CAS_MISMATCH = "lease_cas_mismatch"
    LEASE_NOT_ACTIVE = "lease_not_active"
    TODO_LEASE_CONFLICT = "todo_lease_conflict"
    IDEMPOTENCY_KEY_REUSE = "idempotency_key_reuse"
    OBJECTIVE_REVIEW_REQUIRED = "objective_review_required"
    CAPABILITY_MISSING = "capability_missing"
    WRITE_SCOPE_CONFLICT = "write_scope_conflict"


class LeaseAcquired(Facts, frozen=True, kw_only=True):
    """A lease begins, and with it the claim."""

    todo_id: TodoId
    owner: MemberId
    idempotency_key: str
    write_scopes: tuple[str, ...]
    acquire_ttl_seconds: int
    version: int
    lease_epoch: int
    expires_at_ms: int


class LeaseRenewed(Facts, frozen=True, kw_only=True):
    """A lease lasts longer."""

    todo_id: TodoId
    version: int
    expires_at_ms: int


class LeaseReleased(Facts, frozen=True, kw_only=True):
    """A lease was given back; the record stays as the tombstone."""

    todo_id: TodoId
    version: int
    lease_epoch: int


class LeaseExpired(Facts, frozen=True, kw_only=True):
    """A lease passed its end unrenewed; effective from `expired_at_ms`, whenever it was written."""

    todo_id: TodoId
    owner: MemberId
    lease_epoch: int
    expired_at_ms: int


KINDS = (
    Kind("lease.acquired", 1, LeaseAcquired),
    Kind("lease.renewed", 1, LeaseRenewed),
    Kind("lease.released", 1, LeaseReleased),
    Kind("lease.expired", 1, LeaseExpired),
)


class AcquireLease(Params):
    """Take a todo exclusively for a bounded time."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    todo_id: Annotated[TodoIdText, Field(description="The todo.")]
    idempotency_key: Annotated[KeyText, Field(description="Names this execution; never used again on this todo.")]
    owner: Annotated[MemberIdText | None, Field(description="Who holds it; the caller when absent.")] = None
    write_scope: Annotated[
        Scopes, Field(description="What the work may write; the todo's own scopes when absent.")
    ] = ()
    ttl_seconds: Annotated[TtlSeconds, Field(description="How long it lasts, in seconds.")] = TTL_SECONDS_DEFAULT
    expected_version: Annotated[Version | None, Field(description="Refuse unless the record is at this version.")] = (
        None
    )


class Fenced(Params):
    """What names the execution that holds a lease."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    todo_id: Annotated[TodoIdText, Field(description="The todo.")]
    idempotency_key: Annotated[KeyText, Field(description="The key the lease was acquired with.")]
    owner: Annotated[MemberIdText | None, Field(description="Who holds it; the caller when absent.")] = None
    expected_version: Annotated[Version | None, Field(description="The version last seen.")] = None


class RenewLease(Fenced):
    """Hold a lease for longer."""

    ttl_seconds: Annotated[TtlSeconds | None, Field(description="From now, in seconds; as acquired when absent.")] = (
        None
    )


class ReleaseLease(Fenced):
    """Give a lease back."""


class ExpireLease(Params):
    """Write off a lease that has passed its end; the daemon's own."""

    goal_id: GoalIdText
    todo_id: TodoIdText


class InspectLease(Params):
    """The lease record of a todo."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    todo_id: Annotated[TodoIdText, Field(description="The todo.")]


def effective_lease(goal: Goal, todo_id: TodoId, now_ms: int) -> Lease | None:
    """The lease that holds now: active, not past its end, on work that may still be done."""
    lease = goal.leases.get(todo_id)
    if lease is None or lease.status != "active" or lease.expires_at_ms <= now_ms:
        return None
    todo = goal.todos[todo_id]
    return lease if todo.status == "open" and goal.state not in {"stopped", "withdrawn", "accepted"} else None


def effective_claim(goal: Goal, todo: Todo, now_ms: int) -> MemberId | None:
    """Who has claimed the todo; a claim that a lease set ends with the lease."""
    if todo.claim_from_lease and effective_lease(goal, todo.todo_id, now_ms) is None:
        return None
    return todo.claimed_by


def lapse(goal: Goal, todo_id: TodoId, now_ms: int) -> tuple[Draft, ...]:
    """The expiry that a command observes on its todo, to be written before what the command does."""
    lease = goal.leases.get(todo_id)
    if lease is None or lease.status != "active" or lease.expires_at_ms > now_ms:
        return ()
    facts = LeaseExpired(
        todo_id=todo_id, owner=lease.owner, lease_epoch=lease.lease_epoch, expired_at_ms=lease.expires_at_ms
    )
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def given_back(lease: Lease) -> LeaseReleased:
    """The end of a lease by whoever may end it; version and epoch stay."""
    return LeaseReleased(todo_id=lease.todo_id, version=lease.version, lease_epoch=lease.lease_epoch)


def owner_constraint(
    workspace: Workspace,
    goal: Goal,
    todo_id: TodoId,
    owner: MemberId,
    caller: Caller,
    now_ms: int,
    *,
    given_by: MemberId | None = None,
) -> Refusal | None:
    """Why this owner may not hold this todo; first failure wins.

    Nobody takes a lease in another's name; whose claim goes over to another is `given_by`.
    """
    todo = goal.todos.get(todo_id)
    if todo is None:
        return refuse(LeaseRefusal.TODO_NOT_FOUND, todo_id=todo_id)
    if not is_open(workspace, goal, todo, now_ms):
        return refuse(LeaseRefusal.TODO_NOT_OPEN, todo_id=todo_id, status=todo.status)
    member = registered(workspace, owner)
    in_anothers_name = given_by is None and owner != caller.member_id
    if in_anothers_name or (member is not None and member.kind != "agent"):
        return refuse(LeaseRefusal.INVALID_OWNER, owner=owner)
    if member is None or not granted(member, goal.goal_id):
        return refuse(LeaseRefusal.OWNER_NOT_REGISTERED, owner=owner)
    if owner in todo.excluded_agents or (todo.bound_agent is not None and todo.bound_agent != owner):
        return refuse(LeaseRefusal.OWNER_EXCLUDED_FROM_TODO, owner=owner)
    claim = effective_claim(goal, todo, now_ms)
    held = effective_lease(goal, todo_id, now_ms)
    if claim not in {None, owner, given_by} and (held is None or not todo.claim_from_lease):
        return refuse(LeaseRefusal.OWNER_CONFLICTS_WITH_CLAIM, claimed_by=claim)
    if not goal.is_executable or todo.role != "agent" or unmet(goal, todo):
        return refuse(
            LeaseRefusal.TODO_NOT_EXECUTABLE, goal_state=goal.state, role=todo.role, waiting_for=unmet(goal, todo)
        )
    return None


def decide_acquire(workspace: Workspace, caller: Caller, ask: AcquireLease, now_ms: int) -> Decision:
    """Grant or refuse; a new grant always carries the next version and epoch.

    What an agent must have read and be able to do is asked of a new grant only: whoever holds the lease already goes
    on with it.
    """
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo_id, owner = TodoId(ask.todo_id), MemberId(ask.owner or caller.member_id)
    scopes = _scopes(goal, todo_id, ask.write_scope)
    if isinstance(scopes, Refusal):
        return scopes
    if goal.intent.handoff_mode == "soft_claim":
        return refuse(LeaseRefusal.HANDOFF_MODE_FORBIDS_LEASE)
    if (broken := owner_constraint(workspace, goal, todo_id, owner, caller, now_ms)) is not None:
        return broken
    last = goal.leases.get(todo_id)
    version = 0 if last is None else last.version
    if ask.expected_version is not None and ask.expected_version != version:
        return refuse(LeaseRefusal.VERSION_MISMATCH, expected=ask.expected_version, version=version)
    held = effective_lease(goal, todo_id, now_ms)
    if held is not None:
        return _answer_held(held, ask, owner, scopes)
    if ask.idempotency_key in goal.keys.get(todo_id, ()):
        return refuse(LeaseRefusal.IDEMPOTENCY_KEY_REUSE, todo_id=todo_id)
    if (broken := not_ready(workspace, goal, todo_id, owner)) is not None:
        return broken
    if (meets := _conflicts(goal, todo_id, scopes, now_ms)) is not None:
        return meets
    facts = LeaseAcquired(
        todo_id=todo_id,
        owner=owner,
        idempotency_key=ask.idempotency_key,
        write_scopes=scopes,
        acquire_ttl_seconds=ask.ttl_seconds,
        version=version + 1,
        lease_epoch=(0 if last is None else last.lease_epoch) + 1,
        expires_at_ms=now_ms + ask.ttl_seconds * 1000,
    )
    begins = Draft(facts=facts, goal_id=goal.goal_id)
    return (*lapse(goal, todo_id, now_ms), *woken(goal, goal.todos[todo_id]), begins)


def decide_renew(workspace: Workspace, caller: Caller, ask: RenewLease, now_ms: int) -> Decision:
    """Extend the lease of exactly this execution, if it still holds."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    lease = fence(goal, caller, ask)
    if isinstance(lease, Refusal):
        return lease
    if lease is None or effective_lease(goal, lease.todo_id, now_ms) is None:
        return refuse(LeaseRefusal.LEASE_NOT_ACTIVE, todo_id=ask.todo_id)
    expires_at_ms = now_ms + (ask.ttl_seconds or lease.acquire_ttl_seconds) * 1000
    return (
        Draft(
            facts=LeaseRenewed(todo_id=lease.todo_id, version=lease.version + 1, expires_at_ms=expires_at_ms),
            goal_id=goal.goal_id,
        ),
    )


def decide_release(workspace: Workspace, caller: Caller, ask: ReleaseLease, _now_ms: int) -> Decision:
    """Give back what this execution holds; an exact repeat reads back the released record."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    lease = fence(goal, caller, ask)
    if isinstance(lease, Refusal):
        return lease
    if lease is None:
        return Held(seq=goal.last_seq, facts={"todo_id": ask.todo_id, "missing": True})
    if lease.status != "active":
        return Held(
            seq=lease.seq,
            facts={
                "todo_id": lease.todo_id,
                "version": lease.version,
                "lease_epoch": lease.lease_epoch,
                "status": lease.status,
            },
        )
    return (Draft(facts=given_back(lease), goal_id=goal.goal_id),)


def decide_expire(workspace: Workspace, _caller: Caller, ask: ExpireLease, now_ms: int) -> Decision:
    """Write off a lapsed lease; one that was renewed or is gone needs nothing."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    return lapse(goal, TodoId(ask.todo_id), now_ms) or Held(seq=goal.last_seq, facts={"todo_id": ask.todo_id})


def _scopes(goal: Goal, todo_id: TodoId, asked: tuple[str, ...]) -> tuple[str, ...] | Refusal:
    todo = goal.todos.get(todo_id)
    scopes: list[str] = []
    for text in asked or (() if todo is None else todo.required_write_scopes):
        if (scope := canonical_scope(text)) is None:
            return refuse(LeaseRefusal.INVALID_WRITE_SCOPE, write_scope=text)
        scopes.append(scope)
    boundary = goal.intent.write_scopes
    outside = [scope for scope in scopes if not within(scope, boundary, fold_case=goal.intent.fold_case)]
    if outside:
        return refuse(LeaseRefusal.SCOPE_OUTSIDE_BOUNDARY, write_scopes=outside, boundary=list(boundary))
    return tuple(dict.fromkeys(scopes))


def not_ready(workspace: Workspace, goal: Goal, todo_id: TodoId, owner: MemberId) -> Refusal | None:
    """What a new holder has yet to read, or is not able to do."""
    if must_review(goal, owner):
        return refuse(LeaseRefusal.OBJECTIVE_REVIEW_REQUIRED, revision=goal.confirmed)
    missing = lacking(goal, goal.todos[todo_id], workspace.members[owner])
    return refuse(LeaseRefusal.CAPABILITY_MISSING, capabilities=missing) if missing else None


def _answer_held(held: Lease, ask: AcquireLease, owner: MemberId, scopes: tuple[str, ...]) -> Held | Refusal:
    if held.idempotency_key != ask.idempotency_key:
        return refuse(
            LeaseRefusal.TODO_LEASE_CONFLICT,
            owner=held.owner,
            expires_at_ms=held.expires_at_ms,
            lease_epoch=held.lease_epoch,
        )
    same_scopes = set(held.write_scopes) == set(scopes)
    if held.owner != owner or not same_scopes or held.acquire_ttl_seconds != ask.ttl_seconds:
        return refuse(LeaseRefusal.IDEMPOTENCY_KEY_REUSE, todo_id=held.todo_id)
    return Held(
        seq=held.seq,
        facts={
            "todo_id": held.todo_id,
            "owner": held.owner,
            "version": held.version,
            "lease_epoch": held.lease_epoch,
            "expires_at_ms": held.expires_at_ms,
        },
    )


def _conflicts(goal: Goal, todo_id: TodoId, scopes: tuple[str, ...], now_ms: int) -> Refusal | None:
    meets = [
        {"todo_id": other, "write_scope": theirs, "asked": ours}
        for other, theirs, ours in goal.scopes.conflicts(todo_id, scopes)
        if effective_lease(goal, TodoId(other), now_ms) is not None
    ]
    if not meets:
        return None
    return refuse(LeaseRefusal.WRITE_SCOPE_CONFLICT, conflicts=meets[:CONFLICTS_SHOWN_MAX], conflicts_total=len(meets))


def fence(goal: Goal, caller: Caller, ask: Fenced) -> Lease | Refusal | None:
    """Compare and swap on version, owner and execution key; None where no record was ever made."""
    if TodoId(ask.todo_id) not in goal.todos:
        return refuse(LeaseRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    lease = goal.leases.get(TodoId(ask.todo_id))
    if ask.expected_version is None:
        return refuse(LeaseRefusal.VERSION_REQUIRED, version=None if lease is None else lease.version)
    if lease is None:
        return None
    if ask.expected_version != lease.version:
        return refuse(LeaseRefusal.VERSION_MISMATCH, expected=ask.expected_version, version=lease.version)
    owner = MemberId(ask.owner or caller.member_id)
    if owner != caller.member_id or owner != lease.owner or ask.idempotency_key != lease.idempotency_key:
        return refuse(LeaseRefusal.LEASE_CAS_MISMATCH, version=lease.version, lease_epoch=lease.lease_epoch)
    return lease
