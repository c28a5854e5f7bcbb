"""Plans as tests write them."""

from ledger.rules.plans import plan_basis
from tests.support.world import DOCS, World

PLAN = "plan_docs"


def lane(lane_id: str, **changes: object) -> dict[str, object]:
    """A lane that anybody can staff."""
    return {"lane_id": lane_id, "title": f"Do {lane_id}"} | changes


def propose(world: World, *lanes: dict[str, object], by: str = "builder", plan_id: str = PLAN) -> str:
    """Put a plan forward; what it can be confirmed by comes back."""
    world.do(by, "plan.propose", goal_id=DOCS, plan_id=plan_id, lane=list(lanes))
    return shown_basis(world, plan_id)


def shown_basis(world: World, plan_id: str = PLAN) -> str:
    """The basis that somebody sees who looks at the plan now."""
    goal = world.goal()
    return plan_basis(world.state, goal, goal.plans.by_id[plan_id], world.now_ms)


def confirm(world: World, basis: str | None = None, by: str = "ann", plan_id: str = PLAN) -> None:
    """An owner's yes to what is shown."""
    world.do(by, "plan.confirm", goal_id=DOCS, plan_id=plan_id, basis=basis or shown_basis(world, plan_id))
