"""Artifacts: evidence with a digest, made for one revision of the goal.

The ledger keeps the digest and never the thing: whoever doubts it computes the digest again.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledger.canonical import INTEGER_MAX
from ledger.events import Draft, Facts, Kind, Words
from ledger.ids import ArtifactId, GoalId, TodoId
from ledger.params import LIST_MAX, CapabilityText, GoalIdText, OptionalReason, Params, Sha256Text, Title, TodoIdText
from ledger.rules.common import Caller, Decision, granted, next_seq, refuse, registered
from ledger.rules.leases import effective_claim
from ledger.state import Workspace

ARTIFACTS_MAX = 20_000


class ArtifactRefusal(StrEnum):
    """Why an artifact is refused, in order of precedence."""

    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    ACTOR_NOT_REGISTERED = "actor_not_registered"
    TODO_NOT_FOUND = "todo_not_found"
    CLAIM_OWNER_MISMATCH = "claim_owner_mismatch"
    CRITERION_NOT_FOUND = "criterion_not_found"
    TOO_MANY_ARTIFACTS = "too_many_artifacts"


class ArtifactSubmitted(Facts, frozen=True, kw_only=True):
    """Evidence was handed in."""

    artifact_id: ArtifactId
    todo_id: TodoId | None
    artifact_kind: str
    sha256: str
    size_bytes: int
    criterion_ids: tuple[str, ...]
    revision: int
    revises: ArtifactId | None = None
    """The artifact whose place it takes."""
    inputs: tuple[tuple[ArtifactId, str], ...] = ()
    """The artifacts that it was made from, with their digests: its basis."""


class ArtifactWords(Words, frozen=True, kw_only=True):
    """What the evidence is called and says."""

    label: str
    summary: str


KINDS = (
    Kind("artifact.submitted", 1, ArtifactSubmitted, ArtifactWords, upcast=dict),
    Kind("artifact.submitted", 2, ArtifactSubmitted, ArtifactWords),
)


class SubmitArtifact(Params):
    """Hand in evidence by its digest."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    label: Annotated[Title, Field(description="What it is called.")]
    sha256: Annotated[Sha256Text, Field(description="SHA-256 of its bytes, in hex.")]
    size_bytes: Annotated[int, Field(ge=0, le=INTEGER_MAX, description="Its size in bytes.")]
    kind: Annotated[CapabilityText, Field(description="What it is: report, patch, dataset, …")] = "report"
    todo_id: Annotated[TodoIdText | None, Field(description="The todo it proves.")] = None
    criterion: Annotated[
        tuple[str, ...],
        Field(max_length=LIST_MAX, description="Ids of the criteria it speaks to, as `goal show` lists them."),
    ] = ()
    summary: Annotated[OptionalReason, Field(description="What it says, briefly.")] = ""


class ListArtifacts(Params):
    """The artifacts of a goal."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]


def decide_submit(workspace: Workspace, caller: Caller, ask: SubmitArtifact, now_ms: int) -> Decision:
    """Record evidence of whoever holds the work it is for."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if not goal.is_executable and goal.state != "paused":
        return refuse(ArtifactRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    member = registered(workspace, caller.member_id)
    if member is None or not granted(member, goal.goal_id):
        return refuse(ArtifactRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    if ask.todo_id is not None:
        todo = goal.todos.get(TodoId(ask.todo_id))
        if todo is None:
            return refuse(ArtifactRefusal.TODO_NOT_FOUND, todo_id=ask.todo_id)
        if todo.role == "agent" and effective_claim(goal, todo, now_ms) != caller.member_id:
            return refuse(ArtifactRefusal.CLAIM_OWNER_MISMATCH, claimed_by=effective_claim(goal, todo, now_ms))
    unknown = [criterion for criterion in ask.criterion if criterion not in goal.intent.criterion_ids]
    if unknown:
        return refuse(
            ArtifactRefusal.CRITERION_NOT_FOUND,
            criteria=[text[:32] for text in unknown[:5]],
            known=list(goal.intent.criterion_ids),
        )
    if len(goal.artifacts) >= ARTIFACTS_MAX:
        return refuse(ArtifactRefusal.TOO_MANY_ARTIFACTS, limit=ARTIFACTS_MAX)
    facts = ArtifactSubmitted(
        artifact_id=ArtifactId(f"art_{next_seq(workspace):06d}"),
        todo_id=None if ask.todo_id is None else TodoId(ask.todo_id),
        artifact_kind=ask.kind,
        sha256=ask.sha256,
        size_bytes=ask.size_bytes,
        criterion_ids=tuple(dict.fromkeys(ask.criterion)),
        revision=goal.confirmed,
    )
    return (Draft(facts=facts, words=ArtifactWords(label=ask.label, summary=ask.summary), goal_id=goal.goal_id),)
