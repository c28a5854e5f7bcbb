"""What holds a todo back that nobody sees in its status: a gate, an amendment, a request, or that it was only proposed.

The rules are asked that would refuse to let it begin, in their order, so that a list never calls work free which nobody
may take.
"""

from ledger.records import CLOSED, Todo
from ledger.rules.amendments import held_back
from ledger.rules.gates import CODES, awaited, blocking, why_held
from ledger.rules.selection import NOBODY, REQUEST_OPEN
from ledger.rules.waits import held_by_request
from ledger.state import Goal, Workspace

_SETTLED = frozenset({"done", "cancelled", "declined"})


def held_by(workspace: Workspace, goal: Goal, todo: Todo, now_ms: int) -> list[dict[str, object]]:
    """Each thing that stands before the todo, as a code with what it is about and whom it waits for."""
    if goal.state in CLOSED or todo.status in _SETTLED:
        return []
    if todo.status == "proposed":
        return [_row("proposed", todo.todo_id)]
    found: list[dict[str, object]] = []
    if (amendment_id := held_back(goal, todo.todo_id)) is not None:
        found.append(_row("amendment_holds", amendment_id))
    if (request_id := held_by_request(goal, todo.todo_id)) is not None:
        found.append(_row(REQUEST_OPEN, request_id, (goal.requests.by_id[request_id].receiver,)))
    gate_id = blocking(workspace, goal, todo, NOBODY, now_ms)
    if gate_id in CODES:
        found.append(_row(gate_id, todo.todo_id))
    elif gate_id is not None:
        gate = goal.gates.by_id[gate_id]
        code = why_held(workspace, gate, now_ms)
        found.append(_row(code, gate_id, awaited(workspace, gate, now_ms) if code == "gate_blocks" else ()))
    return found


def _row(code: str, about: str, waits_for: tuple[str, ...] = ()) -> dict[str, object]:
    return {"code": code, "id": about, "waits_for": list(waits_for)}
