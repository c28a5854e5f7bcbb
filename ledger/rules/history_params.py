"""What may be asked of the past: which events, and why something is as it is."""

from typing import Annotated, Literal

from pydantic import Field

from ledger.ids import ARTIFACT_ID_PATTERN, MEMBER_ID_PATTERN
from ledger.params import GoalIdText, Params, TodoIdText

PAGE_MAX = 200
PAGE_DEFAULT = 50
SEQ_MAX = 10**15

_Named = Annotated[str | None, Field(pattern=r"^[a-z]+_[a-z0-9_-]{1,64}$")]
_Seq = Annotated[int | None, Field(ge=1, le=SEQ_MAX)]


class ListHistory(Params):
    """List what happened, each event with a sentence, who did it and how they were proved."""

    goal_id: Annotated[
        GoalIdText | None, Field(description="Events of this goal; of the whole workspace when absent.")
    ] = None
    todo_id: Annotated[TodoIdText | None, Field(description="Only events that name this todo.")] = None
    gate_id: Annotated[_Named, Field(description="Only events that name this gate.")] = None
    plan_id: Annotated[_Named, Field(description="Only events that name this plan.")] = None
    amendment_id: Annotated[_Named, Field(description="Only events that name this amendment.")] = None
    request_id: Annotated[_Named, Field(description="Only events that name this request.")] = None
    artifact_id: Annotated[
        str | None, Field(pattern=ARTIFACT_ID_PATTERN, description="Only events that name this artifact.")
    ] = None
    member_id: Annotated[
        str | None, Field(pattern=MEMBER_ID_PATTERN, description="Only events that name this member.")
    ] = None
    actor: Annotated[str | None, Field(pattern=MEMBER_ID_PATTERN, description="Only what this member did.")] = None
    kind: Annotated[
        str | None,
        Field(
            pattern=r"^[a-z_]+(\.[a-z_]+)?$",
            max_length=64,
            description="Only events of this kind, as `todo.claimed` or `todo`.",
        ),
    ] = None
    from_seq: Annotated[_Seq, Field(description="Not before this event.")] = None
    to_seq: Annotated[_Seq, Field(description="Not after this event.")] = None
    order: Annotated[Literal["newest", "oldest"], Field(description="Which comes first.")] = "newest"
    after: Annotated[_Seq, Field(description="Go on behind this event, which ended the last page.")] = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX, description="How many events a page has.")] = PAGE_DEFAULT


class ListRefusals(Params):
    """List attempts that were refused and changed nothing, the newest first: who tried what, and why not."""

    actor: Annotated[str | None, Field(pattern=MEMBER_ID_PATTERN, description="Only what this member tried.")] = None
    action: Annotated[
        str | None,
        Field(
            pattern=r"^[a-z-]+\.[a-z-]+$", max_length=64, description="Only attempts at this action, as `todo.claim`."
        ),
    ] = None
    code: Annotated[
        str | None, Field(pattern=r"^[a-z_]+$", max_length=64, description="Only those refused for this reason.")
    ] = None
    goal_id: Annotated[GoalIdText | None, Field(description="Only attempts on this goal.")] = None
    after: Annotated[_Seq, Field(description="Go on behind this attempt, which ended the last page.")] = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX, description="How many attempts a page has.")] = PAGE_DEFAULT


class ExplainHistory(Params):
    """Say why something is in its present state: the events that made it so, and what is needed next."""

    goal_id: Annotated[GoalIdText, Field(description="The goal, or the goal that the thing belongs to.")]
    todo_id: Annotated[TodoIdText | None, Field(description="Explain this todo.")] = None
    lease: Annotated[bool, Field(description="Explain the lease on the todo instead of the todo.")] = False
    gate_id: Annotated[_Named, Field(description="Explain this gate.")] = None
    plan_id: Annotated[_Named, Field(description="Explain this plan.")] = None
    amendment_id: Annotated[_Named, Field(description="Explain this amendment.")] = None
    request_id: Annotated[_Named, Field(description="Explain this request.")] = None
