"""Todos: the work graph, and who may finish what.

A todo is named by its id, never by its text: two may have the same words. Ready work is a query over the graph.
Completing needs evidence that was made for this very todo, honours the lease's fence, and creates the declared
successor in the same event group, so that it exists exactly once.
"""

from enum import StrEnum

from ledger.events import Draft
from ledger.ids import GoalId, MemberId, TodoId
from ledger.records import CLOSED, Lease, Todo
from ledger.refusals import Refusal
from ledger.rules.agreed import asked_anew, rested_on, settled
from ledger.rules.authority import DelegatedAction, delegated, only_proposes
from ledger.rules.common import (
    Caller,
    Decision,
    Held,
    granted,
    is_owner,
    lacking,
    must_review,
    next_seq,
    refuse,
    registered,
    unmet,
)
from ledger.rules.decisions import cannot_unblock, not_there
from ledger.rules.holdings import end_lease
from ledger.rules.leases import effective_claim, effective_lease, lapse
from ledger.rules.todo_events import (
    ReasonWords,
    TodoAdded,
    TodoBlocked,
    TodoCancelled,
    TodoClaimed,
    TodoReleased,
    TodoUpdated,
    TodoUpdateWords,
    TodoWords,
    as_proposal,
)
from ledger.rules.todo_params import (
    AddTodo,
    BlockTodo,
    CancelTodo,
    ClaimTodo,
    FencedTodo,
    ReleaseTodo,
    UpdateTodo,
)
from ledger.rules.waking import is_open, woken
from ledger.scopes import canonical_scope, within
from ledger.state import Goal, Workspace

TODOS_MAX = 20_000
"""Todos in one goal; a plan that needs more is more than one goal."""


PROPOSALS_MAX = 200
"""Proposals in one goal that nobody has answered: more than that nobody reads."""


class TodoRefusal(StrEnum):
    """Why a todo action is refused, in order of precedence."""

    GOAL_CLOSED = "goal_closed"
    GOAL_NOT_CONFIRMED = "goal_not_confirmed"
    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    TODO_NOT_FOUND = "todo_not_found"
    TODO_EXISTS = "todo_exists"
    TODO_ID_RESERVED = "todo_id_reserved"
    TOO_MANY_TODOS = "too_many_todos"
    DEPENDENCY_NOT_FOUND = "dependency_not_found"
    INVALID_WRITE_SCOPE = "invalid_write_scope"
    SCOPE_OUTSIDE_BOUNDARY = "scope_outside_boundary"
    ACTOR_REQUIRED = "actor_required"
    ACTOR_NOT_REGISTERED = "actor_not_registered"
    NOT_AN_OWNER = "not_an_owner"
    ACTOR_EXCLUDED = "actor_excluded"
    CLAIM_ACTOR_MISMATCH = "claim_actor_mismatch"
    TODO_LEASE_CONFLICT = "todo_lease_conflict"
    CLAIM_OWNER_MISMATCH = "claim_owner_mismatch"
    COMPLETION_TURN_KEY_MISMATCH = "completion_turn_key_mismatch"
    TODO_NOT_BLOCKED = "todo_not_blocked"
    TODO_NOT_OPEN = "todo_not_open"
    OBJECTIVE_REVIEW_REQUIRED = "objective_review_required"
    CAPABILITY_MISSING = "capability_missing"
    DEPENDENCY_UNMET = "dependency_unmet"
    LEASE_NOT_ACTIVE = "lease_not_active"
    HANDOFF_MODE_REQUIRES_LEASE = "handoff_mode_requires_lease"
    LEASE_FENCE_REQUIRED = "lease_fence_required"
    HANDOFF_MODE_LEASE_CLAIM_DIVERGENCE = "handoff_mode_lease_claim_divergence"
    LEASE_CAS_MISMATCH = "lease_cas_mismatch"
    VERSION_REQUIRED = "version_required"
    VERSION_MISMATCH = "version_mismatch"
    TODO_HAS_DEPENDENTS = "todo_has_dependents"
    EVIDENCE_REQUIRED = "evidence_required"
    ARTIFACT_NOT_FOUND = "artifact_not_found"
    ARTIFACT_OF_ANOTHER_TODO = "artifact_of_another_todo"
    OWNER_NOT_REGISTERED = "owner_not_registered"
    NOTHING_TO_CHANGE = "nothing_to_change"


