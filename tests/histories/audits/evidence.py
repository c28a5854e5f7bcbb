"""Evidence: handed in by whoever has the work, judged by somebody else, and undone with all that it was made from."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.model import Promise, Proof


def _submitted(case: Case) -> None:
    facts, promise = case.facts, case.promise
    assert facts.artifact_id not in promise.proofs
    work = None if facts.todo_id is None else promise.work[facts.todo_id]
    if work is not None and work.role == "agent" and not (facts.revises and work.status == "done"):
        assert case.model.claimant(promise, work.todo_id) == case.event.actor, "proved another's work"
    for artifact_id, sha256 in facts.inputs:
        assert promise.proofs[artifact_id].sha256 == sha256
        assert promise.proofs[artifact_id].sound, "made from what was undone"
        assert artifact_id != facts.revises
    promise.proofs[facts.artifact_id] = Proof(
        artifact_id=facts.artifact_id,
        todo_id=facts.todo_id,
        sha256=facts.sha256,
        by=case.event.actor,
        criteria=facts.criterion_ids,
        revision=facts.revision,
        inputs=tuple(artifact_id for artifact_id, _ in facts.inputs),
    )
    if facts.revises is not None:
        _replaced(promise, facts.revises, facts.artifact_id)


def _replaced(promise: Promise, older: str, newer: str) -> None:
    assert promise.proofs[older].undone != "superseded", "replaced twice"
    assert promise.proofs[older].todo_id == promise.proofs[newer].todo_id
    promise.proofs[older].undone = "superseded"
    for work in promise.work.values():
        work.evidence = tuple(newer if one == older else one for one in work.evidence)


def _reviewed(case: Case) -> None:
    facts, promise = case.facts, case.promise
    proof = promise.proofs[facts.artifact_id]
    assert proof.by != case.event.actor, "the author judged it"
    assert facts.sha256 == proof.sha256
    assert proof.verdict is None, "judged twice"
    assert proof.undone is None, "judged after it was undone"
    assert case.model.living(case.event.actor) is not None
    proof.verdict = facts.verdict


def _invalidated(case: Case) -> None:
    facts, promise = case.facts, case.promise
    proof = promise.proofs[facts.artifact_id]
    assert proof.undone is None
    assert facts.through in proof.inputs
    root = promise.proofs[facts.root]
    assert root.undone == "superseded" or root.verdict == "rejected", "undone for nothing"
    proof.undone = "invalidated"


def _checked(case: Case) -> None:
    proof = case.promise.proofs[case.facts.artifact_id]
    proof.checks[case.facts.name] = case.facts.exit_code == 0 and not case.facts.timed_out


def nothing_stands_on_what_fell(promise: Promise) -> None:
    """What was made from something that was undone or rejected is undone itself."""
    for proof in promise.proofs.values():
        fallen = [one for one in proof.inputs if not promise.proofs[one].sound]
        assert not fallen or proof.undone is not None, f"{proof.artifact_id} stands on {fallen}"


CHECKS: dict[str, Callable[[Case], None]] = {
    "artifact.submitted": _submitted,
    "artifact.reviewed": _reviewed,
    "artifact.invalidated": _invalidated,
    "artifact.checked": _checked,
}
