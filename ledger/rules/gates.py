"""Gates: a question that only named people can answer, and what stands still until they do.

Blocking is decided from indexes: by what a gate names, by the goal, and by the needs of a todo. Of several gates with
one target and one topic the latest counts, so a no stands until a later gate on the same matter says yes. That one
asks for no less than the one before (`ledger.rules.gate_strength`), or its yes lifts nothing. A need that no decision
covers blocks as well: what nobody allowed is not allowed.
"""

from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Literal

from ledger.canonical import basis_of
from ledger.ids import GoalId, MemberId
from ledger.parts.gates import Gate, Vote
from ledger.parts.grants import StandingGrant
from ledger.records import CLOSED, Todo
from ledger.refusals import Refusal
from ledger.rules.common import refuse, registered
from ledger.rules.gate_scopes import covers
from ledger.rules.gate_strength import lifts
from ledger.state import Goal, Workspace

SCOPE_UNAPPROVED = "decision_scope_unapproved"
"""Stands where a gate's id would: a need of the todo is covered by no decision and no gate."""
REPAIR_REQUIRED = "projection_repair_required"
"""Stands where a gate's id would: what a gate names and the scope it decides contradict each other."""
GATE_OVER = "gate_time_over"
"""The time of a gate is over, and how it ended is about to be written: until then nobody can do anything about it."""

CODES = frozenset({SCOPE_UNAPPROVED, REPAIR_REQUIRED})


def blocking(workspace: Workspace, goal: Goal, todo: Todo | None, agent_id: MemberId, now_ms: int) -> str | None:
    """The id of the gate that holds up this todo, or the whole goal where no todo is named; or one of the codes above.

    Whoever opened a gate makes no difference: it holds up what it names or covers, for everybody, and nothing else.
    Time makes none either: a gate whose time is over blocks until it is decided, and then as it was decided.
    """
    del agent_id, now_ms
    if (gate_id := _latest_no(workspace, goal, goal.gates.of_goal)) is not None:
        return gate_id
    return None if todo is None else blocking_todo(workspace, goal, todo)


def blocking_todo(workspace: Workspace, goal: Goal, todo: Todo) -> str | None:
    """What holds up this todo in a goal that no gate holds up as a whole."""
    named = goal.gates.of_todo.get(todo.todo_id, ())
    if any(contradicts(goal.gates.by_id[gate_id], todo) for gate_id in named):
        return REPAIR_REQUIRED
    if (gate_id := _latest_no(workspace, goal, named)) is not None:
        return gate_id
    for need in todo.required_decision_scopes:
        if (found := _need_blocks(workspace, goal, need, named)) is not None:
            return found
    return None


def held_up(family: type[StrEnum], todo: Todo, found: str) -> Refusal:
    """The refusal for what `blocking` found: a gate by its id, or the code that says why no gate could let it go."""
    if found in CODES:
        return refuse(family(found), todo_id=todo.todo_id, decision_scopes=list(todo.required_decision_scopes))
    return refuse(family("gate_blocks"), todo_id=todo.todo_id, gate_id=found)


def contradicts(gate: Gate, todo: Todo) -> bool:
    """Whether a gate names this todo for a decision that is none of those the todo needs."""
    scope, needs = gate.decision_scope, todo.required_decision_scopes
    return scope is not None and bool(needs) and not any(covers(scope, need) for need in needs)


def _latest_no(workspace: Workspace, goal: Goal, gate_ids: Collection[str]) -> str | None:
    """The first gate that holds up its target, of the latest one for each topic that no later yes lifts."""
    if not gate_ids:
        return None
    standing: dict[tuple[str, str | None], list[Gate]] = {}
    for gate_id in gate_ids:
        gate = goal.gates.by_id[gate_id]
        before = standing.setdefault(gate.topic, [])
        if gate.status == "approved":
            before[:] = [other for other in before if not lifts(workspace, goal, gate, other)]
        else:
            before.append(gate)
    return next((gates[-1].gate_id for gates in standing.values() if gates), None)


def _need_blocks(workspace: Workspace, goal: Goal, need: str, named: tuple[str, ...]) -> str | None:
    """What holds up a todo for one need: the latest word on it counts, and silence is a no."""
    for gate_id in goal.gates.broad.get(need.partition(":")[0], ()):
        if covers(goal.gates.by_id[gate_id].decision_scope or "", need):
            return gate_id
    if any(_consumed(goal.gates.by_id[gate_id], need) for gate_id in named):
        return None
    grant = standing(workspace, goal.goal_id, need)
    if grant is None or grant.revoked:
        return SCOPE_UNAPPROVED
    if grant.verdict == "approved":
        return None
    # A no that was said in another goal holds here as well; its gate is that goal's, and is not to be decided here.
    return grant.gate_id if grant.from_goal == goal.goal_id else SCOPE_UNAPPROVED


