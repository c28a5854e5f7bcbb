"""Moves on amendments: submitted against work in hand, rebased, committed, turned down, adopted."""

from ledger.ids import TodoId
from ledger.parts.amendments import Amendment
from ledger.rules.amendment_graph import holder_of
from ledger.rules.amendments import amendment_basis
from ledger.state import Goal
from tests.support.walks.base import AGENTS, PEOPLE, SCOPES, WORKERS, Move, Walk, given

CLASSES = ("lane_route", "shared_work_graph", "shared_acceptance", "protected_authority")
NEEDS = {"reprioritise": 0, "rebind": 0, "add": 1, "cancel": 1, "rewire": 1, "rescope": 1, "restate": 2}
GATE = "gate_amend"

Operation = dict[str, object]


def _operation(walk: Walk, goal: Goal) -> Operation:
    """One change of one todo, mostly of work in hand."""
    in_hand = [todo_id for mine in goal.mine.values() for todo_id in mine]
    left = [one.todo_id for one in goal.todos.values() if one.status in {"open", "blocked", "deferred"}]
    todo_id: str = walk.choose(in_hand) if in_hand and walk.one_in(2) else walk.choose(left or ["todo_none"])
    if walk.slip():
        todo_id = walk.choose([*goal.todos, TodoId("todo_none")])
    others = [*goal.todos, "todo_none"] if walk.slip() else [other for other in goal.todos if other != todo_id]
    match walk.choose((*NEEDS, "rewire", "cancel")):
        case "reprioritise":
            return {"op": "reprioritise", "todo_id": todo_id, "priority": walk.choose(("P0", "P1"))}
        case "rebind":
            who = walk.choose(("stranger", "nobody")) if walk.slip() else walk.choose(("builder", "helper", None))
            return {"op": "rebind", "todo_id": todo_id} | ({} if who is None else {"agent": who})
        case "add":
            chosen = {"todo_id": walk.choose([*goal.todos, "todo_aaa", "todo_aab"])} if walk.one_in(3) else {}
            return {"op": "add", "title": "More", "depends_on": others[-1:] if walk.one_in(2) else []} | chosen
        case "rewire":
            wanted = [walk.choose(others)] if others and not walk.one_in(3) else []
            return {"op": "rewire", "todo_id": todo_id, "depends_on": wanted}
        case "rescope":
            scope = walk.choose(("../x", "src/y")) if walk.slip() else walk.choose(SCOPES)
            return {"op": "rescope", "todo_id": todo_id, "write_scope": [scope]}
        case "restate":
            return {"op": "restate", "todo_id": todo_id, "title": "Check all links"}
        case _:
            return {"op": "cancel", "todo_id": todo_id}


def submit(walk: Walk, goal: Goal) -> Move:
    """Put a change forward, with what becomes of work in hand."""
    waiting = [one for one in goal.amendments.by_id.values() if one.status == "open"]
    if len(waiting) >= 3 and not walk.slip():
        return decide(walk, goal)
    operations = [_operation(walk, goal) for _ in walk.choose((range(1), range(1), range(2)))]
    least = max(NEEDS[str(one["op"])] for one in operations)
    reach = 0 if walk.slip() else walk.choose((least, least, least, 3))
    params: dict[str, object] = {
        "amendment_class": CLASSES[reach],
        "operation": operations,
        "why": "The release waits for it",
        "gate_id": GATE if reach == 3 else None,
        "amendment_id": walk.choose((None, None, None, "amend_a")),
    }
    params |= _fates(walk, goal, [str(one.get("todo_id", "")) for one in operations], operations)
    who = walk.anybody() if walk.slip() else walk.choose(("builder", "helper", "dreamer", "ann"))
    return Move(who, "amendment.submit", given(goal, params))


def _fates(walk: Walk, goal: Goal, todo_ids: list[str], operations: list[Operation]) -> dict[str, object]:
    """An explicit fate for each touched todo that somebody has in hand."""
    fates: dict[str, list[str]] = {}
    ended = {str(one["todo_id"]) for one in operations if one["op"] in {"cancel", "rebind"} and "todo_id" in one}
    for todo_id in dict.fromkeys(todo_ids):
        if TodoId(todo_id) not in goal.todos or holder_of(goal, TodoId(todo_id), walk.at_ms) is None:
            continue
        if walk.one_in(12):
            continue
        fate = "stop_todo" if todo_id in ended else walk.choose(("continue_todo", "rebase_todo", "stop_todo"))
        fates.setdefault(fate, []).append(todo_id)
        if walk.slip():
            fates.setdefault("continue_todo", []).append(todo_id)
    return dict(fates)


