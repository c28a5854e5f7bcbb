"""Missed: messages that came too late to act on, shown once and never run by themselves.

After a reconnect the platform delivers what it kept in a burst. Those of one place share one card. What was written is
kept in memory, as an open form is: losing it costs a person the writing. What the platform does not deliver again
nobody here can know of, and the card says so.
"""

from dataclasses import dataclass, field, replace

from daemon.relay.shown import Shown, button_name
from ledger.projections.chat_views import MissedRow, MissedView
from ledger.projections.privacy import clip

KIND = "missed"
BATCH_MS_MAX = 5 * 60_000
"""How long a card goes on taking in what else comes late."""
ROWS_MAX = 8
KEPT_MAX = 40
"""How many late messages of one card are remembered; the rest is counted."""
LATE_MAX = 500
"""How many late messages are remembered, of all places."""
TEXT_CHARS_MAX = 300


@dataclass(frozen=True, slots=True)
class Late:
    """One late message, a code without its text. `name` is the writer's, `opened` what it was answered with since."""

    message_id: str
    text: str
    name: str
    at_ms: int
    is_direct: bool
    is_code: bool = False
    opened: str = ""


@dataclass
class _Batch:
    slot: str
    since_ms: int
    late: list[Late] = field(default_factory=list)
    dropped: int = 0


class Missed:
    """The late messages of every place."""

    def __init__(self) -> None:
        self._by_slot: dict[str, _Batch] = {}
        self._newest: dict[tuple[str, str], str] = {}

    def add(self, chat_id: str, thread_id: str, late: Late, now_ms: int) -> str:
        """Put a late message on the card of its place; the card's slot. One that is on it already is not put twice."""
        place = (chat_id, thread_id)
        batch = self._by_slot.get(self._newest.get(place, ""))
        if batch is None or now_ms - batch.since_ms > BATCH_MS_MAX:
            slot = f"{KIND}:{late.message_id}@{chat_id}"
            batch = self._by_slot.setdefault(slot, _Batch(slot, now_ms))
            self._newest[place] = slot
        if len(batch.late) >= KEPT_MAX:
            batch.dropped += 1
        elif all(one.message_id != late.message_id for one in batch.late):
            batch.late.append(late)
            self._forget()
        return batch.slot

    def shown(self, slot: str) -> Shown:
        """The card as it is now; of one that is remembered no more nothing is left but that."""
        batch = self._by_slot.get(slot)
        if batch is None:
            return Shown(MissedView(rows=(), left_out=0))
        opens: dict[str, str] = {}
        rows = []
        for one in _first(batch.late):
            button = "" if one.is_code or one.opened else button_name(one.message_id)
            if button:
                opens[button] = one.message_id
            rows.append(
                MissedRow(
                    text=clip(one.text, TEXT_CHARS_MAX),
                    by=one.name,
                    at_ms=one.at_ms,
                    is_code=one.is_code,
                    done=bool(one.opened),
                    button=button,
                )
            )
        return Shown(MissedView(rows=tuple(rows), left_out=len(batch.late) + batch.dropped - len(rows)), opens)

    def find(self, slot: str, message_id: str) -> Late | None:
        """A late message on this card."""
        batch = self._by_slot.get(slot)
        return None if batch is None else next((one for one in batch.late if one.message_id == message_id), None)

    def opened(self, slot: str, message_id: str, by: str) -> None:
        """Remember what a late message was answered with."""
        batch = self._by_slot[slot]
        batch.late = [replace(one, opened=by) if one.message_id == message_id else one for one in batch.late]

    def _forget(self) -> None:
        """The oldest cards give way when there is too much on all of them; at least the newest stays."""
        while len(self._by_slot) > 1 and sum(len(one.late) for one in self._by_slot.values()) > LATE_MAX:
            gone = next(iter(self._by_slot))
            del self._by_slot[gone]
            self._newest = {place: slot for place, slot in self._newest.items() if slot != gone}


def _first(late: list[Late]) -> list[Late]:
    """The rows that a card has room for, in their order: what is still to be run gives way to nothing else."""
    waiting = [one for one in late if not (one.opened or one.is_code)][:ROWS_MAX]
    done = [one for one in late if one.opened or one.is_code][: ROWS_MAX - len(waiting)]
    kept = {one.message_id for one in (*waiting, *done)}
    return [one for one in late if one.message_id in kept]
