"""Attention: what waits for one person, as one message between the bot and them.

A patched card notifies nobody, so a message is patched while the list only changes, and a new one is sent when there is
something on it that was not there before. A gate has a copy of its own for each of its approvers, which notifies them;
it makes no second message here. Which lists were sent follows from the delivered cards: after a restart, what began to
wait before the last one was true is known already.

What begins to wait soon after a message was sent, or in a person's quiet hours, is on the list and calls nobody yet:
one message comes for all of it when the while is over. Nothing that somebody was told of is told again.

The number in the subject tells the messages apart. It only grows, and the highest is the one that counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from daemon.calendars import is_quiet
from daemon.relay.deliveries import Deliveries
from daemon.relay.shown import Shown, button_name
from daemon.relay.slots import Slot, parse, place_of, split
from ledger.catalogue import ACTIONS
from ledger.ids import GoalId, MemberId
from ledger.projections.attention import urgency
from ledger.projections.channel import read_goal
from ledger.projections.chat_views import AttentionRow, AttentionView
from ledger.projections.needs import Need, needs_of
from ledger.projections.privacy import clip
from ledger.state import Goal, Workspace

KIND = "attention"
ROWS_MAX = 10
TEXT_CHARS_MAX = 260
TITLE_CHARS_MAX = 120
READ_FOR_MS_MAX = 5_000
"""How long what waits in a goal that nothing happened to is taken for what it was: rights change without its events."""
READ_MAX = 64
"""How many goals that are over may be remembered beside those that go on, and as many again."""
WINDOW_MS = 5 * 60_000
"""How long after one message to a person the next one comes at the earliest."""
_MOVING = frozenset({"staffing", "quota", "decision"})
"""Kinds whose seq is the goal's last event, and says nothing about when it began to wait."""
_CALLING = frozenset({"high", "action"})
_COUNTS = frozenset({"todos", "lanes"})
"""What a subject says beside naming something."""


@dataclass
class _List:
    """What one person was told: the number of their newest message, and what has been on it."""

    number: int = 0
    known: set[tuple[str, ...]] = field(default_factory=set)
    held: bool = False
    """Whether something calls that they were not written about yet."""


@dataclass(frozen=True)
class _Read:
    """What waits in one goal: true at this event, read at this moment."""

    seq: int
    at_ms: int
    needs: tuple[Need, ...]


