"""What can happen to plans, once each."""

from tests.support.world import World

GOAL = "planned"


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.activate(GOAL)
    for plan_id in ("plan_yes", "plan_no", "plan_back"):
        lanes = [{"lane_id": "links", "title": "Check the links", "acceptance": "None is broken"}]
        lanes += [{"lane_id": "pages", "title": "Mend the pages", "depends_on": ["links"], "priority": "P0"}]
        lanes += [{"lane_id": "site", "title": "Publish", "agent": "nobody"}]
        world.do("builder", "plan.propose", goal_id=GOAL, plan_id=plan_id, lane=lanes)
    refused = world.ask("ann", "plan.confirm", goal_id=GOAL, plan_id="plan_yes").refusal
    assert refused is not None
    world.do("ann", "plan.confirm", goal_id=GOAL, plan_id="plan_yes", basis=refused.basis)
    world.do("ann", "plan.reject", goal_id=GOAL, plan_id="plan_no", reason="Nobody can publish.")
    world.do("builder", "plan.withdraw", goal_id=GOAL, plan_id="plan_back", reason="A better one comes.")
