"""The plans of a goal: lanes that were put forward together, and what became of them."""

from typing import Literal

import msgspec

from ledger.ids import MemberId, TodoId
from ledger.parts.base import Part

GapReason = Literal[
    "agent_not_registered",
    "audience_not_authorized",
    "capability_not_granted",
    "action_kind_not_supported",
    "scope_outside_boundary",
    "lane_waits_for_gap",
]


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """One lane of a plan: a todo that is not there yet. Its title and acceptance are words and stand elsewhere."""

    lane_id: str
    agent: MemberId | None
    depends_on: tuple[str, ...]
    action_kind: str | None
    write_scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    validators: tuple[str, ...]
    priority: str
    enforce: tuple[str, ...]


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Why a lane cannot be staffed as things are; `names` are what is missing."""

    lane_id: str
    reason: GapReason
    names: tuple[str, ...] = ()


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan at its latest revision. `titles`, `acceptances` and `reason` are words."""

    plan_id: str
    revision: int
    proposed_by: MemberId
    at_ms: int
    seq: int
    status: Literal["open", "confirmed", "rejected", "withdrawn"]
    lanes: tuple[Lane, ...]
    titles: tuple[str, ...]
    acceptances: tuple[str, ...]
    gaps: tuple[Gap, ...]
    """As they were named when this revision was put forward, or when it was confirmed."""
    digests: tuple[str, ...]
    """The hash of the event that made each revision: it stands for exactly its facts and words."""
    outcome: Literal["committed", "partial"] | None = None
    basis: str | None = None
    """What it was confirmed by."""
    todo_ids: tuple[TodoId, ...] = ()
    decided_by: MemberId | None = None
    decided_seq: int = 0
    decided_at_ms: int | None = None
    reason: str = ""


def todo_id_of(plan_id: str, lane_id: str) -> TodoId:
    """The todo that a lane of a plan becomes; the same one whenever it is asked."""
    return TodoId(f"todo_{plan_id}_{lane_id}")


class Plans(Part):
    """The plans of a goal."""

    by_id: dict[str, Plan] = msgspec.field(default_factory=dict)

    def reserving(self, todo_id: TodoId) -> str | None:
        """The open plan that has a lane which would become this todo: its id is taken before it is there."""
        for plan in self.by_id.values():
            if plan.status == "open" and any(todo_id_of(plan.plan_id, lane.lane_id) == todo_id for lane in plan.lanes):
                return plan.plan_id
        return None