class Attention:
    """Everybody's lists."""

    def __init__(self, deliveries: Deliveries) -> None:
        self._deliveries = deliveries
        self._lists: dict[MemberId, _List] = {}
        self._read: dict[GoalId, _Read] = {}
        self._fresh = True

    def slots(self, workspace: Workspace, now_ms: int, *, anew: bool) -> Iterator[Slot]:
        """The newest list of each person that has one. `anew`: something happened that is about no single goal."""
        if anew:
            self._read.clear()
        waiting = self._by_member(workspace, now_ms)
        for member_id in workspace.addresses:
            if workspace.members[member_id].revoked or member_id in workspace.identity.away:
                continue
            rows = waiting.get(member_id, [])
            number = self._number(workspace, member_id, [need for _, need in rows], now_ms)
            if number:
                yield _slot(workspace, member_id, number, is_open=bool(rows))

    def ask(self, workspace: Workspace, member_id: MemberId, now_ms: int) -> str | None:
        """The person asks for their list, which comes as a new message: its slot, if they can be written to."""
        if member_id not in workspace.addresses:
            return None
        needs = [need for _, need in self._by_member(workspace, now_ms).get(member_id, [])]
        told = self._told(member_id, needs)
        told.known = {identity(need) for need in needs}
        told.held = False
        told.number = max(told.number + 1, now_ms)
        return _slot(workspace, member_id, told.number, is_open=bool(needs)).name

    def let_go(self, workspace: Workspace, now_ms: int) -> list[str]:
        """Names that whoever leads does not know yet, of the lists that were held back and need be no longer."""
        first, self._fresh = self._fresh, False
        names = []
        for member_id in workspace.addresses:
            told = self._lists.get(member_id)
            # What was held back by a daemon before this one is found out by looking.
            waits = first if told is None else told.held and not self._is_held(workspace, member_id, told, now_ms)
            if waits:
                names.append(f"{KIND}:{member_id}:{now_ms}@{place_of(member_id)}")
        return names

    def shown(self, workspace: Workspace, subject: str, now_ms: int) -> Shown | None:
        """One of a person's lists as it is now; of an older one nothing is left but that there is a newer one."""
        member_id = MemberId(subject.removeprefix(f"{KIND}:").rpartition(":")[0])
        number = _number_in(subject)
        if member_id not in workspace.addresses or not number:
            return None
        rows = self._by_member(workspace, now_ms).get(member_id, [])
        told = self._told(member_id, [need for _, need in rows])
        if number < told.number:
            return Shown(AttentionView(rows=(), total=len(rows), high=0, superseded=True))
        opens: dict[str, str] = {}
        shown: list[AttentionRow] = []
        for goal, need in rows[:ROWS_MAX]:
            opened = _card_of(workspace, need)
            button = "" if opened is None else button_name(opened)
            if opened is not None:
                opens[button] = opened
            shown.append(_row(goal, need, button=button))
        high = sum(need.severity == "high" for _, need in rows)
        return Shown(AttentionView(rows=tuple(shown), total=len(rows), high=high), opens)

    def _number(self, workspace: Workspace, member_id: MemberId, needs: list[Need], now_ms: int) -> int:
        """The number of the person's newest list, which is a new one if something new waits for them."""
        told = self._told(member_id, needs)
        new = [need for need in needs if identity(need) not in told.known]
        calls = any(_calls(need) and not (told.number and _is_told_elsewhere(need)) for need in new)
        told.held = calls and self._is_held(workspace, member_id, told, now_ms)
        if told.held:
            told.known &= {identity(need) for need in needs}
            return told.number
        if calls:
            told.number = max(told.number + 1, now_ms)
        told.known = {identity(need) for need in needs}
        return told.number

    def _is_held(self, workspace: Workspace, member_id: MemberId, told: _List, now_ms: int) -> bool:
        """Whether this person is not written to yet: they were a moment ago, or it is quiet where they are."""
        hours = workspace.summaries.quiet.get(member_id)
        return 0 <= now_ms - told.number < WINDOW_MS or (hours is not None and is_quiet(hours, now_ms))

    def _told(self, member_id: MemberId, needs: list[Need]) -> _List:
        """What the person was told; after a restart, what their delivered list must have said."""
        told = self._lists.get(member_id)
        if told is None:
            told = self._lists[member_id] = _List()
            rows = self._deliveries.sent(f"{KIND}:{member_id}:", place_of(member_id))
            last = max(rows, key=lambda row: _number_in(split(row.slot)[0]), default=None)
            if last is not None:
                told.number = _number_in(split(last.slot)[0])
                # A list is patched while a message is held back, so that its version says nothing of when it was sent.
                told_at = self._deliveries.seq_at(told.number)
                told.known = {identity(one) for one in needs if one.kind in _MOVING or one.seq <= told_at}
        return told

    def _by_member(self, workspace: Workspace, now_ms: int) -> dict[MemberId, list[tuple[Goal, Need]]]:
        """What waits, by whom it waits for, most urgent first."""
        found: dict[MemberId, list[tuple[Goal, Need]]] = {}
        live = workspace.goals.live()
        if len(self._read) > 2 * len(live) + READ_MAX:
            self._read.clear()
        for goal in live:
            for need in self._needs_in(workspace, goal, now_ms):
                for member_id in need.waits_for:
                    found.setdefault(member_id, []).append((goal, need))
        for rows in found.values():
            rows.sort(key=lambda row: urgency(*row))
        return found

    def _needs_in(self, workspace: Workspace, goal: Goal, now_ms: int) -> tuple[Need, ...]:
        read = self._read.get(goal.goal_id)
        if read is None or read.seq != goal.last_seq or not 0 <= now_ms - read.at_ms < READ_FOR_MS_MAX:
            needs = needs_of(workspace, goal, read_goal(workspace, goal, now_ms), now_ms)
            read = self._read[goal.goal_id] = _Read(goal.last_seq, now_ms, tuple(needs))
        return read.needs


