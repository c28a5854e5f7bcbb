"""The documents that reads answer with: one reader for each reading action.

A reader is a pure function of the committed state and the moment. Its document carries its own `schema_version`;
`ok` and the seq it is true at are added where it is served. Lists are pages: `after` continues, `total` counts all,
`next_after` is null on the last page.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import islice
from typing import cast, get_args

from ledger.ids import GoalId, MemberId, TodoId
from ledger.params import Params
from ledger.ports import StoreFault
from ledger.projections import (
    agents,
    amendments,
    attention,
    authority,
    digest,
    gates,
    identity,
    members,
    overview,
    plans,
    requests,
    review_packet,
    reviews,
    slots,
    summaries,
)
from ledger.projections.agents import qualified_until_ms
from ledger.projections.cards import acceptance_view, goal_view, review_view
from ledger.projections.channel import channel_projection, read_goal, todo_row
from ledger.projections.outlet import through_the_filter
from ledger.projections.presence import reachable_until_ms
from ledger.projections.privacy import Screen
from ledger.projections.status import goal_row, status_document
from ledger.projections.verdict import interaction_contract, should_run_document, unreadable_document
from ledger.records import GoalState, Lease, Member, Todo
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules import goal_params, goals, leases, quota, selection, todo_params, todos
from ledger.rules.common import Caller, refuse, registered
from ledger.rules.gates import blocking
from ledger.rules.leases import effective_lease
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339, rfc3339_or_none

Document = dict[str, object]
Reader = Callable[[Workspace, Caller, Params, int], Document | Refusal]

TITLE_CHARS_MAX = 500


def valid_until_ms(workspace: Workspace, goal_id: str, now_ms: int) -> int | None:
    """When time alone would change a document of this goal.

    The next end of a lease, a deferral, a delegation, a grant, a gate or a credential, or of what the quota counts.
    """
    try:
        goal = workspace.goals.get(GoalId(goal_id))
    except StoreFault:
        return now_ms  # What cannot be read now may be readable the next time.
    if goal is None:
        return None
    ends = [one.until_ms for one in goal.handoffs.delegations.values() if one.until_ms > now_ms]
    ends += slots.changes_ms(goal, now_ms)
    ends += reachable_until_ms(workspace, now_ms)
    ends += qualified_until_ms(workspace, now_ms)
    for due in (goal.due, goal.handoffs.due, goal.gates.due, goal.gates.passing, workspace.authority.until):
        at = bisect_right(due, now_ms, key=lambda entry: entry[0])
        ends += [due[at][0]] if at < len(due) else []
    return min(ends, default=None)


def _show_goal(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    goal = _goal(workspace, cast("goal_params.ShowGoal", asked).goal_id)
    if isinstance(goal, Refusal):
        return goal
    reading = read_goal(workspace, goal, now_ms)
    document = channel_projection(workspace, goal, now_ms, reading)
    document["interaction_contract"] = interaction_contract(reading.given.verdict, reading.step)
    delivery = goal.delivery
    document["view"] = goal_view(workspace, goal, now_ms, reading)
    # The promise in force, or the first one put forward; a later one that waits stands beside it, never in its place.
    waits = goal.confirmed and goal.pending
    document["review"] = review_view(workspace, goal, goal.intent.number)
    document["pending_review"] = review_view(workspace, goal, goal.pending) if waits else None
    document["acceptance"] = None if delivery is None else acceptance_view(workspace, goal, delivery.number)
    document["basis"] = {
        "confirm": goal.intents[goal.pending - 1].basis if goal.pending else None,
        "accept": delivery.basis if delivery is not None and goal.state == "delivered" else None,
        "state": goals.state_basis(goal),
    }
    return document


def _list_goals(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("goal_params.ListGoals", asked)
    states = get_args(GoalState)
    if ask.state and ask.state not in states:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="state", problem="must be one of " + ", ".join(states))
    found = [held for held in workspace.goals.held() if not ask.state or held.state == ask.state]
    start = 0
    if ask.after is not None:
        last = workspace.goals.peek(GoalId(ask.after))
        if last is None:
            return refuse(goals.GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.after)
        start = bisect_right(found, last.created_seq, key=lambda held: held.created_seq)
    page = found[start : start + ask.limit]
    return {
        "schema_version": "frontstage_goal_list_v1",
        "goals": [goal_row(held) for held in page],
        "total": len(found),
        "next_after": page[-1].goal_id if start + ask.limit < len(found) else None,
    }


def _list_todos(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("todo_params.ListTodos", asked)
    goal = _goal(workspace, ask.goal_id)
    if isinstance(goal, Refusal):
        return goal
    ids: list[TodoId]
    # Open todos come by urgency, from their index; any other list comes in the order of creation.
    if ask.status == "open":
        ids = [todo_id for _, _, todo_id in goal.by_priority]
    elif ask.status is None:
        ids = list(goal.todos)
    else:
        ids = [todo.todo_id for todo in goal.todos.values() if todo.status == ask.status]
    start = 0
    if ask.after is not None:
        last = goal.todos.get(TodoId(ask.after))
        if last is None:
            return refuse(todos.TodoRefusal.TODO_NOT_FOUND, todo_id=ask.after)
        start = _after(goal, ids, last, by_urgency=ask.status == "open")
    page = ids[start : start + ask.limit]
    return {
        "schema_version": "frontstage_todo_list_v1",
        "goal_id": goal.goal_id,
        "todos": [_todo_document(workspace, goal, goal.todos[todo_id], now_ms) for todo_id in page],
        "total": len(ids),
        "next_after": page[-1] if start + ask.limit < len(ids) else None,
    }


def _after(goal: Goal, ids: list[TodoId], last: Todo, *, by_urgency: bool) -> int:
    """Where a page goes on, though the todo that it goes on after may have left the list since."""
    if by_urgency:
        return bisect_right(goal.by_priority, (last.priority, last.seq, last.todo_id))
    first = bisect_left(ids, last.seq, key=lambda todo_id: goal.todos[todo_id].seq)
    past = bisect_right(ids, last.seq, key=lambda todo_id: goal.todos[todo_id].seq)
    # The todos of one plan have one seq, and a page may end among them.
    return next((at + 1 for at in range(first, past) if ids[at] == last.todo_id), past)


def _ready_todos(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("todo_params.ReadyTodos", asked)
    goal = _goal(workspace, ask.goal_id)
    if isinstance(goal, Refusal):
        return goal
    asked_for = MemberId(ask.agent_id or caller.member_id)
    member = registered(workspace, asked_for)
    if ask.agent_id is not None and member is None:
        return refuse(todos.TodoRefusal.ACTOR_NOT_REGISTERED, member_id=ask.agent_id)
    agent = member if member is not None and member.kind == "agent" else None
    begin = _ready(workspace, goal, agent, now_ms) if goal.is_executable else iter(())
    found = list(islice(begin, ask.limit + 1))
    more = len(found) > ask.limit
    return {
        "schema_version": "frontstage_todo_ready_v1",
        "goal_id": goal.goal_id,
        "agent_id": None if agent is None else agent.member_id,
        "goal_state": goal.state,
        "todos": [_todo_document(workspace, goal, todo, now_ms) for todo in found[: ask.limit]],
        "more": more,
        "total": None if more else len(found),
    }


def _ready(workspace: Workspace, goal: Goal, agent: Member | None, now_ms: int) -> Iterator[Todo]:
    """Work that could begin now: this agent's own first, then what is free, most urgent first."""
    if blocking(workspace, goal, None, selection.NOBODY, now_ms) is not None:
        return
    agent_id = selection.NOBODY if agent is None else agent.member_id
    for todo in selection.candidates(workspace, goal, agent_id, now_ms):
        if selection.can_begin(workspace, goal, todo, agent, now_ms):
            yield todo


