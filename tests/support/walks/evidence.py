"""Evidence, as every family that needs some hands it in."""

from ledger.state import Goal
from tests.support.walks.base import Move, Walk, given
from tests.support.world import digest


def prove(walk: Walk, goal: Goal, who: str, todo_id: str | None, changes: dict[str, object] | None = None) -> Move:
    """Hand in evidence, now and then made from other evidence."""
    inputs: list[str] = []
    if goal.artifacts and walk.one_in(3):
        inputs = ["art_none"] if walk.slip() else [walk.choose([*goal.artifacts])]
    params: dict[str, object] = {
        "label": "report.json",
        "sha256": digest(walk.state.seq),
        "size_bytes": 812,
        "todo_id": None if walk.slip() else todo_id,
        "criterion": ["c9"] if walk.slip() else walk.choose(([*goal.intent.criterion_ids], ["c1"])),
        "input": inputs,
    }
    return Move(who, "artifact.submit", given(goal, params | (changes or {})))
