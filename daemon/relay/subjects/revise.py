"""The revision form: what one person changes of a goal's promise, filled with what holds now.

It is opened by a button on the review or the goal's own card, for that person alone; nothing asks for it by itself.
"""

from typing import Final

from daemon.relay.subjects.base import Family, Target, numbered
from ledger.projections.cards import Offer, may_be_revised
from ledger.projections.form_views import FormView
from ledger.projections.revision_form import revision_form
from ledger.rules.intents import in_hand
from ledger.state import Goal, Workspace

KIND: Final = "revise"


def subject_of(goal: Goal) -> str:
    """The form that revises what is in hand now."""
    return f"{KIND}:{goal.goal_id}:{in_hand(goal).number}"


def _view(workspace: Workspace, target: Target, _now_ms: int) -> FormView:
    assert target.goal is not None, "a revision is of a goal"
    return revision_form(workspace, target.goal, target.number)


def _offers(_workspace: Workspace, target: Target, _now_ms: int) -> tuple[Offer, ...]:
    goal = target.goal
    assert goal is not None, "a revision is of a goal"
    now = in_hand(goal)
    if not may_be_revised(goal) or now.number != target.number:
        return ()
    return (Offer("goal.revise", target.subject, now.basis),)


def _now(target: Target) -> str | None:
    assert target.goal is not None, "a revision is of a goal"
    return subject_of(target.goal)


FAMILY = Family(kind=KIND, find=numbered(KIND, lambda goal: len(goal.intents)), view=_view, offers=_offers, now=_now)