def decide_add(workspace: Workspace, caller: Caller, ask: AddTodo, now_ms: int) -> Decision:
    """Add work, or a proposal by whoever may only propose; what it depends on must exist, so that no cycle is made."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if goal.state in CLOSED:
        return refuse(TodoRefusal.GOAL_CLOSED, state=goal.state)
    if not goal.confirmed:
        return refuse(TodoRefusal.GOAL_NOT_CONFIRMED, state=goal.state)
    if goal.state == "delivered":
        # Work added behind a delivery would be accepted unseen.
        return refuse(TodoRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    todo_id = TodoId(ask.todo_id) if ask.todo_id is not None else fresh_id(goal, next_seq(workspace))
    if todo_id in goal.todos:
        return refuse(TodoRefusal.TODO_EXISTS, todo_id=todo_id)
    if (plan_id := goal.plans.reserving(todo_id)) is not None:
        return refuse(TodoRefusal.TODO_ID_RESERVED, todo_id=todo_id, plan_id=plan_id)
    if len(goal.todos) >= TODOS_MAX:
        return refuse(TodoRefusal.TOO_MANY_TODOS, limit=TODOS_MAX)
    proposes = only_proposes(workspace, caller.member_id, goal.goal_id, now_ms)
    if proposes and len(goal.handoffs.proposals) >= PROPOSALS_MAX:
        return refuse(TodoRefusal.TOO_MANY_TODOS, limit=PROPOSALS_MAX)
    if missing := not_there(goal, ask.depends_on, proposed=proposes):
        return refuse(TodoRefusal.DEPENDENCY_NOT_FOUND, depends_on=missing)
    scopes = _scopes_within(goal, ask.required_write_scope)
    if isinstance(scopes, Refusal):
        return scopes
    if ask.role == "user" and ask.task_class is None:
        return refuse(TodoRefusal.ACTOR_REQUIRED, field="task_class")
    may = may_plan(workspace, goal, caller) or _agents_named(workspace, goal, ask)
    if (broken := may or cannot_unblock(goal, ask.unblocks_todo_id, ask.depends_on)) is not None:
        return broken
    words, facts = TodoWords(title=ask.text, acceptance=ask.acceptance), _added_facts(ask, todo_id, scopes)
    return (Draft(facts=as_proposal(facts) if proposes else facts, words=words, goal_id=goal.goal_id),)


def fresh_id(goal: Goal, seq: int) -> TodoId:
    """An id that no todo of the goal has: somebody may have chosen the one that this seq would give."""
    first = TodoId(f"todo_{seq:06d}")
    if first not in goal.todos:
        return first
    tries = (TodoId(f"{first}-{number}") for number in range(2, len(goal.todos) + 3))
    return next(todo_id for todo_id in tries if todo_id not in goal.todos)


def decide_claim(workspace: Workspace, caller: Caller, ask: ClaimTodo, todo_id: TodoId, now_ms: int) -> Decision:
    """Take the work unless somebody has it; whoever has it already is told so, and by which event."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if (todo := goal.todos.get(todo_id)) is None:
        return not_executable(goal) if not goal.is_executable else refuse(TodoRefusal.TODO_NOT_FOUND, todo_id=todo_id)
    if (broken := _may_begin(workspace, goal, todo, caller, ask, now_ms)) is not None:
        return broken
    if effective_claim(goal, todo, now_ms) == caller.member_id:
        return Held(seq=todo.claim_seq, facts={"todo_id": todo.todo_id, "agent_id": caller.member_id})
    if goal.intent.handoff_mode == "hard_lease":
        return refuse(TodoRefusal.HANDOFF_MODE_REQUIRES_LEASE)
    claimed = Draft(facts=TodoClaimed(todo_id=todo.todo_id, agent_id=caller.member_id), goal_id=goal.goal_id)
    return (*lapse(goal, todo.todo_id, now_ms), *woken(goal, todo), claimed)


