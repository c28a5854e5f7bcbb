"""Selection: the work that an agent would do next, and why other work was passed over.

What should-run offers, what a list of ready work shows and what a reservation takes are one thing, found here. Work
whose lease has run out, or whose deferral is over, is offered at once, whether or not its event is written yet.
"""

from collections.abc import Iterator
from heapq import merge

import msgspec

from ledger.ids import MemberId, TodoId
from ledger.records import Member, Todo
from ledger.rules.amendments import held_back
from ledger.rules.authority import forbids
from ledger.rules.common import lacking
from ledger.rules.gates import blocking, blocking_todo
from ledger.rules.leases import effective_claim, effective_lease
from ledger.rules.slots import reserved_by_another
from ledger.rules.waits import held_by_request
from ledger.rules.waking import is_open, to_wake
from ledger.state import Goal, Workspace

ADVANCEMENT = "advancement_task"
REQUEST_OPEN = "request_open"
"""Why work waits that a request to somebody else stands before."""
NOBODY = MemberId("")


class Selection(msgspec.Struct, kw_only=True):
    """What was found on the way to the work this agent would do next, and the work, if there is any."""

    todo: Todo | None = None
    lacking: str | None = None
    gate_id: str | None = None
    busy: str | None = None
    request_id: str | None = None


def select(workspace: Workspace, goal: Goal, member: Member, now_ms: int) -> Selection:
    """The todo this agent would do next, and why other work was passed over.

    Its own first, then the ready ones by priority and order of creation. All of them are looked at before the answer
    is none: work that fits must not be hidden by work that does not.
    """
    found = Selection()
    found.gate_id = blocking(workspace, goal, None, member.member_id, now_ms)
    if found.gate_id is not None:
        return found
    for todo in candidates(workspace, goal, member.member_id, now_ms):
        if not is_for(workspace, goal, todo, member.member_id, now_ms) or todo.task_class != ADVANCEMENT:
            continue
        if (busy := held_up(goal, todo, member.member_id, now_ms)) is not None:
            if found.busy is None and not lacking(goal, todo, member):
                found.busy = busy
                found.request_id = held_by_request(goal, todo.todo_id) if busy == REQUEST_OPEN else None
        elif (gate_id := blocking_todo(workspace, goal, todo)) is not None:
            found.gate_id = found.gate_id or gate_id
        elif (missing := not_fit(workspace, goal, todo, member, now_ms)) is not None:
            found.lacking = found.lacking or missing
        else:
            found.todo = todo
            return found
    return found


def is_for(workspace: Workspace, goal: Goal, todo: Todo, agent_id: MemberId, now_ms: int) -> bool:
    """Whether the todo is open to this agent as the graph and the claims stand."""
    return (
        todo.role == "agent"
        and not goal.unmet.get(todo.todo_id)
        and is_open(workspace, goal, todo, now_ms)
        and agent_id not in todo.excluded_agents
        and todo.bound_agent in {None, agent_id}
        and effective_claim(goal, todo, now_ms) in {None, agent_id}
    )


def held_up(goal: Goal, todo: Todo, agent_id: MemberId, now_ms: int) -> str | None:
    """Why work that this agent could do must wait for somebody else's."""
    if meets_a_lease(goal, todo, now_ms):
        return "write_scope_busy"
    if reserved_by_another(goal, todo.todo_id, agent_id, now_ms) is not None:
        return "todo_reserved"
    if held_back(goal, todo.todo_id) is not None:
        return "amendment_holds"
    return REQUEST_OPEN if held_by_request(goal, todo.todo_id) is not None else None


def not_fit(workspace: Workspace, goal: Goal, todo: Todo, member: Member, now_ms: int) -> str | None:
    """What this agent lacks for the work, as the code of a refusal."""
    if lacking(goal, todo, member):
        return "capability_missing"
    return forbids(workspace, member.member_id, goal.goal_id, todo, now_ms)


def meets_a_lease(goal: Goal, todo: Todo, now_ms: int) -> bool:
    """Whether what the todo must write is held under another todo's lease."""
    return any(
        effective_lease(goal, TodoId(other), now_ms) is not None
        for other, _, _ in goal.scopes.conflicts(todo.todo_id, todo.required_write_scopes)
    )


def candidates(workspace: Workspace, goal: Goal, agent_id: MemberId, now_ms: int) -> Iterator[Todo]:
    """What this agent has, then what nobody has, each by priority and order of creation, no todo twice."""
    mine = (goal.todos[todo_id] for todo_id in goal.mine.get(agent_id, ()))
    yield from sorted(mine, key=lambda todo: (todo.priority, todo.seq))
    yield from free(workspace, goal, agent_id, now_ms)


def free(workspace: Workspace, goal: Goal, agent_id: MemberId, now_ms: int) -> Iterator[Todo]:
    """What nobody has, by priority and order of creation."""
    # What a lapsed lease or a deferral that is over still hides from the ready ones.
    hidden = dict.fromkeys((*goal.lapsed(now_ms), *to_wake(workspace, goal, now_ms)))
    freed = sorted((goal.todos[todo_id].priority, goal.todos[todo_id].seq, todo_id) for todo_id in hidden)
    own = goal.mine.get(agent_id, {})
    for _, _, todo_id in merge(freed, goal.ready) if freed else goal.ready:
        if todo_id not in own:
            yield goal.todos[todo_id]


def can_begin(workspace: Workspace, goal: Goal, todo: Todo, member: Member | None, now_ms: int) -> bool:
    """Whether this agent, or somebody where none is named, would be let begin this todo now."""
    agent_id = NOBODY if member is None else member.member_id
    if todo.task_class != ADVANCEMENT or held_up(goal, todo, agent_id, now_ms) is not None:
        return False
    if blocking(workspace, goal, todo, agent_id, now_ms) is not None:
        return False
    if member is not None:
        fits = not_fit(workspace, goal, todo, member, now_ms) is None
        return fits and is_for(workspace, goal, todo, agent_id, now_ms)
    free = effective_claim(goal, todo, now_ms) is None and not goal.unmet.get(todo.todo_id)
    return free and todo.role == "agent" and is_open(workspace, goal, todo, now_ms)
