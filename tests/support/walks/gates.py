"""Moves on gates and standing grants: opened, voted on, delegated, revised, taken back."""

from ledger.ids import MemberId, TodoId
from ledger.parts.gates import Gate
from ledger.rules.gates import awaited, gate_basis
from ledger.state import Goal
from tests.support.walks.base import PEOPLE, STALE, Move, Walk, given
from tests.support.world import digest

KINDS = ("publish", "publish", "owner_decision", "budget")
APPROVERS: tuple[tuple[list[str], int], ...] = (
    ([], 1), ([], 1), (["ann"], 1), (["ann", "bob"], 1), (["ann", "bob"], 2), (["ann", "bob", "cat"], 2),
    (["ann", "cat"], 2), (["bob", "cat"], 2), (["ann", "bob", "cat"], 3),
)  # fmt: skip
SCOPES = ("publish:action:site", "publish:lane:docs", "publish:goal:site", "publish:goal:*", "publish:project:*")
ENDS: tuple[dict[str, object], ...] = (
    {}, {}, {"expires_in_seconds": 60, "on_expiry": "deny"}, {"expires_in_seconds": 60, "on_expiry": "escalate"},
    {"expires_in_seconds": 60}, {"expires_in_seconds": 3_600, "on_expiry": "deny", "remind_every_seconds": 300},
    {"remind_every_seconds": 300},
)  # fmt: skip
WRONG: tuple[dict[str, object], ...] = (
    {"on_expiry": "deny", "expires_in_seconds": None}, {"approver": ["builder"]}, {"approver": ["nobody"]},
    {"approver": ["vic"]}, {"quorum": 9}, {"blocks_goal": True},
    {"decision_scope": "publish:action:site", "blocks_todo": [], "blocks_goal": False},
    {"decision_scope": "publish:global:*", "blocks_todo": [], "blocks_goal": False, "approver": ["bob"]},
    {"blocks_todo": ["todo_none"]},
)  # fmt: skip


def open_gate(walk: Walk, goal: Goal) -> Move:
    """Ask people for a decision."""
    if sum(gate.is_open for gate in goal.gates.by_id.values()) >= 4 and not walk.slip():
        return vote(walk, goal)
    approvers, quorum = walk.choose(APPROVERS)
    params: dict[str, object] = {
        "question": "May the site be published?",
        "kind": walk.choose(KINDS),
        "severity": "critical" if walk.one_in(8) else "normal",
        "approver": approvers,
        "quorum": quorum,
        "not_delegable": walk.one_in(6),
        "step_up": walk.one_in(8),
        "evidence_digest": walk.choose((None, digest(walk.state.seq))),
        **walk.choose(ENDS),
    }
    params |= _target(walk, goal)
    if walk.one_in(8):
        params["supersedes"] = walk.choose([*goal.gates.by_id, "gate_none"])
    if walk.one_in(5):
        params |= walk.choose(WRONG)
    who = walk.anybody() if walk.one_in(6) else walk.choose(("builder", "helper", "steward", "ann", goal.proposed_by))
    return Move(who, "gate.open", given(goal, params))


def _target(walk: Walk, goal: Goal) -> dict[str, object]:
    open_todos = walk.open_todos(goal)
    match walk.choose(range(8)):
        case 0:
            return {"blocks_goal": True}
        case 1:
            return {"decision_scope": walk.choose(SCOPES)}
        case 2 if walk.slip():
            return {"gate_id": walk.choose([*goal.gates.by_id, "gate_one"])}
        case 3 if open_todos:
            return {"blocks_todo": open_todos[:2], "decision_scope": "publish:action:site"}
        case _ if open_todos:
            return {"blocks_todo": [walk.choose(open_todos)]}
        case _:
            return {"decision_scope": "publish:goal:*"}


def pick(walk: Walk, goal: Goal) -> Gate | None:
    """A gate, mostly one that nobody has decided."""
    gates = [*goal.gates.by_id.values()]
    waiting = [gate for gate in gates if gate.is_open]
    if waiting and not walk.slip():
        return walk.choose(waiting)
    return walk.choose(gates) if gates else None


def vote(walk: Walk, goal: Goal) -> Move:
    """Decide a gate, mostly by somebody it waits for and on what is shown now."""
    gate = pick(walk, goal)
    if gate is None:
        if walk.slip():
            return Move("ann", "gate.approve", given(goal, {"gate_id": "gate_none"}))
        return open_gate(walk, goal)
    return vote_on(walk, goal, gate)


def vote_on(walk: Walk, goal: Goal, gate: Gate) -> Move:
    """One word on this gate."""
    right = gate_basis(goal, gate)
    params: dict[str, object] = {"gate_id": gate.gate_id, "basis": right}
    if walk.one_in(6):
        params["basis"] = walk.choose((*walk.earlier(goal, gate.gate_id, right), STALE, None))
    verb = walk.choose(("approve",) * 7 + ("reject", "defer", "cancel"))
    if verb == "defer" and not walk.one_in(3):
        params["remind_in_seconds"] = 60
    waited_for = awaited(walk.state, gate, walk.at_ms)
    voters = waited_for or gate.policy.approvers
    who = walk.choose((*PEOPLE, gate.opened_by, *gate.policy.approvers)) if walk.one_in(5) else walk.choose(voters)
    surface = "lark" if walk.one_in(4) else "cli"
    return Move(who, f"gate.{verb}", given(goal, params), surface=surface)