def decide_release(workspace: Workspace, caller: Caller, ask: ReleaseTodo, now_ms: int) -> Decision:
    """Give back one's own claim; a lease that holds the work ends with it only by its own release."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if todo is None:
        return refuse(TodoRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    claim = effective_claim(goal, todo, now_ms)
    if claim is None:
        return refuse(TodoRefusal.NOTHING_TO_CHANGE, todo_id=todo.todo_id)
    if claim != caller.member_id and not is_owner(goal, caller.member_id, workspace):
        return refuse(TodoRefusal.CLAIM_OWNER_MISMATCH, claimed_by=claim)
    if (held := effective_lease(goal, todo.todo_id, now_ms)) is not None:
        return refuse(TodoRefusal.LEASE_FENCE_REQUIRED, owner=held.owner, version=held.version)
    return (Draft(facts=TodoReleased(todo_id=todo.todo_id), goal_id=goal.goal_id),)


def decide_update(workspace: Workspace, caller: Caller, ask: UpdateTodo, now_ms: int) -> Decision:
    """Change words or priority; only its holder or an owner may, and something must change."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if (broken := may_touch(workspace, goal, todo, caller, ask.todo_id, now_ms)) is not None:
        return broken
    assert todo is not None, "may_touch refuses an unknown todo"
    if ask.status == "open" and todo.status != "blocked":
        return refuse(TodoRefusal.TODO_NOT_BLOCKED, status=todo.status)
    if todo.status not in {"open", "blocked"}:
        return refuse(TodoRefusal.TODO_NOT_OPEN, status=todo.status)
    if ask.text is None and ask.note is None and ask.status is None and ask.priority in {None, todo.priority}:
        return refuse(TodoRefusal.NOTHING_TO_CHANGE, todo_id=todo.todo_id)
    reworded = () if ask.text is None else (todo.todo_id,)
    changes = ask.text is not None or ask.priority not in {None, todo.priority}
    if changes and (broken := settled(workspace, goal, caller, todo, "update", now_ms)) is not None:
        return broken
    if (broken := rested_on(workspace, goal, caller, reworded)) is not None:
        return broken
    facts = TodoUpdated(todo_id=todo.todo_id, priority=ask.priority, reopened=ask.status == "open")
    words = TodoUpdateWords(title=ask.text, note=ask.note) if ask.text is not None or ask.note is not None else None
    return (Draft(facts=facts, words=words, goal_id=goal.goal_id), *asked_anew(goal, reworded))


def decide_block(workspace: Workspace, caller: Caller, ask: BlockTodo, now_ms: int) -> Decision:
    """Mark work that cannot go on; a lease on it ends, for nobody works behind a block."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if (broken := may_touch(workspace, goal, todo, caller, ask.todo_id, now_ms)) is not None:
        return broken
    assert todo is not None, "may_touch refuses an unknown todo"
    if todo.status != "open":
        return refuse(TodoRefusal.TODO_NOT_OPEN, status=todo.status)
    if (broken := fenced_out(workspace, goal, todo, caller, ask, now_ms)) is not None:
        return broken
    blocked = Draft(facts=TodoBlocked(todo_id=todo.todo_id), words=ReasonWords(reason=ask.reason), goal_id=goal.goal_id)
    return (*end_lease(goal, todo.todo_id, now_ms), blocked)


def decide_cancel(workspace: Workspace, caller: Caller, ask: CancelTodo, now_ms: int) -> Decision:
    """Take work out, unless other open work waits for it: that would wait for ever."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    todo = goal.todos.get(TodoId(ask.todo_id))
    if (broken := may_touch(workspace, goal, todo, caller, ask.todo_id, now_ms, "supersede")) is not None:
        return broken
    assert todo is not None, "may_touch refuses an unknown todo"
    if todo.status not in {"open", "blocked", "deferred"}:
        return refuse(TodoRefusal.TODO_NOT_OPEN, status=todo.status)
    if (broken := settled(workspace, goal, caller, todo, "supersede", now_ms)) is not None:
        return broken
    if (broken := fenced_out(workspace, goal, todo, caller, ask, now_ms, "supersede")) is not None:
        return broken
    waiting = {*goal.waiting.get(todo.todo_id, ()), *goal.handoffs.awaiting.get(todo.todo_id, ())}
    if dependents := sorted(waiting - goal.handoffs.proposals.keys()):
        return refuse(TodoRefusal.TODO_HAS_DEPENDENTS, dependents=dependents)
    words = ReasonWords(reason=ask.reason) if ask.reason else None
    cancelled = Draft(facts=TodoCancelled(todo_id=todo.todo_id), words=words, goal_id=goal.goal_id)
    return (*end_lease(goal, todo.todo_id, now_ms), cancelled)


