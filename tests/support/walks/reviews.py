"""Moves on evidence: handed in, revised, made from other evidence, reviewed, checked."""

from ledger.ids import ArtifactId
from ledger.records import Artifact
from ledger.state import Goal
from tests.support.walks.base import AGENTS, NEVER, Move, Walk, given
from tests.support.walks.evidence import prove
from tests.support.walks.work import submit
from tests.support.world import digest


def _one(walk: Walk, goal: Goal, unseen: bool) -> Artifact | None:
    """An artifact, mostly one that nobody has spoken of and that stands."""
    fresh = [
        one
        for artifact_id, one in goal.artifacts.items()
        if artifact_id not in goal.reviews.undone and artifact_id not in goal.reviews.decisions
    ]
    if unseen and fresh and not walk.slip():
        return walk.choose(fresh)
    if goal.reviews.undone and walk.one_in(2):
        return goal.artifacts[walk.choose([*goal.reviews.undone])]
    return walk.choose([*goal.artifacts.values()]) if goal.artifacts else None


def review(walk: Walk, goal: Goal) -> Move:
    """Somebody who is not the author says whether it counts."""
    found = _one(walk, goal, unseen=True)
    if found is None and not walk.slip():
        return submit(walk, goal)
    params: dict[str, object] = {"verdict": "accept"}
    if walk.one_in(3):
        params = {"verdict": "reject", "reason": "Two links are dead"}
    if found is None:
        return Move(walk.agent(), "artifact.review", given(goal, params | {"artifact_id": "art_none"}))
    params["artifact_id"] = found.artifact_id
    params["sha256"] = NEVER if walk.slip() else walk.choose((None, found.sha256))
    others = [name for name in ("critic", "builder", "helper", "ann", "cat") if name != found.submitted_by]
    who = walk.choose((*AGENTS, "bob", "vic", "ann")) if walk.slip() else walk.choose(others)
    return Move(who, "artifact.review", given(goal, params))


def check(walk: Walk, goal: Goal) -> Move:
    """Record what a validator said."""
    found = _one(walk, goal, unseen=False)
    if found is None and not walk.slip():
        return submit(walk, goal)
    ended = walk.choose(({"exit_code": 0}, {"exit_code": 0}, {"exit_code": 1}, {"timed_out": True}))
    params: dict[str, object] = {"name": walk.choose(("links", "links", "spelling")), "duration_ms": 12} | ended
    params |= {"argv_sha256": digest("argv"), "artifact_id": "art_none" if found is None else found.artifact_id}
    who = walk.choose((*AGENTS, "vic")) if walk.slip() else walk.choose(("builder", "critic", "ann"))
    return Move(who, "artifact.record-check", given(goal, params))


def revise(walk: Walk, goal: Goal) -> Move:
    """Put newer evidence in the place of older, rejected evidence first."""
    rejected = [one for one, said in goal.reviews.decisions.items() if said.verdict == "rejected"]
    again = [one for one in rejected if one not in goal.reviews.undone]
    if not goal.artifacts:
        return submit(walk, goal)
    older = goal.artifacts[walk.choose(again) if again and not walk.slip() else walk.choose([*goal.artifacts])]
    revises = "art_none" if walk.slip() else older.artifact_id
    todo_id = walk.todo(goal) if walk.slip() else None
    who = walk.agent() if walk.slip() else older.submitted_by
    inputs = [older.artifact_id] if walk.slip() else []
    return prove(walk, goal, who, todo_id, {"revises": revises, "todo_id": todo_id, "input": inputs})


def consume(walk: Walk, goal: Goal) -> Move:
    """Hand in evidence that was made from other evidence, on purpose."""
    held = walk.held(goal)
    if held is None or not goal.artifacts:
        return revise(walk, goal)
    who = walk.holder(goal, held)
    newest = [ArtifactId(one) for one in [*goal.artifacts][-2:]]
    return prove(walk, goal, who, held.todo_id, {"input": [walk.choose(newest)]})


COMMANDS = (*(review,) * 5, *(check,) * 2, *(revise,) * 2, consume)
