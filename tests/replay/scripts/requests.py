"""What can happen to requests, once each."""

from tests.support.world import World, digest

GOAL = "asked"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.do("operator", "member.add", member_id="peer", kind="agent", display_name="Peer")
    world.activate(GOAL)
    world.add("todo_waits", GOAL)
    world.do("builder", "todo.claim", goal_id=GOAL, todo_id="todo_waits")
    given = {"ref": "links.csv", "description": "All links", "sha256": digest("links"), "relation": "uses"}
    _send(world, "one", input=[given], constraint=["No new pages"], blocks_todo_id="todo_waits", origin="thread/7")
    one = {"goal_id": GOAL, "request_id": "request_one"}
    world.do("peer", "request.receive", **one)
    world.do("peer", "request.respond", **one, decision="defer", reason="After lunch")
    world.do("peer", "request.respond", **one, decision="adopt")
    work = next(iter(world.do("peer", "request.commit", **one, text="Check the links"))).facts.todo_id
    world.do("peer", "todo.claim", goal_id=GOAL, todo_id=work)
    label = {"label": "links.json", "sha256": digest("found"), "size_bytes": 12}
    artifact = world.do("peer", "artifact.submit", goal_id=GOAL, todo_id=work, **label)[0].facts.artifact_id
    world.do("peer", "todo.complete", goal_id=GOAL, todo_id=work, evidence=[artifact], note="Two are broken")
    _send(world, "two")
    two = {"goal_id": GOAL, "request_id": "request_two"}
    world.do("peer", "request.respond", **two, decision="adopt", reason="At once")
    world.do("peer", "request.return", **two, artifact=[artifact], summary="The same two")
    world.do("builder", "request.acknowledge", **two)
    _send(world, "three")
    world.do("peer", "request.respond", goal_id=GOAL, request_id="request_three", decision="reject", reason="Not mine")
    _send(world, "four")
    world.do("builder", "request.withdraw", goal_id=GOAL, request_id="request_four", reason="Found it")


def _send(world: World, name: str, **more: object) -> None:
    asked: dict[str, object] = {"to": "peer", "purpose": "Check the links", "acceptance": ["Each one is named"]}
    asked |= {"goal_id": GOAL, "request_id": f"request_{name}", "return_requirement": "A list"}
    world.do("builder", "request.send", **(asked | more))