def _added_facts(ask: AddTodo, todo_id: TodoId, scopes: tuple[str, ...]) -> TodoAdded:
    return TodoAdded(
        todo_id=todo_id,
        role=ask.role,
        priority=ask.priority,
        task_class=ask.task_class or "advancement_task",
        action_kind=ask.action_kind,
        required_write_scopes=scopes,
        required_capabilities=tuple(dict.fromkeys(ask.required_capability)),
        depends_on=tuple(TodoId(text) for text in dict.fromkeys(ask.depends_on)),
        bound_agent=None if ask.bound_agent is None else MemberId(ask.bound_agent),
        excluded_agents=tuple(MemberId(text) for text in dict.fromkeys(ask.excluded_agent)),
        required_decision_scopes=tuple(dict.fromkeys(ask.required_decision_scope)),
        unblocks_todo_id=None if ask.unblocks_todo_id is None else TodoId(ask.unblocks_todo_id),
        validators=tuple(dict.fromkeys(ask.validator)),
        cadence_seconds=ask.cadence_seconds,
        max_no_change_before_replan=ask.max_no_change_before_replan,
    )


def _scopes_within(goal: Goal, asked: tuple[str, ...]) -> tuple[str, ...] | Refusal:
    scopes: list[str] = []
    for text in asked:
        if (scope := canonical_scope(text)) is None:
            return refuse(TodoRefusal.INVALID_WRITE_SCOPE, write_scope=text)
        scopes.append(scope)
    outside = [one for one in scopes if not within(one, goal.intent.write_scopes, fold_case=goal.intent.fold_case)]
    if outside:
        return refuse(TodoRefusal.SCOPE_OUTSIDE_BOUNDARY, write_scopes=outside, boundary=list(goal.intent.write_scopes))
    return tuple(dict.fromkeys(scopes))