def _todo_document(workspace: Workspace, goal: Goal, todo: Todo, now_ms: int) -> Document:
    screen = Screen()
    row = todo_row(workspace, goal, todo, screen, "todo", now_ms)
    row["title"] = todo.title
    row |= {
        "task_class": todo.task_class,
        "action_kind": todo.action_kind,
        "required_write_scopes": list(todo.required_write_scopes),
        "required_capabilities": list(todo.required_capabilities),
        "depends_on": list(todo.depends_on),
        "bound_agent": todo.bound_agent,
        "excluded_agents": list(todo.excluded_agents),
        "acceptance": todo.acceptance,
        "note": todo.note,
        "reason": todo.reason,
        "evidence": list(todo.evidence),
        "stale_evidence": reviews.stale_evidence(goal, todo),
        "validators": list(todo.validators),
        "required_decision_scopes": list(todo.required_decision_scopes),
        "unblocks_todo_id": todo.unblocks_todo_id,
        "decision_outcome": todo.decision_outcome,
        "completed_by": todo.completed_by,
        "completed_at": rfc3339_or_none(todo.completed_at_ms),
        "successor_todo_ids": list(todo.successor_todo_ids),
        "seq_added": todo.seq,
        "resume_when": authority.resume_when(goal, todo.todo_id),
        "handoff": authority.handoff_document(goal, todo.todo_id),
    }
    return row


