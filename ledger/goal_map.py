"""The goals of a workspace: those in memory, and the outlines of those that were put away.

A goal that is closed, and in which nothing is due or owed, is of no use to a rule until somebody asks about it by name.
It may leave memory; its outline stays in its place, which is all that a list or an overview says of it. Whoever asks
for the goal itself gets it read back by a loader that the composition root gave: the same goal, as of the same event.
So what is in memory decides how quick an answer is, and nothing about the answer. A goal that cannot be read back is a
fault, never a goal that does not exist.

The goals come in the order in which they were proposed, whichever of them are in memory.
"""

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, Self, TypeVar, cast

from ledger.ids import GoalId, MemberId
from ledger.records import CLOSED, GoalState, Outline


class _Held(Protocol):
    goal_id: GoalId
    created_seq: int
    last_seq: int
    state: GoalState
    channels: dict[str, str]

    def copy(self) -> Self: ...


_Goal = TypeVar("_Goal", bound=_Held)
_Other = TypeVar("_Other")


class _Every(Generic[_Goal]):
    """Every goal, one after another."""

    __slots__ = ("_goals",)

    def __init__(self, goals: "Goals[_Goal]") -> None:
        self._goals = goals

    def __iter__(self) -> Iterator[_Goal]:
        """In their order."""
        return map(self._goals.whole, list(self._goals.held()))

    def __reversed__(self) -> Iterator[_Goal]:
        """The newest first."""
        return map(self._goals.whole, list(self._goals.newest()))


class Goals(Generic[_Goal]):
    """A mapping of goals by id; what was put away comes back when it is asked for."""

    __slots__ = ("_back", "_held", "loader", "loads")

    def __init__(self) -> None:
        self._held: dict[GoalId, _Goal | Outline] = {}
        self._back: dict[GoalId, None] = {}
        """Closed goals in memory, the one that was used longest ago first; known since they came back or were seen."""
        self.loader: Callable[[GoalId, int], _Goal] | None = None
        """Reads a goal back as it was after an event of its own. Raises StoreFault."""
        self.loads = 0

    def __getitem__(self, goal_id: GoalId) -> _Goal:
        """The goal. Raises KeyError where there is none, StoreFault where it cannot be read back."""
        held = self._held[goal_id]
        # By its exact type: this is asked for every event of a replay, and a subclass there is none.
        if type(held) is Outline:
            held = self._held[goal_id] = self._load(held)
            self._back[goal_id] = None
        elif goal_id in self._back:
            del self._back[goal_id]
            self._back[goal_id] = None
        return cast("_Goal", held)

    def get(self, goal_id: GoalId, default: _Other | None = None) -> "_Goal | _Other | None":
        """The same, or the default where there is none."""
        return self[goal_id] if goal_id in self._held else default

    def __setitem__(self, goal_id: GoalId, goal: _Goal) -> None:
        """Enter a goal, or another making of the one that is there, in its place."""
        self._held[goal_id] = goal

    def __contains__(self, goal_id: object) -> bool:
        """Whether there is such a goal, in memory or not."""
        return goal_id in self._held

    def __len__(self) -> int:
        """How many goals there are, in memory or not."""
        return len(self._held)

    def __iter__(self) -> Iterator[GoalId]:
        """Their ids."""
        return iter(self._held)

    def values(self) -> "_Every[_Goal]":
        """Every goal, each read back that is not in memory, and none of those kept: for what must see them all."""
        return _Every(self)

    def items(self) -> Iterator[tuple[GoalId, _Goal]]:
        """The same with their ids."""
        return ((goal.goal_id, goal) for goal in self.values())

    def whole(self, held: "_Goal | Outline") -> _Goal:
        """The goal that is meant, read back where it is not in memory, and not kept."""
        return self._load(held) if isinstance(held, Outline) else held

    def held(self) -> Iterator[_Goal | Outline]:
        """Every goal as it is in memory: itself, or its outline."""
        return iter(self._held.values())

    def newest(self) -> Iterator[_Goal | Outline]:
        """The same, the newest first."""
        return reversed(self._held.values())

    def peek(self, goal_id: GoalId) -> _Goal | Outline | None:
        """A goal as it is in memory; looking at it is no use of it."""
        return self._held.get(goal_id)

    def resident(self) -> list[_Goal]:
        """The goals in memory: all in which anything may be due or owed, and some that are over."""
        return [held for held in self._held.values() if not isinstance(held, Outline)]

    def live(self) -> list[_Goal]:
        """The goals that are not closed."""
        return [held for held in self._held.values() if not isinstance(held, Outline) and held.state not in CLOSED]

    def claimed_by(self, member_id: MemberId) -> Iterator[_Goal]:
        """The goals in which this member may have a claim: those in memory, and closed ones in which it kept one."""
        for held in list(self._held.values()):
            if not isinstance(held, Outline):
                yield held
            elif member_id in held.holders:
                yield self._load(held)

    def last_seq(self, goal_id: GoalId) -> int:
        """The last event of a goal, or 0."""
        held = self._held.get(goal_id)
        return 0 if held is None else held.last_seq

    def put_away(self, outline: Outline) -> None:
        """Have only the outline in memory. It is of a goal that can be read back as of its last event."""
        assert self.loader is not None, "what cannot come back does not go"
        self._held[outline.goal_id] = outline
        self._back.pop(outline.goal_id, None)

    def restore(self, outline: Outline) -> None:
        """Enter a goal that was put away before this process began."""
        self._held[outline.goal_id] = outline

    def to_let_go(self, closed_max: int, over: Callable[[_Goal], bool]) -> list[_Goal]:
        """The goals in memory that are over, beyond so many, the one that was used longest ago first."""
        for goal in self.resident():
            if goal.state not in CLOSED or not over(goal):
                self._back.pop(goal.goal_id, None)
            else:
                self._back.setdefault(goal.goal_id)
        beyond = list(self._back)[: max(0, len(self._back) - closed_max)]
        return [held for goal_id in beyond if not isinstance(held := self._held[goal_id], Outline)]

    def copy(self) -> "Goals[_Goal]":
        """The same goals in containers of their own; an outline is frozen, and shared."""
        twin: Goals[_Goal] = Goals()
        twin._held = {
            goal_id: held if isinstance(held, Outline) else held.copy() for goal_id, held in self._held.items()
        }
        twin._back = self._back.copy()
        twin.loader = self.loader
        return twin

    def _load(self, outline: Outline) -> _Goal:
        assert self.loader is not None, "nothing was put away without a way back"
        self.loads += 1
        return self.loader(outline.goal_id, outline.last_seq)
