"""Plans in every state they can be in, for the goldens and the budget tests."""

from collections.abc import Callable

import msgspec

from ledger.projections.causes import Cause, DecisionView
from ledger.projections.plan_views import LaneView, PlanView
from ledger.projections.views import CardView, GoalView

HOUR_MS = 3_600_000
LANES = (
    LaneView(
        lane_id="links",
        title="Check every link in docs/",
        acceptance="Each answers, or is listed with its reason",
        agent="link-checker",
        depends_on=(),
        action_kind="web_read",
        write_scopes=("reports/links/**",),
        capabilities=("web",),
        validators=("links-check",),
        priority="P1",
        gap=None,
        names=(),
        todo_status=None,
    ),
    LaneView(
        lane_id="commands",
        title="Run every command of the guide",
        acceptance="",
        agent="",
        depends_on=(),
        action_kind="",
        write_scopes=(),
        capabilities=("shell", "containers"),
        validators=(),
        priority="P2",
        gap=None,
        names=(),
        todo_status=None,
    ),
    LaneView(
        lane_id="report",
        title="Write down what was found",
        acceptance="One page",
        agent="",
        depends_on=("links", "commands"),
        action_kind="",
        write_scopes=("docs/report.md",),
        capabilities=(),
        validators=(),
        priority="P2",
        gap=None,
        names=(),
        todo_status=None,
    ),
)


def lanes(*gaps: str, done: bool = False) -> tuple[LaneView, ...]:
    """The lanes, with gaps in those of these names; of a confirmed plan the others are todos."""
    made = []
    for lane in LANES:
        waits = bool({*gaps} & {*lane.depends_on}) and lane.lane_id in gaps
        if lane.lane_id in gaps:
            because = "lane_waits_for_gap" if waits else "capability_not_granted"
            names = tuple(one for one in lane.depends_on if one in gaps) if waits else ("containers",)
            made.append(msgspec.structs.replace(lane, gap=because, names=names))
        else:
            made.append(msgspec.structs.replace(lane, todo_status="open" if done else None))
    return tuple(made)


def plan(status: str, at_ms: int, **changes: object) -> PlanView:
    """A plan in this state, two revisions old, as its owners decided or did not."""
    decided = status in {"committed", "partial", "rejected", "withdrawn"}
    kind = {"committed": "confirmed", "partial": "confirmed", "superseded": "proposed", "open": "proposed"}
    who = {"open": "steward", "superseded": "steward", "withdrawn": "steward"}.get(status, "Ben Ortiz")
    event = "goal.stopped" if status == "ended" else f"plan.{kind.get(status, status)}"
    view = PlanView(
        plan_id="plan_000042",
        revision=1 if status == "superseded" else 2,
        newest=2,
        status=status,
        lanes=() if status == "superseded" else lanes(done=status == "committed"),
        people=("Ann Li", "Ben Ortiz") if status == "open" else (),
        proposed_by="steward",
        basis="b1:" + "c3" * 16 if status == "open" else "",
        decision=DecisionView(outcome=status, by_name=who, at_ms=at_ms, reason="") if decided else None,
        cause=Cause(
            seq=44, kind=event, actor_id="ann", actor_name=who, at_ms=at_ms, short_hash="" if decided else "4c21b0aa"
        ),
    )
    return msgspec.structs.replace(view, **changes)


def plans(goal: GoalView, tokens: Callable[..., dict[str, str]], now_ms: int) -> dict[str, CardView]:
    """Every state of a plan's card."""
    at_ms = now_ms - HOUR_MS
    decide, reject = tokens("plan.confirm", "plan.reject"), tokens("plan.reject")
    no = plan("rejected", at_ms)
    assert no.decision is not None, "somebody rejected it"
    no = msgspec.structs.replace(
        no, decision=msgspec.structs.replace(no.decision, reason="The first two lanes do the same.")
    )
    some, every = lanes("commands", "report"), lanes("links", "commands", "report")
    left_out = lanes("commands", "report", done=True)
    views = {
        "open": (plan("open", at_ms), decide),
        "open_gaps": (plan("open", at_ms, lanes=some), decide),
        "open_all_gaps": (plan("open", at_ms, lanes=every), reject),
        "confirmed": (plan("committed", at_ms), {}),
        "partial": (plan("partial", at_ms, lanes=left_out), {}),
        "rejected": (no, {}),
        "withdrawn": (plan("withdrawn", at_ms), {}),
        "superseded": (plan("superseded", at_ms), {}),
        "ended": (plan("ended", at_ms), {}),
    }
    shown = {
        f"plan_{name}": CardView(kind="plan", audience="group", tokens=offered, goal=goal, plan=view)
        for name, (view, offered) in views.items()
    }
    return shown | {"plan_open_direct": msgspec.structs.replace(shown["plan_open"], audience="direct")}
