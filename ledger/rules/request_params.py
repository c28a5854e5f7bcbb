"""What may be asked of a request. An input is a JSON object; a shell gives it as text, any other caller as it is."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import to_json

from ledger.params import (
    ArtifactIdText,
    Full,
    GoalIdText,
    KeyText,
    Line,
    MemberIdText,
    OptionalReason,
    OptionalText,
    Params,
    Priority,
    Reason,
    Sha256Text,
    TodoIdText,
    require_named_once,
)
from ledger.parts.requests import Answer, Relation

PURPOSE_CHARS_MAX = 2_000
CONTEXT_CHARS_MAX = 6_000
CONSTRAINTS_MAX = 12
INPUTS_MAX = 12
ACCEPTANCE_MAX = 12
ARTIFACTS_MAX = 12
BRIEF_BYTES_MAX = 16_384
REQUESTS_LISTED_MAX = 200
REQUEST_ID_PATTERN = r"^request_[a-z0-9_-]{1,58}$"

RequestIdText = Annotated[str, Field(pattern=REQUEST_ID_PATTERN)]
_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Request = Annotated[RequestIdText, Field(description="The request.")]


class InputParams(Params):
    """Something the receiver is given, by its digest."""

    ref: Annotated[Line, Field(description="What it is called, or the id of an artifact of this goal.")]
    description: Annotated[OptionalReason, Field(description="What it is.")] = ""
    sha256: Annotated[Sha256Text, Field(description="SHA-256 of its bytes, in hex.")]
    relation: Annotated[Relation, Field(description="What the answer is to it.")] = "uses"


def _input(value: Any, _handler: ValidatorFunctionWrapHandler) -> InputParams:  # noqa: ANN401  (what a caller sent)
    """Both spellings are read by the one strict reader of JSON."""
    read = InputParams.model_validate_json(value if isinstance(value, str) else to_json(value))
    if isinstance(value, str):
        require_named_once(value)
    return read


class SendRequest(Params):
    """Ask something of a peer; what comes of it goes back to where you asked, once."""

    goal_id: _Goal
    request_id: Annotated[
        RequestIdText | None, Field(description="Its id; made from the ledger's seq when absent.")
    ] = None
    to: Annotated[MemberIdText, Field(description="Of whom it is asked.")]
    purpose: Annotated[Reason, Field(description="What is wanted.")]
    acceptance: Annotated[
        tuple[Line, ...], Field(min_length=1, max_length=ACCEPTANCE_MAX, description="When the answer is good.")
    ]
    return_requirement: Annotated[Reason, Field(description="What must come back.")]
    context: Annotated[OptionalText, Field(max_length=CONTEXT_CHARS_MAX, description="What there is to know.")] = ""
    constraint: Annotated[tuple[Line, ...], Field(max_length=CONSTRAINTS_MAX, description="What must be kept to.")] = ()
    input: Annotated[
        tuple[Annotated[InputParams, WrapValidator(_input)], ...],
        Field(max_length=INPUTS_MAX, description="An input as a JSON object; repeat for several."),
    ] = ()
    parent_id: Annotated[RequestIdText | None, Field(description="A request to you that this one helps to fulfil.")] = (
        None
    )
    blocks_todo_id: Annotated[TodoIdText | None, Field(description="Work that waits until it comes back.")] = None
    origin: Annotated[
        KeyText | None, Field(description="What you call the conversation that the return belongs to.")
    ] = None


class ReceiveRequest(Params):
    """Say that you have read a request to you; that promises nothing."""

    goal_id: _Goal
    request_id: _Request


class RespondRequest(Params):
    """Take a request on, put it off, turn it down, or say that there is nothing to change."""

    goal_id: _Goal
    request_id: _Request
    decision: Annotated[Answer, Field(description="What you make of it.")]
    reason: Annotated[OptionalReason, Field(description="Why; needed unless you take it on.")] = ""


class CommitRequest(Params):
    """Name the todo that fulfils a request you took on, or add one for it."""

    goal_id: _Goal
    request_id: _Request
    todo_id: Annotated[TodoIdText | None, Field(description="The work; a todo is added when absent.")] = None
    text: Annotated[Line | None, Field(description="What the new todo is; needed where none is named.")] = None
    priority: Annotated[Priority, Field(description="Of the new todo; P0 is the most urgent.")] = "P2"


class ReturnRequest(Params):
    """Hand back what came of a request, once."""

    goal_id: _Goal
    request_id: _Request
    artifact: Annotated[
        tuple[ArtifactIdText, ...],
        Field(min_length=1, max_length=ARTIFACTS_MAX, description="Evidence of this goal that is handed back."),
        AfterValidator(lambda ids: tuple(dict.fromkeys(ids))),
    ]
    summary: Annotated[Reason, Field(description="What it says.")]


class AcknowledgeRequest(Params):
    """Say that a return has reached the conversation it belongs to."""

    goal_id: _Goal
    request_id: _Request


class WithdrawRequest(Params):
    """Take back a request that nobody needs any longer."""

    goal_id: _Goal
    request_id: _Request
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class ListRequests(Params):
    """The requests of a goal, newest first."""

    goal_id: _Goal
    to: Annotated[MemberIdText | None, Field(description="Only those to this member.")] = None
    sender: Annotated[MemberIdText | None, Field(description="Only those from this member.")] = None
    status: Annotated[Literal["open", "closed"] | None, Field(description="Only those; all when absent.")] = None
    limit: Annotated[int, Field(ge=1, le=REQUESTS_LISTED_MAX, description="How many at most.")] = 50


class ShowRequest(Params):
    """A request with its brief and what is true of it so far."""

    goal_id: _Goal
    request_id: _Request
    full: Full = False
