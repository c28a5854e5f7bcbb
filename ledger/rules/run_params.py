"""What may be asked of runs, monitors and usage."""

from typing import Annotated, get_args

from pydantic import Field

from ledger.canonical import INTEGER_MAX
from ledger.params import (
    ArtifactIdText,
    CapabilityText,
    Full,
    GoalIdText,
    KeyText,
    MemberIdText,
    OptionalReason,
    Params,
    Reason,
    Sha256Text,
    TodoIdText,
)
from ledger.rules.run_events import Classification, DeliveryOutcome

EVIDENCE_MAX = 16
AGE_SECONDS_MAX = 31_536_000
_COUNT_MAX = INTEGER_MAX // 1_000_000
"""A million reports of this size still add up to a whole number that every program can read."""
RUN_ID_PATTERN = r"^run_[a-z0-9_-]{1,64}$"
USAGE_ID_PATTERN = r"^usage_[a-z0-9_-]{1,64}$"

_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Todo = Annotated[TodoIdText, Field(description="The todo.")]
_Turn = Annotated[KeyText, Field(description="Names the turn; each turn has its own.")]
_Run = Annotated[str | None, Field(pattern=RUN_ID_PATTERN, description="The run.")]
_Count = Annotated[int | None, Field(ge=0, le=_COUNT_MAX)]
OUTCOMES = get_args(DeliveryOutcome)


class ReportRun(Params):
    """Say what a run of a turn came to."""

    goal_id: _Goal
    todo_id: _Todo
    turn_instance_id: _Turn
    delivery_outcome: Annotated[
        DeliveryOutcome,
        Field(description="What came of it; only `outcome_progress` and `primary_goal_outcome` earn a slot."),
    ]
    classification: Annotated[Classification, Field(description="What kind of run it was.")] = "delivery"
    run_id: Annotated[
        str | None, Field(pattern=RUN_ID_PATTERN, description="Its id; made from the ledger's sequence when absent.")
    ] = None
    summary: Annotated[OptionalReason, Field(description="What was done.")] = ""
    evidence: Annotated[
        tuple[ArtifactIdText, ...], Field(max_length=EVIDENCE_MAX, description="Artifacts that prove it.")
    ] = ()


class ReplanRun(Params):
    """Say how the work goes on after turns without progress."""

    goal_id: _Goal
    summary: Annotated[Reason, Field(description="What will be done differently.")]


class ObserveMonitor(Params):
    """Record what a monitor saw."""

    goal_id: _Goal
    todo_id: _Todo
    result_hash: Annotated[Sha256Text, Field(description="Digest of what was seen; the same one is no change.")]


class ListRuns(Params):
    """The runs of a goal, the newest first."""

    goal_id: _Goal
    agent_id: Annotated[MemberIdText | None, Field(description="Only this agent's.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50
    full: Full = False


class ReportUsage(Params):
    """Say what was used; what is absent is unknown, and is never counted as nothing."""

    goal_id: _Goal
    source: Annotated[CapabilityText, Field(description="Where the figures come from.")]
    usage_id: Annotated[
        str | None, Field(pattern=USAGE_ID_PATTERN, description="Its id; made from the ledger's sequence when absent.")
    ] = None
    run_id: _Run = None
    tokens_in: Annotated[_Count, Field(description="Tokens read.")] = None
    tokens_out: Annotated[_Count, Field(description="Tokens written.")] = None
    cost_micros: Annotated[_Count, Field(description="What it cost, in millionths of the currency.")] = None
    age_seconds: Annotated[int, Field(ge=0, le=AGE_SECONDS_MAX, description="How old the figures are, in seconds.")] = 0


class ShowUsage(Params):
    """What was used on a goal, what is unknown, and the caps."""

    goal_id: _Goal
    limit: Annotated[int, Field(ge=1, le=200, description="How many reports at most, the newest first.")] = 20


class RingMonitor(Params):
    """Say that a monitor is due; the daemon's own."""

    goal_id: GoalIdText
    todo_id: TodoIdText
