"""The amendment: a change of agreed work, and the decision on it. Its card is the same when it is rebased."""

from collections.abc import Iterator
from typing import Final

from daemon.relay.subjects.base import Family, Target, Wanted, keyed
from ledger.parts.amendments import Amendment
from ledger.projections.amendment_cards import amendment_view, may_be_committed
from ledger.projections.amendment_views import AmendmentView
from ledger.projections.cards import Offer
from ledger.records import CLOSED
from ledger.rules.amendments import amendment_basis
from ledger.state import Goal, Workspace

KIND: Final = "amendment"
CLOSED_SHOWN_MAX = 3
"""How many decided amendments of a goal keep a live card."""


def _wanted(_workspace: Workspace, goal: Goal, _now_ms: int) -> Iterator[Wanted]:
    amendments = goal.amendments.by_id.values()
    decided = sorted((one for one in amendments if one.status != "open"), key=lambda one: one.decided_seq)
    waiting = [one for one in amendments if one.status == "open"]
    for one in (*decided[-CLOSED_SHOWN_MAX:], *waiting):
        is_open = one.status == "open" and goal.state not in CLOSED
        yield Wanted(subject=f"{KIND}:{goal.goal_id}:{one.amendment_id}", open=is_open, urgent=True)


def _of(target: Target) -> tuple[Goal, Amendment]:
    assert target.goal is not None, "an amendment is of a goal"
    return target.goal, target.goal.amendments.by_id[target.key]


def _view(workspace: Workspace, target: Target, now_ms: int) -> AmendmentView:
    goal, amendment = _of(target)
    return amendment_view(workspace, goal, amendment, now_ms)


def _offers(workspace: Workspace, target: Target, now_ms: int) -> tuple[Offer, ...]:
    """A yes where it would change something now; a no while the amendment waits."""
    goal, amendment = _of(target)
    if amendment.status != "open" or goal.state in CLOSED:
        return ()
    basis = amendment_basis(goal, amendment)
    reject = Offer("amendment.reject", target.subject, basis)
    if not may_be_committed(workspace, goal, amendment, now_ms):
        return (reject,)
    return (Offer("amendment.commit", target.subject, basis), reject)


def _fixed(target: Target, _action: str) -> dict[str, object]:
    return {"amendment_id": target.key}


FAMILY = Family(
    kind=KIND,
    of_goal=_wanted,
    find=keyed(KIND, lambda goal: goal.amendments.by_id),
    view=_view,
    offers=_offers,
    fixed=_fixed,
)
