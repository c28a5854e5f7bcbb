"""What can happen to amendments, once each."""

from tests.support.world import World

GOAL = "amended"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL)
    todo = "todo_amended"
    world.add(todo, goal_id=GOAL)
    world.do("builder", "todo.claim", goal_id=GOAL, todo_id=todo)
    urgent = {"op": "reprioritise", "todo_id": todo, "priority": "P0"}
    more = {"op": "add", "title": "Mend the pages", "depends_on": [todo]}
    for amendment_id in ("amend_yes", "amend_no", "amend_back"):
        world.do(
            "builder",
            "amendment.submit",
            goal_id=GOAL,
            amendment_id=amendment_id,
            amendment_class="shared_work_graph",
            why="The release waits",
            operation=[urgent, more],
            continue_todo=[todo],
        )
    world.do("builder", "amendment.rebase", goal_id=GOAL, amendment_id="amend_yes", rebase_todo=[todo])
    refused = world.ask("ann", "amendment.commit", goal_id=GOAL, amendment_id="amend_yes").refusal
    assert refused is not None
    world.do("ann", "amendment.commit", goal_id=GOAL, amendment_id="amend_yes", basis=refused.basis)
    world.do("builder", "amendment.adopt", goal_id=GOAL, amendment_id="amend_yes", todo_id=todo)
    world.do("ann", "amendment.reject", goal_id=GOAL, amendment_id="amend_no", reason="Once is enough.")
    world.do("builder", "amendment.withdraw", goal_id=GOAL, amendment_id="amend_back", reason="Done already.")
