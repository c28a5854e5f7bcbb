"""What was read of every open goal, kept for as long as it is true.

A workspace has many goals under way and one of them has just changed: to read all of them again for one event would
cost as many times as much as there is to know. What is read of a goal stays true until that goal or the registry of
members has another event, or until time alone changes it; whoever keeps such readings finds each of them as it would
be read now. They are values beside the state and no part of it: they may be thrown away at any moment.
"""

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import cast

from ledger.ids import GoalId, MemberId
from ledger.params import Params
from ledger.projections.attention import Waiting, attention_document, item, urgency
from ledger.projections.channel import Reading, read_goal
from ledger.projections.needs import Need, needs_of
from ledger.projections.presence import Presence, presence_in
from ledger.projections.privacy import Part, Screen
from ledger.records import Member
from ledger.refusals import Refusal
from ledger.rules import view_params
from ledger.rules.common import Caller
from ledger.rules.quota import Verdict, decide_should_run
from ledger.state import Goal, Workspace

Document = dict[str, object]
UntilMs = Callable[[Workspace, str, int], int | None]
"""When time alone would change what was read of a goal at a moment."""


class Read:
    """One goal as of one moment: each part of it is read when it is first asked for, and what it says is kept."""

    def __init__(
        self, workspace: Workspace, goal: Goal, now_ms: int, *, registry_seq: int, until_ms: int | None
    ) -> None:
        self.goal = goal
        self._workspace = workspace
        self._now_ms = now_ms
        self._last_seq = goal.last_seq
        self._registry_seq = registry_seq
        self._until_ms = until_ms
        self.row: Document | None = None
        """The goal's row in the overview, but for its age."""
        self._items: dict[int, Document] = {}
        self._presences: dict[MemberId, Presence] = {}
        self._verdicts: dict[MemberId, Verdict] = {}
        self._of_members: dict[tuple[str, MemberId], Document] = {}

    def holds(self, goal: Goal, registry_seq: int, now_ms: int) -> bool:
        """Whether it is true of this goal now."""
        return (
            self.goal is goal
            and self._last_seq == goal.last_seq
            and self._registry_seq == registry_seq
            and (self._until_ms is None or now_ms < self._until_ms)
        )

    @cached_property
    def reading(self) -> Reading:
        """Its verdict and its work."""
        return read_goal(self._workspace, self.goal, self._now_ms)

    @cached_property
    def needs(self) -> list[Need]:
        """What waits in it."""
        return needs_of(self._workspace, self.goal, self.reading, self._now_ms)

    @cached_property
    def urgencies(self) -> list[tuple[int, str, int]]:
        """How urgent each of these is."""
        return [urgency(self.goal, need) for need in self.needs]

    def item(self, at: int) -> Document:
        """One of these as the attention queue shows it."""
        if at not in self._items:
            self._items[at] = Part(item(self.needs[at], Screen(), ""))
        return self._items[at]

    def presence(self, agent: Member) -> Presence:
        """How near an agent is to work here."""
        found = self._presences.get(agent.member_id)
        if found is None:
            found = self._presences[agent.member_id] = presence_in(self._workspace, self.goal, agent, self._now_ms)
        return found

    @cached_property
    def presences(self) -> list[Presence]:
        """The same of every agent of the workspace, in their order."""
        return [self.presence(agent) for agent in agents_of(self._workspace)]

    def verdict(self, agent_id: MemberId) -> Verdict:
        """Whether an agent may do a turn here."""
        if agent_id not in self._verdicts:
            self._verdicts[agent_id] = decide_should_run(self._workspace, self.goal.goal_id, agent_id, self._now_ms)
        return self._verdicts[agent_id]

    def of_member(self, document: str, member_id: MemberId, make: Callable[[], Document]) -> Document:
        """The goal's row in a document about a member."""
        key = (document, member_id)
        if key not in self._of_members:
            self._of_members[key] = Part(make())
        return self._of_members[key]


class Readings:
    """The readings of all open goals of one workspace."""

    def __init__(self, until_ms: UntilMs | None = None) -> None:
        """Without `until_ms` they are good for one moment."""
        self._until_ms = until_ms
        self._kept: dict[GoalId, Read] = {}
        self._as_of: tuple[int, int, int] | None = None
        self.registry_seq = 0
        """The last event that belongs to no goal; whoever keeps readings says it before each use."""

    def all(self, workspace: Workspace, now_ms: int) -> list[Read]:
        """Every open goal in the order in which they came, read now or earlier and still true."""
        if self._as_of != (as_of := (workspace.seq, self.registry_seq, now_ms)):
            self._kept = {goal.goal_id: self._read(workspace, goal, now_ms) for goal in workspace.goals.live()}
            self._as_of = as_of
        return list(self._kept.values())

    def forget(self) -> None:
        """Words were erased: nothing that was made of them stays."""
        self._kept = {}
        self._as_of = None

    def _read(self, workspace: Workspace, goal: Goal, now_ms: int) -> Read:
        kept = self._kept.get(goal.goal_id)
        if kept is not None and kept.holds(goal, self.registry_seq, now_ms):
            return kept
        until_ms = now_ms if self._until_ms is None else self._until_ms(workspace, goal.goal_id, now_ms)
        return Read(workspace, goal, now_ms, registry_seq=self.registry_seq, until_ms=until_ms)


def agents_of(workspace: Workspace) -> list[Member]:
    """The agents of whom presence is said, in the order in which they came."""
    return [one for one in workspace.members.values() if one.kind == "agent" and not one.revoked]


def attention_from(readings: Readings) -> Callable[[Workspace, Caller, Params, int], Document | Refusal]:
    """The reader of what waits for somebody that uses what is known already of the open goals."""

    def show(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
        def waiting() -> Iterable[Waiting]:
            for read in readings.all(workspace, now_ms):
                for at, need in enumerate(read.needs):
                    yield read.urgencies[at], need, partial(read.item, at)

        return attention_document(workspace, caller, cast("view_params.ShowAttention", asked), waiting)

    return show