def delegate(walk: Walk, goal: Goal) -> Move:
    """An approver lets somebody vote in their place, or ends that."""
    named = [(one.gate_id, seat.seat) for one in goal.gates.by_id.values() if one.is_open for seat in one.delegates]
    if named and walk.one_in(2):
        gate_id, seat = walk.choose(named)
        return Move(seat, "gate.delegate", given(goal, {"gate_id": gate_id}))
    gate = pick(walk, goal)
    if gate is None:
        return open_gate(walk, goal)
    outside = [person for person in PEOPLE if person not in gate.policy.approvers]
    to = walk.choose((*PEOPLE, "builder", "nobody")) if walk.slip() or not outside else walk.choose(outside)
    who = walk.choose(PEOPLE) if walk.slip() else walk.choose(gate.policy.approvers)
    params: dict[str, object] = {"gate_id": gate.gate_id, "to": None if walk.one_in(5) else to}
    return Move(who, "gate.delegate", given(goal, params | {"for_seconds": walk.choose((60, 3_600))}))


def stand_in(walk: Walk, goal: Goal) -> Move:
    """A delegate votes, in time or too late."""
    named = [(gate, one) for gate in goal.gates.by_id.values() if gate.is_open for one in gate.delegates]
    if not named:
        return delegate(walk, goal)
    gate, one = walk.choose(named)
    params = {"gate_id": gate.gate_id, "basis": gate_basis(goal, gate)}
    return Move(one.delegate, "gate.approve", given(goal, params))


def revise(walk: Walk, goal: Goal) -> Move:
    """Change what is asked, or what it rests on."""
    gate = pick(walk, goal)
    if gate is None:
        return open_gate(walk, goal)
    changes: tuple[dict[str, object], ...] = (
        {"evidence_digest": digest(walk.state.seq)},
        {"question": f"May it be published at {walk.state.seq}?"},
        {"expires_in_seconds": 60},
        {"option": ["Yes", "Later"]},
    )
    wrong: tuple[dict[str, object], ...] = ({}, {"question": gate.question})
    params = walk.choose(wrong if walk.slip() else changes)
    who = walk.anybody() if walk.slip() else walk.choose((gate.opened_by, "ann"))
    return Move(who, "gate.revise", given(goal, {"gate_id": gate.gate_id} | params))


def withdraw(walk: Walk, goal: Goal) -> Move:
    """Take a gate back."""
    gate = pick(walk, goal)
    gate_id, opener = ("gate_none", MemberId("ann")) if gate is None else (gate.gate_id, gate.opened_by)
    who = walk.anybody() if walk.slip() else opener
    return Move(who, "gate.withdraw", given(goal, {"gate_id": gate_id}))


def revoke_grant(walk: Walk, goal: Goal) -> Move:
    """Take a standing grant back."""
    grants = [*walk.state.grants.by_id]
    if not grants and not walk.slip():
        return open_gate(walk, goal)
    params: dict[str, object] = {
        "grant_id": walk.choose([*grants, "standing_000001"] if walk.slip() else grants or ["standing_000001"])
    }
    return Move(walk.choose(PEOPLE) if walk.slip() else "ann", "gate.revoke-grant", params)


def press_on(walk: Walk, goal: Goal) -> Move:
    """Try to begin work that a gate holds up, or that one held up before."""
    named = [todo_id for gate in goal.gates.by_id.values() for todo_id in gate.blocked_todo_ids]
    still = [todo_id for todo_id in named if goal.todos[TodoId(todo_id)].status == "open"]
    if not still:
        return vote(walk, goal)
    return Move(walk.agent(), "todo.claim", given(goal, {"todo_id": walk.choose(still)}))


def reword(walk: Walk, goal: Goal) -> Move:
    """Say otherwise what the work is that a gate asks for, mostly after somebody has voted."""
    gates = [gate for gate in goal.gates.by_id.values() if gate.votes or walk.one_in(4)]
    named = [todo_id for gate in gates for todo_id in gate.blocked_todo_ids]
    still = [todo_id for todo_id in named if goal.todos[TodoId(todo_id)].status == "open"]
    if not still:
        return vote(walk, goal)
    todo_id = walk.choose(still)
    who = walk.choose((walk.owner(goal), walk.holder(goal, goal.todos[TodoId(todo_id)])))
    return Move(who, "todo.update", given(goal, {"todo_id": todo_id, "text": "Publish the other pages"}))


COMMANDS = (
    *(open_gate,) * 3,
    *(vote,) * 8,
    *(delegate,) * 2,
    *(stand_in,) * 2,
    revise,
    withdraw,
    revoke_grant,
    reword,
    *(press_on,) * 2,
)
