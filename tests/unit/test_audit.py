"""The audit of what changed nothing: first at once, repeats as a count, and a chain that nobody can make long."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import audit
from ledger.audit import WINDOW_MS, Attempt, Audit, entry_of
from ledger.canonical import canonical
from ledger.events import Proof
from ledger.ports import GENESIS, Head
from ledger.verify import Report, verify_refusals

NOT_PERMITTED = Attempt(
    actor="builder",
    proof=Proof(kind="token", reference="tok_1"),
    surface="cli",
    on_behalf_of=None,
    action="goal.confirm",
    goal_id="docs",
    basis=None,
    outcome="denied",
    code="not_permitted",
)


def _by(actor: str, **changes: object) -> Attempt:
    return msgspec.structs.replace(NOT_PERMITTED, actor=actor, **changes)


def _read(rows) -> list[tuple[str, int]]:
    return [(json.loads(row.body)["actor"], json.loads(row.body)["repeated"]) for row in rows]


@pytest.fixture
def log():
    return Audit(GENESIS)


def test_the_first_attempt_is_written_at_once_with_all_that_is_known_of_it(log):
    (row,) = log.note(NOT_PERMITTED, 5)
    assert json.loads(row.body) == {
        "actor": "builder",
        "proof": {"kind": "token", "reference": "tok_1", "relayed_by": None},
        "surface": "cli",
        "on_behalf_of": None,
        "action": "goal.confirm",
        "goal_id": "docs",
        "basis": None,
        "outcome": "denied",
        "code": "not_permitted",
        "number": 1,
        "at_ms": 5,
        "repeated": 1,
    }
    assert (row.number, row.at_ms) == (1, 5)


@pytest.mark.parametrize(("kept", "read"), [(["docs"], None), ([], None), ("docs", "docs"), (None, None)])
def test_a_row_that_kept_a_list_of_goals_can_be_read_and_is_of_no_goal(log, kept, read):
    """A chain is never rewritten: what was once written is read as long as it is there."""
    (row,) = log.note(NOT_PERMITTED, 5)
    body = canonical(json.loads(row.body) | {"goal_id": kept})
    entry = entry_of(row._replace(body=body))
    assert msgspec.structs.asdict(entry) == msgspec.structs.asdict(entry_of(row)) | {"goal_id": read}


def test_repeats_within_the_window_are_counted_and_written_as_one(log):
    assert _read(log.note(NOT_PERMITTED, 0)) == [("builder", 1)]
    for at_ms in range(1, 1_001):
        assert log.note(NOT_PERMITTED, at_ms) == []
    assert log.flush(WINDOW_MS - 1) == []
    (row,) = log.flush(WINDOW_MS)
    assert (json.loads(row.body)["repeated"], row.at_ms) == (1_000, 1_000)
    assert _read(log.note(NOT_PERMITTED, WINDOW_MS)) == [("builder", 1)]


def test_the_next_window_writes_what_the_last_one_counted_before_it_begins(log):
    for at_ms in (0, 1, WINDOW_MS):
        rows = log.note(NOT_PERMITTED, at_ms)
    assert _read(rows) == [("builder", 1), ("builder", 1)]
    assert [row.at_ms for row in rows] == [1, WINDOW_MS]


@pytest.mark.parametrize(
    "changes", [{"actor": "helper"}, {"action": "goal.accept"}, {"code": "stale_basis"}, {"surface": "lark"}]
)
def test_another_actor_action_reason_or_surface_is_another_line(log, changes):
    log.note(NOT_PERMITTED, 0)
    assert len(log.note(msgspec.structs.replace(NOT_PERMITTED, **changes), 1)) == 1


@pytest.mark.parametrize("changes", [{"goal_id": "other"}, {"basis": "b1:" + "0" * 32}])
def test_the_subject_does_not_make_another_line_or_it_could_be_grown_at_will(log, changes):
    log.note(NOT_PERMITTED, 0)
    assert log.note(msgspec.structs.replace(NOT_PERMITTED, **changes), 1) == []


def test_one_actor_adds_two_rows_in_a_window_however_often_it_tries(log):
    rows = [row for at_ms in range(0, 10 * WINDOW_MS, 60) for row in log.note(NOT_PERMITTED, at_ms)]
    assert len(rows) <= 2 * 10


def test_the_windows_that_are_kept_are_bounded_and_the_oldest_gives_way(log, monkeypatch):
    monkeypatch.setattr(audit, "TRACKED_MAX", 3)
    for actor in ("a", "b", "c"):
        log.note(_by(actor), 0)
        log.note(_by(actor), 1)
    assert _read(log.note(_by("d"), 2)) == [("a", 1), ("d", 1)]
    assert _read(log.flush()) == [("b", 1), ("c", 1)]


def test_everything_counted_is_written_at_a_graceful_stop(log):
    for at_ms in (0, 1, 2):
        log.note(NOT_PERMITTED, at_ms)
    assert _read(log.flush()) == [("builder", 2)]
    assert log.flush() == []


def test_rows_that_were_lost_are_counted_again_and_numbered_again(log):
    log.settle(written=True)
    (lost,) = log.note(NOT_PERMITTED, 0)
    log.settle(written=False)
    log.note(NOT_PERMITTED, 1)
    (row,) = log.flush()
    assert (row.number, lost.number) == (1, 1)
    assert _read([row]) == [("builder", 2)]


def test_repeats_that_were_lost_with_their_window_are_not_forgotten(log):
    log.note(NOT_PERMITTED, 0)
    log.note(NOT_PERMITTED, 1)
    log.settle(written=True)
    assert _read(log.flush(WINDOW_MS)) == [("builder", 1)]
    log.settle(written=False)
    assert _read(log.flush(2 * WINDOW_MS)) == [("builder", 1)]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcde"), st.integers(0, WINDOW_MS), st.sampled_from(["keep", "keep", "lose"])),
        max_size=40,
    ),
    st.integers(2, 5),
)
def test_whatever_fails_in_between_the_chain_verifies_and_every_attempt_is_counted_once(attempts, tracked_max):
    log, kept, at_ms = Audit(GENESIS), [], 0
    limit, audit.TRACKED_MAX = audit.TRACKED_MAX, max(tracked_max, 5)
    try:
        for actor, wait_ms, fate in attempts:
            at_ms += wait_ms
            rows = log.note(_by(actor), at_ms)
            if fate == "keep":
                kept += rows
            log.settle(written=fate == "keep")
        kept += log.flush()
    finally:
        audit.TRACKED_MAX = limit
    counted = {}
    for actor, repeated in _read(kept):
        counted[actor] = counted.get(actor, 0) + repeated
    assert counted == {actor: sum(a == actor for a, _, _ in attempts) for actor in {a for a, _, _ in attempts}}
    proved = verify_refusals(kept, Report())
    assert proved.holds
    assert proved.refusals == len(kept)


def test_the_chain_goes_on_from_where_it_was_kept():
    head = Head(41, b"\x07" * 32)
    log = Audit(head)
    rows = log.note(NOT_PERMITTED, 0)
    assert verify_refusals(rows, Report(), after=head).holds
    assert not verify_refusals(rows, Report()).holds
