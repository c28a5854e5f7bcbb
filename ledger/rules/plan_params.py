"""What may be asked of a plan. A lane is a JSON object; a shell gives it as text, any other caller as it is."""

from typing import Annotated, Any

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import to_json

from ledger.params import (
    BasisText,
    Capabilities,
    CapabilityText,
    Full,
    GoalIdText,
    Line,
    MemberIdText,
    OptionalReason,
    OptionalText,
    Params,
    Priority,
    Scopes,
    require_named_once,
)

LANES_MAX = 8
LANE_ID_PATTERN = r"^[a-z0-9][a-z0-9-]{0,29}$"
"""Without an underscore, so that no two pairs of plan and lane make one todo id."""
PLAN_ID_PATTERN = r"^plan_[a-z0-9-]{1,24}$"
ENFORCE_MAX = 16
VALIDATORS_MAX = 16

LaneIdText = Annotated[str, Field(pattern=LANE_ID_PATTERN)]
PlanIdText = Annotated[str, Field(pattern=PLAN_ID_PATTERN)]
_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Plan = Annotated[PlanIdText, Field(description="The plan.")]


class LaneParams(Params):
    """One lane."""

    lane_id: Annotated[LaneIdText, Field(description="Names the lane in its plan; with the plan it is its identity.")]
    title: Annotated[Line, Field(description="What is to be done.")]
    acceptance: Annotated[OptionalText, Field(description="When it is good.")] = ""
    agent: Annotated[MemberIdText | None, Field(description="The only agent that may do it.")] = None
    depends_on: Annotated[
        tuple[LaneIdText, ...], Field(max_length=LANES_MAX, description="Lanes that must be done first.")
    ] = ()
    action_kind: Annotated[CapabilityText | None, Field(description="What kind of action it takes.")] = None
    write_scope: Annotated[Scopes, Field(description="What the work may write.")] = ()
    capability: Annotated[Capabilities, Field(description="What its agent must be able to do.")] = ()
    validator: Annotated[
        tuple[CapabilityText, ...], Field(max_length=VALIDATORS_MAX, description="Checks its evidence should pass.")
    ] = ()
    priority: Annotated[Priority, Field(description="P0 is the most urgent.")] = "P2"
    enforce: Annotated[
        tuple[CapabilityText, ...],
        Field(max_length=ENFORCE_MAX, description="Fields that must be enforced and not only kept."),
    ] = ()


def _lane(value: Any, _handler: ValidatorFunctionWrapHandler) -> LaneParams:  # noqa: ANN401  (what a caller sent)
    """Both spellings are read by the one strict reader of JSON."""
    read = LaneParams.model_validate_json(value if isinstance(value, str) else to_json(value))
    if isinstance(value, str):
        require_named_once(value)
    return read


class ProposePlan(Params):
    """Put a plan of one to eight lanes forward, or the next revision of one."""

    goal_id: _Goal
    plan_id: Annotated[PlanIdText | None, Field(description="Its id; made from the ledger's seq when absent.")] = None
    lane: Annotated[
        tuple[Annotated[LaneParams, WrapValidator(_lane)], ...],
        Field(min_length=1, max_length=LANES_MAX, description="A lane as a JSON object; repeat for several."),
    ]


class _Decision(Params):
    goal_id: _Goal
    plan_id: _Plan
    basis: Annotated[BasisText | None, Field(description="The plan, promise and gaps that were shown.")] = None


class ConfirmPlan(_Decision):
    """Say yes to a plan exactly as it was shown: all lanes that can be staffed become todos at once."""


class RejectPlan(_Decision):
    """Say no to a plan."""

    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class WithdrawPlan(Params):
    """Take back a plan that nobody has decided on yet."""

    goal_id: _Goal
    plan_id: _Plan
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class ShowPlan(Params):
    """A plan with its lanes, its gaps of now and the basis to confirm it by."""

    goal_id: _Goal
    plan_id: _Plan
    full: Full = False


class ListPlans(Params):
    """The plans of a goal, newest first."""

    goal_id: _Goal
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50