def may_plan(workspace: Workspace, goal: Goal, caller: Caller) -> Refusal | None:
    """Work is changed by an agent that has the goal, by those who decide for it, and by whoever proposed it."""
    member = registered(workspace, caller.member_id)
    if member is not None and member.kind == "agent" and granted(member, goal.goal_id):
        return None
    if member is None or member.kind == "agent":
        return refuse(TodoRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if caller.member_id == goal.proposed_by or is_owner(goal, caller.member_id, workspace):
        return None
    return refuse(TodoRefusal.NOT_AN_OWNER)


def _agents_named(workspace: Workspace, goal: Goal, ask: AddTodo) -> Refusal | None:
    """Whoever is bound must be able to do it; whoever is excluded must exist, or the name is a slip."""
    for agent_id in ask.excluded_agent:
        if registered(workspace, MemberId(agent_id)) is None:
            return refuse(TodoRefusal.ACTOR_NOT_REGISTERED, member_id=agent_id)
    if ask.bound_agent is None:
        return None
    bound = registered(workspace, MemberId(ask.bound_agent))
    if bound is None or bound.kind != "agent" or not granted(bound, goal.goal_id):
        return refuse(TodoRefusal.ACTOR_NOT_REGISTERED, member_id=ask.bound_agent)
    if ask.bound_agent in ask.excluded_agent:
        return refuse(TodoRefusal.ACTOR_EXCLUDED, member_id=ask.bound_agent)
    return None


def _may_begin(
    workspace: Workspace, goal: Goal, todo: Todo, caller: Caller, ask: ClaimTodo, now_ms: int
) -> Refusal | None:
    if not goal.is_executable:
        return not_executable(goal)
    member = registered(workspace, caller.member_id)
    if member is None or member.kind != "agent" or not granted(member, goal.goal_id):
        return refuse(TodoRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if caller.member_id in todo.excluded_agents or todo.bound_agent not in {None, caller.member_id}:
        return refuse(TodoRefusal.ACTOR_EXCLUDED, member_id=caller.member_id)
    if ask.agent_id not in {None, caller.member_id}:
        return refuse(TodoRefusal.CLAIM_ACTOR_MISMATCH, agent_id=ask.agent_id)
    if (broken := _taken(goal, todo, caller, now_ms)) is not None:
        return broken
    if todo.role != "agent" or not is_open(workspace, goal, todo, now_ms):
        return refuse(TodoRefusal.TODO_NOT_OPEN, status=todo.status, role=todo.role)
    if must_review(goal, caller.member_id):
        return refuse(TodoRefusal.OBJECTIVE_REVIEW_REQUIRED, revision=goal.confirmed)
    if missing := lacking(goal, todo, member):
        return refuse(TodoRefusal.CAPABILITY_MISSING, capabilities=missing)
    if waiting_for := unmet(goal, todo):
        return refuse(TodoRefusal.DEPENDENCY_UNMET, waiting_for=waiting_for)
    return None


def not_executable(goal: Goal) -> Refusal:
    """Why no work of this goal may begin."""
    code = TodoRefusal.GOAL_NOT_EXECUTABLE if goal.confirmed else TodoRefusal.GOAL_NOT_CONFIRMED
    return refuse(code, state=goal.state)


def _taken(goal: Goal, todo: Todo, caller: Caller, now_ms: int) -> Refusal | None:
    held = effective_lease(goal, todo.todo_id, now_ms)
    if held is not None and held.owner != caller.member_id:
        return refuse(TodoRefusal.TODO_LEASE_CONFLICT, owner=held.owner, expires_at_ms=held.expires_at_ms)
    claim = effective_claim(goal, todo, now_ms)
    return None if claim in {None, caller.member_id} else refuse(TodoRefusal.CLAIM_OWNER_MISMATCH, claimed_by=claim)


def may_touch(
    workspace: Workspace,
    goal: Goal,
    todo: Todo | None,
    caller: Caller,
    todo_id: str,
    now_ms: int,
    action: DelegatedAction = "update",
) -> Refusal | None:
    """Why this caller may not change what the todo is: an owner always may, an agent what nobody else holds."""
    if goal.state in CLOSED:
        return refuse(TodoRefusal.GOAL_CLOSED, state=goal.state)
    if todo is None:
        return refuse(TodoRefusal.TODO_NOT_FOUND, todo_id=todo_id)
    if (broken := may_plan(workspace, goal, caller)) is not None:
        return broken
    if is_owner(goal, caller.member_id, workspace):
        return None
    if caller.member_id in todo.excluded_agents:
        return refuse(TodoRefusal.ACTOR_EXCLUDED, member_id=caller.member_id)
    holder = effective_claim(goal, todo, now_ms)
    if holder in {None, caller.member_id}:
        return None
    if delegated(workspace, goal, todo, caller.member_id, action, now_ms) is not None:
        return None
    return refuse(TodoRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)


def fence(goal: Goal, todo: Todo, owner: MemberId, ask: FencedTodo, now_ms: int) -> Lease | Refusal | None:
    """Whoever ends a lease, its owner or a delegate of theirs, names its execution and the version last seen."""
    lease = effective_lease(goal, todo.todo_id, now_ms)
    key, version = ask.task_lease_idempotency_key, ask.task_lease_expected_version
    if lease is None:
        return None if key is None else refuse(TodoRefusal.LEASE_NOT_ACTIVE, todo_id=todo.todo_id)
    if key is None:
        return refuse(TodoRefusal.LEASE_FENCE_REQUIRED, owner=lease.owner, version=lease.version)
    if lease.owner != owner:
        return refuse(TodoRefusal.HANDOFF_MODE_LEASE_CLAIM_DIVERGENCE, owner=lease.owner)
    if key != lease.idempotency_key:
        return refuse(TodoRefusal.LEASE_CAS_MISMATCH, version=lease.version, lease_epoch=lease.lease_epoch)
    if version is None:
        return refuse(TodoRefusal.VERSION_REQUIRED, version=lease.version)
    if version != lease.version:
        return refuse(TodoRefusal.VERSION_MISMATCH, expected=version, version=lease.version)
    return lease


def fenced_out(
    workspace: Workspace,
    goal: Goal,
    todo: Todo,
    caller: Caller,
    ask: FencedTodo,
    now_ms: int,
    action: DelegatedAction = "update",
) -> Refusal | None:
    """A late execution of the same agent may not end the lease of the one of now; an owner may end any."""
    if is_owner(goal, caller.member_id, workspace):
        return None
    by_grant = delegated(workspace, goal, todo, caller.member_id, action, now_ms)
    owner = caller.member_id if by_grant is None else goal.handoffs.delegations[by_grant].on_behalf_of
    held = fence(goal, todo, owner, ask, now_ms)
    return held if isinstance(held, Refusal) else None
