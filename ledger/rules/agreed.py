"""What people agreed to is not changed under them: a yes was given to the words that were shown then.

A gate that names work asks for that work as it is. When what the work says, may write or waits for changes, the gate
is asked anew in a new generation, a yes that was given before included, for nobody said yes to the new words. Only
those who own the goal may make such a change once somebody has voted.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from ledger.events import ERASED, Draft
from ledger.ids import TodoId
from ledger.parts.amendments import Amendment
from ledger.parts.gates import Gate
from ledger.records import Todo
from ledger.refusals import Refusal
from ledger.rules.authority import DelegatedAction, delegated
from ledger.rules.common import Caller, is_owner, refuse, registered
from ledger.rules.gate_events import GateRevised, GateWords
from ledger.state import Goal, Workspace

SHOWN_OPERATIONS = frozenset({"rewire", "rescope", "restate"})
"""Operations that change what somebody saw who said yes to the work."""


class AgreedRefusal(StrEnum):
    """Why a change of what people agreed to is refused, in order of precedence."""

    AMENDMENT_REQUIRED = "amendment_required"
    GATE_RESTS_ON_IT = "gate_rests_on_it"


def settled(
    workspace: Workspace, goal: Goal, caller: Caller, todo: Todo, action: DelegatedAction, now_ms: int
) -> Refusal | None:
    """Why this agent may not change or take out this work by itself: it came by a plan, or people added or admitted it.

    An agent's own addition stays its own, but for a need of a decision, which is not dropped by adding the work again.
    A person decides by `may_touch`, and whoever was delegated this work may do what the grant says.
    """
    member = registered(workspace, caller.member_id)
    if member is None or member.kind != "agent":
        return None
    adder = None if todo.added_by is None else workspace.members.get(todo.added_by)
    admitted = todo.proposed_by is not None
    by_people = todo.plan_id is not None or admitted or adder is None or adder.kind != "agent"
    undecided = action == "supersede" and bool(todo.required_decision_scopes)
    if not by_people and not undecided:
        return None
    if delegated(workspace, goal, todo, caller.member_id, action, now_ms) is not None:
        return None
    return refuse(AgreedRefusal.AMENDMENT_REQUIRED, todo_id=todo.todo_id, plan_id=todo.plan_id)


def rested_on(workspace: Workspace, goal: Goal, caller: Caller, todo_ids: Iterable[TodoId]) -> Refusal | None:
    """Why this caller may not change what this work is: people have said yes to it as it stands."""
    if is_owner(goal, caller.member_id, workspace):
        return None
    for todo_id in todo_ids:
        for gate in _asking(goal, todo_id):
            if gate.votes:
                return refuse(AgreedRefusal.GATE_RESTS_ON_IT, todo_id=todo_id, gate_id=gate.gate_id)
    return None


def amended(goal: Goal, amendment: Amendment) -> tuple[Draft, ...]:
    """The gates that ask again after an amendment: not the one that was approved for this very change."""
    own = amendment.gate_id if amendment.amendment_class == "protected_authority" else None
    return asked_anew(goal, shown_by(goal, amendment), own)


def asked_anew(goal: Goal, todo_ids: Iterable[TodoId], but: str | None = None) -> tuple[Draft, ...]:
    """The gates that name this work, `but` left out, ask again, each once; a no stays a no."""
    gates = {gate.gate_id: gate for todo_id in todo_ids for gate in _asking(goal, todo_id) if gate.gate_id != but}
    return tuple(Draft(facts=_again(gate), words=_words(gate), goal_id=goal.goal_id) for gate in gates.values())


def shown_by(goal: Goal, amendment: Amendment) -> tuple[TodoId, ...]:
    """The work that is there and that an amendment makes say, write or wait for something else."""
    return tuple(
        dict.fromkeys(
            one.todo_id for one in amendment.operations if one.op in SHOWN_OPERATIONS and one.todo_id in goal.todos
        )
    )


def _asking(goal: Goal, todo_id: TodoId) -> Iterator[Gate]:
    for gate_id in goal.gates.of_todo.get(todo_id, ()):
        gate = goal.gates.by_id[gate_id]
        if gate.is_open or gate.status == "approved":
            yield gate


def _again(gate: Gate) -> GateRevised:
    return GateRevised(
        gate_id=gate.gate_id,
        generation=gate.generation + 1,
        evidence_digest=gate.evidence_digest,
        expires_at_ms=gate.policy.expires_at_ms,
    )


def _words(gate: Gate) -> GateWords | None:
    if gate.question == ERASED:
        return None
    return GateWords(question=gate.question, options=gate.options, default=gate.default)
