"""Completion: work is finished once, by whoever holds it, with evidence that was made for this very todo.

A decision says how it came out. Work that an amendment, a request or a gate holds up is not finished, however far it
has come; work with validators is finished when its evidence has passed each of them, as recorded. A worker's own word
that it is done proves nothing. The lease's fence is honoured, and the declared successor is created in the same group
of events, so that it exists exactly once however often the call is repeated.
"""

from enum import StrEnum

from msgspec.structs import replace

from ledger.events import Draft
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId
from ledger.records import CLOSED, Lease, Todo
from ledger.refusals import Refusal
from ledger.rules import amendments, gates
from ledger.rules.authority import delegated
from ledger.rules.beginning import not_granted
from ledger.rules.common import (
    Caller,
    Decision,
    Held,
    granted,
    is_owner,
    must_review,
    next_seq,
    refuse,
    registered,
    unmet,
)
from ledger.rules.decisions import GATE
from ledger.rules.leases import effective_claim, given_back
from ledger.rules.request_returns import returns_for
from ledger.rules.todo_events import ReasonWords, TodoAdded, TodoCompleted, TodoWords
from ledger.rules.todo_params import CompleteTodo
from ledger.rules.todos import TODOS_MAX, TodoRefusal, fence, fresh_id
from ledger.rules.waits import held_by_request
from ledger.state import Goal, Workspace


class CompletionRefusal(StrEnum):
    """Why work is not finished beside what any todo action is refused for, in order of precedence."""

    DECISION_OUTCOME_REQUIRED = "decision_outcome_required"
    DECISION_OUTCOME_UNEXPECTED = "decision_outcome_unexpected"
    AMENDMENT_HOLDS = "amendment_holds"
    REQUEST_HOLDS = "request_holds"
    PROJECTION_REPAIR_REQUIRED = "projection_repair_required"
    GATE_BLOCKS = "gate_blocks"
    DECISION_SCOPE_UNAPPROVED = "decision_scope_unapproved"
    EVIDENCE_NOT_SOUND = "evidence_not_sound"
    VALIDATOR_REQUIRED = "validator_required"
    VALIDATOR_FAILED = "validator_failed"


def decide_complete(workspace: Workspace, caller: Caller, ask: CompleteTodo, now_ms: int) -> Decision:
    """Finish, all of it in one group.

    A decision has its outcome, the right actor asks, it is not done before, nothing holds it up, the fence is
    honoured, and the evidence is of this todo and has passed its validators.
    """
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if (broken := _may_finish(workspace, goal, todo, caller, ask, now_ms)) is not None:
        return broken
    assert todo is not None, "_may_finish refuses an unknown todo"
    if todo.status == "done":
        return _done_before(todo, ask)
    if todo.status != "open":
        return refuse(TodoRefusal.TODO_NOT_OPEN, status=todo.status)
    if (broken := _held_up(workspace, goal, todo, caller, now_ms)) is not None:
        return broken
    by_grant = None
    if todo.role == "agent" and effective_claim(goal, todo, now_ms) != caller.member_id:
        by_grant = delegated(workspace, goal, todo, caller.member_id, "complete", now_ms)
    owner = caller.member_id if by_grant is None else goal.handoffs.delegations[by_grant].on_behalf_of
    lease = fence(goal, todo, owner, ask, now_ms)
    if isinstance(lease, Refusal):
        return lease
    if lease is None and todo.role == "agent" and goal.intent.handoff_mode == "hard_lease":
        return refuse(TodoRefusal.HANDOFF_MODE_REQUIRES_LEASE)
    if (broken := _evidence(goal, todo, ask) or _unproved(goal, todo, ask)) is not None:
        return broken
    if (broken := _next_claimant(workspace, goal, todo, ask, now_ms)) is not None:
        return broken
    return _completion(workspace, goal, todo, caller, ask, lease, by_grant)


