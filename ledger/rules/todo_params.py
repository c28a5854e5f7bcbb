"""What may be asked of a todo: the parameters of its actions."""

import re
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationInfo, field_validator, model_validator

from ledger.ids import CAPABILITY_PATTERN, TODO_ID_PATTERN
from ledger.params import (
    LIST_MAX,
    ArtifactIdText,
    Capabilities,
    CapabilityText,
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
    Version,
)
from ledger.rules.gate_scopes import DECISION_SCOPE_PATTERN

CADENCE_SECONDS_MAX = 2_592_000
NO_CHANGE_MAX = 1_000
RESUME_CHARS_MAX = 200
_REFERENCE = re.compile(r"[A-Za-z0-9_.:@/#-]{1,160}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?([Zz]|[+-]\d{2}:\d{2})")
_MOMENTS = TypeAdapter(AwareDatetime)
RESUME_PATTERN = (
    r"^(todo_done:todo_[a-z0-9_-]{3,64}|capability_available:[a-z][a-z0-9_:-]{0,63}|pr_merged:[A-Za-z0-9_.:@/#-]{1,160}"
    r"|time:[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]"
    r"(:[0-5][0-9](\.[0-9]{1,6})?)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))$"
)
"""What is described of it; the code says it exactly."""

DecisionScopeText = Annotated[str, Field(pattern=DECISION_SCOPE_PATTERN)]
_Goal = Annotated[GoalIdText, Field(description="The goal.")]
_Todo = Annotated[TodoIdText, Field(description="The todo.")]


class AddTodo(Params):
    """Add work to a goal."""

    goal_id: _Goal
    text: Annotated[Line, Field(description="What is to be done.")]
    todo_id: Annotated[TodoIdText | None, Field(description="Its id; made from the ledger's sequence when absent.")] = (
        None
    )
    role: Annotated[Literal["user", "agent"], Field(description="Who does it.")] = "agent"
    priority: Annotated[Priority, Field(description="P0 is the most urgent.")] = "P2"
    task_class: Annotated[
        Literal["advancement_task", "user_action", "user_gate", "continuous_monitor"] | None,
        Field(description="What kind of work it is; needed for a user's todo."),
    ] = None
    cadence_seconds: Annotated[
        int | None, Field(ge=1, le=CADENCE_SECONDS_MAX, description="How often a monitor is looked at, in seconds.")
    ] = None
    max_no_change_before_replan: Annotated[
        int | None, Field(ge=1, le=NO_CHANGE_MAX, description="Looks without a change after which its agent replans.")
    ] = None
    action_kind: Annotated[CapabilityText | None, Field(description="What kind of action it takes.")] = None
    required_write_scope: Annotated[Scopes, Field(description="What the work may write.")] = ()
    required_capability: Annotated[Capabilities, Field(description="What its agent must be able to do.")] = ()
    depends_on: Annotated[
        tuple[TodoIdText, ...], Field(max_length=LIST_MAX, description="Todos that must be done first.")
    ] = ()
    bound_agent: Annotated[MemberIdText | None, Field(description="The only agent that may do it.")] = None
    excluded_agent: Annotated[
        tuple[MemberIdText, ...], Field(max_length=LIST_MAX, description="Agents that may not do it.")
    ] = ()
    acceptance: Annotated[OptionalText, Field(description="When it is good.")] = ""
    validator: Annotated[
        Capabilities, Field(description="Checks that its evidence must have passed before it can be completed.")
    ] = ()
    required_decision_scope: Annotated[
        tuple[DecisionScopeText, ...],
        Field(
            max_length=LIST_MAX,
            examples=[["publish:action:site"]],
            description="Decisions it needs first, as kind:granularity:key; silence is a no.",
        ),
    ] = ()
    unblocks_todo_id: Annotated[
        TodoIdText | None, Field(description="For a user_gate: work that waits until the decision is a yes.")
    ] = None

    @model_validator(mode="after")
    def _only_a_person_decides(self) -> Self:
        if self.task_class == "user_gate" and self.role != "user":
            raise ValueError("task_class: a user_gate is decided by a person: its role is user")
        if self.unblocks_todo_id is not None and self.task_class != "user_gate":
            raise ValueError("unblocks_todo_id: only a user_gate unblocks work")
        return self

    @model_validator(mode="after")
    def _only_monitors_are_looked_at(self) -> Self:
        given = self.cadence_seconds, self.max_no_change_before_replan
        if self.task_class != "continuous_monitor" and given != (None, None):
            raise ValueError("only a monitor has a cadence")
        if self.task_class == "continuous_monitor" and self.role == "user":
            raise ValueError("a monitor is looked at by an agent")
        return self


class ClaimTodo(Params):
    """Take a todo, softly: the one that is named, or what the caller has in hand, or the most urgent free one."""

    goal_id: _Goal
    todo_id: Annotated[
        TodoIdText | None,
        Field(description="The todo; when absent, what the caller has already, or else the most urgent free one."),
    ] = None
    another: Annotated[
        bool,
        Field(description="Without a todo: a free one, whatever the caller has already; each call takes one more."),
    ] = False
    agent_id: Annotated[MemberIdText | None, Field(description="The claimant; the caller when absent.")] = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.another and self.todo_id is not None:
            raise ValueError("todo_id takes no another")
        return self


class ReleaseTodo(Params):
    """Give a claim back."""

    goal_id: _Goal
    todo_id: _Todo


