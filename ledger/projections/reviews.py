"""What is told of evidence: what became of each artifact, and which finished work rests on what no longer holds."""

from itertools import islice
from typing import cast

from ledger.ids import ArtifactId, GoalId
from ledger.params import Params
from ledger.records import Artifact, Todo
from ledger.refusals import Refusal
from ledger.rules import artifacts, goals
from ledger.rules.common import Caller, refuse
from ledger.rules.reviews import counts
from ledger.state import Goal, Workspace
from ledger.text.times import rfc3339

Document = dict[str, object]


def _list_artifacts(workspace: Workspace, _caller: Caller, asked: Params, _now_ms: int) -> Document | Refusal:
    ask = cast("artifacts.ListArtifacts", asked)
    goal_id = ask.goal_id
    goal = workspace.goals.get(GoalId(goal_id))
    if goal is None:
        return refuse(goals.GoalRefusal.GOAL_NOT_FOUND, goal_id=goal_id)
    newest = list(islice(reversed(goal.artifacts.values()), ask.limit))
    return {
        "schema_version": "frontstage_artifact_list_v1",
        "goal_id": goal.goal_id,
        "review": goal.intent.review,
        "artifacts": [artifact_document(goal, artifact) for artifact in reversed(newest)],
        "total": len(goal.artifacts),
    }


def artifact_document(goal: Goal, artifact: Artifact) -> Document:
    """One artifact with all that was said of it since."""
    reviews, artifact_id = goal.reviews, artifact.artifact_id
    return {
        "artifact_id": artifact_id,
        "todo_id": artifact.todo_id,
        "kind": artifact.kind,
        "label": artifact.label,
        "summary": artifact.summary,
        "sha256": artifact.sha256,
        "size_bytes": artifact.size_bytes,
        "criterion_ids": list(artifact.criterion_ids),
        "revision": artifact.revision,
        "submitted_by": artifact.submitted_by,
        "submitted_at": rfc3339(artifact.at_ms),
        "status": status_of(goal, artifact_id),
        "counts": counts(goal, artifact_id),
        "review": _review(goal, artifact_id),
        "undone": _undone(goal, artifact_id),
        "revises": reviews.revises.get(artifact_id),
        "inputs": [{"artifact_id": one, "sha256": sha256} for one, sha256 in reviews.inputs.get(artifact_id, ())],
        "checks": _checks(goal, artifact_id),
    }


def status_of(goal: Goal, artifact_id: ArtifactId) -> str:
    """Where an artifact stands, in one word: what undid it goes before what was said of it."""
    if (undone := goal.reviews.undone.get(artifact_id)) is not None:
        return undone.how
    review = goal.reviews.decisions.get(artifact_id)
    return "submitted" if review is None else review.verdict


def stale_evidence(goal: Goal, todo: Todo) -> list[ArtifactId]:
    """The evidence of finished work that no longer holds."""
    return [one for one in todo.evidence if not goal.reviews.is_sound(one)] if todo.status == "done" else []


def _review(goal: Goal, artifact_id: ArtifactId) -> Document | None:
    review = goal.reviews.decisions.get(artifact_id)
    if review is None:
        return None
    return {
        "verdict": review.verdict,
        "reviewer": review.reviewer,
        "reviewed_at": rfc3339(review.at_ms),
        "seq": review.seq,
        "reason": review.reason,
    }


def _undone(goal: Goal, artifact_id: ArtifactId) -> Document | None:
    undone = goal.reviews.undone.get(artifact_id)
    return (
        None if undone is None else {"how": undone.how, "by": undone.by, "because": undone.because, "seq": undone.seq}
    )


def _checks(goal: Goal, artifact_id: ArtifactId) -> list[Document]:
    return [
        {
            "name": check.name,
            "passed": check.passed,
            "argv_sha256": check.argv_sha256,
            "exit_code": check.exit_code,
            "duration_ms": check.duration_ms,
            "timed_out": check.timed_out,
            "recorded_by": check.recorded_by,
            "recorded_at": rfc3339(check.at_ms),
            "seq": check.seq,
        }
        for check in goal.reviews.checks.get(artifact_id, ())
    ]


READERS = {"artifact.list": _list_artifacts}
