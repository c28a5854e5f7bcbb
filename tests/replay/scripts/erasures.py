"""Words that go: of a goal and of the workspace."""

from tests.support.world import World

GOAL = "erased"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL)
    world.add("todo_erased", GOAL, text="Somebody's telephone number")
    todo_seq = world.state.seq
    world.do("operator", "member.add", member_id="gone", kind="person", display_name="Somebody's name")
    name_seq = world.state.seq
    world.do("ann", "words.erase", goal_id=GOAL, seq=[todo_seq], reason_code="personal_data")
    world.do("ann", "words.erase", seq=[name_seq], reason_code="legal")