def _done_before(todo: Todo, ask: CompleteTodo) -> Held | Refusal:
    """The same turn reads back what it did, and nothing is made a second time; another turn is refused."""
    if todo.completion_turn_key != ask.completion_turn_key or todo.decision_outcome != ask.decision_outcome:
        return refuse(TodoRefusal.COMPLETION_TURN_KEY_MISMATCH, todo_id=todo.todo_id)
    facts: dict[str, object] = {
        "todo_id": todo.todo_id,
        "completed_by": todo.completed_by,
        "decision_outcome": todo.decision_outcome,
        "successor_todo_ids": list(todo.successor_todo_ids),
    }
    return Held(seq=todo.completed_seq, facts=facts)


def _completion(
    workspace: Workspace,
    goal: Goal,
    todo: Todo,
    caller: Caller,
    ask: CompleteTodo,
    lease: Lease | None,
    grant_id: str | None,
) -> tuple[Draft, ...]:
    released = () if lease is None else (Draft(facts=given_back(lease), goal_id=goal.goal_id),)
    follows = ask.next_agent_todo
    successor = None if follows is None else fresh_id(goal, next_seq(workspace, len(released) + 1))
    evidence = tuple(ArtifactId(text) for text in dict.fromkeys(ask.evidence))
    done = Draft(
        facts=TodoCompleted(
            todo_id=todo.todo_id,
            completed_by=caller.member_id,
            completion_turn_key=ask.completion_turn_key,
            evidence=evidence,
            successor_todo_id=successor,
            on_behalf_of=None if grant_id is None else goal.handoffs.delegations[grant_id].on_behalf_of,
            grant_id=grant_id,
            decision_outcome=ask.decision_outcome,
            continuation=ask.continuation,
        ),
        words=ReasonWords(reason=ask.note) if ask.note else None,
        goal_id=goal.goal_id,
    )
    returns = returns_for(goal, todo.todo_id, evidence, ask.note)
    if successor is None or follows is None:
        return (*released, done, *returns)
    words = TodoWords(title=follows, acceptance="")
    added = Draft(facts=_successor(todo, successor, ask), words=words, goal_id=goal.goal_id)
    return (*released, done, added, *returns)


def _successor(todo: Todo, todo_id: TodoId, ask: CompleteTodo) -> TodoAdded:
    return TodoAdded(
        todo_id=todo_id,
        role="agent",
        priority=todo.priority,
        task_class="advancement_task",
        action_kind=None,
        required_write_scopes=(),
        required_capabilities=(),
        depends_on=(todo.todo_id,),
        bound_agent=None,
        excluded_agents=(),
        claimed_by=None if ask.next_claimed_by is None else MemberId(ask.next_claimed_by),
    )


