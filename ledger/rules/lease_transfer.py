"""Leases that change hands, and the mode in which work of a goal is held.

A transfer is one event: the lease, its claim and its fence go over together, so that the one who gave it away is late
from that moment on. The mode changes only while nothing is held, or a claim would mean something else overnight.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import GoalId, MemberId
from ledger.records import CLOSED, Lease
from ledger.refusals import Refusal
from ledger.rules.beginning import hindered
from ledger.rules.common import Caller, Decision, Held, is_owner, refuse
from ledger.rules.handoff_events import HandoffModeSet, LeaseTransferred
from ledger.rules.handoff_params import SetHandoffMode, TransferLease
from ledger.rules.holdings import OFFENDERS_SHOWN_MAX, lapses, still_held
from ledger.rules.leases import (
    LeaseRefusal,
    effective_lease,
    fence,
    not_ready,
    owner_constraint,
)
from ledger.rules.todo_events import ReasonWords
from ledger.state import Goal, Workspace


class ModeRefusal(StrEnum):
    """Why the mode is not changed, in order of precedence."""

    GOAL_CLOSED = "goal_closed"
    GOAL_NOT_CONFIRMED = "goal_not_confirmed"
    NOT_AN_OWNER = "not_an_owner"
    REVISION_WAITS = "revision_waits"
    HANDOFF_MODE_NOT_QUIESCENT = "handoff_mode_not_quiescent"


def decide_transfer(workspace: Workspace, caller: Caller, ask: TransferLease, now_ms: int) -> Decision:
    """Give away what this execution holds, to somebody who could have taken it."""
    goal, new_owner = workspace.goals[GoalId(ask.goal_id)], MemberId(ask.new_owner)
    lease = fence(goal, caller, ask)
    if isinstance(lease, Refusal):
        return lease
    if lease is None or effective_lease(goal, lease.todo_id, now_ms) is None:
        return refuse(LeaseRefusal.LEASE_NOT_ACTIVE, todo_id=ask.todo_id)
    if (broken := may_go_over(workspace, goal, lease, new_owner, ask.new_idempotency_key, caller, now_ms)) is not None:
        return broken
    return (transferred(goal, lease, new_owner, ask.new_idempotency_key, ask.ttl_seconds, now_ms),)


def may_go_over(
    workspace: Workspace, goal: Goal, lease: Lease, new_owner: MemberId, new_key: str, caller: Caller, now_ms: int
) -> Refusal | None:
    """Why this lease may not go to that agent under that key; first failure wins."""
    given_by = lease.owner
    broken = owner_constraint(workspace, goal, lease.todo_id, new_owner, caller, now_ms, given_by=given_by)
    if broken is not None:
        return broken
    if new_key in goal.keys.get(lease.todo_id, ()):
        return refuse(LeaseRefusal.IDEMPOTENCY_KEY_REUSE, todo_id=lease.todo_id)
    if (broken := not_ready(workspace, goal, lease.todo_id, new_owner)) is not None:
        return broken
    return hindered(workspace, goal, goal.todos[lease.todo_id], new_owner, now_ms, lease.write_scopes)


def transferred(
    goal: Goal, lease: Lease, new_owner: MemberId, new_key: str, ttl_seconds: int | None, now_ms: int
) -> Draft:
    """The lease under its new owner: the next version and the next epoch."""
    seconds = ttl_seconds or lease.acquire_ttl_seconds
    facts = LeaseTransferred(
        todo_id=lease.todo_id,
        from_owner=lease.owner,
        owner=new_owner,
        idempotency_key=new_key,
        version=lease.version + 1,
        lease_epoch=lease.lease_epoch + 1,
        acquire_ttl_seconds=seconds,
        expires_at_ms=now_ms + seconds * 1000,
    )
    return Draft(facts=facts, goal_id=goal.goal_id)


def decide_set_mode(workspace: Workspace, caller: Caller, ask: SetHandoffMode, now_ms: int) -> Decision:
    """Change the mode of a goal in which nobody holds anything."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if goal.state in CLOSED:
        return refuse(ModeRefusal.GOAL_CLOSED, state=goal.state)
    if not goal.confirmed:
        return refuse(ModeRefusal.GOAL_NOT_CONFIRMED, state=goal.state)
    if not is_owner(goal, caller.member_id, workspace):
        return refuse(ModeRefusal.NOT_AN_OWNER)
    if goal.intent.handoff_mode == ask.handoff_mode:
        return Held(seq=goal.last_seq, facts={"goal_id": goal.goal_id, "handoff_mode": ask.handoff_mode})
    if goal.pending:
        # It carries a mode of its own, and would set that one again when it is confirmed.
        return refuse(ModeRefusal.REVISION_WAITS, revision=goal.pending)
    if held := still_held(goal, now_ms):
        return refuse(
            ModeRefusal.HANDOFF_MODE_NOT_QUIESCENT, offenders=held[:OFFENDERS_SHOWN_MAX], offenders_total=len(held)
        )
    facts = HandoffModeSet(handoff_mode=ask.handoff_mode, previous=goal.intent.handoff_mode, revision=goal.confirmed)
    words = ReasonWords(reason=ask.reason) if ask.reason else None
    return (*lapses(goal, now_ms), Draft(facts=facts, words=words, goal_id=goal.goal_id))
