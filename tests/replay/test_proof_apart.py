"""A long history is proved beside its folding, and what was folded is not used before it is."""

import apsw
import pytest

from daemon.local.proof import Proof, holds
from ledger import snapshot
from ledger.ports import GENESIS, Head, StoreUnusable
from ledger.snapshot import restore
from ledger.store.sqlite import open_sqlite
from tests.support.daemons import fresh_home, refused_start
from tests.support.dump import dump
from tests.support.homes import activate
from tests.support.world import World


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    world = World(lambda: open_sqlite(path))
    world.delivered()
    world.stored.close()
    return path


def damage(path):
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER event_is_never_changed")
    connection.execute("UPDATE event SET hash = zeroblob(32) WHERE seq = 5")
    connection.close()


def head_of(path):
    store = open_sqlite(path)
    try:
        return store.head()
    finally:
        store.close()


def test_what_holds_holds_from_anywhere_to_the_end(ledger):
    last = head_of(ledger)
    assert holds(ledger, GENESIS, last.seq)
    assert holds(ledger, last, last.seq)
    assert not holds(ledger, GENESIS, last.seq + 1)
    assert not holds(ledger, Head(3, bytes(32)), last.seq)


def test_one_changed_hash_does_not_hold(ledger):
    damage(ledger)
    assert not holds(ledger, GENESIS, head_of(ledger).seq)


def restored(path, prove_apart):
    store = open_sqlite(path)
    try:
        return restore(store, "r", lambda _: None, None, prove_apart)
    finally:
        store.close()


def test_only_a_long_rest_is_proved_apart_and_it_says_where_it_begins_and_ends(ledger, monkeypatch):
    asked = []
    alone = restored(ledger, lambda *given: asked.append(given))
    assert asked == []
    last_seq = head_of(ledger).seq
    monkeypatch.setattr(snapshot, "PROVED_APART_MIN", last_seq)
    apart = restored(ledger, lambda *given: asked.append(given))
    assert asked == [(GENESIS, last_seq)]
    assert dump(apart) == dump(alone)


@pytest.mark.parametrize("damaged", [False, True])
def test_the_other_process_has_the_last_word(ledger, monkeypatch, damaged):
    monkeypatch.setattr(snapshot, "PROVED_APART_MIN", 1)
    if not damaged:
        with Proof(ledger) as proof:
            assert restored(ledger, proof.begin).seq == head_of(ledger).seq
        return
    damage(ledger)
    with pytest.raises(StoreUnusable, match="does not hold"), Proof(ledger) as proof:
        restored(ledger, proof.begin)


def test_a_daemon_does_not_serve_a_history_that_does_not_hold():
    with fresh_home(activate) as made:
        damage(made.home.ledger)
        code, said = refused_start(made)
        assert (code, "does not hold at event 5" in said) == (1, True)


def test_where_nothing_is_long_nothing_is_begun(ledger):
    with Proof(ledger) as proof:
        restored(ledger, proof.begin)
        assert proof._process is None