def _inspect_lease(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("leases.InspectLease", asked)
    goal = _goal(workspace, ask.goal_id)
    if isinstance(goal, Refusal):
        return goal
    todo_id = TodoId(ask.todo_id)
    if todo_id not in goal.todos:
        return refuse(leases.LeaseRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
    lease = goal.leases.get(todo_id)
    if lease is None:
        nothing = {"goal_id": goal.goal_id, "todo_id": todo_id, "missing": True, "effective": False}
        return {"schema_version": "task_lease_v0", **nothing}
    return {
        **lease_document(goal, lease),
        # The execution key belongs to whoever holds the lease with it.
        "idempotency_key": lease.idempotency_key if caller.member_id == lease.owner else None,
        "missing": False,
        "effective": effective_lease(goal, todo_id, now_ms) is not None,
    }


def lease_document(goal: Goal, lease: Lease) -> Document:
    """A `task_lease_v0` record without its execution key. The schema knows two states: a lapsed lease is released."""
    return {
        "schema_version": "task_lease_v0",
        "goal_id": goal.goal_id,
        "todo_id": lease.todo_id,
        "owner": lease.owner,
        "write_scopes": list(lease.write_scopes),
        "acquire_ttl_seconds": lease.acquire_ttl_seconds,
        "version": lease.version,
        "lease_epoch": lease.lease_epoch,
        "acquired_at": rfc3339(lease.acquired_at_ms),
        "updated_at": rfc3339(lease.updated_at_ms),
        "expires_at": rfc3339(lease.expires_at_ms),
        "status": "active" if lease.status == "active" else "released",
        "released_at": rfc3339_or_none(lease.released_at_ms),
        "end": None if lease.status == "active" else lease.status,
    }


def _list_members(workspace: Workspace, _caller: Caller, _asked: Params, _now_ms: int) -> Document | Refusal:
    return {
        "schema_version": "frontstage_member_list_v1",
        "members": [_member_document(member) for member in workspace.members.values()],
        "total": len(workspace.members),
    }


def _member_document(member: Member) -> Document:
    return {
        "member_id": member.member_id,
        "kind": member.kind,
        "display_name": member.display_name,
        "roles": list(member.roles),
        "profile_role": member.profile_role,
        "profile_role_is_advisory": True,
        "capabilities": list(member.capabilities),
        "goals": list(member.goals),
        "paired": member.identity_digest is not None,
        "revoked": member.revoked,
    }


def _should_run(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("quota.ShouldRun", asked)
    agent_id = MemberId(ask.agent_id or caller.member_id)
    try:
        goal = _goal(workspace, ask.goal_id)
    except StoreFault:
        return unreadable_document(workspace, GoalId(ask.goal_id), agent_id, now_ms)
    return goal if isinstance(goal, Refusal) else should_run_document(workspace, goal, agent_id, now_ms)


def _show_status(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    return status_document(workspace, cast("quota.ShowStatus", asked).limit, now_ms)


def _goal(workspace: Workspace, goal_id: str) -> Goal | Refusal:
    goal = workspace.goals.get(GoalId(goal_id))
    return refuse(goals.GoalRefusal.GOAL_NOT_FOUND, goal_id=goal_id) if goal is None else goal


_MADE: dict[str, Reader] = {
    "goal.show": _show_goal,
    "goal.list": _list_goals,
    "todo.list": _list_todos,
    "todo.ready": _ready_todos,
    "task-lease.inspect": _inspect_lease,
    "member.list": _list_members,
    "quota.should-run": _should_run,
    "status.show": _show_status,
    **agents.READERS,
    **amendments.READERS,
    **attention.READERS,
    **authority.READERS,
    **digest.READERS,
    **gates.READERS,
    **identity.READERS,
    **summaries.READERS,
    **members.READERS,
    **overview.READERS,
    **plans.READERS,
    **review_packet.READERS,
    **reviews.READERS,
    **requests.READERS,
    **slots.READERS,
}
READERS: dict[str, Reader] = {name: through_the_filter(reader) for name, reader in _MADE.items()}
"""By the name of the action; nothing leaves but through the filter."""
