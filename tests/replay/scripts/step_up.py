"""One-time codes: somebody is enrolled, enrolled anew, and says yes with a code in a chat."""

from msgspec.structs import replace

from ledger.rules.common import CodeCheck
from ledger.rules.gates import gate_basis
from tests.support.world import World

GOAL = "stepped"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL, owner=["ann"])
    for _ in range(2):
        world.do("operator", "member.enrol-code", member_id="ann")
    one = {"goal_id": GOAL, "gate_id": "gate_grave"}
    asked = {"question": "May it be published?", "severity": "critical", "blocks_goal": True, "approver": ["ann"]}
    world.do("builder", "gate.open", **one, **asked)
    goal = world.goal(GOAL)
    basis = gate_basis(goal, goal.gates.by_id["gate_grave"])
    request = world.request("ann", "gate.approve", surface="lark", **one, basis=basis)
    step = world.now_ms // 30_000
    stepped = replace(
        request,
        caller=replace(request.caller, code=CodeCheck(step=step)),
        proof=replace(request.proof, code_step=step),
    )
    (answer,) = world.drain(stepped)
    assert answer.refusal is None, answer.refusal
