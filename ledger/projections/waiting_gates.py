"""The decisions that a goal's work waits for, as the goal's own card names them."""

from ledger.projections.gate_views import WaitingGateView
from ledger.projections.gates import OPEN_GATES_MAX
from ledger.projections.holds import names_of
from ledger.records import CLOSED
from ledger.rules.gates import awaited
from ledger.state import Goal, Workspace


def waiting_gates(workspace: Workspace, goal: Goal, now_ms: int) -> tuple[WaitingGateView, ...]:
    """Those that wait, oldest first; none of a goal that is over."""
    if goal.state in CLOSED:
        return ()
    gates = [goal.gates.by_id[gate_id] for gate_id in goal.gates.waiting][:OPEN_GATES_MAX]
    return tuple(
        WaitingGateView(
            question=gate.question,
            people=names_of(workspace, awaited(workspace, gate, now_ms)),
            blocks_goal=gate.blocks_goal,
        )
        for gate in gates
    )
