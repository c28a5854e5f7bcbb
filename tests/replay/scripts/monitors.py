"""What the daemon says of monitors, once."""

from tests.support.world import World

GOAL = "watch"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL)
    world.add("todo_watch", GOAL, task_class="continuous_monitor", cadence_seconds=60)
    world.do("daemon", "run.ring", goal_id=GOAL, todo_id="todo_watch")