def identity(need: Need) -> tuple[str, ...]:
    """What makes it this matter and no other, however it changes."""
    about = (f"{name}={value}" for name, value in sorted(need.subject.items()) if name not in _COUNTS)
    return (need.goal_id, need.kind, *about)


def _calls(need: Need) -> bool:
    """Whether it is worth a message of its own: what is only to be watched is on the list, and calls nobody."""
    return need.severity in _CALLING


def _is_told_elsewhere(need: Need) -> bool:
    """Whether whoever it waits for gets a message of its own about it."""
    return need.kind == "gate" and need.action == "gate.approve"


def _number_in(subject: str) -> int:
    """The number in a list's subject; 0 where there is none."""
    digits = subject.rpartition(":")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _slot(workspace: Workspace, member_id: MemberId, number: int, *, is_open: bool) -> Slot:
    return Slot(
        subject=f"{KIND}:{member_id}:{number}",
        place=place_of(member_id),
        receive_id=workspace.addresses[member_id].open_id,
        receive_id_type="open_id",
        open=is_open,
        urgent=False,
    )


def _card_of(workspace: Workspace, need: Need) -> str | None:
    """The subject of the card on which it is settled, if there is such a card."""
    goal_id, about = need.goal_id, need.subject
    match need.kind:
        case "confirmation":
            subject = f"review:{goal_id}:{about['revision']}"
        case "acceptance":
            subject = f"acceptance:{goal_id}:{about['delivery']}"
        case "gate" if need.action == "gate.approve":
            gate = workspace.goals[goal_id].gates.by_id.get(str(about["gate_id"]))
            subject = f"gate:{goal_id}:{about['gate_id']}:{gate.generation if gate is not None else 0}"
        case "plan":
            plan = workspace.goals[goal_id].plans.by_id.get(str(about["plan_id"]))
            subject = f"plan:{goal_id}:{about['plan_id']}:{plan.revision if plan is not None else 0}"
        case "amendment" if need.action == "amendment.commit":
            subject = f"amendment:{goal_id}:{about['amendment_id']}"
        case "request":
            subject = f"request:{goal_id}:{about['request_id']}"
        case "question" | "resume":
            # The goal's own card, as an answer under the message that was pressed.
            return f"status:{goal_id}"
        case _:
            return None
    return subject if parse(workspace, subject) is not None else None


def _row(goal: Goal, need: Need, *, button: str) -> AttentionRow:
    action, flags = _line(need)
    gate = None if need.gate_id is None else goal.gates.by_id.get(need.gate_id)
    title = clip(goal.intent.title, TITLE_CHARS_MAX)
    text = clip(need.text, TEXT_CHARS_MAX)
    return AttentionRow(
        goal_id=need.goal_id,
        title=title,
        kind=need.kind,
        code=need.code,
        subject={name: str(value) for name, value in need.subject.items()},
        text="" if text == title else text,
        severity=need.severity,
        seq=0 if need.kind in _MOVING else need.seq,
        until_ms=None if gate is None or not gate.is_open else gate.policy.expires_at_ms,
        action=action,
        flags=flags,
        button=button,
    )


def _line(need: Need) -> tuple[str, dict[str, str]]:
    """What settles it in a shell: its action if the subject says all that it needs, else the goal to look at."""
    fields = ACTIONS[need.action].params.model_fields
    flags = {name: str(value) for name, value in need.subject.items() if name in fields}
    needed = {name for name, field in fields.items() if field.is_required()}
    return (need.action, flags) if needed <= flags.keys() else ("goal.show", {"goal_id": need.goal_id})
