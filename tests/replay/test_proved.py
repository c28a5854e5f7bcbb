"""A history that does not hold makes no state: whatever was changed, its event is named and nothing more is folded."""

import pytest

from ledger.ports import StoreUnusable
from ledger.replay import fold_proved
from ledger.snapshot import restore
from ledger.state import Workspace
from ledger.verify import verify_events
from tests.replay.script import everything
from tests.support.dump import dump


@pytest.fixture(scope="module")
def history():
    return tuple(everything().store.events(0))


CHANGES = {
    "the bytes": lambda row: row._replace(body=row.body.replace(b'"at_ms":1', b'"at_ms":2', 1)),
    "the hash": lambda row: row._replace(hash=bytes(32)),
    "the place": lambda row: row._replace(seq=row.seq + 1),
    "the goal it is found by": lambda row: row._replace(goal_id="other"),
    "the kind it is found by": lambda row: row._replace(kind="todo.claimed"),
    "the words": lambda row: row._replace(words=row.words.replace(b"a", b"b")),
    "the salt": lambda row: row._replace(salt=bytes(16)),
    "half of what is erased together": lambda row: row._replace(salt=None),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_one_change_is_found_at_its_event(history, change):
    at = next(number for number, row in enumerate(history) if row.kind == "todo.added" and row.words is not None)
    changed = [*history[:at], change(history[at]), *history[at + 1 :]]
    workspace = Workspace()
    with pytest.raises(StoreUnusable, match=rf"\b{at + 1}\b"):
        fold_proved(workspace, changed)
    assert workspace.seq == at
    report = verify_events(changed)
    assert report.first_break is not None, "what is refused here, a proof of the whole would name as well"
    assert report.first_break.number == at + 1


def test_words_where_none_were_recorded_are_found(history):
    at = next(number for number, row in enumerate(history) if row.words is None)
    changed = [*history[:at], history[at]._replace(words=b"{}", salt=bytes(16))]
    with pytest.raises(StoreUnusable):
        fold_proved(Workspace(), changed)


def test_an_event_that_is_missing_is_found(history):
    with pytest.raises(StoreUnusable, match="event 4"):
        fold_proved(Workspace(), [*history[:3], *history[4:]])


def test_words_that_were_erased_with_their_salt_are_no_defect(history):
    workspace = Workspace()
    fold_proved(workspace, [row._replace(words=None, salt=None) for row in history])
    assert workspace.seq == history[-1].seq


def test_a_whole_history_makes_the_state_that_grew(history):
    workspace = Workspace()
    fold_proved(workspace, history)
    assert dump(workspace) == dump(everything().state)


def test_a_state_goes_on_from_its_own_hash_only(history):
    workspace = Workspace()
    fold_proved(workspace, history[:10])
    workspace.hash = bytes(32)
    with pytest.raises(StoreUnusable, match="event 11"):
        fold_proved(workspace, history[10:])


def test_what_follows_a_snapshot_is_proved_too():
    world = everything()
    world.writer.keep_snapshot(world.writer.snapshot_rows("r"))
    world.propose("another-one")
    world.records.events[-1] = world.records.events[-1]._replace(hash=bytes(32))
    with pytest.raises(StoreUnusable):
        restore(world.stored, "r", lambda _: None)