def _may_finish(
    workspace: Workspace, goal: Goal, todo: Todo | None, caller: Caller, ask: CompleteTodo, now_ms: int
) -> Refusal | None:
    if goal.state in CLOSED:
        return refuse(TodoRefusal.GOAL_CLOSED, state=goal.state)
    if todo is None:
        return refuse(TodoRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    if ask.next_agent_todo is not None and todo.status != "done" and len(goal.todos) >= TODOS_MAX:
        return refuse(TodoRefusal.TOO_MANY_TODOS, limit=TODOS_MAX)
    if todo.task_class == GATE and ask.decision_outcome is None:
        return refuse(CompletionRefusal.DECISION_OUTCOME_REQUIRED, todo_id=todo.todo_id)
    if todo.task_class != GATE and ask.decision_outcome is not None:
        return refuse(CompletionRefusal.DECISION_OUTCOME_UNEXPECTED, todo_id=todo.todo_id, task_class=todo.task_class)
    if todo.role == "user":
        return None if is_owner(goal, caller.member_id, workspace) else refuse(TodoRefusal.NOT_AN_OWNER)
    member = registered(workspace, caller.member_id)
    if member is None or member.kind != "agent" or not granted(member, goal.goal_id):
        return refuse(TodoRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if caller.member_id in todo.excluded_agents or todo.bound_agent not in {None, caller.member_id}:
        return refuse(TodoRefusal.ACTOR_EXCLUDED, member_id=caller.member_id)
    holder = todo.completed_by if todo.status == "done" else effective_claim(goal, todo, now_ms)
    if holder != caller.member_id and delegated(workspace, goal, todo, caller.member_id, "complete", now_ms) is None:
        return refuse(TodoRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)
    return None


def _evidence(goal: Goal, todo: Todo, ask: CompleteTodo) -> Refusal | None:
    if not ask.evidence and todo.role == "agent":
        return refuse(TodoRefusal.EVIDENCE_REQUIRED, todo_id=todo.todo_id)
    found = {artifact_id: goal.artifacts.get(ArtifactId(artifact_id)) for artifact_id in ask.evidence}
    for artifact_id, artifact in found.items():
        if artifact is None:
            return refuse(TodoRefusal.ARTIFACT_NOT_FOUND, artifact_id=artifact_id)
    for artifact_id, artifact in found.items():
        if artifact is not None and artifact.todo_id != todo.todo_id:
            return refuse(TodoRefusal.ARTIFACT_OF_ANOTHER_TODO, artifact_id=artifact_id, todo_id=artifact.todo_id)
    unsound = [artifact_id for artifact_id in found if not goal.reviews.is_sound(ArtifactId(artifact_id))]
    if unsound:
        return refuse(CompletionRefusal.EVIDENCE_NOT_SOUND, todo_id=todo.todo_id, artifact_ids=unsound)
    return None


def _held_up(workspace: Workspace, goal: Goal, todo: Todo, caller: Caller, now_ms: int) -> Refusal | None:
    """What began in good faith may be held up since: it keeps its lease and is not finished."""
    if todo.role == "agent":
        if (amendment_id := amendments.held_back(goal, todo.todo_id)) is not None:
            return refuse(CompletionRefusal.AMENDMENT_HOLDS, todo_id=todo.todo_id, amendment_id=amendment_id)
        if (request_id := held_by_request(goal, todo.todo_id)) is not None:
            return refuse(CompletionRefusal.REQUEST_HOLDS, todo_id=todo.todo_id, request_id=request_id)
        if (gate_id := gates.blocking(workspace, goal, todo, caller.member_id, now_ms)) is not None:
            return gates.held_up(CompletionRefusal, todo, gate_id)
    if waiting_for := unmet(goal, todo):
        return refuse(TodoRefusal.DEPENDENCY_UNMET, waiting_for=waiting_for)
    return None


def _unproved(goal: Goal, todo: Todo, ask: CompleteTodo) -> Refusal | None:
    """Each validator of the todo must have passed on some of its evidence, by the latest record of it."""
    missing: list[str] = []
    failed: list[str] = []
    for name in todo.validators:
        found = [goal.reviews.check_of(ArtifactId(artifact_id), name) for artifact_id in ask.evidence]
        if any(check is not None and check.passed for check in found):
            continue
        (failed if any(check is not None for check in found) else missing).append(name)
    if missing:
        return refuse(CompletionRefusal.VALIDATOR_REQUIRED, todo_id=todo.todo_id, validators=missing)
    if failed:
        return refuse(CompletionRefusal.VALIDATOR_FAILED, todo_id=todo.todo_id, validators=failed)
    return None


def _next_claimant(workspace: Workspace, goal: Goal, todo: Todo, ask: CompleteTodo, now_ms: int) -> Refusal | None:
    """Whoever is given the work that follows begins it: they must be able to, and be let as if they claimed it."""
    if ask.next_claimed_by is None:
        return None
    agent_id = MemberId(ask.next_claimed_by)
    member = registered(workspace, agent_id)
    if member is None or member.kind != "agent" or not granted(member, goal.goal_id):
        return refuse(TodoRefusal.OWNER_NOT_REGISTERED, owner=agent_id)
    if not goal.is_executable:
        return refuse(TodoRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    if must_review(goal, agent_id):
        return refuse(TodoRefusal.OBJECTIVE_REVIEW_REQUIRED, revision=goal.confirmed)
    if (missing := [name for name in goal.intent.capabilities if name not in member.capabilities]) != []:
        return refuse(TodoRefusal.CAPABILITY_MISSING, capabilities=missing)
    follows = replace(todo, action_kind=None, required_write_scopes=(), required_capabilities=())
    return not_granted(workspace, goal, follows, agent_id, now_ms)
