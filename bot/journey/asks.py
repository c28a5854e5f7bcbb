"""What was put before the owners, and the card that first showed each: an ask that no card showed reached nobody.

A card is found by its goal's title and its button. A newer ask of a goal takes the older one's place, so a card counts
for an ask only until the next one; gates wait side by side, so each has a message of its own.
"""

from collections.abc import Mapping, Sequence

from bot.journey.notices import Notice
from bot.journey.records import Event, Records

BUTTONS: Mapping[str, str] = {
    "goal.proposed": "Confirm", "goal.revised": "Confirm", "goal.delivered": "Accept", "gate.opened": "Approve",
    "goal.question_asked": "Send answer",
}  # fmt: skip
"""What puts a decision before the owners, and the button of the card that asks for it."""
ASKS = frozenset(BUTTONS)
Shown = tuple[Event, Notice | None]


def shown_asks(records: Records, notices: Sequence[Notice], titles: Mapping[str, str]) -> list[Shown]:
    """Each ask with what first showed it, or with nothing; the titles are by goal."""
    asks = [one for one in records.events if one.kind in ASKS]
    used: set[str] = set()
    found: list[Shown] = []
    for place, ask in enumerate(asks):
        ends_at = _replaced_at(ask, asks[place + 1 :])
        seen = [
            one for one in notices
            if one.button == BUTTONS[ask.kind] and one.title == titles.get(ask.goal_id) and one.at_ms >= ask.at_ms
            and (ends_at is None or one.at_ms < ends_at)
            and not (ask.kind == "gate.opened" and one.message_id in used)
        ]  # fmt: skip
        first = min(seen, key=lambda one: one.at_ms, default=None)
        if first is not None and ask.kind == "gate.opened":
            used.add(first.message_id)
        found.append((ask, first))
    return found


def waits_ms(shown: Sequence[Shown]) -> list[int]:
    """From the event after which work waits for the owner to the card that asks, for each that a card showed."""
    return [notice.at_ms - ask.at_ms for ask, notice in shown if notice is not None]


def _replaced_at(ask: Event, later: Sequence[Event]) -> int | None:
    """When another ask for the same button of the same goal took this one's place."""
    if ask.kind == "gate.opened":
        return None
    same = (one for one in later if one.goal_id == ask.goal_id and BUTTONS[one.kind] == BUTTONS[ask.kind])
    return next((one.at_ms for one in same), None)
