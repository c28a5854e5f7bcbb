"""Reading the views across goals in a world, and a world in which much waits for somebody."""

from ledger.catalogue import ACTIONS
from ledger.projections.documents import READERS
from ledger.refusals import Refusal
from ledger.state import Workspace
from tests.support.world import World, digest, parse

VIEWS = {
    "overview.show": {},
    "attention.show": {"everybody": True},
    "digest.show": {},
    "review-packet.show": {"goal_id": "docs"},
    "member.show": {"agent_id": "builder"},
}
"""Each view with the least that can be asked of it."""


def view(world: World, action: str, who: str = "ann", state: Workspace | None = None, **params: object) -> dict:
    """A document that must be there."""
    found = try_view(world, action, who, state, **params)
    assert not isinstance(found, Refusal), found
    return found


def try_view(
    world: World, action: str, who: str = "ann", state: Workspace | None = None, **params: object
) -> dict | Refusal:
    """A document, or why there is none."""
    assert not ACTIONS[action].writes
    return READERS[action](state or world.state, world.caller(who), parse(action, params), world.now_ms)


def credential(world: World, agent_id: str, **limits: object) -> None:
    """Give an agent a credential, so that it can be reached."""
    world.do("operator", "token.issue", member_id=agent_id, secret_digest=digest(f"{agent_id} {limits}"), **limits)


def basis(world: World, gate_id: str, goal_id: str = "docs") -> str:
    """What a decision on the gate is made on now."""
    return str(view(world, "gate.show", goal_id=goal_id, gate_id=gate_id)["basis"])


def busy() -> World:
    """Three goals: a delivery, a question, and a revision beside work, a gate, blocked work, a plan and a request."""
    world = World()
    for agent in ("builder", "helper"):
        credential(world, agent)
    world.delivered("done")
    world.propose("asked", by="bob")
    world.do("builder", "goal.clarify", goal_id="asked", question="Which folder?")
    world.activate("docs", priority="P0", approver=["ann", "bob"])
    world.do("ann", "goal.revise", goal_id="docs", budget="three hours")
    world.add("todo_one")
    world.add("todo_two")
    world.add("todo_person", role="user", task_class="user_action")
    world.lease("todo_one")
    world.do("helper", "todo.claim", goal_id="docs", todo_id="todo_two")
    world.do("helper", "todo.block", goal_id="docs", todo_id="todo_two", reason="The site is down")
    opened = {"goal_id": "docs", "gate_id": "gate_publish", "question": "May it be published?"}
    world.do("builder", "gate.open", **opened, blocks_todo=["todo_one"], approver=["ann", "bob"], quorum=2)
    world.do("ann", "plan.propose", goal_id="docs", lane=[{"lane_id": "links", "title": "Check the links"}])
    brief = {"purpose": "Check the reference", "acceptance": ["A list"]}
    world.do("builder", "request.send", goal_id="docs", to="helper", return_requirement="A list", **brief)
    return world
