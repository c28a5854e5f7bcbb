"""What happened to plans. The titles and acceptances of lanes are words of the proposal and stand nowhere else."""

from typing import Literal

import msgspec

from ledger.events import Facts, Kind, Words
from ledger.parts.plans import Gap, Lane
from ledger.rules.todo_events import TodoAdded


class LaneWords(msgspec.Struct, frozen=True, kw_only=True):
    """What one lane is, and when it is good."""

    title: str
    acceptance: str


class PlanProposed(Facts, frozen=True, kw_only=True):
    """One revision of a plan waits, with the gaps it had at that moment."""

    plan_id: str
    revision: int
    lanes: tuple[Lane, ...]
    gaps: tuple[Gap, ...]


class PlanWords(Words, frozen=True, kw_only=True):
    """The words of each lane, in the order of the lanes."""

    lanes: tuple[LaneWords, ...]


class PlanConfirmed(Facts, frozen=True, kw_only=True):
    """All admitted lanes became todos, at once; the gaps are those that were shown."""

    plan_id: str
    revision: int
    basis: str
    outcome: Literal["committed", "partial"]
    todos: tuple[TodoAdded, ...]
    gaps: tuple[Gap, ...]


class PlanRejected(Facts, frozen=True, kw_only=True):
    """Somebody who decides said no."""

    plan_id: str
    revision: int


class PlanWithdrawn(Facts, frozen=True, kw_only=True):
    """Whoever proposed it took it back."""

    plan_id: str
    revision: int


class PlanReasonWords(Words, frozen=True, kw_only=True):
    """Why, in somebody's words."""

    reason: str


KINDS = (
    Kind("plan.proposed", 1, PlanProposed, PlanWords),
    Kind("plan.confirmed", 1, PlanConfirmed),
    Kind("plan.rejected", 1, PlanRejected, PlanReasonWords),
    Kind("plan.withdrawn", 1, PlanWithdrawn, PlanReasonWords),
)
