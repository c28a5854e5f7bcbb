"""The work graph under an amendment: what it sees, what has moved, and whether its operations can be done.

Everything here is a pure function of the goal. A graph with the operations done is never built: only the todos that
they touch can change, so only those are looked at, and a cycle must go through one of them.
"""

from enum import StrEnum

from ledger.ids import MemberId, TodoId
from ledger.parts.amendments import Amendment, AmendmentClass, Operation, OperationName, Seen, SeenTodo
from ledger.refusals import Refusal
from ledger.rules.common import granted, refuse, registered
from ledger.rules.leases import effective_claim, effective_lease
from ledger.rules.todos import TodoRefusal
from ledger.rules.waits import waited_for
from ledger.scopes import canonical_scope, within
from ledger.state import Goal, Workspace

CLASSES: tuple[AmendmentClass, ...] = ("lane_route", "shared_work_graph", "shared_acceptance", "protected_authority")
"""From the one that reaches least to the one that reaches most."""
CLASS_OF_OPERATION: dict[OperationName, AmendmentClass] = {
    "reprioritise": "lane_route",
    "rebind": "lane_route",
    "add": "shared_work_graph",
    "cancel": "shared_work_graph",
    "rewire": "shared_work_graph",
    "rescope": "shared_work_graph",
    "restate": "shared_acceptance",
}
OPEN = frozenset({"open", "blocked", "deferred"})


class OperationRefusal(StrEnum):
    """Why an operation cannot be done, in order of precedence."""

    CLASS_TOO_LOW = "class_too_low"
    OPERATION_CONFLICT = "operation_conflict"
    TODO_NOT_FOUND = "todo_not_found"
    TODO_NOT_OPEN = "todo_not_open"
    TODO_EXISTS = "todo_exists"
    DEPENDENCY_NOT_FOUND = "dependency_not_found"
    TODO_HAS_DEPENDENTS = "todo_has_dependents"
    DEPENDENCY_CYCLE = "dependency_cycle"
    INVALID_WRITE_SCOPE = "invalid_write_scope"
    SCOPE_OUTSIDE_BOUNDARY = "scope_outside_boundary"
    AGENT_NOT_GRANTED = "agent_not_granted"


def holder_of(goal: Goal, todo_id: TodoId, now_ms: int) -> MemberId | None:
    """Who has the todo in hand, by a lease or by a claim."""
    lease = effective_lease(goal, todo_id, now_ms)
    return effective_claim(goal, goal.todos[todo_id], now_ms) if lease is None else lease.owner


def seen_now(goal: Goal, operations: tuple[Operation, ...], now_ms: int) -> Seen:
    """What the operations rest on, as it is now."""
    touched = dict.fromkeys(one.todo_id for one in operations if one.todo_id in goal.todos)
    todos: list[SeenTodo] = []
    for todo_id in touched:
        todo, lease = goal.todos[todo_id], goal.leases.get(todo_id)
        todos.append(
            SeenTodo(
                todo_id=todo_id,
                status=todo.status,
                priority=todo.priority,
                depends_on=todo.depends_on,
                bound_agent=todo.bound_agent,
                write_scopes=todo.required_write_scopes,
                holder=holder_of(goal, todo_id, now_ms),
                lease_epoch=0 if lease is None else lease.lease_epoch,
            )
        )
    return Seen(revision=goal.confirmed, graph_seq=goal.amendments.graph_seq, todos=tuple(todos))


def difference(was: Seen, now: Seen) -> list[dict[str, object]]:
    """What has moved: the promise, the graph as a whole, and each field of each todo that was seen."""
    moved: list[dict[str, object]] = [
        {"field": name, "was": getattr(was, name), "now": getattr(now, name)}
        for name in ("revision", "graph_seq")
        if getattr(was, name) != getattr(now, name)
    ]
    present = {todo.todo_id: todo for todo in now.todos}
    before = {todo.todo_id: todo for todo in was.todos}
    for todo_id in dict.fromkeys((*before, *present)):
        old, new = before.get(todo_id), present.get(todo_id)
        if old is None or new is None:
            moved.append({"todo_id": todo_id, "field": "todo", "was": old is not None, "now": new is not None})
            continue
        for name in SeenTodo.__struct_fields__:
            left, right = getattr(old, name), getattr(new, name)
            if left != right:
                moved.append({"todo_id": todo_id, "field": name, "was": _plain(left), "now": _plain(right)})
    return moved


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def cannot(
    workspace: Workspace, goal: Goal, chosen: AmendmentClass, operations: tuple[Operation, ...]
) -> Refusal | None:
    """Why these operations cannot be done together; first failure wins."""
    needed = max((_class_of(goal, one) for one in operations), key=CLASSES.index)
    if CLASSES.index(chosen) < CLASSES.index(needed):
        return refuse(OperationRefusal.CLASS_TOO_LOW, amendment_class=chosen, needs=needed)
    return (
        _conflict(operations)
        or _targets(goal, operations)
        or _edges(goal, operations)
        or _bounds(workspace, goal, operations)
    )


