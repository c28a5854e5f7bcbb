"""What was read of every open goal, kept for as long as it is true.

A workspace has many goals under way and one of them has just changed: to read all of them again for one event would
cost as many times as much as there is to know. What is read of a goal stays true until that goal or the registry of
members has another event, or until time alone changes it; whoever keeps such readings finds each of them as it would
be read now. They are values beside the state and no part of it: they may be thrown away at any moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ledger.ids import GoalId
from ledger.projections.attention import item, urgency
from ledger.projections.channel import Reading, read_goal
from ledger.projections.needs import Need, needs_of
from ledger.projections.presence import Presence, presence_in
from ledger.projections.privacy import Screen
from ledger.records import Member
from ledger.state import Goal, Workspace

Document = dict[str, object]
UntilMs = Callable[[Workspace, str, int], int | None]
"""When time alone would change what was read of a goal at a moment."""


@dataclass(slots=True)
class Read:
    """One goal as it was read, and what was made of it since."""

    goal: Goal
    reading: Reading
    needs: list[Need]
    last_seq: int
    registry_seq: int
    until_ms: int | None
    urgencies: list[tuple[int, str, int]]
    """Of each need."""
    row: Document | None = None
    """The goal's row in the overview, but for its age."""
    _items: dict[int, Document] = field(default_factory=dict)
    _presences: list[Presence] | None = None

    def item(self, at: int) -> Document:
        """A need as the attention queue shows it."""
        if at not in self._items:
            self._items[at] = item(self.needs[at], Screen(), "")
        return self._items[at]

    def presences(self, workspace: Workspace, agents: Sequence[Member], now_ms: int) -> list[Presence]:
        """How near each agent is to work here; they are the same agents for as long as the registry is the same."""
        if self._presences is None:
            self._presences = [presence_in(workspace, self.goal, agent, now_ms) for agent in agents]
        return self._presences


class Readings:
    """The readings of all open goals of one workspace."""

    def __init__(self, until_ms: UntilMs | None = None) -> None:
        """Without `until_ms` they are good for one moment."""
        self._until_ms = until_ms
        self._kept: dict[GoalId, Read] = {}
        self.registry_seq = 0
        """The last event that belongs to no goal; whoever keeps readings says it before each use."""

    def all(self, workspace: Workspace, now_ms: int) -> list[Read]:
        """Every open goal in the order in which they came, read now or earlier and still true."""
        self._kept = {goal.goal_id: self._read(workspace, goal, now_ms) for goal in workspace.goals.live()}
        return list(self._kept.values())

    def forget(self) -> None:
        """Words were erased: nothing that was made of them stays."""
        self._kept = {}

    def _read(self, workspace: Workspace, goal: Goal, now_ms: int) -> Read:
        kept = self._kept.get(goal.goal_id)
        if kept is not None and self._holds(kept, goal, now_ms):
            return kept
        reading = read_goal(workspace, goal, now_ms)
        needs = needs_of(workspace, goal, reading, now_ms)
        until_ms = now_ms if self._until_ms is None else self._until_ms(workspace, goal.goal_id, now_ms)
        urgencies = [urgency(goal, need) for need in needs]
        return Read(goal, reading, needs, goal.last_seq, self.registry_seq, until_ms, urgencies)

    def _holds(self, kept: Read, goal: Goal, now_ms: int) -> bool:
        return (
            kept.goal is goal
            and kept.last_seq == goal.last_seq
            and kept.registry_seq == self.registry_seq
            and (kept.until_ms is None or now_ms < kept.until_ms)
        )
