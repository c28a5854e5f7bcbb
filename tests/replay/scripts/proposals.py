"""What can happen to what was only proposed, once each."""

from tests.support.world import World

GOAL = "ideas"


def play(world: World) -> None:
    """Play it at the end of a history."""
    added = {"member_id": "dreamer", "kind": "agent", "display_name": "Dreamer", "profile_role": "dreaming_proposer"}
    world.do("operator", "member.add", **added)
    world.activate(GOAL)
    world.add("todo_known", GOAL)
    world.add("todo_idea", GOAL, by="dreamer", priority="P1", depends_on=["todo_known"])
    world.add("todo_whim", GOAL, by="dreamer")
    decision = {"role": "user", "task_class": "user_gate", "unblocks_todo_id": "todo_known"}
    world.add("todo_ask", GOAL, by="dreamer", **decision)
    world.do("ann", "todo.admit", goal_id=GOAL, todo_id="todo_idea")
    world.do("ann", "todo.decline", goal_id=GOAL, todo_id="todo_whim", reason="Not this year")
