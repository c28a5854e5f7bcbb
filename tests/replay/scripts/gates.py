"""What can happen to gates, once each."""

from ledger.rules.gates import gate_basis
from tests.support.world import World, digest

GOAL = "gated"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL, owner=["ann"], approver=["bob"])
    world.add("todo_gated", GOAL)
    _voted(world)
    _ended(world)
    _standing(world)


def decide(world: World, by: str, verb: str, gate_id: str, **more: object) -> None:
    """A decision on what the gate says now."""
    goal = world.goal(GOAL)
    basis = gate_basis(goal, goal.gates.by_id[gate_id])
    world.do(by, f"gate.{verb}", goal_id=GOAL, gate_id=gate_id, basis=basis, **more)


def _open(world: World, gate_id: str, **more: object) -> None:
    asked: dict[str, object] = {"blocks_todo": ["todo_gated"], "question": "May the pages be published?"}
    world.do("builder", "gate.open", goal_id=GOAL, gate_id=gate_id, **(asked | more))


def _voted(world: World) -> None:
    one = {"goal_id": GOAL, "gate_id": "gate_two"}
    world.do("operator", "member.add", member_id="cara", kind="person", display_name="Cara")
    _open(world, "gate_two", approver=["ann", "bob"], quorum=2, option=["all", "none"], default="none")
    decide(world, "ann", "approve", "gate_two")
    world.do("builder", "gate.revise", **one, evidence_digest=digest("newer"))
    world.do("bob", "gate.delegate", **one, to="cara")
    world.do("bob", "gate.delegate", **one)
    world.do("bob", "gate.delegate", **one, to="cara", for_seconds=3_600)
    decide(world, "ann", "defer", "gate_two", remind_in_seconds=60, reason="After lunch")
    decide(world, "ann", "approve", "gate_two", reason="The links are checked.")
    decide(world, "cara", "approve", "gate_two")


def _ended(world: World) -> None:
    _open(world, "gate_no")
    decide(world, "bob", "reject", "gate_no", reason="Not like this")
    _open(world, "gate_old")
    _open(world, "gate_new", supersedes="gate_old")
    world.do("builder", "gate.withdraw", goal_id=GOAL, gate_id="gate_new", reason="Not needed")
    for effect in ("deny", "escalate"):
        _open(
            world, f"gate_{effect}", on_expiry=effect, expires_in_seconds=600, remind_every_seconds=300, severity="high"
        )
    world.now_ms += 300_000
    for effect in ("deny", "escalate"):
        world.do("daemon", "gate.remind", goal_id=GOAL, gate_id=f"gate_{effect}")
    world.now_ms += 300_000
    for effect in ("deny", "escalate"):
        world.do("daemon", "gate.expire", goal_id=GOAL, gate_id=f"gate_{effect}")
    decide(world, "ann", "cancel", "gate_escalate")


def _standing(world: World) -> None:
    _open(world, "gate_broad", blocks_todo=[], decision_scope="publish:goal:*", kind="publish")
    decide(world, "bob", "approve", "gate_broad")
    (grant_id,) = world.state.grants.by_id
    world.do("ann", "gate.revoke-grant", grant_id=grant_id, reason="Ask each time")
