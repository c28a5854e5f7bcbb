"""What can happen to evidence, once each."""

from tests.support.world import World, digest

GOAL = "reviewed"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.do("operator", "member.add", member_id="reviewer", kind="agent", display_name="Reviewer")
    world.activate(GOAL, review="independent")
    one = {"goal_id": GOAL}
    for todo_id in ("todo_first", "todo_second"):
        world.add(todo_id, GOAL, validator=["links"])
    world.add("todo_third", GOAL, depends_on=["todo_second"])
    decision = {"role": "user", "task_class": "user_gate", "unblocks_todo_id": "todo_third"}
    world.add("todo_decide", GOAL, **decision)
    made: list[str] = []
    for todo_id in ("todo_first", "todo_second"):
        world.do("builder", "todo.claim", **one, todo_id=todo_id)
        made.append(world.submit(todo_id, goal_id=GOAL, input=made[-1:], criterion=["c1", "c2"]))
        check = {"name": "links", "argv_sha256": digest("argv"), "exit_code": 0, "duration_ms": 7}
        world.do("builder", "artifact.record-check", **one, artifact_id=made[-1], **check)
        world.do("builder", "todo.complete", **one, todo_id=todo_id, evidence=made[-1:], continuation="active_goal")
    world.do("reviewer", "artifact.review", **one, artifact_id=made[1], verdict="accept", reason="All links work")
    world.do("reviewer", "artifact.review", **one, artifact_id=made[0], verdict="reject", reason="Two are dead")
    world.submit(None, goal_id=GOAL, revises=made[0])
    world.submit(None, goal_id=GOAL, revises=made[1])
    world.do("ann", "todo.complete", **one, todo_id="todo_decide", decision_outcome="reject")