def _consumed(gate: Gate, need: str) -> bool:
    return gate.status == "approved" and gate.decision_scope is not None and covers(gate.decision_scope, need)


def standing(workspace: Workspace, goal_id: GoalId, need: str) -> StandingGrant | None:
    """The latest standing decision that covers a need in this goal; one that was revoked stays the latest."""
    grants, kind = workspace.grants, need.partition(":")[0]
    ids = (*grants.of_kind.get(f"{goal_id} {kind}", ()), *grants.of_kind.get(f"* {kind}", ()))
    found = [grants.by_id[grant_id] for grant_id in ids if covers(grants.by_id[grant_id].decision_scope, need)]
    return max(found, key=lambda grant: grant.seq, default=None)


def gate_basis(goal: Goal, gate: Gate) -> str:
    """What somebody sees who looks at the gate now: its generation, what is asked and what it rests on."""
    return basis_of("gate", goal.goal_id, gate.gate_id, gate.generation, gate.evidence_digest, gate.content_digest)


def counts(workspace: Workspace, gate: Gate, vote: Vote) -> bool:
    """Whether a vote counts now: its approver is still a member, and so is whoever gave it."""
    return (
        gate.opened_by not in {vote.seat, vote.voter}
        and registered(workspace, vote.seat) is not None
        and registered(workspace, vote.voter) is not None
    )


def counted(workspace: Workspace, gate: Gate) -> int:
    """How many votes count now."""
    return sum(counts(workspace, gate, vote) for vote in gate.votes)


def approvers_left(workspace: Workspace, gate: Gate) -> list[MemberId]:
    """The gate's approvers who are still members; nobody is sent to those who are not."""
    return [one for one in gate.policy.approvers if registered(workspace, one) is not None]


def _seats_left(workspace: Workspace, gate: Gate) -> list[MemberId]:
    """The approvers whose yes may still come: who is a member, is not the asker, and has no vote that counts."""
    voted = {vote.seat for vote in gate.votes if counts(workspace, gate, vote)}
    return [seat for seat in approvers_left(workspace, gate) if seat not in voted and seat != gate.opened_by]


def awaited(workspace: Workspace, gate: Gate, now_ms: int) -> tuple[MemberId, ...]:
    """Whom a gate waits for: approvers who have not voted, or their delegates; nobody where their yes is too few."""
    seats = _seats_left(workspace, gate)
    if counted(workspace, gate) + len(seats) < gate.policy.quorum:
        return ()
    stand_in = {
        one.seat: one.delegate
        for one in gate.delegates
        if now_ms < one.until_ms and registered(workspace, one.delegate) is not None
    }
    return tuple(dict.fromkeys(stand_in.get(seat, seat) for seat in seats))


def why_held(workspace: Workspace, gate: Gate, now_ms: int) -> str:
    """How a gate that holds work up stands, as a reason code, which tells whether anybody may still let it through.

    `gate_blocks` waits for a vote. The others do not: somebody said no, nobody may say anything any more, or those who
    may are fewer than it needs. They may say no; the yes has to come by another gate.
    """
    if not gate.is_open:
        return f"gate_{gate.status}"
    if is_over(gate, now_ms):
        return GATE_OVER
    if awaited(workspace, gate, now_ms):
        return "gate_blocks"
    return "gate_quorum_unreachable" if _seats_left(workspace, gate) else "gate_waits_for_nobody"


def gate_due(goal: Goal) -> int | None:
    """When the next gate of the goal expires or is reminded of, or None."""
    return goal.gates.due[0][0] if goal.gates.due and goal.state not in CLOSED else None


def gates_over(goal: Goal, now_ms: int) -> Iterator[tuple[Literal["gate.expire", "gate.remind"], str]]:
    """What is due by now, as the action to ask for and the gate; an expiry goes before a reminder."""
    if goal.state in CLOSED:
        return
    seen: dict[str, None] = {}
    for at_ms, gate_id in goal.gates.due:
        if at_ms > now_ms:
            break
        seen[gate_id] = None
    for gate_id in seen:
        gate = goal.gates.by_id[gate_id]
        yield ("gate.expire" if is_over(gate, now_ms) else "gate.remind"), gate_id


def is_over(gate: Gate, now_ms: int) -> bool:
    """Whether the gate's time is over in a way that changes it."""
    ends = gate.policy.expires_at_ms
    return gate.is_open and gate.policy.on_expiry != "wait" and ends is not None and ends <= now_ms
