"""What happened in runs: what turns came to, what monitors saw, what was used."""

from typing import Literal

from ledger.events import Facts, Kind, Words
from ledger.ids import ArtifactId, MemberId, TodoId

DeliveryOutcome = Literal[
    "outcome_progress", "primary_goal_outcome", "surface_only", "outcome_gap", "no_progress", "observed"
]
"""What a turn came to; the first two earn a spend, and the last is neither progress nor the want of it."""
Classification = Literal["delivery", "repair", "replan", "observation", "blocked", "failed"]


class RunReported(Facts, frozen=True, kw_only=True):
    """An agent said what a run came to."""

    run_id: str
    agent_id: MemberId
    todo_id: TodoId
    turn_instance_id: str
    classification: Classification
    delivery_outcome: DeliveryOutcome
    evidence: tuple[ArtifactId, ...]


class RunWords(Words, frozen=True, kw_only=True):
    """What was done, in the agent's words."""

    summary: str


class RunReplanned(Facts, frozen=True, kw_only=True):
    """An agent that had no progress looked at its plan."""

    agent_id: MemberId
    cause: Literal["turns_without_progress", "monitor_without_change"]


class MonitorObserved(Facts, frozen=True, kw_only=True):
    """A monitor was looked at; the same hash is no change."""

    todo_id: TodoId
    agent_id: MemberId
    result_hash: str
    consecutive_no_change: int
    next_due_at_ms: int
    replan: bool


class MonitorDue(Facts, frozen=True, kw_only=True):
    """A monitor is due; said once each time, whenever it was written."""

    todo_id: TodoId
    due_at_ms: int


class UsageReported(Facts, frozen=True, kw_only=True):
    """What was used, as its source says; None is unknown."""

    usage_id: str
    agent_id: MemberId
    run_id: str | None
    source: str
    tokens_in: int | None
    tokens_out: int | None
    cost_micros: int | None
    measured_at_ms: int


KINDS: tuple[Kind, ...] = (
    Kind("run.reported", 1, RunReported, RunWords),
    Kind("run.replanned", 1, RunReplanned, RunWords),
    Kind("monitor.observed", 1, MonitorObserved),
    Kind("monitor.due", 1, MonitorDue),
    Kind("usage.reported", 1, UsageReported),
)
