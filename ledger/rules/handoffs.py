"""Handoffs: work that goes from one agent to another with what the next one needs to know.

A handoff is one group of events: the claim, and the lease where there is one, go over together with the notes. Work
whose holder never came back is adopted: its lease ran out, and whoever adopts it proves by the lease's version that
this is still so. In both cases the epoch has moved on, so that a holder who returns is told from the one of now.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId
from ledger.records import CLOSED, Todo
from ledger.refusals import Refusal
from ledger.rules.beginning import decide_acquire, hindered
from ledger.rules.common import Caller, Decision, granted, is_owner, next_seq, refuse, registered
from ledger.rules.handoff_events import HandoffPrepared, HandoffWords, TodoAdopted, TodoHandedOff
from ledger.rules.handoff_params import AdoptTodo, HandOff
from ledger.rules.lease_transfer import may_go_over, transferred
from ledger.rules.leases import AcquireLease, effective_claim, effective_lease, not_ready, owner_constraint
from ledger.rules.todos import fenced_out
from ledger.state import Goal, Workspace


class HandoffRefusal(StrEnum):
    """Why work does not change hands, in order of precedence; the new holder's own reasons come after these."""

    GOAL_CLOSED = "goal_closed"
    TODO_NOT_FOUND = "todo_not_found"
    ACTOR_NOT_REGISTERED = "actor_not_registered"
    NOT_AN_OWNER = "not_an_owner"
    TODO_NOT_OPEN = "todo_not_open"
    TODO_NOT_HELD = "todo_not_held"
    CLAIM_OWNER_MISMATCH = "claim_owner_mismatch"
    HANDOFF_TO_SELF = "handoff_to_self"
    ARTIFACT_NOT_FOUND = "artifact_not_found"
    TODO_NOT_ORPHANED = "todo_not_orphaned"


def decide_hand_off(workspace: Workspace, caller: Caller, ask: HandOff, now_ms: int) -> Decision:
    """Claim, lease and notes go over together; without a receiver only the notes are left."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    holder = _held_by(workspace, goal, todo, caller, ask, now_ms)
    if isinstance(holder, Refusal):
        return holder
    assert todo is not None, "_held_by refuses an unknown todo"
    if (broken := fenced_out(workspace, goal, todo, caller, ask, now_ms)) is not None:
        return broken
    artifact_ids = tuple(ArtifactId(text) for text in dict.fromkeys(ask.artifact_id))
    words = HandoffWords(context=ask.context, remaining_work=ask.remaining_work)
    if ask.to_agent is None:
        prepared = HandoffPrepared(todo_id=todo.todo_id, from_agent=holder, artifact_ids=artifact_ids)
        return (Draft(facts=prepared, words=words, goal_id=goal.goal_id),)
    to_agent = MemberId(ask.to_agent)
    moved = _moved(workspace, goal, todo, holder, caller, ask, now_ms)
    if isinstance(moved, Refusal):
        return moved
    facts = TodoHandedOff(todo_id=todo.todo_id, from_agent=holder, to_agent=to_agent, artifact_ids=artifact_ids)
    return (*moved, Draft(facts=facts, words=words, goal_id=goal.goal_id))


def decide_adopt(workspace: Workspace, caller: Caller, ask: AdoptTodo, now_ms: int) -> Decision:
    """Take over what a dead holder left, by a new lease on the version that was seen."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo_id = TodoId(ask.todo_id)
    if goal.state in CLOSED:
        return refuse(HandoffRefusal.GOAL_CLOSED, state=goal.state)
    if todo_id not in goal.todos:
        return refuse(HandoffRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    last = goal.leases.get(todo_id)
    if last is None or last.status == "released" or effective_lease(goal, todo_id, now_ms) is not None:
        return refuse(HandoffRefusal.TODO_NOT_ORPHANED, todo_id=todo_id, owner=None if last is None else last.owner)
    wanted = AcquireLease(
        goal_id=ask.goal_id,
        todo_id=ask.todo_id,
        idempotency_key=ask.idempotency_key,
        write_scope=last.write_scopes,
        ttl_seconds=ask.ttl_seconds or last.acquire_ttl_seconds,
        expected_version=ask.expected_version,
    )
    decision = decide_acquire(workspace, caller, wanted, now_ms)
    if not isinstance(decision, tuple):
        return decision
    facts = TodoAdopted(
        todo_id=todo_id, from_agent=last.owner, to_agent=caller.member_id, lease_epoch=last.lease_epoch + 1
    )
    return (*decision, Draft(facts=facts, goal_id=goal.goal_id))


def _held_by(
    workspace: Workspace, goal: Goal, todo: Todo | None, caller: Caller, ask: HandOff, now_ms: int
) -> MemberId | Refusal:
    """Who has the work now, where this caller may give it away."""
    if goal.state in CLOSED:
        return refuse(HandoffRefusal.GOAL_CLOSED, state=goal.state)
    if todo is None:
        return refuse(HandoffRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    if (broken := _may_give(workspace, goal, caller)) is not None:
        return broken
    if todo.status != "open":
        return refuse(HandoffRefusal.TODO_NOT_OPEN, todo_id=todo.todo_id, status=todo.status)
    holder = effective_claim(goal, todo, now_ms)
    if holder is None:
        return refuse(HandoffRefusal.TODO_NOT_HELD, todo_id=todo.todo_id)
    if holder != caller.member_id and not is_owner(goal, caller.member_id, workspace):
        return refuse(HandoffRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)
    if ask.to_agent == holder:
        return refuse(HandoffRefusal.HANDOFF_TO_SELF, agent_id=holder)
    missing = [artifact_id for artifact_id in ask.artifact_id if ArtifactId(artifact_id) not in goal.artifacts]
    return refuse(HandoffRefusal.ARTIFACT_NOT_FOUND, artifact_id=missing[0]) if missing else holder


def _may_give(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    member = registered(workspace, caller.member_id)
    if member is None or (member.kind == "agent" and not granted(member, goal.goal_id)):
        return refuse(HandoffRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if member.kind != "agent" and not is_owner(goal, caller.member_id, workspace):
        return refuse(HandoffRefusal.NOT_AN_OWNER)
    return None


def _moved(
    workspace: Workspace, goal: Goal, todo: Todo, holder: MemberId, caller: Caller, ask: HandOff, now_ms: int
) -> tuple[Draft, ...] | Refusal:
    """The lease's way over, where there is one; otherwise only whether the receiver could have claimed the work."""
    to_agent = MemberId(str(ask.to_agent))
    lease = effective_lease(goal, todo.todo_id, now_ms)
    if lease is not None:
        new_key = ask.new_idempotency_key or f"handoff-{next_seq(workspace)}"
        broken = may_go_over(workspace, goal, lease, to_agent, new_key, caller, now_ms)
        return broken or (transferred(goal, lease, to_agent, new_key, None, now_ms),)
    broken = owner_constraint(workspace, goal, todo.todo_id, to_agent, caller, now_ms, given_by=holder)
    broken = broken or not_ready(workspace, goal, todo.todo_id, to_agent)
    return broken or hindered(workspace, goal, todo, to_agent, now_ms) or ()
