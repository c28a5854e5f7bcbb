"""What is due: a table of sources, and an agenda that knows when each goal is next due without asking them all.

A due time is never stored: it follows from the state, so that a missed tick is caught up, a restart forgets none, and
what has ended meanwhile is due no more. The daemon's own actions say the rest: one that comes too late, or twice, finds
that there is nothing to do.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from ledger.events import Recorded
from ledger.ids import GoalId
from ledger.rules.gates import gate_due, gates_over
from ledger.rules.invitations import lapsed_invitations
from ledger.rules.slots import next_due as admission_due
from ledger.rules.waking import to_wake
from ledger.state import Goal, Workspace

NOW_MS = 0
"""Due whatever the time is."""


class Asked(NamedTuple):
    """One of the daemon's own actions, to be asked for."""

    action: str
    params: dict[str, object]


class Source(NamedTuple):
    """One kind of thing that becomes due in a goal."""

    name: str
    next_due: Callable[[Workspace, Goal], int | None]
    asked: Callable[[Workspace, Goal, int], Iterable[Asked]]


def _lease_due(_workspace: Workspace, goal: Goal) -> int | None:
    return goal.due[0][0] if goal.due else None


def _leases(_workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Asked]:
    for todo_id in goal.lapsed(now_ms):
        yield Asked("task-lease.expire", {"goal_id": goal.goal_id, "todo_id": todo_id})


def _admissions(_workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Asked]:
    for expires_at_ms, todo_id in goal.slots.due:
        if expires_at_ms > now_ms:
            return
        yield Asked("quota.expire-admission", {"goal_id": goal.goal_id, "todo_id": todo_id})


def _wake_due(workspace: Workspace, goal: Goal) -> int | None:
    if next(to_wake(workspace, goal, NOW_MS), None) is not None:
        return NOW_MS
    return goal.handoffs.due[0][0] if goal.handoffs.due else None


def _wakes(workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Asked]:
    for todo_id in to_wake(workspace, goal, now_ms):
        yield Asked("todo.wake", {"goal_id": goal.goal_id, "todo_id": todo_id})


def _gates(_workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Asked]:
    for action, gate_id in gates_over(goal, now_ms):
        yield Asked(action, {"goal_id": goal.goal_id, "gate_id": gate_id})


def _monitor_due(_workspace: Workspace, goal: Goal) -> int | None:
    return goal.runs.ring_due() if goal.is_executable else None


def _monitors(_workspace: Workspace, goal: Goal, now_ms: int) -> Iterator[Asked]:
    for todo_id, due_ms in goal.runs.rings.items() if goal.is_executable else ():
        if due_ms <= now_ms:
            yield Asked("run.ring", {"goal_id": goal.goal_id, "todo_id": todo_id})


SOURCES: tuple[Source, ...] = (
    Source("lease expiry", _lease_due, _leases),
    Source("admission expiry", lambda _workspace, goal: admission_due(goal), _admissions),
    Source("gate expiry and reminder", lambda _workspace, goal: gate_due(goal), _gates),
    Source("todo wake-up", _wake_due, _wakes),
    Source("monitor", _monitor_due, _monitors),
)


class CommonSource(NamedTuple):
    """One kind of thing that becomes due in the workspace and in no goal; it must be quick to ask."""

    name: str
    next_due: Callable[[Workspace], int | None]
    asked: Callable[[Workspace, int], Iterable[Asked]]


def _grant_due(workspace: Workspace) -> int | None:
    return workspace.authority.until[0][0] if workspace.authority.until else None


def _grants(workspace: Workspace, now_ms: int) -> Iterator[Asked]:
    for until_ms, grant_id in workspace.authority.until:
        if until_ms > now_ms:
            return
        yield Asked("member.end-grant", {"grant_id": grant_id})


def _invitation_due(workspace: Workspace) -> int | None:
    return workspace.identity.until[0][0] if workspace.identity.until else None


def _invitations(workspace: Workspace, now_ms: int) -> Iterator[Asked]:
    for invitation_id in lapsed_invitations(workspace, now_ms):
        yield Asked("member.end-invitation", {"invitation_id": invitation_id})


COMMON: tuple[CommonSource, ...] = (
    CommonSource("grant expiry", _grant_due, _grants),
    CommonSource("invitation expiry", _invitation_due, _invitations),
)


class Agenda:
    """When each goal is next due. It is told what was recorded, and looks again at the goals that it was about."""

    def __init__(self, sources: Sequence[Source] = SOURCES, common: Sequence[CommonSource] = COMMON) -> None:
        self._sources = sources
        self._common = common
        self._seen = -1
        self._registry = -1
        self._due: dict[GoalId, int] = {}
        self._heap: list[tuple[int, GoalId]] = []

    def refresh(self, workspace: Workspace, registry_seq: int, recent: Sequence[Recorded]) -> None:
        """Take in what was recorded since: the last events, and where those do not reach back, everything."""
        if self._seen == workspace.seq:
            return
        whole = self._registry != registry_seq or not recent or recent[0].seq > self._seen + 1
        if whole:
            # Who there is has a say in what is due: an agent that brings what was missing wakes work. In a goal that is
            # not in memory nothing can become due.
            found = ((goal.goal_id, self._next(workspace, goal)) for goal in workspace.goals.resident())
            self._due = {goal_id: due_ms for goal_id, due_ms in found if due_ms is not None}
            self._heap = [(due_ms, goal_id) for goal_id, due_ms in self._due.items()]
            heapify(self._heap)
        else:
            changed = {event.goal_id for event in _after(recent, self._seen) if event.goal_id is not None}
            for goal_id in changed:
                self._look(workspace, goal_id)
        self._seen, self._registry = workspace.seq, registry_seq

    def next_ms(self) -> int | None:
        """When anything in a goal is next due."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, workspace: Workspace, now_ms: int, count_max: int) -> list[Asked]:
        """What is due now, of as many goals as fit."""
        asked = [one for source in self._common for one in source.asked(workspace, now_ms)]
        goals = (
            sorted(goal_id for goal_id, due_ms in self._due.items() if due_ms <= now_ms) if self._ripe(now_ms) else []
        )
        for goal_id in goals:
            goal = workspace.goals[goal_id]
            for source in self._sources:
                asked.extend(source.asked(workspace, goal, now_ms))
            if len(asked) >= count_max:
                break
        return asked[:count_max]

    def _ripe(self, now_ms: int) -> bool:
        due_ms = self.next_ms()
        return due_ms is not None and due_ms <= now_ms

    def _look(self, workspace: Workspace, goal_id: GoalId) -> None:
        due_ms = self._next(workspace, workspace.goals[goal_id])
        if due_ms is None:
            self._due.pop(goal_id, None)
        elif self._due.get(goal_id) != due_ms:
            self._due[goal_id] = due_ms
            heappush(self._heap, (due_ms, goal_id))

    def _next(self, workspace: Workspace, goal: Goal) -> int | None:
        found = [due_ms for source in self._sources if (due_ms := source.next_due(workspace, goal)) is not None]
        return min(found, default=None)


def _after(recent: Sequence[Recorded], seq: int) -> Iterator[Recorded]:
    for event in reversed(recent):
        if event.seq <= seq:
            return
        yield event
