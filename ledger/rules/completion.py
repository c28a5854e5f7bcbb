"""Completion: work is finished once, by whoever holds it, with evidence that was made for this very todo.

The lease's fence is honoured, and the declared successor is created in the same group of events, so that it exists
exactly once however often the call is repeated.
"""

from ledger.events import Draft
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held, granted, is_owner, next_seq, refuse, registered
from ledger.rules.leases import LeaseReleased, effective_claim
from ledger.rules.todo_events import ReasonWords, TodoAdded, TodoCompleted, TodoWords
from ledger.rules.todo_params import CompleteTodo
from ledger.rules.todos import TodoRefusal, fence
from ledger.state import CLOSED, Goal, Lease, Todo, Workspace


def decide_complete(workspace: Workspace, caller: Caller, ask: CompleteTodo, now_ms: int) -> Decision:
    """Finish: right actor, not done before, fence honoured, evidence of this todo; then all of it in one group."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if (broken := _may_finish(workspace, goal, todo, caller, ask.todo_id, now_ms)) is not None:
        return broken
    assert todo is not None, "_may_finish refuses an unknown todo"
    if todo.status == "done":
        if todo.completion_turn_key != ask.completion_turn_key:
            return refuse(TodoRefusal.COMPLETION_TURN_KEY_MISMATCH, todo_id=todo.todo_id)
        return Held(
            seq=todo.completed_seq,
            facts={
                "todo_id": todo.todo_id,
                "completed_by": todo.completed_by,
                "successor_todo_ids": list(todo.successor_todo_ids),
            },
        )
    if todo.status != "open":
        return refuse(TodoRefusal.TODO_NOT_OPEN, status=todo.status)
    if goal.unmet.get(todo.todo_id):
        return refuse(
            TodoRefusal.DEPENDENCY_UNMET, waiting_for=[d for d in todo.depends_on if goal.todos[d].status != "done"]
        )
    lease = fence(goal, todo, caller, ask, now_ms)
    if isinstance(lease, Refusal):
        return lease
    if (broken := _evidence(goal, todo, ask)) is not None:
        return broken
    if ask.next_claimed_by is not None and registered(workspace, MemberId(ask.next_claimed_by)) is None:
        return refuse(TodoRefusal.ACTOR_NOT_REGISTERED, member_id=ask.next_claimed_by)
    return _completion(workspace, goal, todo, caller, ask, lease)


def _completion(
    workspace: Workspace, goal: Goal, todo: Todo, caller: Caller, ask: CompleteTodo, lease: Lease | None
) -> tuple[Draft, ...]:
    released = (
        ()
        if lease is None
        else (
            Draft(
                facts=LeaseReleased(todo_id=todo.todo_id, version=lease.version, lease_epoch=lease.lease_epoch),
                goal_id=goal.goal_id,
            ),
        )
    )
    successor = None if ask.next_agent_todo is None else TodoId(f"todo_{next_seq(workspace, len(released) + 1):06d}")
    done = Draft(
        facts=TodoCompleted(
            todo_id=todo.todo_id,
            completed_by=caller.member_id,
            completion_turn_key=ask.completion_turn_key,
            evidence=tuple(ArtifactId(text) for text in dict.fromkeys(ask.evidence)),
            successor_todo_id=successor,
        ),
        words=ReasonWords(reason=ask.note) if ask.note else None,
        goal_id=goal.goal_id,
    )
    if successor is None or ask.next_agent_todo is None:
        return (*released, done)
    facts = TodoAdded(
        todo_id=successor, role="agent", priority=todo.priority, task_class="advancement_task", action_kind=None, required_write_scopes=(),
        required_capabilities=(), depends_on=(todo.todo_id,), bound_agent=None, excluded_agents=(),
        claimed_by=None if ask.next_claimed_by is None else MemberId(ask.next_claimed_by),
    )  # fmt: skip
    return (
        *released,
        done,
        Draft(facts=facts, words=TodoWords(title=ask.next_agent_todo, acceptance=""), goal_id=goal.goal_id),
    )


def _may_finish(
    workspace: Workspace, goal: Goal, todo: Todo | None, caller: Caller, todo_id: str, now_ms: int
) -> Refusal | None:
    if goal.state in CLOSED:
        return refuse(TodoRefusal.GOAL_CLOSED, state=goal.state)
    if todo is None:
        return refuse(TodoRefusal.TODO_NOT_FOUND, todo_id=todo_id)
    if todo.role == "user":
        return (
            None
            if is_owner(goal, caller.member_id, workspace)
            else refuse(TodoRefusal.CLAIM_OWNER_MISMATCH, role=todo.role)
        )
    member = registered(workspace, caller.member_id)
    if member is None or member.kind != "agent" or not granted(member, goal.goal_id):
        return refuse(TodoRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if caller.member_id in todo.excluded_agents or todo.bound_agent not in {None, caller.member_id}:
        return refuse(TodoRefusal.ACTOR_EXCLUDED, member_id=caller.member_id)
    holder = todo.completed_by if todo.status == "done" else effective_claim(goal, todo, now_ms)
    if holder != caller.member_id:
        return refuse(TodoRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)
    return None


def _evidence(goal: Goal, todo: Todo, ask: CompleteTodo) -> Refusal | None:
    if not ask.evidence and todo.role == "agent":
        return refuse(TodoRefusal.EVIDENCE_REQUIRED, todo_id=todo.todo_id)
    for artifact_id in ask.evidence:
        artifact = goal.artifacts.get(ArtifactId(artifact_id))
        if artifact is None:
            return refuse(TodoRefusal.ARTIFACT_NOT_FOUND, artifact_id=artifact_id)
        if artifact.todo_id != todo.todo_id:
            return refuse(TodoRefusal.ARTIFACT_OF_ANOTHER_TODO, artifact_id=artifact_id, todo_id=artifact.todo_id)
    return None
