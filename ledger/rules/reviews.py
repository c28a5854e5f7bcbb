"""Reviews: somebody who is not the author says whether evidence counts.

A word once given stands. What was rejected comes back as a newer artifact that takes its place and is reviewed on its
own; what was made from something that was rejected or revised no longer holds, however many steps lie between.
Checks are kept as whoever ran them recorded them: they say that a validator passed, never that the evidence is good.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from ledger.events import Draft
from ledger.ids import ArtifactId, GoalId, MemberId
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, granted, is_owner, refuse, registered
from ledger.rules.review_events import ArtifactInvalidated, ArtifactReviewed, CheckRecorded, ReviewWords
from ledger.rules.review_params import RecordCheck, ReviewArtifact
from ledger.state import Goal, Workspace

CHECKS_MAX = 64
"""Checks of one artifact."""


class ReviewRefusal(StrEnum):
    """Why a review or a check is refused, in order of precedence."""

    GOAL_NOT_EXECUTABLE = "goal_not_executable"
    ARTIFACT_NOT_FOUND = "artifact_not_found"
    REVIEWER_NOT_ENTITLED = "reviewer_not_entitled"
    REVIEWER_IS_AUTHOR = "reviewer_is_author"
    ARTIFACT_SUPERSEDED = "artifact_superseded"
    ARTIFACT_INVALIDATED = "artifact_invalidated"
    ARTIFACT_ALREADY_REVIEWED = "artifact_already_reviewed"
    DIGEST_MISMATCH = "digest_mismatch"
    TOO_MANY_CHECKS = "too_many_checks"


def counts(goal: Goal, artifact_id: ArtifactId) -> bool:
    """Whether work may build on the artifact: it was accepted where reviews are asked for, and nothing undid it."""
    independent = goal.intent.review == "independent"
    return artifact_id in goal.artifacts and goal.reviews.holds(artifact_id, independent=independent)


def decide_review(workspace: Workspace, caller: Caller, ask: ReviewArtifact, _now_ms: int) -> Decision:
    """Record a word that nobody has given yet, and what a no undoes."""
    goal, artifact_id = workspace.goals[GoalId(ask.goal_id)], ArtifactId(ask.artifact_id)
    if (broken := _may_speak(workspace, goal, caller, artifact_id)) is not None:
        return broken
    artifact = goal.artifacts[artifact_id]
    if artifact.submitted_by == caller.member_id:
        return refuse(ReviewRefusal.REVIEWER_IS_AUTHOR, artifact_id=artifact_id, submitted_by=artifact.submitted_by)
    if (broken := _undone(goal, artifact_id)) is not None:
        return broken
    if (decided := goal.reviews.decisions.get(artifact_id)) is not None:
        return refuse(
            ReviewRefusal.ARTIFACT_ALREADY_REVIEWED,
            artifact_id=artifact_id,
            verdict=decided.verdict,
            reviewer=decided.reviewer,
            at_ms=decided.at_ms,
            seq=decided.seq,
        )
    if ask.verdict == "accept" and ask.sha256 not in {None, artifact.sha256}:
        return refuse(ReviewRefusal.DIGEST_MISMATCH, artifact_id=artifact_id, given=ask.sha256, sha256=artifact.sha256)
    reviewed = Draft(
        facts=ArtifactReviewed(
            artifact_id=artifact_id,
            sha256=artifact.sha256,
            verdict="accepted" if ask.verdict == "accept" else "rejected",
        ),
        words=ReviewWords(reason=ask.reason) if ask.reason else None,
        goal_id=goal.goal_id,
    )
    return (reviewed, *(undoing(goal, artifact_id, "rejected") if ask.verdict == "reject" else ()))


def decide_check(workspace: Workspace, caller: Caller, ask: RecordCheck, _now_ms: int) -> Decision:
    """Keep what a validator said; the author may have run it, and the record says who did."""
    goal, artifact_id = workspace.goals[GoalId(ask.goal_id)], ArtifactId(ask.artifact_id)
    if (broken := _may_speak(workspace, goal, caller, artifact_id) or _undone(goal, artifact_id)) is not None:
        return broken
    if len(goal.reviews.checks.get(artifact_id, ())) >= CHECKS_MAX:
        return refuse(ReviewRefusal.TOO_MANY_CHECKS, limit=CHECKS_MAX)
    facts = CheckRecorded(
        artifact_id=artifact_id,
        name=ask.name,
        argv_sha256=ask.argv_sha256,
        exit_code=ask.exit_code,
        duration_ms=ask.duration_ms,
        timed_out=ask.timed_out,
    )
    return (Draft(facts=facts, goal_id=goal.goal_id),)


def undoing(goal: Goal, root: ArtifactId, because: Literal["revised", "rejected"]) -> Iterator[Draft]:
    """The ends of all that was made from an artifact; how many there can be is bounded when they are handed in."""
    for artifact_id, through in goal.reviews.descendants(root).items():
        if artifact_id not in goal.reviews.undone:
            facts = ArtifactInvalidated(artifact_id=artifact_id, root=root, through=through, because=because)
            yield Draft(facts=facts, goal_id=goal.goal_id)


def _may_speak(workspace: Workspace, goal: Goal, caller: Caller, artifact_id: ArtifactId) -> Refusal | None:
    if not goal.is_executable and goal.state != "paused":
        return refuse(ReviewRefusal.GOAL_NOT_EXECUTABLE, state=goal.state)
    if artifact_id not in goal.artifacts:
        return refuse(ReviewRefusal.ARTIFACT_NOT_FOUND, artifact_id=artifact_id)
    if not _entitled(workspace, goal, caller.member_id):
        return refuse(ReviewRefusal.REVIEWER_NOT_ENTITLED, member_id=caller.member_id)
    return None


def _entitled(workspace: Workspace, goal: Goal, member_id: MemberId) -> bool:
    """An agent that has the goal, or a person who owns it or is one of its approvers."""
    member = registered(workspace, member_id)
    if member is None:
        return False
    if member.kind == "agent":
        return granted(member, goal.goal_id)
    return member_id in goal.intent.approvers or is_owner(goal, member_id, workspace)


def _undone(goal: Goal, artifact_id: ArtifactId) -> Refusal | None:
    undone = goal.reviews.undone.get(artifact_id)
    if undone is None:
        return None
    if undone.how == "superseded":
        return refuse(ReviewRefusal.ARTIFACT_SUPERSEDED, artifact_id=artifact_id, by=undone.by)
    return refuse(ReviewRefusal.ARTIFACT_INVALIDATED, artifact_id=artifact_id, by=undone.by)