def _pick(walk: Walk, goal: Goal) -> Amendment | None:
    every = [*goal.amendments.by_id.values()]
    waiting = [one for one in every if one.status == "open"]
    if waiting and not walk.slip():
        return walk.choose(waiting)
    return walk.choose(every) if every else None


def decide(walk: Walk, goal: Goal) -> Move:
    """Commit a change, or turn it down, on what is shown or on what was shown before."""
    one = _pick(walk, goal)
    if one is None:
        return submit(walk, goal)
    if one.amendment_class == "protected_authority" and one.status == "open" and walk.one_in(2):
        return ask_people(walk, goal, one)
    right = one.basis or amendment_basis(goal, one)
    params: dict[str, object] = {"amendment_id": one.amendment_id}
    params["basis"] = walk.basis(right, walk.earlier(goal, one.amendment_id, right))
    routine = one.amendment_class in CLASSES[:2]
    who = walk.choose(("builder", "helper", "dreamer")) if routine and walk.one_in(2) else walk.owner(goal)
    verb = "reject" if walk.one_in(8) else "commit"
    return Move(who, f"amendment.{verb}", given(goal, params))


def ask_people(walk: Walk, goal: Goal, one: Amendment) -> Move:
    """Open the gate that a change of protected authority needs, or vote on it."""
    from tests.support.walks.gates import vote_on  # noqa: PLC0415  (gates know nothing of amendments)

    gate = goal.gates.by_id.get(GATE)
    if gate is not None and gate.is_open and gate.evidence_digest == one.digest:
        return vote_on(walk, goal, gate)
    asked: dict[str, object] = {"gate_id": GATE, "evidence_digest": one.digest}
    if gate is not None and gate.is_open:
        return Move(gate.opened_by, "gate.revise", given(goal, asked))
    asked |= {"kind": "amendment", "question": "May it change?", "decision_scope": "amendment:goal:*"}
    return Move("builder", "gate.open", given(goal, asked))


def mend(walk: Walk, goal: Goal) -> Move:
    """Rebase a change, or take it back."""
    one = _pick(walk, goal)
    if one is None:
        return submit(walk, goal)
    who = walk.choose((*PEOPLE, *AGENTS)) if walk.slip() else one.submitted_by
    if walk.one_in(4):
        return Move(who, "amendment.withdraw", given(goal, {"amendment_id": one.amendment_id}))
    touched = [operation.todo_id for operation in one.operations if operation.op != "add"]
    ended = [{"op": operation.op, "todo_id": operation.todo_id} for operation in one.operations]
    params = {"amendment_id": one.amendment_id} | _fates(walk, goal, [*touched], list(ended))
    return Move(who, "amendment.rebase", given(goal, params))


def adopt(walk: Walk, goal: Goal) -> Move:
    """Say that a change was read, or go on with work that is held back."""
    if not goal.amendments.held:
        if not goal.amendments.by_id or walk.one_in(2):
            return mend(walk, goal)
        params = {"amendment_id": walk.choose([*goal.amendments.by_id, "amend_none"]), "todo_id": walk.todo(goal)}
        return Move(walk.agent(), "amendment.adopt", given(goal, params))
    todo_id, hold = walk.choose([*goal.amendments.held.items()])
    holder = holder_of(goal, todo_id, walk.at_ms)
    if holder is not None and walk.one_in(2):
        others = [agent for agent in WORKERS if agent != holder]
        asked: dict[str, object] = {"amendment_id": hold.amendment_id, "todo_id": todo_id}
        return Move(walk.choose(others), "amendment.adopt", given(goal, asked))
    if holder is not None:
        # On with the work as if nothing had changed.
        proofs = [one.artifact_id for one in goal.artifacts.values() if one.todo_id == todo_id]
        return Move(holder, "todo.complete", given(goal, {"todo_id": todo_id, "evidence": proofs[:1]}))
    if walk.one_in(3):
        return Move(hold.agent_id, "todo.claim", given(goal, {"todo_id": todo_id}))
    who = walk.anybody() if walk.slip() else walk.choose((hold.agent_id, hold.agent_id, "builder", "helper"))
    return Move(who, "amendment.adopt", given(goal, {"amendment_id": hold.amendment_id, "todo_id": todo_id}))


COMMANDS = (*(submit,) * 4, *(decide,) * 5, *(mend,) * 2, *(adopt,) * 3)
