"""The plan: one revision of the lanes that were put forward together, and the decision on it.

A revision has a card of its own, because a patched card tells nobody: whoever was asked for a yes is asked again.
"""

from collections.abc import Iterator
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, keyed_and_numbered
from ledger.parts.plans import Plan
from ledger.projections.cards import Offer
from ledger.projections.plan_cards import plan_view
from ledger.projections.plan_views import PlanView
from ledger.records import CLOSED
from ledger.rules.plan_gaps import gaps_of
from ledger.rules.plans import plan_basis
from ledger.state import Goal, Workspace

KIND: Final = "plan"
CLOSED_SHOWN_MAX = 3
"""How many decided plans of a goal keep a live card."""
REVISIONS_SHOWN_MAX = 3
"""How many revisions of one plan keep a live card."""


def _wanted(_workspace: Workspace, goal: Goal, _now_ms: int) -> Iterator[Wanted]:
    plans = goal.plans.by_id.values()
    decided = sorted((plan for plan in plans if plan.status != "open"), key=lambda plan: plan.decided_seq)
    waiting = [plan for plan in plans if plan.status == "open"]
    for plan in (*decided[-CLOSED_SHOWN_MAX:], *waiting):
        for revision in range(max(1, plan.revision - REVISIONS_SHOWN_MAX + 1), plan.revision + 1):
            is_open = plan.status == "open" and revision == plan.revision and goal.state not in CLOSED
            yield Wanted(subject=f"{KIND}:{goal.goal_id}:{plan.plan_id}:{revision}", open=is_open, urgent=True)


def _revisions(goal: Goal, plan_id: str) -> int:
    plan = goal.plans.by_id.get(plan_id)
    return 0 if plan is None else plan.revision


def _of(target: Target) -> tuple[Goal, Plan]:
    assert target.goal is not None, "a plan is of a goal"
    return target.goal, target.goal.plans.by_id[target.key]


def _view(workspace: Workspace, target: Target, now_ms: int) -> PlanView:
    goal, plan = _of(target)
    return plan_view(workspace, goal, plan, target.number, now_ms)


def _offers(workspace: Workspace, target: Target, now_ms: int) -> tuple[Offer, ...]:
    """A yes where there is something to say yes to; a no while the plan waits."""
    goal, plan = _of(target)
    if plan.status != "open" or target.number != plan.revision or goal.state in CLOSED:
        return ()
    basis = plan_basis(workspace, goal, plan, now_ms)
    reject = Offer("plan.reject", target.subject, basis)
    staffed = len(gaps_of(workspace, goal, plan.lanes, now_ms)) < len(plan.lanes)
    if not staffed or not goal.confirmed or goal.state == "delivered":
        return (reject,)
    return (Offer("plan.confirm", target.subject, basis), reject)


def _fixed(target: Target, _action: str) -> dict[str, object]:
    return {"plan_id": target.key}


FAMILY = Family(
    kind=KIND, of_goal=_wanted, find=keyed_and_numbered(KIND, _revisions), view=_view, offers=_offers, fixed=_fixed
)
