"""What the card of a plan is drawn from: its lanes, who can do them, and what became of it."""

from typing import Literal, TypeAlias

import msgspec

from ledger.projections.causes import Cause, DecisionView

PlanStatusName: TypeAlias = Literal["open", "committed", "partial", "rejected", "withdrawn", "superseded", "ended"]
"""`ended` is a plan that nobody decided on before its goal was over."""


class LaneView(msgspec.Struct, frozen=True, kw_only=True):
    """One lane. `agent` is a name, or empty where anybody may do it; `gap` says why nobody can, and `names` what lacks.

    `todo_status` is what became of its todo, or None where it has none.
    """

    lane_id: str
    title: str
    acceptance: str
    agent: str
    depends_on: tuple[str, ...]
    action_kind: str
    write_scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    validators: tuple[str, ...]
    priority: str
    gap: str | None
    names: tuple[str, ...]
    todo_status: str | None


class PlanView(msgspec.Struct, frozen=True, kw_only=True):
    """One revision of a plan. `people` are those whose decision it waits for."""

    plan_id: str
    revision: int
    newest: int
    status: PlanStatusName
    lanes: tuple[LaneView, ...]
    people: tuple[str, ...]
    proposed_by: str
    basis: str
    decision: DecisionView | None
    cause: Cause

    @property
    def open(self) -> bool:
        """Whether somebody may still act on it."""
        return self.status == "open"

    @property
    def gaps(self) -> tuple[LaneView, ...]:
        """The lanes that nobody can do as things are."""
        return tuple(lane for lane in self.lanes if lane.gap is not None)

    @property
    def todos(self) -> int:
        """How many lanes have become todos."""
        return sum(lane.todo_status is not None for lane in self.lanes)
