"""Beginning: what may still stand between an agent and work that is otherwise free to take.

The families of claims and leases say whether the work can be taken at all. Then grants, amendments, open requests,
gates and reservations have their word, in this order. Whoever holds the work already goes on with it.
"""

from enum import StrEnum
from typing import Final

from ledger.ids import GoalId, MemberId, TodoId
from ledger.records import Todo
from ledger.refusals import Refusal
from ledger.rules import amendments, authority, gates, leases, slots, todos
from ledger.rules.common import Caller, Decision, lacking, refuse
from ledger.rules.leases import AcquireLease
from ledger.rules.selection import ADVANCEMENT, candidates, free, meets_a_lease
from ledger.rules.todo_params import ClaimTodo
from ledger.rules.todos import TodoRefusal
from ledger.rules.waits import held_by_request
from ledger.state import Goal, Workspace


class BeginRefusal(StrEnum):
    """Why work that is free may not be begun, in order of precedence."""

    PROPOSER_ONLY = "proposer_only"
    GOAL_NOT_GRANTED = "goal_not_granted"
    ACTION_KIND_NOT_GRANTED = "action_kind_not_granted"
    WRITE_SCOPE_NOT_GRANTED = "write_scope_not_granted"
    CAPABILITY_MISSING = "capability_missing"
    AMENDMENT_HOLDS = "amendment_holds"
    REQUEST_HOLDS = "request_holds"
    PROJECTION_REPAIR_REQUIRED = "projection_repair_required"
    GATE_BLOCKS = "gate_blocks"
    DECISION_SCOPE_UNAPPROVED = "decision_scope_unapproved"
    TODO_RESERVED = "todo_reserved"
    NOTHING_FREE = "nothing_free"


_OF_ANY_TODO: Final = frozenset(
    {
        TodoRefusal.GOAL_NOT_CONFIRMED,
        TodoRefusal.GOAL_NOT_EXECUTABLE,
        TodoRefusal.ACTOR_NOT_REGISTERED,
        TodoRefusal.CLAIM_ACTOR_MISMATCH,
        TodoRefusal.OBJECTIVE_REVIEW_REQUIRED,
        TodoRefusal.HANDOFF_MODE_REQUIRES_LEASE,
        BeginRefusal.PROPOSER_ONLY,
        BeginRefusal.GOAL_NOT_GRANTED,
    }
)
"""What is wrong with the caller or the goal is wrong whichever todo it is."""


def decide_claim(workspace: Workspace, caller: Caller, ask: ClaimTodo, now_ms: int) -> Decision:
    """A claim that the family of todos grants, unless something else stands in the way."""
    if ask.todo_id is None:
        return _claim_next(workspace, caller, ask, now_ms)
    return _claim(workspace, caller, ask, TodoId(ask.todo_id), now_ms)


def _claim(workspace: Workspace, caller: Caller, ask: ClaimTodo, todo_id: TodoId, now_ms: int) -> Decision:
    decision = todos.decide_claim(workspace, caller, ask, todo_id, now_ms)
    if not isinstance(decision, tuple):
        return decision
    goal = workspace.goals[GoalId(ask.goal_id)]
    return hindered(workspace, goal, goal.todos[todo_id], caller.member_id, now_ms) or decision


def _claim_next(workspace: Workspace, caller: Caller, ask: ClaimTodo, now_ms: int) -> Decision:
    """What the caller has in hand, or the first free todo that it may claim, so that to ask again is safe.

    With `another` each call takes one more. Where nothing can be had the answer says why the first one could not.
    """
    goal = workspace.goals[GoalId(ask.goal_id)]
    passed_over: tuple[TodoId, str] | None = None
    for todo in (free if ask.another else candidates)(workspace, goal, caller.member_id, now_ms):
        decision = _claim(workspace, caller, ask, todo.todo_id, now_ms)
        if isinstance(decision, tuple) and (todo.task_class != ADVANCEMENT or meets_a_lease(goal, todo, now_ms)):
            continue
        if not isinstance(decision, Refusal) or decision.code in _OF_ANY_TODO:
            return decision
        passed_over = passed_over or (todo.todo_id, decision.code.value)
    if passed_over is None and not goal.is_executable:
        return todos.not_executable(goal)
    todo_id, why = passed_over or (None, None)
    return refuse(BeginRefusal.NOTHING_FREE, goal_id=goal.goal_id, passed_over=todo_id, because=why)


def decide_acquire(workspace: Workspace, caller: Caller, ask: AcquireLease, now_ms: int) -> Decision:
    """A lease that the family of leases grants, unless something else stands in the way."""
    decision = leases.decide_acquire(workspace, caller, ask, now_ms)
    if not isinstance(decision, tuple):
        return decision
    goal, granted = workspace.goals[GoalId(ask.goal_id)], decision[-1].facts
    assert isinstance(granted, leases.LeaseAcquired), "the grant is what a lease is acquired by"
    todo = goal.todos[granted.todo_id]
    return hindered(workspace, goal, todo, granted.owner, now_ms, granted.write_scopes) or decision


def hindered(
    workspace: Workspace, goal: Goal, todo: Todo, agent_id: MemberId, now_ms: int, scopes: tuple[str, ...] = ()
) -> Refusal | None:
    """Why this agent may not begin this work now; first failure wins. `scopes` are what a lease would let it write."""
    if (broken := not_granted(workspace, goal, todo, agent_id, now_ms, scopes)) is not None:
        return broken
    if (amendment_id := amendments.held_back(goal, todo.todo_id)) is not None:
        return refuse(BeginRefusal.AMENDMENT_HOLDS, todo_id=todo.todo_id, amendment_id=amendment_id)
    if (request_id := held_by_request(goal, todo.todo_id)) is not None:
        return refuse(BeginRefusal.REQUEST_HOLDS, todo_id=todo.todo_id, request_id=request_id)
    if (gate_id := gates.blocking(workspace, goal, todo, agent_id, now_ms)) is not None:
        return gates.held_up(BeginRefusal, todo, gate_id)
    if (holder := slots.reserved_by_another(goal, todo.todo_id, agent_id, now_ms)) is not None:
        return refuse(BeginRefusal.TODO_RESERVED, todo_id=todo.todo_id, agent_id=holder)
    return None


def not_granted(
    workspace: Workspace, goal: Goal, todo: Todo, agent_id: MemberId, now_ms: int, scopes: tuple[str, ...] = ()
) -> Refusal | None:
    """What this agent lacks for the work by what it was granted and by its profile."""
    code = authority.forbids(workspace, agent_id, goal.goal_id, todo, now_ms) or authority.scopes_forbidden(
        workspace, agent_id, goal.goal_id, scopes, now_ms
    )
    if code is None:
        return None
    details: dict[str, object] = {"agent_id": agent_id, "todo_id": todo.todo_id}
    match code:
        case BeginRefusal.GOAL_NOT_GRANTED:
            details["goal_id"] = goal.goal_id
        case BeginRefusal.ACTION_KIND_NOT_GRANTED:
            details["action_kind"] = todo.action_kind
        case BeginRefusal.WRITE_SCOPE_NOT_GRANTED:
            details["write_scopes"] = list(scopes or todo.required_write_scopes)
        case BeginRefusal.CAPABILITY_MISSING:
            needed = (*goal.intent.capabilities, *todo.required_capabilities)
            missing = lacking(goal, todo, workspace.members[agent_id])
            details["capabilities"] = missing or list(dict.fromkeys(needed))
        case _:
            pass
    return Refusal(code=BeginRefusal(code), details=details)
