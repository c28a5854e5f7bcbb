"""What can happen to slots, once each."""

from tests.support.world import World

GOAL = "paced"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.do("operator", "member.add", member_id="racer", kind="agent", display_name="Racer", capability=["docs"])
    world.activate(GOAL)
    world.do("ann", "quota.set", goal_id=GOAL, compute_permille=500, window_hours=12, slot_minutes=5)
    for number in (1, 2):
        world.add(f"todo_paced_{number}", GOAL)
    world.do("builder", "quota.reserve", goal_id=GOAL, turn_instance_id="turn-1", slots=2, ttl_seconds=60)
    world.do("racer", "quota.reserve", goal_id=GOAL, turn_instance_id="turn-2", ttl_seconds=30)
    world.do("builder", "quota.reserve", goal_id=GOAL, turn_instance_id="turn-3", ttl_seconds=60)
    world.now_ms += 30_000
    world.do("daemon", "quota.expire-admission", goal_id=GOAL, todo_id="todo_paced_2")
    world.do("racer", "quota.reserve", goal_id=GOAL, turn_instance_id="turn-4")
    world.do("racer", "quota.release", goal_id=GOAL, turn_instance_id="turn-4")
    evidence = [world.finish("todo_paced_1", goal_id=GOAL)]
    turn = {"goal_id": GOAL, "todo_id": "todo_paced_1", "turn_instance_id": "turn-3"}
    world.do("builder", "run.report", delivery_outcome="primary_goal_outcome", evidence=evidence, **turn)
    (spent,) = world.do("builder", "quota.spend-slot", slots=2, **turn)
    world.do("ann", "quota.void-slot", goal_id=GOAL, spend_id=spent.facts.spend_id, reason="It was a rehearsal.")
