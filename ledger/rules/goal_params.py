"""What may be asked of a goal: the parameters of its actions."""

from typing import Annotated, get_args

from pydantic import Field

from ledger.canonical import INTEGER_MAX
from ledger.params import (
    LIST_MAX,
    BasisText,
    Capabilities,
    Full,
    GoalIdText,
    HandoffMode,
    Line,
    Lines,
    MemberIdText,
    OptionalReason,
    Params,
    PlanApproval,
    Priority,
    Reason,
    Review,
    Scopes,
    Text,
    Title,
)
from ledger.records import GoalState

OPTIONS_MAX = 8
_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Basis = Annotated[BasisText | None, Field(description="What was seen, as the matching `show` prints it.")]


class IntentFields(Params):
    """The fields of a promise, besides what it is for."""

    non_goal: Annotated[Lines, Field(description="What is not wanted; repeat for each.")] = ()
    constraint: Annotated[Lines, Field(description="What must be kept to; repeat for each.")] = ()
    write_scope: Annotated[
        Scopes, Field(description="What the work may write, as relative globs; nothing when absent.")
    ] = ()
    capability: Annotated[Capabilities, Field(description="What every agent on it must be able to do.")] = ()
    owner: Annotated[
        tuple[MemberIdText, ...],
        Field(max_length=LIST_MAX, description="Who decides; the workspace's owners when absent."),
    ] = ()
    approver: Annotated[
        tuple[MemberIdText, ...], Field(max_length=LIST_MAX, description="Who may approve along the way.")
    ] = ()
    handoff_mode: Annotated[HandoffMode, Field(description="How work is held.")] = "optional_lease"
    allowed_slots: Annotated[
        int | None, Field(ge=0, le=1_000_000, description="Slots in the rolling window; by the clock when absent.")
    ] = None
    budget: Annotated[OptionalReason, Field(description="What it may cost, in words.")] = ""
    stop_condition: Annotated[Lines, Field(description="When to stop; repeat for each.")] = ()
    enforce: Annotated[
        tuple[Line, ...], Field(max_length=LIST_MAX, description="Fields that must be enforced, not just kept.")
    ] = ()
    priority: Annotated[Priority, Field(description="P0 is the most urgent.")] = "P2"
    review: Annotated[
        Review, Field(description="Whether evidence counts by an independent review or by the owners' acceptance.")
    ] = "owner"
    plan_approval: Annotated[
        PlanApproval, Field(description="Who confirms plans: the owners, or the steward for them.")
    ] = "owner"
    token_cap: Annotated[
        int | None, Field(ge=0, le=INTEGER_MAX, description="Tokens after which no turn begins; no cap when absent.")
    ] = None
    cost_cap_micros: Annotated[
        int | None,
        Field(ge=0, le=INTEGER_MAX, description="Cost, in millionths, after which no turn begins; no cap when absent."),
    ] = None
    fold_case: Annotated[bool, Field(description="Whether case counts for nothing in write scopes.")] = False
    private: Annotated[
        bool, Field(description="Whether words of its work are shown only to those who have a part in it.")
    ] = False


class ProposeGoal(IntentFields):
    """Propose a goal to its owners."""

    objective: Annotated[Text, Field(description="What is wanted.")]
    criterion: Annotated[Lines, Field(min_length=1, description="When it is done; repeat for each.")]
    title: Annotated[Title | None, Field(description="A short name; the objective's first line when absent.")] = None
    goal_id: Annotated[GoalIdText | None, Field(description="Its id; made from the ledger's sequence when absent.")] = (
        None
    )