class UpdateTodo(Params):
    """Change a todo's words or priority, or open a blocked one again."""

    goal_id: _Goal
    todo_id: _Todo
    text: Annotated[Line | None, Field(description="What is to be done.")] = None
    priority: Annotated[Priority | None, Field(description="P0 is the most urgent.")] = None
    note: Annotated[OptionalReason | None, Field(description="Where the work stands.")] = None
    status: Annotated[Literal["open"] | None, Field(description="`open` opens a blocked todo again.")] = None


class FencedTodo(Params):
    """What ends a lease proves which execution asks."""

    task_lease_idempotency_key: Annotated[KeyText | None, Field(description="The key of the lease that holds it.")] = (
        None
    )
    task_lease_expected_version: Annotated[Version | None, Field(description="The lease's version.")] = None


class BlockTodo(FencedTodo):
    """Say that a todo cannot go on, and why."""

    goal_id: _Goal
    todo_id: _Todo
    reason: Annotated[Reason, Field(description="Why it cannot go on.")]


class CancelTodo(FencedTodo):
    """Take a todo out of the goal."""

    goal_id: _Goal
    todo_id: _Todo
    reason: Annotated[OptionalReason, Field(description="Why it is no longer wanted.")] = ""


class CompleteTodo(FencedTodo):
    """Finish a todo with evidence."""

    goal_id: _Goal
    todo_id: _Todo
    evidence: Annotated[
        tuple[ArtifactIdText, ...], Field(max_length=LIST_MAX, description="Artifacts that prove it.")
    ] = ()
    completion_turn_key: Annotated[KeyText | None, Field(description="Names the turn that finished it.")] = None
    note: Annotated[OptionalReason, Field(description="What was done.")] = ""
    next_agent_todo: Annotated[Line | None, Field(description="Work that follows; created with the completion.")] = None
    next_claimed_by: Annotated[MemberIdText | None, Field(description="Who takes the work that follows.")] = None
    decision_outcome: Annotated[
        Literal["approve", "reject", "cancel"] | None,
        Field(description="For a user_gate: what was decided. Only a yes lets what it unblocks begin."),
    ] = None
    continuation: Annotated[
        Literal["active_goal", "successor", "no_followup"] | None,
        Field(description="What comes after: the goal's other work, the successor named here, or nothing."),
    ] = None

    @model_validator(mode="after")
    def _one_continuation(self) -> Self:
        follows = self.next_agent_todo is not None
        if self.continuation is not None and follows != (self.continuation == "successor"):
            raise ValueError("continuation: `successor` and next_agent_todo go together")
        return self

    @field_validator("next_claimed_by")
    @classmethod
    def _needs_work(cls, claimed_by: str | None, given: ValidationInfo) -> str | None:
        if claimed_by is not None and given.data.get("next_agent_todo") is None:
            raise ValueError("names who takes the work that follows, but next_agent_todo names no work")
        return claimed_by


class DeferTodo(FencedTodo):
    """Put a todo off until something holds."""

    goal_id: _Goal
    todo_id: _Todo
    resume_when: Annotated[
        str,
        Field(
            max_length=RESUME_CHARS_MAX,
            json_schema_extra={"pattern": RESUME_PATTERN},
            examples=["time:2027-01-31T09:00:00Z"],
            description=(
                "`todo_done:TODO_ID`, `time:RFC3339` or `capability_available:NAME`, which take it up by themselves, "
                "or `pr_merged:REFERENCE`, which somebody reports with todo resume."
            ),
        ),
    ]
    reason: Annotated[OptionalReason, Field(description="Why it is put off.")] = ""

    @field_validator("resume_when")
    @classmethod
    def _known(cls, text: str) -> str:
        resume_condition(text)
        return text


class ResumeTodo(Params):
    """Take a todo up again that was put off."""

    goal_id: _Goal
    todo_id: _Todo
    reason: Annotated[OptionalReason, Field(description="What has come to hold.")] = ""


class WakeTodo(Params):
    """Take up a todo whose deferral is over; the daemon's own."""

    goal_id: GoalIdText
    todo_id: TodoIdText


def resume_condition(text: str) -> tuple[Literal["todo_done", "time", "capability", "report"], str, int | None]:
    """What a todo waits for: the condition, what it refers to, and the moment in milliseconds. Raises ValueError."""
    kind, _, reference = text.partition(":")
    if kind == "time" and _MOMENT.fullmatch(reference):
        return "time", "", int(_MOMENTS.validate_python(reference).timestamp() * 1000)
    if kind == "todo_done" and re.fullmatch(TODO_ID_PATTERN, reference):
        return "todo_done", reference, None
    if kind == "capability_available" and re.fullmatch(CAPABILITY_PATTERN, reference):
        return "capability", reference, None
    if kind == "pr_merged" and _REFERENCE.fullmatch(reference):
        return "report", reference, None
    raise ValueError("must be todo_done:TODO_ID, time:RFC3339, capability_available:NAME or pr_merged:REFERENCE")


class AdmitTodo(Params):
    """Let a proposal become work."""

    goal_id: _Goal
    todo_id: _Todo


class DeclineTodo(Params):
    """Turn a proposal down, or take back one's own."""

    goal_id: _Goal
    todo_id: _Todo
    reason: Annotated[OptionalReason, Field(description="Why.")] = ""


class ListTodos(Params):
    """The todos of a goal."""

    goal_id: _Goal
    status: Annotated[
        Literal["open", "done", "blocked", "deferred", "cancelled", "proposed"] | None,
        Field(description="Only these."),
    ] = None
    after: Annotated[TodoIdText | None, Field(description="Continue after this todo.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50
    full: Full = False


class ReadyTodos(Params):
    """Work that could begin now, best first."""

    goal_id: _Goal
    agent_id: Annotated[MemberIdText | None, Field(description="For this agent; the caller when absent.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50
