"""The quota of a goal: its settings, who was admitted to a turn, and what was spent.

The rolling window is a list in the order of time with running totals, so that what was spent in it is one search and
one subtraction, however long the history is.
"""

from bisect import bisect_left, bisect_right, insort

import msgspec

from ledger.ids import MemberId, TodoId
from ledger.parts.base import Part

WINDOW_HOURS_MAX = 168
HOUR_MS = 3_600_000
_OLD_ENTRIES_MAX = 1_000


class QuotaSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How much may be done in how long; `compute_permille` is the share of it that is given."""

    compute_permille: int = 1_000
    window_hours: int = 24
    slot_minutes: int = 1
    allowed_slots: int | None = None
    seq: int = 0
    set_by: MemberId | None = None


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """One agent may do one turn on one todo, until it ends."""

    admission_id: str
    agent_id: MemberId
    todo_id: TodoId
    turn_instance_id: str
    slots: int
    expires_at_ms: int
    seq: int


class Spend(msgspec.Struct, frozen=True, kw_only=True):
    """Slots of one turn that delivered; `voided_seq` is the event that took it back, or 0."""

    spend_id: str
    agent_id: MemberId
    todo_id: TodoId
    turn_instance_id: str
    run_id: str
    slots: int
    seq: int
    at_ms: int
    voided_seq: int = 0


class Slots(Part):
    """The quota of a goal: its settings, admissions and spends."""

    settings: QuotaSettings = QuotaSettings()
    admissions: dict[TodoId, Admission] = msgspec.field(default_factory=dict)
    due: list[tuple[int, TodoId]] = msgspec.field(default_factory=list)
    """When each admission ends, the next one first."""
    turns: dict[str, TodoId] = msgspec.field(default_factory=dict)
    """By agent and turn: the todo it is admitted to."""
    spends: dict[str, Spend] = msgspec.field(default_factory=dict)
    settled: dict[str, str] = msgspec.field(default_factory=dict)
    """By agent, todo and turn: the spend."""
    of_todo: dict[TodoId, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """The spends of each todo, the first one first."""
    window: list[tuple[int, int, str]] = msgspec.field(default_factory=list)
    """Spends that count: when, how much was spent before them, and which."""
    total: int = 0

    def admit(self, admission: Admission) -> None:
        """Enter an admission; its todo has no other one by then."""
        self.end(admission.todo_id)
        self.admissions[admission.todo_id] = admission
        self.turns[turn_key(admission.agent_id, admission.turn_instance_id)] = admission.todo_id
        insort(self.due, (admission.expires_at_ms, admission.todo_id))

    def end(self, todo_id: TodoId) -> None:
        """Forget the admission to a todo, if there is one."""
        admission = self.admissions.pop(todo_id, None)
        if admission is None:
            return
        turn = turn_key(admission.agent_id, admission.turn_instance_id)
        if self.turns.get(turn) == todo_id:
            del self.turns[turn]
        entry = (admission.expires_at_ms, todo_id)
        at = bisect_left(self.due, entry)
        if at < len(self.due) and self.due[at] == entry:
            del self.due[at]

    def spend(self, spend: Spend) -> None:
        """Count a spend; what no window can reach any more leaves the list from time to time."""
        self.spends[spend.spend_id] = spend
        self.of_todo[spend.todo_id] = (*self.of_todo.get(spend.todo_id, ()), spend.spend_id)
        self.settled[spend_key(spend.agent_id, spend.todo_id, spend.turn_instance_id)] = spend.spend_id
        at_ms = max(spend.at_ms, self.window[-1][0]) if self.window else spend.at_ms
        self.window.append((at_ms, self.total, spend.spend_id))
        self.total += spend.slots
        old = self._first_after(at_ms - WINDOW_HOURS_MAX * HOUR_MS)
        if old > _OLD_ENTRIES_MAX:
            del self.window[:old]

    def void(self, spend_id: str, seq: int) -> None:
        """Take a spend back, once; the totals behind it become smaller."""
        spend = self.spends[spend_id]
        if spend.voided_seq:
            return
        self.spends[spend_id] = msgspec.structs.replace(spend, voided_seq=seq)
        place = next((at for at, entry in enumerate(self.window) if entry[2] == spend_id), None)
        if place is None:
            return
        self.total -= spend.slots
        later = self.window[place + 1 :]
        self.window[place:] = [(at_ms, before - spend.slots, other) for at_ms, before, other in later]

    def spent(self, now_ms: int) -> int:
        """Slots spent in the window that ends now."""
        first = self._first_after(now_ms - self.settings.window_hours * HOUR_MS)
        return self.total - self.window[first][1] if first < len(self.window) else 0

    def in_window(self, now_ms: int) -> list[Spend]:
        """The spends that make the sum."""
        first = self._first_after(now_ms - self.settings.window_hours * HOUR_MS)
        return [self.spends[spend_id] for _, _, spend_id in self.window[first:]]

    def next_leaving_ms(self, now_ms: int) -> int | None:
        """When the oldest spend of the window leaves it."""
        window_ms = self.settings.window_hours * HOUR_MS
        first = self._first_after(now_ms - window_ms)
        return self.window[first][0] + window_ms if first < len(self.window) else None

    def _first_after(self, at_ms: int) -> int:
        return bisect_right(self.window, at_ms, key=_when)


def _when(entry: tuple[int, int, str]) -> int:
    return entry[0]


def turn_key(agent_id: MemberId, turn_instance_id: str) -> str:
    """Neither part can hold a blank, so that no two pairs make one key."""
    return f"{agent_id} {turn_instance_id}"


def spend_key(agent_id: MemberId, todo_id: TodoId, turn_instance_id: str) -> str:
    """What is spent for at most once."""
    return f"{agent_id} {todo_id} {turn_instance_id}"
