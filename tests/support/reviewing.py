"""What the tests of reviews and of what follows from them say and look at."""

from tests.support.world import DOCS, World, digest, replay

ID = {"goal_id": DOCS}


def accept(world, artifact_id, by="helper", **more):
    return world.do(by, "artifact.review", **ID, artifact_id=artifact_id, verdict="accept", **more)


def reject(world, artifact_id, by="helper"):
    return world.do(by, "artifact.review", **ID, artifact_id=artifact_id, verdict="reject", reason="Two links are dead")


def passed(world, artifact_id, name="links", **more):
    given = {"name": name, "argv_sha256": digest("argv"), "duration_ms": 12} | (more or {"exit_code": 0})
    return world.do("builder", "artifact.record-check", **ID, artifact_id=artifact_id, **given)


def finished(world: World, goal: dict[str, object]) -> None:
    """A goal with one todo that is done on evidence nobody has looked at."""
    world.activate(**({"review": "independent", "approver": ["bob"]} | goal))
    world.add("todo_one")
    world.finish("todo_one")


def proof(world, todo_id="todo_one"):
    return world.todo(todo_id).evidence[0]


def ready(world):
    return [todo_id for _, _, todo_id in world.goal().ready]


def assert_replays(world):
    """A state that is folded from the stored bytes has the same work ready."""
    again = replay(world.stored).goals[DOCS]
    now = world.goal()
    for name in ("ready", "unmet", "waiting", "dependents", "mine"):
        assert getattr(again, name) == getattr(now, name), name
