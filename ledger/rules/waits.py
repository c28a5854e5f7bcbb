"""Waits: what stands before a piece of work, by whatever way, and whether it would come to wait for itself.

Work waits for its dependencies, for the decisions that unblock it, for the work it was put off until, and for the open
requests that name it. A request waits for the requests that were sent to fulfil it, and for its own work. Every rule
that adds such an edge asks here, so that no circle can be closed through two families that do not know each other.
"""

from collections.abc import Iterable, Iterator, Mapping

from ledger.ids import TodoId
from ledger.rules.common import needs
from ledger.state import Goal

_OVER = frozenset({"done", "cancelled"})
_NO_CHANGE: Mapping[TodoId, tuple[TodoId, ...]] = {}


def held_by_request(goal: Goal, todo_id: TodoId) -> str | None:
    """The id of the open request that this todo waits for: the one that was sent first, where there are several."""
    waiting = goal.requests.blocks.get(todo_id, ())
    return min(waiting, key=lambda request_id: goal.requests.by_id[request_id].seq, default=None)


def waited_for(
    goal: Goal, todo_ids: Iterable[TodoId], rewired: Mapping[TodoId, tuple[TodoId, ...]] = _NO_CHANGE
) -> Iterator[str]:
    """These todos, and every todo and request that one of them waits for; no two of them have one id.

    `rewired` are dependencies as they would be, of work that is there or is to be added.
    """
    seen: set[str] = set()
    todos, requests = list(todo_ids), list[str]()
    while todos or requests:
        if requests:
            request_id = requests.pop()
            if request_id not in seen:
                seen.add(request_id)
                yield request_id
                requests += goal.requests.children.get(request_id, ())
                work = goal.requests.by_id[request_id].todo_id
                todos += [] if work is None else [work]
            continue
        todo_id = todos.pop()
        todo = goal.todos.get(todo_id)
        if todo_id in seen or (todo is not None and todo.status in _OVER):
            continue
        seen.add(todo_id)
        yield todo_id
        if todo is None or todo_id in rewired:
            todos += rewired.get(todo_id, ())
            todos += goal.reviews.unblockers.get(todo_id, ())
        else:
            todos += needs(goal, todo)
        deferral = goal.handoffs.deferrals.get(todo_id)
        if deferral is not None and deferral.condition == "todo_done":
            todos.append(TodoId(deferral.reference))
        requests += goal.requests.blocks.get(todo_id, ())
