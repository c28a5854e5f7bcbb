"""Moves on plans: put forward with and without gaps, confirmed on what is shown, rejected, taken back."""

from ledger.parts.plans import Plan
from ledger.rules.plans import plan_basis
from ledger.state import Goal
from tests.support.walks.base import AGENTS, PEOPLE, Move, Walk, given

Lane = dict[str, object]


def _lane(lane_id: str, **more: object) -> Lane:
    return {"lane_id": lane_id, "title": f"Do {lane_id}"} | more


LINKS, TEXT = _lane("links"), _lane("text", depends_on=["links"], priority="P0")
GOOD: tuple[list[Lane], ...] = (
    [LINKS],
    [TEXT, LINKS],
    [LINKS, _lane("more")],
    [
        _lane("links", agent="builder", write_scope=["docs/*.md"]),
        _lane("sum", depends_on=["links"], validator=["links"]),
    ],
    [_lane("a", write_scope=["reports/a"], capability=["docs"]), _lane("b", write_scope=["reports/a/b"]), TEXT, LINKS],
)
GAPS: tuple[list[Lane], ...] = (
    [LINKS, _lane("render", capability=["gpu"])],
    [LINKS, _lane("render", capability=["gpu"]), _lane("after", depends_on=["render"])],
    [LINKS, _lane("strange", agent="stranger")],
    [LINKS, _lane("gone", agent="nobody")],
    [LINKS, _lane("dream", agent="dreamer")],
    [LINKS, _lane("out", write_scope=["src/x"])],
    [LINKS, _lane("kind", agent="helper", action_kind="publish")],
    [_lane("render", capability=["gpu"])],
)
WRONG: tuple[list[Lane], ...] = (
    [LINKS, LINKS],
    [_lane("text", depends_on=["links"])],
    [_lane("a", depends_on=["b"]), _lane("b", depends_on=["a"])],
    [_lane("a", write_scope=["../x"])],
    [_lane("a", enforce=["title"])],
)


def propose(walk: Walk, goal: Goal) -> Move:
    """Put a plan forward, or the next revision of one."""
    waiting = [plan for plan in goal.plans.by_id.values() if plan.status == "open"]
    if len(waiting) >= 2 and not walk.slip():
        return confirm(walk, goal)
    lanes = walk.choose(WRONG) if walk.slip() else walk.choose((*GOOD, *GAPS))
    params: dict[str, object] = {"lane": lanes, "plan_id": walk.choose((None, "plan_a"))}
    who = walk.choose(("builder", "dreamer", "steward", "ann"))
    if waiting and walk.one_in(3):
        plan = walk.choose(waiting)
        params["plan_id"], who = plan.plan_id, plan.proposed_by
    return Move(walk.anybody() if walk.one_in(5) else who, "plan.propose", given(goal, params))


def _pick(walk: Walk, goal: Goal) -> Plan | None:
    plans = [*goal.plans.by_id.values()]
    waiting = [plan for plan in plans if plan.status == "open"]
    if waiting and not walk.slip():
        return walk.choose(waiting)
    return walk.choose(plans) if plans else None


def confirm(walk: Walk, goal: Goal) -> Move:
    """Say yes to what is shown, or to what was shown before."""
    plan = _pick(walk, goal)
    if plan is None:
        return propose(walk, goal)
    right = plan_basis(walk.state, goal, plan, walk.at_ms) if plan.basis is None else plan.basis
    who = "steward" if goal.intent.plan_approval == "steward" and walk.one_in(2) else walk.owner(goal)
    params = {"plan_id": plan.plan_id, "basis": walk.basis(right, walk.earlier(goal, plan.plan_id, right))}
    return Move(who, "plan.confirm", given(goal, params))


def turn_down(walk: Walk, goal: Goal) -> Move:
    """Say no to a plan, or take it back."""
    plan = _pick(walk, goal)
    plan_id = "plan_none" if plan is None or walk.slip() else plan.plan_id
    if plan is not None and walk.one_in(2):
        who = walk.choose((*PEOPLE, *AGENTS)) if walk.slip() else plan.proposed_by
        return Move(who, "plan.withdraw", given(goal, {"plan_id": plan_id}))
    return Move(walk.owner(goal), "plan.reject", given(goal, {"plan_id": plan_id, "reason": "Two do the same"}))


COMMANDS = (*(propose,) * 3, *(confirm,) * 4, turn_down)
