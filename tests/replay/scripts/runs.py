"""What can happen to runs, once each."""

from tests.support.world import World, digest

GOAL = "watched"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL, token_cap=10_000)
    world.add("todo_look", GOAL, task_class="continuous_monitor", cadence_seconds=60, max_no_change_before_replan=2)
    world.add("todo_work", GOAL)
    for turn in ("turn-1", "turn-2"):
        asked = {"turn_instance_id": turn, "delivery_outcome": "surface_only", "summary": "Talked about it."}
        world.do("builder", "run.report", goal_id=GOAL, todo_id="todo_work", **asked)
    world.do("builder", "run.replan", goal_id=GOAL, summary="Do it, then talk.")
    for _ in range(3):
        world.do("builder", "run.observe", goal_id=GOAL, todo_id="todo_look", result_hash=digest("quiet"))
    world.do("builder", "usage.report", goal_id=GOAL, source="provider", tokens_in=900, age_seconds=60)
