"""What one thing still needs before it is settled, whoever has to do it: what `history` says of it at its end.

`needs` has the rows of a whole goal, the most urgent first, each thing that somebody has to do once. Here is the other
way to look at the same rules: one thing is given, a todo or a gate, and all that stands between it and its end is
named, things that nobody is told of included. Whom the rules would let decide is asked of the same functions.
"""

import msgspec

from ledger.ids import MemberId
from ledger.parts.amendments import Amendment
from ledger.parts.gates import Gate
from ledger.parts.plans import Plan
from ledger.parts.requests import Request
from ledger.projections.holds import hold_of
from ledger.records import CLOSED, Todo
from ledger.rules.amendment_graph import needs_rebase
from ledger.rules.amendments import ROUTINE
from ledger.rules.common import owners_of, unmet
from ledger.rules.gates import REPAIR_REQUIRED, SCOPE_UNAPPROVED, awaited, blocking, counted, is_over
from ledger.rules.plans import deciders
from ledger.state import Goal, Workspace


class Wanting(msgspec.Struct, frozen=True):
    """One thing that is needed. `code` names its sentence, `history.need.<code>`."""

    code: str
    members: tuple[MemberId, ...] = ()
    subject: dict[str, object] = {}


SETTLED = Wanting("settled")


def of_todo(workspace: Workspace, goal: Goal, todo: Todo, now_ms: int) -> list[Wanting]:
    """What a todo needs before it is done."""
    if todo.status in {"done", "cancelled", "declined"} or goal.state in CLOSED:
        return [SETTLED]
    about: dict[str, object] = {"todo_id": todo.todo_id}
    if todo.status == "proposed":
        return [Wanting("admit", deciders(workspace, goal), about)]
    found: list[Wanting] = []
    if not goal.is_executable:
        found.append(Wanting("goal", owners_of(goal, workspace), {"state": goal.state}))
    if todo.status == "deferred":
        found.append(Wanting("resume", (), about))
    if todo.status == "blocked":
        found.append(Wanting("unblock", owners_of(goal, workspace), about))
    if others := unmet(goal, todo):
        found.append(Wanting("depends", (), {"others": others}))
    if requests := goal.requests.blocks.get(todo.todo_id):
        receivers = tuple(dict.fromkeys(goal.requests.by_id[request_id].receiver for request_id in requests))
        found.append(Wanting("request", receivers, {"requests": list(requests)}))
    owner = hold_of(goal, todo, now_ms).owner
    if todo.role == "user" and owner is None and not found:
        return [Wanting("person", owners_of(goal, workspace), about)]
    gate_id = blocking(workspace, goal, todo, owner or MemberId(""), now_ms)
    if gate_id is not None:
        found.append(_gate_or_code(workspace, goal, todo, gate_id, now_ms))
    if not found:
        found.append(Wanting("hold", (owner,), about) if owner is not None else Wanting("take", (), about))
    return found


def _gate_or_code(workspace: Workspace, goal: Goal, todo: Todo, gate_id: str, now_ms: int) -> Wanting:
    if gate_id in {SCOPE_UNAPPROVED, REPAIR_REQUIRED}:
        subject: dict[str, object] = {"todo_id": todo.todo_id, "scopes": list(todo.required_decision_scopes)}
        return Wanting("scope" if gate_id == SCOPE_UNAPPROVED else "repair", owners_of(goal, workspace), subject)
    return of_gate(workspace, goal, goal.gates.by_id[gate_id], now_ms)[0]


def of_lease(workspace: Workspace, goal: Goal, todo: Todo, now_ms: int) -> list[Wanting]:
    """What the lease on a todo needs to go on, or what comes instead of it."""
    lease = hold_of(goal, todo, now_ms).lease
    if lease is None:
        return of_todo(workspace, goal, todo, now_ms)
    return [Wanting("lease", (lease.owner,), {"todo_id": todo.todo_id, "expires_at_ms": lease.expires_at_ms})]


def of_gate(workspace: Workspace, goal: Goal, gate: Gate, now_ms: int) -> list[Wanting]:
    """Whose votes a gate waits for; a gate that said no needs another that says yes."""
    if is_over(gate, now_ms) and goal.state not in CLOSED:
        return [Wanting("gate_over", (), {"gate_id": gate.gate_id})]
    if gate.is_open and goal.state not in CLOSED:
        votes: dict[str, object] = {"votes": counted(workspace, gate), "quorum": gate.policy.quorum}
        return [
            Wanting(
                "gate",
                awaited(workspace, gate, now_ms) or owners_of(goal, workspace),
                {"gate_id": gate.gate_id, **votes},
            )
        ]
    refused = goal.state not in CLOSED and gate.status in {"rejected", "cancelled", "expired"}
    return [Wanting("another_gate", owners_of(goal, workspace), {"gate_id": gate.gate_id})] if refused else [SETTLED]


def of_plan(workspace: Workspace, goal: Goal, plan: Plan) -> list[Wanting]:
    """Whether somebody has to say yes to a plan."""
    if plan.status != "open" or goal.state in CLOSED:
        return [SETTLED]
    return [Wanting("plan", deciders(workspace, goal), {"plan_id": plan.plan_id})]


def of_amendment(workspace: Workspace, goal: Goal, amendment: Amendment, now_ms: int) -> list[Wanting]:
    """Whether an amendment waits for its gate or for a decision, and who has to read it before going on."""
    about: dict[str, object] = {"amendment_id": amendment.amendment_id}
    if amendment.status == "open" and goal.state not in CLOSED:
        gate = None if amendment.gate_id is None else goal.gates.by_id.get(amendment.gate_id)
        if gate is not None and gate.is_open:
            return of_gate(workspace, goal, gate, now_ms)
        if needs_rebase(goal, amendment, now_ms):
            return [Wanting("rebase", (amendment.submitted_by,), about)]
        if amendment.amendment_class in ROUTINE:
            return [Wanting("routine", (), about)]
        return [Wanting("amendment", owners_of(goal, workspace), about)]
    held = [
        (todo_id, hold) for todo_id, hold in goal.amendments.held.items() if hold.amendment_id == amendment.amendment_id
    ]
    return [Wanting("adopt", (hold.agent_id,), {**about, "todo_id": todo_id}) for todo_id, hold in held] or [SETTLED]


def of_request(request: Request) -> list[Wanting]:
    """Which of the five facts of a request comes next."""
    about: dict[str, object] = {"request_id": request.request_id, "todo_id": request.todo_id}
    if request.withdrawn is not None or request.delivered is not None:
        return [SETTLED]
    if request.returned is not None:
        return [Wanting("arrive", (request.sender,), about)]
    return [Wanting("work" if request.todo_id is not None else "answer", (request.receiver,), about)]
