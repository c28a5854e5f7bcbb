"""Cards for one person: where they go is said by the daemon's list alone, and a new one is asked for."""

import pytest

from bot.backend import Delivery, Slot
from bot.routes import is_direct
from bot.wanted import WantedSlots


class Remembered:
    """A journal that knows these deliveries."""

    def __init__(self, *deliveries: Delivery) -> None:
        self._by_slot = {one.slot: one for one in deliveries}

    def get(self, key: str) -> Delivery | None:
        """What was delivered there."""
        return self._by_slot.get(key)

    def of_goal(self, _goal_id: str) -> tuple[str, ...]:
        """Nothing of a goal."""
        return ()


KEY = "review:docs:1@direct:ann"


def delivery() -> Delivery:
    return Delivery(
        slot=KEY, chat_id="direct:ann", message_id="om_1", digest="d", version=1, sent_at_ms=1, state="live"
    )


@pytest.mark.parametrize(
    ("key", "direct"),
    [(KEY, True), ("form:om_1@direct:ann", True), ("review:docs:1@oc_1", False), ("review:direct:1@oc_1", False)],
)
def test_a_place_of_one_person_is_told_by_its_name(key, direct):
    assert is_direct(key) is direct


def test_a_place_of_one_person_that_is_not_listed_has_no_address_yet():
    wanted = WantedSlots(Remembered())
    assert wanted.find(KEY) is None
    assert wanted.find("review:docs:1@oc_1") is not None
    listed = Slot(slot=KEY, chat_id="direct:ann", receive_id="ou_ann", receive_id_type="open_id", priority=0)
    wanted.replace_goal("docs", (listed,))
    assert wanted.find(KEY) == listed


def test_what_was_posted_there_can_still_be_changed_when_it_is_listed_no_more():
    found = WantedSlots(Remembered(delivery())).find(KEY)
    assert found is not None
    assert found.slot == KEY
