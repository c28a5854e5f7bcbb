"""Moves that come too late: everything that somebody may still want of a goal that is over, delivered or paused."""

from ledger.state import Goal
from tests.support.walks.base import Move, Walk, given

_YES: dict[str, object] = {"verdict": "accept"}


def late(walk: Walk, goal: Goal) -> Move:
    """One of them, about whatever the goal has, by somebody who might have done it before."""
    todo = {"todo_id": walk.choose([*goal.todos] or ["todo_none"])}
    request = {"request_id": walk.choose([*goal.requests.by_id] or ["request_none"])}
    gate = {"gate_id": walk.choose([*goal.gates.by_id] or ["gate_none"])}
    turn = {"turn_instance_id": "turn-1"}
    lane = {"lane_id": "links", "title": "Links"}
    operation = {"op": "add", "title": "More"}
    moves = (
        Move("ann", "todo.handoff", todo | {"context": "Half done"}),
        Move("builder", "todo.handoff", todo | {"context": "Half done", "to_agent": "helper"}),
        Move("ann", "goal.set-handoff-mode", {"handoff_mode": "hard_lease"}),
        Move("ann", "todo.delegate", _delegation() | {"todo_id": [todo["todo_id"]]}),
        Move("ann", "todo.admit", todo),
        Move("ann", "todo.decline", todo),
        Move("ann", "todo.cancel", todo),
        Move("builder", "todo.claim", todo),
        Move("builder", "todo.adopt", todo | {"idempotency_key": "run-9", "expected_version": 1}),
        Move("builder", "request.receive", request),
        Move("helper", "request.commit", request | {"text": "Check them"}),
        Move("ann", "gate.open", {"question": "May we?", "blocks_todo": [todo["todo_id"]]}),
        Move("ann", "gate.delegate", gate | {"to": "vic"}),
        Move("builder", "plan.propose", {"lane": [lane]}),
        Move("builder", "amendment.submit", _change() | {"operation": [operation]}),
        Move("builder", "quota.reserve", turn),
        Move("builder", "run.observe", todo | {"result_hash": "a" * 64}),
        Move("builder", "artifact.submit", {"label": "report", "sha256": "a" * 64, "size_bytes": 1}),
        Move("critic", "artifact.review", {"artifact_id": walk.choose([*goal.artifacts] or ["art_none"])} | _YES),
        Move("ann", "goal.resume", {}),
        Move("builder", "goal.deliver", {"summary": "Done"}),
    )
    if walk.one_in(12):
        return _more(walk, goal)
    move = walk.choose(moves)
    return Move(move.who, move.action, given(goal, move.params))


def _more(walk: Walk, goal: Goal) -> Move:
    """More slots, or another right, for what may be over."""
    if walk.one_in(2):
        return Move("ann", "quota.set", given(goal, {"compute": walk.choose(("0.5", "0.25", "1"))}))
    return Move("ann", "member.grant", {"member_id": "builder", "goal_id": [goal.goal_id], "capability": ["shell"]})


def _delegation() -> dict[str, object]:
    who = {"agent_id": "helper", "on_behalf_of": "builder"}
    return who | {"allowed_action": ["update"], "reason": "They are away"}


def _change() -> dict[str, object]:
    return {"amendment_class": "shared_work_graph", "why": "The release waits for it"}
