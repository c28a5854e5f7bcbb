"""Digests: what changed in the goals of one place since its last digest, with the ledger's head as it was then.

A digest is of one moment: it is never changed afterwards, whatever happens, so that the head it shows can be compared
with the ledger's own at that place. From where the next one begins is in the names of the cards that were delivered.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from daemon.relay.deliveries import Deliveries
from daemon.relay.shown import Asked, Shown
from daemon.relay.slots import split
from daemon.relay.which import in_chat, of_member
from ledger.ids import GoalId, MemberId
from ledger.projections.channel import read_goal
from ledger.projections.chat_views import DigestGoal, DigestRow, DigestView
from ledger.projections.digest import Change, changes_in
from ledger.projections.holds import name_of
from ledger.projections.needs import needs_of
from ledger.projections.overview import SHORT_HASH_BYTES
from ledger.projections.privacy import clip
from ledger.records import Outline
from ledger.state import Workspace

KIND = "digest"
GOALS_SHOWN_MAX = 8
ROWS_OF_GOAL_MAX = 6
TEXT_CHARS_MAX = 160
TITLE_CHARS_MAX = 120
KEPT_MAX = 500
"""How many digests wait in memory to be posted; one that is lost is made anew, at the ledger as it is then."""


class Digests:
    """The digests of every place."""

    def __init__(self, deliveries: Deliveries) -> None:
        self._deliveries = deliveries
        self._kept: dict[str, DigestView] = {}

    def last(self, chat_id: str) -> int:
        """The head that the last digest of this place showed; 0 where there was none."""
        shown = (row.slot for row in self._deliveries.sent(f"{KIND}:", chat_id))
        kept = (slot for slot in self._kept if slot.endswith(f"@{chat_id}"))
        return max((_seqs(split(slot)[0])[1] for slot in (*shown, *kept)), default=0)

    def make(self, workspace: Workspace, asked: Asked, now_ms: int) -> str | None:
        """The slot of a new digest, or None where nothing changed since the last one."""
        since = min(self.last(asked.chat_id), workspace.seq)
        view = _digest(workspace, _goals_for(workspace, asked), since, now_ms)
        if not view.total:
            return None
        whose = asked.member_id if asked.is_direct and asked.member_id is not None else "-"
        slot = f"{KIND}:{since}:{workspace.seq}:{whose}:{asked.message_id}@{asked.chat_id}"
        while len(self._kept) >= KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        self._kept[slot] = view
        return slot

    def shown(self, workspace: Workspace, subject: str, chat_id: str, now_ms: int) -> Shown | None:
        """A digest as it was made. One that is not remembered was posted; if it was not, it is made now."""
        slot = f"{subject}@{chat_id}"
        kept = self._kept.get(slot)
        if kept is not None:
            return Shown(kept)
        since, until = _seqs(subject)
        if not until or self._deliveries.sent(subject, chat_id):
            return None
        _, _, _, rest = (subject.split(":", 3) + [""] * 4)[:4]
        whose, _, message_id = rest.rpartition(":")
        asked = Asked(message_id, chat_id, is_direct=whose != "-", member_id=None if whose == "-" else whose)
        return Shown(_digest(workspace, _goals_for(workspace, asked), min(since, workspace.seq), now_ms))


def _seqs(subject: str) -> tuple[int, int]:
    """Since when, and the head that it shows."""
    numbers = [int(one) if one.isascii() and one.isdigit() else 0 for one in subject.split(":")[1:3]]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)


def _goals_for(workspace: Workspace, asked: Asked) -> list[Outline]:
    """The goals that a digest in this place is about: the chat's own; in private, those that the person decides on."""
    if asked.is_direct and asked.member_id is not None:
        return of_member(workspace, MemberId(asked.member_id))
    return in_chat(workspace, asked.chat_id)


def _digest(workspace: Workspace, goals: list[Outline], since: int, now_ms: int) -> DigestView:
    held = [one for one in map(workspace.goals.peek, (goal.goal_id for goal in goals)) if one is not None]
    found = sorted(changes_in(workspace, held, since), key=lambda row: (row[0], row[1].seq, row[1].kind))
    by_goal = [
        _of_goal(workspace, goal_id, [change for _, change in rows])
        for goal_id, rows in groupby(found, key=lambda row: row[0])
    ]
    by_goal.sort(key=lambda goal: goal.rows[-1].seq, reverse=True)
    return DigestView(
        since=since,
        goals=tuple(by_goal[:GOALS_SHOWN_MAX]),
        total=len(found),
        goals_left_out=max(0, len(by_goal) - GOALS_SHOWN_MAX),
        needs_somebody=sum(_waiting(workspace, goals, now_ms)),
        head_seq=workspace.seq,
        head_hash=workspace.hash[:SHORT_HASH_BYTES].hex(),
        head_at_ms=workspace.at_ms,
    )


def _waiting(workspace: Workspace, goals: Iterable[Outline], now_ms: int) -> Iterator[int]:
    """How much waits in each of these goals."""
    wanted = {one.goal_id for one in goals}
    for goal in workspace.goals.live():
        if goal.goal_id in wanted:
            yield len(needs_of(workspace, goal, read_goal(workspace, goal, now_ms), now_ms))


def _of_goal(workspace: Workspace, goal_id: GoalId, changes: list[Change]) -> DigestGoal:
    goal = workspace.goals[goal_id]
    newest = changes[-ROWS_OF_GOAL_MAX:]
    return DigestGoal(
        goal_id=goal_id,
        title=clip(goal.intent.title, TITLE_CHARS_MAX),
        state=goal.state,
        rows=tuple(_row(workspace, one) for one in newest),
        earlier=len(changes) - len(newest),
    )


def _row(workspace: Workspace, change: Change) -> DigestRow:
    return DigestRow(
        seq=change.seq,
        kind=change.kind,
        subject=change.subject,
        now=change.now,
        actor="" if change.actor is None else name_of(workspace, MemberId(change.actor)),
        text=clip(change.text, TEXT_CHARS_MAX),
    )
