"""The daemon's own moves: what its agenda says is due, and now and then something that is not."""

from collections.abc import Iterator

from daemon.due import COMMON, SOURCES, Asked
from ledger.state import Goal
from tests.support.walks.base import Move, Walk, given


def due(walk: Walk) -> Iterator[Asked]:
    """All that the agenda would ask for now."""
    for common in COMMON:
        yield from common.asked(walk.state, walk.at_ms)
    for goal in walk.state.goals.values():
        for source in SOURCES:
            yield from source.asked(walk.state, goal, walk.at_ms)


def timed(walk: Walk, goal: Goal) -> Move:
    """One thing that is due; too early, or again, where nothing is."""
    asked = [*due(walk)]
    if asked and not walk.slip():
        one = walk.choose(asked)
        return Move("daemon", one.action, one.params)
    todo_id = walk.todo(goal)
    if walk.one_in(2):
        names = ("todo.wake", "task-lease.expire", "quota.expire-admission")
        return Move("daemon", walk.choose(names), given(goal, {"todo_id": todo_id}))
    gate_id = walk.choose([*goal.gates.by_id, "gate_none"])
    return Move("daemon", walk.choose(("gate.expire", "gate.remind")), given(goal, {"gate_id": gate_id}))


COMMANDS = (timed,)
