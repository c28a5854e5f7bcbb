"""Artifacts: evidence with a digest, made for one revision of the goal, and from artifacts that are named.

The ledger keeps the digest and never the thing: whoever doubts it computes the digest again. An artifact is never
changed; a newer one may take its place, and then nothing that was made from the older one holds any more.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledger.canonical import INTEGER_MAX
from ledger.events import Draft, Facts, Kind, Words
from ledger.ids import ArtifactId, GoalId, MemberId, TodoId
from ledger.params import (
    LIST_MAX,
    ArtifactIdText,
    CapabilityText,
    Full,
    GoalIdText,
    OptionalReason,
    Params,
    Sha256Text,
    Title,
    TodoIdText,
)
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, granted, is_owner, next_seq, refuse, registered
from ledger.rules.leases import effective_claim
from ledger.rules.reviews import undoing
from ledger.state import Goal, Workspace

ARTIFACTS_MAX = 20_000
ARTIFACTS_LISTED_MAX = 1_000
"""Artifacts of one list, the newest of them."""
CONSUMERS_MAX = 500
"""Artifacts that were made from one, over however many steps: as many may have to be undone in one command."""


class ArtifactRefusal(StrEnum):
    """Why an artifact is refused, in order of precedence."""

    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    ACTOR_NOT_REGISTERED = "actor_not_registered"
    REVISED_NOT_FOUND = "revised_not_found"
    ALREADY_REVISED = "already_revised"
    NOT_THE_AUTHOR = "not_the_author"
    REVISION_OF_ANOTHER_TODO = "revision_of_another_todo"
    TODO_NOT_FOUND = "todo_not_found"
    CLAIM_OWNER_MISMATCH = "claim_owner_mismatch"
    CRITERION_NOT_FOUND = "criterion_not_found"
    INPUT_NOT_FOUND = "input_not_found"
    INPUT_NOT_SOUND = "input_not_sound"
    TOO_MANY_CONSUMERS = "too_many_consumers"
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
    revises: Annotated[
        ArtifactIdText | None, Field(description="An earlier artifact whose place it takes; the older counts no more.")
    ] = None
    input: Annotated[
        tuple[ArtifactIdText, ...], Field(max_length=LIST_MAX, description="Artifacts that it was made from.")
    ] = ()


class ListArtifacts(Params):
    """The artifacts of a goal."""

    goal_id: Annotated[GoalIdText, Field(description="The goal.")]
    limit: Annotated[int, Field(ge=1, le=ARTIFACTS_LISTED_MAX, description="How many at most.")] = ARTIFACTS_LISTED_MAX
    full: Full = False


def decide_submit(workspace: Workspace, caller: Caller, ask: SubmitArtifact, now_ms: int) -> Decision:
    """Record evidence of whoever holds the work it is for."""
    goal = workspace.goals[GoalId(ask.goal_id)]
    if not goal.is_executable and goal.state != "paused":
        return refuse(ArtifactRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    member = registered(workspace, caller.member_id)
    if member is None or not granted(member, goal.goal_id):
        return refuse(ArtifactRefusal.ACTOR_NOT_REGISTERED, member_id=caller.member_id)
    todo_id = _todo_of(workspace, goal, ask, caller.member_id, now_ms)
    if isinstance(todo_id, Refusal):
        return todo_id
    unknown = [criterion for criterion in ask.criterion if criterion not in goal.intent.criterion_ids]
    if unknown:
        return refuse(
            ArtifactRefusal.CRITERION_NOT_FOUND,
            criteria=[text[:32] for text in unknown[:5]],
            known=list(goal.intent.criterion_ids),
        )
    inputs = tuple(ArtifactId(text) for text in dict.fromkeys(ask.input))
    if (broken := _not_to_build_on(goal, inputs, ask.revises)) is not None:
        return broken
    if len(goal.artifacts) >= ARTIFACTS_MAX:
        return refuse(ArtifactRefusal.TOO_MANY_ARTIFACTS, limit=ARTIFACTS_MAX)
    revises = None if ask.revises is None else ArtifactId(ask.revises)
    facts = ArtifactSubmitted(
        artifact_id=ArtifactId(f"art_{next_seq(workspace):06d}"),
        todo_id=todo_id,
        artifact_kind=ask.kind,
        sha256=ask.sha256,
        size_bytes=ask.size_bytes,
        criterion_ids=tuple(dict.fromkeys(ask.criterion)),
        revision=goal.confirmed,
        revises=revises,
        inputs=tuple((artifact_id, goal.artifacts[artifact_id].sha256) for artifact_id in inputs),
    )
    submitted = Draft(facts=facts, words=ArtifactWords(label=ask.label, summary=ask.summary), goal_id=goal.goal_id)
    return (submitted, *(() if revises is None else undoing(goal, revises, "revised")))


def _todo_of(
    workspace: Workspace, goal: Goal, ask: SubmitArtifact, caller_id: MemberId, now_ms: int
) -> TodoId | Refusal | None:
    """The todo that the evidence is for, if this member may hand it in; a revision is for what the older one was."""
    if ask.revises is None:
        return _held_todo(goal, ask.todo_id, caller_id, now_ms)
    older = goal.artifacts.get(ArtifactId(ask.revises))
    if older is None:
        return refuse(ArtifactRefusal.REVISED_NOT_FOUND, artifact_id=ask.revises)
    undone = goal.reviews.undone.get(older.artifact_id)
    if undone is not None and undone.how == "superseded":
        return refuse(ArtifactRefusal.ALREADY_REVISED, artifact_id=older.artifact_id, by=undone.by)
    todo = None if older.todo_id is None else goal.todos[older.todo_id]
    # Who finished the work answers for its evidence; where neither is left, whoever has the goal may repair it.
    answers = (older.submitted_by, None if todo is None else todo.completed_by)
    left = [member_id for member_id in answers if member_id and registered(workspace, member_id) is not None]
    if left and caller_id not in left and not is_owner(goal, caller_id, workspace):
        return refuse(ArtifactRefusal.NOT_THE_AUTHOR, submitted_by=older.submitted_by)
    if ask.todo_id not in {None, older.todo_id}:
        return refuse(ArtifactRefusal.REVISION_OF_ANOTHER_TODO, todo_id=older.todo_id)
    return (
        older.todo_id if todo is None or todo.status == "done" else _held_todo(goal, older.todo_id, caller_id, now_ms)
    )


def _held_todo(goal: Goal, asked: str | None, caller_id: MemberId, now_ms: int) -> TodoId | Refusal | None:
    if asked is None:
        return None
    todo = goal.todos.get(TodoId(asked))
    if todo is None:
        return refuse(ArtifactRefusal.TODO_NOT_FOUND, todo_id=asked)
    if todo.role == "agent" and (holder := effective_claim(goal, todo, now_ms)) != caller_id:
        return refuse(ArtifactRefusal.CLAIM_OWNER_MISMATCH, claimed_by=holder)
    return todo.todo_id


def _not_to_build_on(goal: Goal, inputs: tuple[ArtifactId, ...], revises: str | None) -> Refusal | None:
    """Nothing is made from what is undone, rejected, or undone by this very revision."""
    missing = [artifact_id for artifact_id in inputs if artifact_id not in goal.artifacts]
    if missing:
        return refuse(ArtifactRefusal.INPUT_NOT_FOUND, artifact_ids=missing)
    if not inputs:
        return None
    going = set() if revises is None else {revises, *goal.reviews.descendants(ArtifactId(revises))}
    broken = [artifact_id for artifact_id in inputs if artifact_id in going or not goal.reviews.is_sound(artifact_id)]
    if broken:
        return refuse(ArtifactRefusal.INPUT_NOT_SOUND, artifact_ids=broken)
    if any(goal.reviews.built_on.get(one, 0) >= CONSUMERS_MAX for one in goal.reviews.ancestors(inputs)):
        return refuse(ArtifactRefusal.TOO_MANY_CONSUMERS, limit=CONSUMERS_MAX)
    return None
