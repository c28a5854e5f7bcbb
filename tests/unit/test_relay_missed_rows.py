"""Late messages beyond what a card has room for: those that may still be run come first."""

from daemon.relay.missed import ROWS_MAX, Late, Missed


def late(number, **more):
    return Late(message_id=f"om_{number}", text=f"Say {number}", name="Ann", at_ms=number, is_direct=False, **more)


def test_what_was_run_makes_room_for_what_may_still_be_run():
    missed = Missed()
    slot = next(iter({missed.add("oc_a", "", late(number), 0) for number in range(ROWS_MAX + 3)}))
    assert [row.text for row in missed.shown(slot).part.rows] == [f"Say {number}" for number in range(ROWS_MAX)]
    for number in (0, 2, 5):
        missed.opened(slot, f"om_{number}", "form")
    shown = missed.shown(slot)
    waiting = [number for number in range(ROWS_MAX + 3) if number not in (0, 2, 5)]
    assert [row.text for row in shown.part.rows] == [f"Say {number}" for number in waiting]
    assert sorted(shown.opens.values()) == sorted(f"om_{number}" for number in waiting)
