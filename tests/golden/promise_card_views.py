"""Reviews, goals and acceptances in their rarer states, for the goldens: revised, turned down, held up, checked."""

import msgspec

from ledger.projections.causes import DecisionView
from ledger.projections.gate_views import WaitingGateView
from ledger.projections.promise_views import BeforeView, RevisedView
from ledger.projections.told_views import ToldView
from ledger.projections.views import AcceptanceView, CardView, GoalView

CHANGES = (
    RevisedView(name="criteria", was=("Every link answers",), becomes=("Every link answers", "Every command runs")),
    RevisedView(name="non_goals", was=("Translating", "Rewriting"), becomes=("Rewriting", "Translating")),
    RevisedView(name="budget", was=(), becomes=("48 slots a day",)),
    RevisedView(name="handoff_mode", was=("optional_lease",), becomes=("hard_lease",)),
    RevisedView(name="private", was=(), becomes=("yes",)),
)


def promises(views: dict[str, CardView], no: DecisionView) -> dict[str, CardView]:
    """From the cards in their plain states."""
    opened, clarifying = views["review_open"], views["goal_clarifying"].goal
    assert opened.review is not None, "it is a review"
    before = BeforeView(revision=1, changes=CHANGES, turned_down=None)
    revised = msgspec.structs.replace(opened, review=msgspec.structs.replace(opened.review, before=before))
    again = BeforeView(revision=1, changes=CHANGES[:1], turned_down=no)
    after_a_no = msgspec.structs.replace(opened, review=msgspec.structs.replace(opened.review, before=again))
    tokens = {name: token for name, token in opened.tokens.items() if name != "goal.confirm"}
    asked = msgspec.structs.replace(opened, goal=clarifying, tokens=tokens)
    return {
        "review_revised": revised,
        "review_after_a_no": after_a_no,
        "review_clarifying": asked,
        "goal_gated": _held_up(views["goal_active"]),
        "goal_over_quota": _used_up(views["goal_active"]),
        "acceptance_checked": _checked(views["acceptance_open"]),
        **_told(views),
    }


def _told(views: dict[str, CardView]) -> dict[str, CardView]:
    """What the requester hears, of each end that a revision and a delivery can have."""
    found: dict[str, CardView] = {}
    for name in ("review_confirmed", "review_declined", "acceptance_accepted", "acceptance_changes_requested"):
        view = views[name]
        part = view.review or view.acceptance
        assert part is not None, "it is a review or an acceptance"
        assert part.decision is not None, "it was decided"
        about = "revision" if view.review is not None else "delivery"
        told = ToldView(about=about, number=2, decision=part.decision, cause=part.cause)
        found[f"told_{part.decision.outcome}"] = CardView(
            kind="told", audience="direct", tokens={}, goal=view.goal, told=told
        )
    return found


def _held_up(view: CardView) -> CardView:
    gates = (
        WaitingGateView(question="May the reports be published?", people=("Ann Li",), blocks_goal=True),
        WaitingGateView(question="May the test host be used?", people=("Ann Li", "Ben Ortiz"), blocks_goal=False),
    )
    return _with_goal(view, gates=gates, quota_state="operator_gate")


def _used_up(view: CardView) -> CardView:
    return _with_goal(view, quota_state="throttled", quota_spent_slots=48)


def _with_goal(view: CardView, **changes: object) -> CardView:
    assert isinstance(view.goal, GoalView), "it is a goal's card"
    return msgspec.structs.replace(view, goal=msgspec.structs.replace(view.goal, **changes))


def _checked(view: CardView) -> CardView:
    seen = view.acceptance
    assert isinstance(seen, AcceptanceView), "it is an acceptance"
    first, second = seen.criteria
    report = first.artifacts[0]
    good = msgspec.structs.replace(report, status="accepted", reviewed_by="Vic", passed=("links-check", "size"))
    bad = msgspec.structs.replace(report, artifact_id="artifact_9", label="old-report.md", failed=("links-check",))
    gone = msgspec.structs.replace(bad, artifact_id="artifact_10", status="invalidated", failed=())
    criteria = (msgspec.structs.replace(first, artifacts=(good, bad, gone)), second)
    return msgspec.structs.replace(view, acceptance=msgspec.structs.replace(seen, criteria=criteria))