def _class_of(goal: Goal, one: Operation) -> AmendmentClass:
    """How far an operation reaches; to take out what people said, a lane or a need of theirs, reaches further."""
    todo = goal.todos.get(one.todo_id)
    if one.op == "cancel" and todo is not None and (todo.plan_id is not None or todo.required_decision_scopes):
        return "shared_acceptance"
    return CLASS_OF_OPERATION[one.op]


def _conflict(operations: tuple[Operation, ...]) -> Refusal | None:
    seen: dict[TodoId, set[str]] = {}
    for one in operations:
        others = seen.setdefault(one.todo_id, set())
        alone = {"add", "cancel"}
        if one.op in others or (others and (one.op in alone or others & alone)):
            return refuse(OperationRefusal.OPERATION_CONFLICT, todo_id=one.todo_id, op=one.op)
        others.add(one.op)
    return None


def _targets(goal: Goal, operations: tuple[Operation, ...]) -> Refusal | None:
    for one in operations:
        todo = goal.todos.get(one.todo_id)
        if one.op == "add":
            if todo is not None:
                return refuse(OperationRefusal.TODO_EXISTS, todo_id=one.todo_id)
            if (plan_id := goal.plans.reserving(one.todo_id)) is not None:
                return refuse(TodoRefusal.TODO_ID_RESERVED, todo_id=one.todo_id, plan_id=plan_id)
        elif todo is None:
            return refuse(OperationRefusal.TODO_NOT_FOUND, todo_id=one.todo_id)
        elif todo.status not in OPEN:
            return refuse(OperationRefusal.TODO_NOT_OPEN, todo_id=one.todo_id, status=todo.status)
    return None


def _edges(goal: Goal, operations: tuple[Operation, ...]) -> Refusal | None:
    """No open work may wait for what is not there, or for itself."""
    cancelled = {one.todo_id for one in operations if one.op == "cancel"}
    added = {one.todo_id for one in operations if one.op == "add"}
    wired = {one.todo_id: one.depends_on or () for one in operations if one.op in {"add", "rewire"}}
    for todo_id, others in wired.items():
        for other in others:
            known = other in added or (
                other in goal.todos and goal.todos[other].status not in {"cancelled", "proposed"}
            )
            if not known or other in cancelled:
                return refuse(OperationRefusal.DEPENDENCY_NOT_FOUND, todo_id=todo_id, depends_on=[other])
    for todo_id in cancelled:
        if left := _left_waiting(goal, todo_id, wired) - cancelled:
            return refuse(OperationRefusal.TODO_HAS_DEPENDENTS, todo_id=todo_id, dependents=sorted(left))
    for todo_id, others in wired.items():
        if todo_id in waited_for(goal, others, wired):
            return refuse(OperationRefusal.DEPENDENCY_CYCLE, todo_id=todo_id)
    return None


def _left_waiting(goal: Goal, todo_id: TodoId, wired: dict[TodoId, tuple[TodoId, ...]]) -> set[TodoId]:
    """What would wait for ever for a todo that is taken out.

    New dependencies end the wait for an old one. They end neither the wait for a decision that unblocks the work nor
    the one for what it was put off until.
    """
    waiting = goal.waiting.get(todo_id, set()) - goal.handoffs.proposals.keys()
    asked = {other for other in waiting if todo_id in goal.reviews.unblockers.get(other, ())}
    return (waiting - wired.keys()) | asked | {*goal.handoffs.awaiting.get(todo_id, ())}


def _bounds(workspace: Workspace, goal: Goal, operations: tuple[Operation, ...]) -> Refusal | None:
    """Nothing an amendment does goes beyond the boundary that the owners set; that takes a revision of the goal."""
    for one in operations:
        for scope in one.write_scopes or ():
            if canonical_scope(scope) is None:
                return refuse(OperationRefusal.INVALID_WRITE_SCOPE, write_scope=scope)
            if not within(scope, goal.intent.write_scopes, fold_case=goal.intent.fold_case):
                boundary = list(goal.intent.write_scopes)
                return refuse(OperationRefusal.SCOPE_OUTSIDE_BOUNDARY, write_scopes=[scope], boundary=boundary)
    for one in operations:
        if one.agent is None:
            continue
        member = registered(workspace, one.agent)
        todo = goal.todos.get(one.todo_id)
        excluded = todo is not None and one.agent in todo.excluded_agents
        if member is None or member.kind != "agent" or not granted(member, goal.goal_id) or excluded:
            return refuse(OperationRefusal.AGENT_NOT_GRANTED, agent_id=one.agent, todo_id=one.todo_id)
    return None


def needs_rebase(goal: Goal, amendment: Amendment, now_ms: int) -> list[dict[str, object]]:
    """What has moved since an open amendment saw it; nothing where it can be committed."""
    if amendment.status != "open":
        return []
    return difference(amendment.seen, seen_now(goal, amendment.operations, now_ms))
