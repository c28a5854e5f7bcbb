"""A proof on request: one at a time, told of while it is under way, good for all who ask of what it reached."""

import asyncio
import threading
from types import SimpleNamespace

import pytest

from daemon.web import proving
from daemon.web.proving import Proving, UnderWay
from ledger.ports import StoreFault
from tests.support.world import World

WAIT_S_MAX = 60


class Held:
    """A store whose readers stand still where they are told to, and are counted."""

    def __init__(self, store) -> None:
        self.store = store
        self.readers = 0
        self.arrived, self.goes_on = threading.Event(), threading.Event()
        self.goes_on.set()
        self.fault = None

    def reader(self):
        self.readers += 1
        if self.fault is not None:
            raise self.fault
        return self

    def events(self, after_seq):
        for row in self.store.events(after_seq):
            self.arrived.set()
            self.goes_on.wait(WAIT_S_MAX)
            yield row

    def receipts(self):
        return self.store.receipts()

    def refusals(self, after_number):
        return self.store.refusals(after_number)

    def refusals_anchor(self):
        return self.store.refusals_anchor()

    def close(self):
        pass


@pytest.fixture(scope="module")
def world():
    made = World()
    made.activate()
    for number in range(40):
        made.add(f"todo_{number:03d}")
    return made


@pytest.fixture
def held(world):
    return Held(world.stored)


@pytest.fixture
def one(held, world):
    service = SimpleNamespace(store=held, clock=SimpleNamespace(now_ms=lambda: world.now_ms), committed=world.state)
    made = Proving(service)
    yield made
    held.goes_on.set()
    made.close()


def ended(one):
    """Wait for the end of what is under way."""
    one._thread.join(WAIT_S_MAX)
    assert not one._thread.is_alive()
    return one.found


def test_it_finds_what_the_ledger_has(one, world):
    one.ask(world.state.seq)
    found = ended(one)
    assert found.report.holds
    assert (found.report.head.seq, found.report.head.hash) == (world.state.seq, world.state.hash)
    assert (found.report.receipts, found.at_ms, one.under_way) == (world.proved().receipts, world.now_ms, None)


def test_there_is_one_at_a_time_and_it_is_told_how_far_it_is(one, held, world, monkeypatch):
    monkeypatch.setattr(proving, "SLICE_ROWS", 1)
    monkeypatch.setattr(proving, "rest_s", lambda _worked_ns: 0.0)
    held.goes_on.clear()
    one.ask(1)
    assert held.arrived.wait(WAIT_S_MAX)
    for _ in range(5):
        one.ask(world.state.seq)
    assert (held.readers, one.under_way) == (1, UnderWay())
    told = []
    monkeypatch.setattr(one, "tell", lambda under_way: told.append((under_way.part, under_way.checked)))
    held.goes_on.set()
    assert ended(one).report.holds
    assert held.readers == 1
    assert told[: world.state.seq] == [("event", seq) for seq in range(1, world.state.seq + 1)]


def test_what_was_found_stands_until_a_later_event_is_asked_for(one, held, world):
    for through_seq in (1, world.state.seq, 2):
        one.ask(through_seq)
        ended(one)
    assert held.readers == 1
    one.ask(world.state.seq + 1)
    ended(one)
    assert held.readers == 2


def test_whoever_doubts_a_result_has_it_proved_once_again(one, held, world):
    for instead_of in (None, 1, 1, 1, 2):
        one.ask(world.state.seq, instead_of=instead_of)
        found = ended(one)
    assert (held.readers, found.number) == (3, 3)


def cut(world, held, known):
    """The last events and their receipts are gone from the file."""
    held.events = lambda after_seq: (row for row in world.stored.events(after_seq) if row.seq <= known.seq - 2)
    held.receipts = lambda: (row for row in world.stored.receipts() if row.last_seq <= known.seq - 2)
    return known.seq - 1


def other(world, held, known):
    """The file holds, but it is not the history that the daemon committed."""
    one_service_knows = SimpleNamespace(seq=known.seq - 1, hash=b"\1" * 32)
    held.known = one_service_knows
    return known.seq - 1


@pytest.mark.parametrize("change", [cut, other])
def test_a_file_that_lacks_what_was_committed_does_not_hold(one, held, world, change):
    number = change(world, held, world.state)
    one._service.committed = getattr(held, "known", world.state)
    one.ask(1)
    report = ended(one).report
    assert (report.holds, report.head.seq) == (False, number - 1)
    assert (report.first_break.part, report.first_break.number) == ("event", number)


def test_whoever_asks_waits_a_moment_and_no_longer(one, held, monkeypatch):
    monkeypatch.setattr(proving, "SETTLED_S_MAX", 0.01)
    held.goes_on.clear()
    one.ask(1)
    asyncio.run(one.settled())
    assert one.under_way is not None
    monkeypatch.setattr(proving, "SETTLED_S_MAX", WAIT_S_MAX)
    held.goes_on.set()
    asyncio.run(one.settled())
    assert (one.under_way, one.found.report.holds) == (None, True)


def test_it_ends_with_the_daemon_and_none_begins_after(one, held, monkeypatch):
    monkeypatch.setattr(proving, "SLICE_ROWS", 1)
    held.goes_on.clear()
    one.ask(1)
    assert held.arrived.wait(WAIT_S_MAX)
    one._ended.set()
    held.goes_on.set()
    assert ended(one) is None
    one.ask(1)
    assert held.readers == 1


@pytest.mark.parametrize("error", [StoreFault("input/output error"), KeyError("a bug")])
def test_a_store_that_cannot_be_read_is_no_answer_and_may_be_asked_again(one, held, error):
    held.fault = error
    one.ask(1)
    assert (ended(one).report, one.under_way) == (None, None)
    held.fault = None
    one.ask(1)
    assert ended(one).report.holds
