"""What somebody sees before they decide: the bases that the ledger asks for with a decision."""

from ledger.rules.amendments import amendment_basis
from ledger.rules.gates import gate_basis
from ledger.rules.goals import question_basis, state_basis
from ledger.rules.plans import plan_basis
from tests.support.homes import Scribe


def intent_shown(scribe: Scribe, goal_id: str) -> str:
    """The newest revision of a promise."""
    return str(scribe.state.goals[goal_id].intents[-1].basis)


def state_shown(scribe: Scribe, goal_id: str) -> str:
    """A goal as it stands."""
    return str(state_basis(scribe.state.goals[goal_id]))


def gate_shown(scribe: Scribe, goal_id: str, gate_id: str) -> str:
    """A gate's question."""
    goal = scribe.state.goals[goal_id]
    return str(gate_basis(goal, goal.gates.by_id[gate_id]))


def plan_shown(scribe: Scribe, goal_id: str, plan_id: str) -> str:
    """A plan."""
    state = scribe.state
    goal = state.goals[goal_id]
    return str(plan_basis(state, goal, goal.plans.by_id[plan_id], scribe.now_ms))


def delivery_shown(scribe: Scribe, goal_id: str) -> str:
    """A delivery."""
    delivery = scribe.state.goals[goal_id].delivery
    assert delivery is not None, "it was delivered"
    return str(delivery.basis)


def amendment_shown(scribe: Scribe, goal_id: str, amendment_id: str) -> str:
    """A change of agreed work."""
    goal = scribe.state.goals[goal_id]
    return str(amendment_basis(goal, goal.amendments.by_id[amendment_id]))


def question_shown(scribe: Scribe, goal_id: str) -> str:
    """The open question of a proposal."""
    question = scribe.state.goals[goal_id].question
    assert question is not None, "it was asked"
    return str(question_basis(goal_id, question))
