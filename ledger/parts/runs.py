"""What turns came to, what monitors saw, and what was used.

Only what must be found quickly has an index: the last run of a turn on a todo, and when a monitor is next due.
"""

from bisect import bisect_left, insort

import msgspec
from msgspec.structs import replace

from ledger.ids import ArtifactId, MemberId, TodoId
from ledger.parts.base import Part
from ledger.records import Todo

MONITOR = "continuous_monitor"
CADENCE_SECONDS_DEFAULT = 3_600
PROGRESS = frozenset({"outcome_progress", "primary_goal_outcome"})
NEUTRAL = frozenset({"observed"})
"""A turn that only watched is neither progress nor a turn without it."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of a turn came to. `summary` is words."""

    run_id: str
    agent_id: MemberId
    todo_id: TodoId
    turn_instance_id: str
    classification: str
    delivery_outcome: str
    evidence: tuple[ArtifactId, ...]
    summary: str
    seq: int
    at_ms: int


class Streak(msgspec.Struct, frozen=True, kw_only=True):
    """Turns of one agent without progress, in a row, and the event that made it so."""

    turn_instance_id: str
    turns: int
    seq: int
    unchanged_monitor: TodoId | None = None


class Monitor(msgspec.Struct, frozen=True, kw_only=True):
    """What a monitor last saw, and when it is to look again."""

    todo_id: TodoId
    next_due_ms: int = 0
    last_checked_at_ms: int | None = None
    result_hash: str | None = None
    consecutive_no_change: int = 0
    rung_for_ms: int | None = None
    """The due time that was last said to have come."""
    seq: int = 0


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody reported as used. None is unknown, and is never counted as zero."""

    usage_id: str
    agent_id: MemberId
    run_id: str | None
    source: str
    tokens_in: int | None
    tokens_out: int | None
    cost_micros: int | None
    measured_at_ms: int
    seq: int
    at_ms: int

    @property
    def tokens_unknown(self) -> bool:
        """Whether not all of its tokens are known."""
        return self.tokens_in is None or self.tokens_out is None


class Runs(Part):
    """The runs, monitors and usage of a goal."""

    runs: dict[str, Run] = msgspec.field(default_factory=dict)
    by_turn: dict[str, str] = msgspec.field(default_factory=dict)
    """By agent, todo and turn: the run that earns a spend, or else the last one."""
    streaks: dict[MemberId, Streak] = msgspec.field(default_factory=dict)
    monitors: dict[TodoId, Monitor] = msgspec.field(default_factory=dict)
    due: list[tuple[int, TodoId]] = msgspec.field(default_factory=list)
    """Open monitors by when they are next due."""
    rings: dict[TodoId, int] = msgspec.field(default_factory=dict)
    """Open monitors of which nobody has said yet that they are due, by when they will be."""
    usage: dict[str, Usage] = msgspec.field(default_factory=dict)
    tokens: int = 0
    cost_micros: int = 0
    tokens_unknown: int = 0
    cost_unknown: int = 0

    def watch(self, todo: Todo) -> None:
        """Keep a monitor's place by whether it is open; to say so twice changes nothing."""
        monitor = self.monitors.setdefault(todo.todo_id, Monitor(todo_id=todo.todo_id))
        entry = (monitor.next_due_ms, todo.todo_id)
        at = bisect_left(self.due, entry)
        listed = at < len(self.due) and self.due[at] == entry
        if todo.status == "open" and not listed:
            self.due.insert(at, entry)
            self._ring_at(monitor)
        elif todo.status != "open" and listed:
            del self.due[at]
            self.rings.pop(todo.todo_id, None)

    def observed(self, monitor: Monitor) -> None:
        """Another look; its next one has another place."""
        before = self.monitors[monitor.todo_id]
        entry = (before.next_due_ms, monitor.todo_id)
        at = bisect_left(self.due, entry)
        if at < len(self.due) and self.due[at] == entry:
            del self.due[at]
            insort(self.due, (monitor.next_due_ms, monitor.todo_id))
            self._ring_at(monitor)
        self.monitors[monitor.todo_id] = monitor

    def _ring_at(self, monitor: Monitor) -> None:
        if monitor.rung_for_ms != monitor.next_due_ms:
            self.rings[monitor.todo_id] = monitor.next_due_ms

    def rung(self, todo_id: TodoId, due_ms: int) -> None:
        """It was said that this monitor is due."""
        self.monitors[todo_id] = replace(self.monitors[todo_id], rung_for_ms=due_ms)
        self.rings.pop(todo_id, None)

    def ring_due(self) -> int | None:
        """When the next monitor is due of which nobody has said so."""
        return min(self.rings.values(), default=None)

    def turn_ended(self, run: Run) -> None:
        """Count a turn without progress once, however many runs it reports; progress ends the row."""
        if run.delivery_outcome in PROGRESS:
            self.streaks.pop(run.agent_id, None)
            return
        before = self.streaks.get(run.agent_id)
        if run.delivery_outcome in NEUTRAL or (before is not None and before.turn_instance_id == run.turn_instance_id):
            return
        if before is None:
            before = Streak(turn_instance_id="", turns=0, seq=0)
        self.streaks[run.agent_id] = replace(
            before, turn_instance_id=run.turn_instance_id, turns=before.turns + 1, seq=run.seq
        )

    def used(self, usage: Usage) -> None:
        """Add what is known, and count what is not."""
        self.usage[usage.usage_id] = usage
        self.tokens += (usage.tokens_in or 0) + (usage.tokens_out or 0)
        self.cost_micros += usage.cost_micros or 0
        self.tokens_unknown += usage.tokens_unknown
        self.cost_unknown += usage.cost_micros is None