class ReviseGoal(Params):
    """Propose another version of a goal's promise; what is absent stays as it was."""

    goal_id: _Goal
    objective: Annotated[Text | None, Field(description="What is wanted.")] = None
    title: Annotated[Title | None, Field(description="A short name.")] = None
    criterion: Annotated[Lines, Field(description="When it is done; repeat for each.")] = ()
    non_goal: Annotated[Lines, Field(description="What is not wanted; repeat for each.")] = ()
    constraint: Annotated[Lines, Field(description="What must be kept to; repeat for each.")] = ()
    write_scope: Annotated[Scopes, Field(description="What the work may write.")] = ()
    budget: Annotated[OptionalReason | None, Field(description="What it may cost, in words.")] = None
    stop_condition: Annotated[Lines, Field(description="When to stop; repeat for each.")] = ()
    allowed_slots: Annotated[int | None, Field(ge=0, le=1_000_000, description="Slots in the rolling window.")] = None
    priority: Annotated[Priority | None, Field(description="P0 is the most urgent.")] = None
    enforce: Annotated[tuple[Line, ...], Field(max_length=LIST_MAX, description="Fields that must be enforced.")] = ()
    handoff_mode: Annotated[HandoffMode | None, Field(description="How work is held.")] = None
    review: Annotated[Review | None, Field(description="Whose word makes evidence count.")] = None
    plan_approval: Annotated[PlanApproval | None, Field(description="Who confirms plans.")] = None
    token_cap: Annotated[int | None, Field(ge=0, le=INTEGER_MAX, description="Tokens after which no turn begins.")] = (
        None
    )
    cost_cap_micros: Annotated[
        int | None, Field(ge=0, le=INTEGER_MAX, description="Cost, in millionths, after which no turn begins.")
    ] = None
    basis: _Basis = None


class ClarifyGoal(Params):
    """Ask the one open question of a proposal, or answer it."""

    goal_id: _Goal
    question: Annotated[Line | None, Field(description="What is asked.")] = None
    option: Annotated[
        tuple[Line, ...], Field(max_length=OPTIONS_MAX, description="A possible answer; repeat for each.")
    ] = ()
    answer: Annotated[Text | None, Field(description="The answer to the open question.")] = None
    question_id: Annotated[
        str | None,
        Field(pattern=r"^q_[0-9]{1,16}$", description="Which question is answered; the open one when absent."),
    ] = None
    basis: _Basis = None


class ConfirmGoal(Params):
    """Say yes to exactly the revision that was shown."""

    goal_id: _Goal
    basis: _Basis = None


class DeclineGoal(Params):
    """Say no to a revision."""

    goal_id: _Goal
    basis: _Basis = None
    reason: Annotated[OptionalReason, Field(description="Why not.")] = ""


class WithdrawGoal(Params):
    """Take one's own proposal back."""

    goal_id: _Goal
    basis: _Basis = None
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class StateChange(Params):
    """What every change of a goal's state names."""

    goal_id: _Goal
    basis: _Basis = None
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class PauseGoal(StateChange):
    """Begin no new work for now."""


class ResumeGoal(StateChange):
    """Go on."""


class StopGoal(StateChange):
    """End the goal without a result."""


class AdoptRevision(Params):
    """Work by the confirmed revision from now on."""

    goal_id: _Goal
    revision: Annotated[int, Field(ge=1, le=INTEGER_MAX, description="The revision that was read.")]


class DeliverGoal(Params):
    """Put the result before the owners."""

    goal_id: _Goal
    summary: Annotated[Text, Field(description="What is delivered, and how to check it.")]


class AcceptGoal(Params):
    """Accept exactly the delivery that was shown."""

    goal_id: _Goal
    basis: _Basis = None
    reason: Annotated[OptionalReason, Field(description="A word with it.")] = ""


class RequestChanges(Params):
    """Send the delivery back."""

    goal_id: _Goal
    reason: Annotated[Reason, Field(description="What must change.")]
    basis: _Basis = None


class ShowGoal(Params):
    """A goal as everyone may see it, with the basis to decide on."""

    goal_id: _Goal
    full: Full = False


class ListGoals(Params):
    """The goals of the workspace."""

    state: Annotated[
        str,
        Field(
            max_length=40,
            description="Only goals in this state.",
            json_schema_extra={"pattern": f"^({'|'.join(get_args(GoalState))})?$"},
        ),
    ] = ""
    after: Annotated[GoalIdText | None, Field(description="Continue after this goal.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50
