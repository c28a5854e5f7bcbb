"""Moves that take words away: an owner erases what was written, and now and then somebody who may not tries."""

from ledger.state import Goal
from tests.support.walks.base import Move, Walk

REASONS = ("personal_data", "credential", "confidential", "mistake", "legal")
AT_ONCE_MAX = 3


def erase(walk: Walk, goal: Goal) -> Move:
    """Erase the words of an event or a few of the goal, or of the workspace, or what is not there to erase."""
    rows = [row for row in walk.world.store.events(0) if row.goal_id == goal.goal_id]
    worded = [row.seq for row in rows if row.words is not None]
    bare = [row.seq for row in rows if row.words is None]
    seqs = worded if worded and not walk.one_in(4) else bare or worded
    asked = list(dict.fromkeys(walk.choose(seqs) for _ in range(AT_ONCE_MAX))) if not walk.slip() else [10**6]
    params: dict[str, object] = {"seq": asked, "reason_code": walk.choose(REASONS)}
    if walk.one_in(6):
        others = [row.seq for row in walk.world.store.events(0) if row.goal_id is None]
        return Move(walk.person(), "words.erase", params | {"seq": [walk.choose(others)]})
    return Move(walk.owner(goal), "words.erase", params | {"goal_id": goal.goal_id})


def erase_promise(walk: Walk, goal: Goal) -> Move:
    """Erase the revision that waits, so that somebody is shown a promise that nobody can read."""
    if not goal.pending:
        return erase(walk, goal)
    seq = goal.intents[goal.pending - 1].note.seq
    params = {"goal_id": goal.goal_id, "seq": [seq], "reason_code": "mistake"}
    return Move(walk.owner(goal), "words.erase", params)


COMMANDS = (*(erase,) * 3, erase_promise)
