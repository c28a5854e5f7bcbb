"""Which cards are wanted where: the daemon's list of slots, kept up to date by its feed.

Whatever happened to a goal, all its cards are looked at again: those that are wanted, and those that were delivered
once and are closed now, which get their last patch.
"""

from collections.abc import Iterable

from bot.backend import Delivery, Slot
from bot.journal import Journal
from bot.routes import is_direct, slot_from_key, slot_goal
from bot.steps import LEFT_ALONE, PATCH_AGE_MS_MAX, REPOST_AGE_MS


class WantedSlots:
    """Slots by key; a key that is not on the list, such as a form's or a closed card's, speaks for itself."""

    def __init__(self, journal: Journal) -> None:
        """Empty until the first list came."""
        self._journal = journal
        self._listed: dict[str, Slot] = {}
        self._of_goal: dict[str | None, tuple[str, ...]] = {}
        self._begun = False
        self.came_back: tuple[str, ...] = ()
        """The slots that the last whole list has and the one before had not."""

    def replace_all(self, slots: Iterable[Slot], now_ms: int) -> tuple[Slot, ...]:
        """Take in the whole list; returns every card that has to be looked at."""
        by_goal: dict[str | None, list[str]] = {}
        before = self._listed
        self._listed = {slot.slot: slot for slot in slots}
        self.came_back = tuple(key for key in self._listed if key not in before) if self._begun else ()
        self._begun = True
        for key in self._listed:
            by_goal.setdefault(slot_goal(key), []).append(key)
        self._of_goal = {goal_id: tuple(keys) for goal_id, keys in by_goal.items()}
        once = (delivery.slot for delivery in self._journal if _may_change(delivery, now_ms))
        return self._slots((*self._listed, *once))

    def replace_goal(self, goal_id: str, slots: Iterable[Slot]) -> tuple[Slot, ...]:
        """Take in the list of one goal, with what belongs to no goal; returns every card that has to be looked at."""
        before = (*self._of_goal.get(goal_id, ()), *self._of_goal.get(None, ()))
        for key in before:
            self._listed.pop(key, None)
        found = {slot.slot: slot for slot in slots}
        self._listed |= found
        self._of_goal[goal_id] = tuple(key for key in found if slot_goal(key) is not None)
        self._of_goal[None] = tuple(key for key in found if slot_goal(key) is None)
        return self._slots((*found, *before, *self._journal.of_goal(goal_id)))

    def lists(self, key: str) -> bool:
        """Whether the daemon's list has this slot."""
        return key in self._listed

    def find(self, key: str) -> Slot | None:
        """The slot of this key; none for a place of one person's that is not listed and has no message yet."""
        listed = self._listed.get(key)
        if listed is None and is_direct(key) and self._journal.get(key) is None:
            return None
        return listed or slot_from_key(key)

    def ageing(self, now_ms: int) -> tuple[Slot, ...]:
        """The wanted cards whose message is, or will soon be, too old to change."""
        old = (
            delivery.slot
            for delivery in self._journal
            if delivery.state not in LEFT_ALONE
            and delivery.slot in self._listed
            and now_ms - delivery.sent_at_ms >= REPOST_AGE_MS
        )
        return self._slots(old)

    def _slots(self, keys: Iterable[str]) -> tuple[Slot, ...]:
        return tuple(slot for key in dict.fromkeys(keys) if (slot := self.find(key)) is not None)


def _may_change(delivery: Delivery, now_ms: int) -> bool:
    return delivery.state not in LEFT_ALONE and now_ms - delivery.sent_at_ms < PATCH_AGE_MS_MAX
