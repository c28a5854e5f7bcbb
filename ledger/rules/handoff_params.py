"""What may be asked of work that changes hands: the parameters of its actions."""

from typing import Annotated, Literal

from pydantic import Field

from ledger.params import (
    LIST_MAX,
    ArtifactIdText,
    CapabilityText,
    GoalIdText,
    HandoffMode,
    KeyText,
    MemberIdText,
    OptionalReason,
    Params,
    Reason,
    TodoIdText,
    TtlSeconds,
    Version,
)
from ledger.rules.leases import Fenced
from ledger.rules.todo_params import FencedTodo

DELEGATION_SECONDS_MAX = 90 * 86_400
DELEGATION_SECONDS_DEFAULT = 86_400

_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Todo = Annotated[TodoIdText, Field(description="The todo.")]


class TransferLease(Fenced):
    """Give a live lease, and the claim with it, to another agent."""

    new_owner: Annotated[MemberIdText, Field(description="Who holds it from now on.")]
    new_idempotency_key: Annotated[KeyText, Field(description="Names their execution; never used on this todo before.")]
    ttl_seconds: Annotated[TtlSeconds | None, Field(description="From now, in seconds; as acquired when absent.")] = (
        None
    )


class SetHandoffMode(Params):
    """Change how the work of a goal is held; nobody may hold any of it meanwhile."""

    goal_id: _Goal
    handoff_mode: Annotated[HandoffMode, Field(description="How work is held from now on.")]
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class HandOff(FencedTodo):
    """Hand work over with what the next one needs to know, or leave the notes for whoever comes."""

    goal_id: _Goal
    todo_id: _Todo
    to_agent: Annotated[
        MemberIdText | None, Field(description="Who goes on with it; nobody yet when absent: only the notes are left.")
    ] = None
    context: Annotated[Reason, Field(description="What the next one should know.")]
    remaining_work: Annotated[OptionalReason, Field(description="What is left to do.")] = ""
    artifact_id: Annotated[
        tuple[ArtifactIdText, ...], Field(max_length=LIST_MAX, description="Artifacts that belong to it.")
    ] = ()
    new_idempotency_key: Annotated[
        KeyText | None, Field(description="The new holder's key where a lease goes over; made when absent.")
    ] = None


class AdoptTodo(Params):
    """Go on with work whose holder's lease ran out, from the notes it left."""

    goal_id: _Goal
    todo_id: _Todo
    idempotency_key: Annotated[KeyText, Field(description="Names this execution; never used again on this todo.")]
    expected_version: Annotated[Version, Field(description="The version of the lease that ran out, as last seen.")]
    ttl_seconds: Annotated[TtlSeconds | None, Field(description="How long it lasts; as before when absent.")] = None


class DelegateTodo(Params):
    """Let one agent act on another's todos for a while, with a reason."""

    goal_id: _Goal
    agent_id: Annotated[MemberIdText, Field(description="Who may act.")]
    on_behalf_of: Annotated[MemberIdText, Field(description="Whose todos they are.")]
    allowed_action: Annotated[
        tuple[Literal["complete", "supersede", "update"], ...],
        Field(min_length=1, max_length=3, description="What may be done."),
    ]
    todo_id: Annotated[tuple[TodoIdText, ...], Field(max_length=LIST_MAX, description="Which todos.")] = ()
    action_kind: Annotated[
        tuple[CapabilityText, ...], Field(max_length=LIST_MAX, description="Or which kinds of todos.")
    ] = ()
    ttl_seconds: Annotated[int, Field(ge=1, le=DELEGATION_SECONDS_MAX, description="How long, in seconds.")] = (
        DELEGATION_SECONDS_DEFAULT
    )
    reason: Annotated[Reason, Field(description="Why.")]


class UndelegateTodo(Params):
    """End a delegation before its time."""

    goal_id: _Goal
    grant_id: Annotated[str, Field(pattern=r"^dlg_[0-9]{1,16}$", description="Which delegation ends.")]
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class ListDelegations(Params):
    """Who may act on whose todos, until when, and why."""

    goal_id: _Goal
