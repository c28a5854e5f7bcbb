"""What may be asked of an amendment. An operation is a JSON object; a shell gives it as text."""

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, ValidatorFunctionWrapHandler, WrapValidator, model_validator
from pydantic_core import to_json

from ledger.params import (
    LIST_MAX,
    BasisText,
    Capabilities,
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
    Scopes,
    TodoIdText,
    require_named_once,
)
from ledger.parts.amendments import AmendmentClass, OperationName

OPERATIONS_MAX = 32
AMENDMENT_ID_PATTERN = r"^amend_[a-z0-9-]{1,24}$"
AmendmentIdText = Annotated[str, Field(pattern=AMENDMENT_ID_PATTERN)]
_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Amendment = Annotated[AmendmentIdText, Field(description="The amendment.")]
_Todos = Annotated[tuple[TodoIdText, ...], Field(max_length=LIST_MAX)]
NEEDS = {
    "add": ("title",),
    "cancel": (),
    "reprioritise": ("priority",),
    "rewire": ("depends_on",),
    "rebind": (),
    "rescope": ("write_scope",),
    "restate": (),
}
TAKES = {
    "add": {"title", "acceptance", "priority", "depends_on", "agent", "write_scope", "capability"},
    "cancel": set(),
    "reprioritise": {"priority"},
    "rewire": {"depends_on"},
    "rebind": {"agent"},
    "rescope": {"write_scope"},
    "restate": {"title", "acceptance"},
}


class OperationParams(Params):
    """One change of one todo."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"op": "cancel", "todo_id": "todo_000012"}]})

    op: Annotated[OperationName, Field(description="What to do.")]
    todo_id: Annotated[TodoIdText | None, Field(description="The todo; made from the amendment for `add`.")] = None
    title: Annotated[Line | None, Field(description="What is to be done.")] = None
    acceptance: Annotated[OptionalText | None, Field(description="When it is good.")] = None
    priority: Annotated[Priority | None, Field(description="P0 is the most urgent.")] = None
    depends_on: Annotated[
        tuple[TodoIdText, ...] | None, Field(max_length=LIST_MAX, description="All todos that must be done first.")
    ] = None
    agent: Annotated[MemberIdText | None, Field(description="The only agent that may do it, if any.")] = None
    write_scope: Annotated[Scopes | None, Field(description="All that the work may write.")] = None
    capability: Annotated[Capabilities, Field(description="What its agent must be able to do.")] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = self.model_fields_set - {"op", "todo_id"}
        if self.op != "add" and self.todo_id is None:
            raise ValueError("needs todo_id")
        if missing := [name for name in NEEDS[self.op] if getattr(self, name) is None]:
            raise ValueError(f"needs {missing[0]}")
        if beyond := sorted(given - TAKES[self.op]):
            raise ValueError(f"{self.op} takes no {beyond[0]}")
        if self.op == "restate" and self.title is None and self.acceptance is None:
            raise ValueError("needs title or acceptance")
        return self


def _operation(value: Any, _handler: ValidatorFunctionWrapHandler) -> OperationParams:  # noqa: ANN401  (what a caller sent)
    """Both spellings are read by the one strict reader of JSON."""
    read = OperationParams.model_validate_json(value if isinstance(value, str) else to_json(value))
    if isinstance(value, str):
        require_named_once(value)
    return read


class _Disposed(Params):
    continue_todo: Annotated[_Todos, Field(description="Whoever has this todo in hand goes on as before.")] = ()
    rebase_todo: Annotated[_Todos, Field(description="Whoever has this todo in hand adopts the change first.")] = ()
    stop_todo: Annotated[_Todos, Field(description="Whoever has this todo in hand loses it.")] = ()


class SubmitAmendment(_Disposed):
    """Put a change of agreed work forward, with what becomes of work in hand."""

    goal_id: _Goal
    amendment_class: Annotated[AmendmentClass, Field(description="How far it reaches; decides who may commit it.")]
    operation: Annotated[
        tuple[Annotated[OperationParams, WrapValidator(_operation)], ...],
        Field(min_length=1, max_length=OPERATIONS_MAX, description="A change as a JSON object; repeat for several."),
    ]
    why: Annotated[Reason, Field(description="Why it is needed.")]
    gate_id: Annotated[KeyText | None, Field(description="The gate that approved it, for protected_authority.")] = None
    amendment_id: Annotated[
        AmendmentIdText | None, Field(description="Its id; made from the ledger's seq when absent.")
    ] = None


class RebaseAmendment(_Disposed):
    """Put the same change forward again, for what is there now."""

    goal_id: _Goal
    amendment_id: _Amendment


class CommitAmendment(Params):
    """Make the change exactly as it was shown, unless what it rests on has moved."""

    goal_id: _Goal
    amendment_id: _Amendment
    basis: Annotated[BasisText | None, Field(description="The amendment that was shown.")] = None


class RejectAmendment(CommitAmendment):
    """Say no to a change."""

    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class WithdrawAmendment(Params):
    """Take back a change that nobody has decided on yet."""

    goal_id: _Goal
    amendment_id: _Amendment
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class AdoptAmendment(Params):
    """Say that the change of this todo was read, before going on with it."""

    goal_id: _Goal
    amendment_id: _Amendment
    todo_id: Annotated[TodoIdText, Field(description="The todo.")]


class ShowAmendment(Params):
    """An amendment with what it changes, what has moved since and the basis to commit it by."""

    goal_id: _Goal
    amendment_id: _Amendment
    full: Full = False


class ListAmendments(Params):
    """The amendments of a goal, newest first."""

    goal_id: _Goal
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50
