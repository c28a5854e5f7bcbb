"""Folds of the artifacts of a goal and of what became of them: reviews, checks, invalidations.

Whether work may build on evidence decides whether what depends on its todo is ready: each of these events is followed
by a second look at exactly those dependents.
"""

from collections.abc import Callable
from typing import cast

from ledger.events import ERASED, Facts, Recorded
from ledger.folds.work import change_todo, recheck_dependents
from ledger.ids import ArtifactId
from ledger.parts.reviews import Check, Review, Undone
from ledger.records import Artifact
from ledger.rules import artifacts, review_events
from ledger.state import Goal


def _artifact_submitted(goal: Goal, event: Recorded) -> None:
    facts, words = cast("artifacts.ArtifactSubmitted", event.facts), event.words
    label, summary = (words.label, words.summary) if isinstance(words, artifacts.ArtifactWords) else (ERASED, "")
    goal.artifacts[facts.artifact_id] = Artifact(
        artifact_id=facts.artifact_id,
        todo_id=facts.todo_id,
        kind=facts.artifact_kind,
        sha256=facts.sha256,
        size_bytes=facts.size_bytes,
        criterion_ids=facts.criterion_ids,
        revision=facts.revision,
        submitted_by=event.actor,
        at_ms=event.at_ms,
        label=label,
        summary=summary,
    )
    if facts.inputs:
        _built_from(goal, facts)
    if facts.revises is not None:
        _revised(goal, event, facts.artifact_id, facts.revises)


def _built_from(goal: Goal, facts: artifacts.ArtifactSubmitted) -> None:
    reviews = goal.reviews
    reviews.inputs[facts.artifact_id] = facts.inputs
    for one, _ in facts.inputs:
        reviews.consumers[one] = (*reviews.consumers.get(one, ()), facts.artifact_id)
    for one in reviews.ancestors(tuple(one for one, _ in facts.inputs)):
        reviews.built_on[one] = reviews.built_on.get(one, 0) + 1


def _revised(goal: Goal, event: Recorded, newer: ArtifactId, older: ArtifactId) -> None:
    """The newer artifact has the older one's place, also in the evidence of a todo that is done."""
    goal.reviews.revises[newer] = older
    goal.reviews.undone[older] = Undone(how="superseded", by=newer, because="revised", seq=event.seq)
    todo_id = goal.artifacts[older].todo_id
    if todo_id is not None and older in goal.todos[todo_id].evidence:
        evidence = tuple(newer if one == older else one for one in goal.todos[todo_id].evidence)
        change_todo(goal, todo_id, evidence=evidence)
        recheck_dependents(goal, todo_id)


def _reviewed(goal: Goal, event: Recorded) -> None:
    facts, words = cast("review_events.ArtifactReviewed", event.facts), event.words
    goal.reviews.decisions[facts.artifact_id] = Review(
        verdict=facts.verdict,
        reviewer=event.actor,
        at_ms=event.at_ms,
        seq=event.seq,
        reason=words.reason if isinstance(words, review_events.ReviewWords) else "",
    )
    _look_again(goal, facts.artifact_id)


def _invalidated(goal: Goal, event: Recorded) -> None:
    facts = cast("review_events.ArtifactInvalidated", event.facts)
    goal.reviews.undone[facts.artifact_id] = Undone(
        how="invalidated", by=facts.through, because=facts.because, seq=event.seq
    )
    _look_again(goal, facts.artifact_id)


def _checked(goal: Goal, event: Recorded) -> None:
    facts = cast("review_events.CheckRecorded", event.facts)
    check = Check(
        name=facts.name,
        argv_sha256=facts.argv_sha256,
        exit_code=facts.exit_code,
        duration_ms=facts.duration_ms,
        timed_out=facts.timed_out,
        recorded_by=event.actor,
        at_ms=event.at_ms,
        seq=event.seq,
    )
    goal.reviews.checks[facts.artifact_id] = (*goal.reviews.checks.get(facts.artifact_id, ()), check)


def _look_again(goal: Goal, artifact_id: ArtifactId) -> None:
    """Only evidence that a todo was finished with says anything to what depends on it."""
    todo_id = goal.artifacts[artifact_id].todo_id
    if todo_id is not None and artifact_id in goal.todos[todo_id].evidence:
        recheck_dependents(goal, todo_id)


FOLDS: dict[type[Facts], Callable[[Goal, Recorded], None]] = {
    artifacts.ArtifactSubmitted: _artifact_submitted,
    review_events.ArtifactReviewed: _reviewed,
    review_events.ArtifactInvalidated: _invalidated,
    review_events.CheckRecorded: _checked,
}
