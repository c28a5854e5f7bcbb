"""Erased words: only what was written is erased, by an owner, once; and it is gone wherever it stood."""

from collections.abc import Callable, Iterable

from ledger.events import Recorded
from ledger.ports import EventRow
from tests.histories.audits.beliefs import Case, Model


def written(model: Model, event: Recorded) -> None:
    """Note what was written, where it belongs, and by which event."""
    if event.words is not None:
        model.worded[event.seq] = None if event.goal_id is None else str(event.goal_id)
    if event.kind in {"goal.proposed", "goal.revised"}:
        model.said[str(event.goal_id), getattr(event.facts, "revision", 1)] = event.seq


def readable(case: Case) -> None:
    """Nobody promises what nobody can read."""
    if case.event.kind == "goal.confirmed":
        seq = case.model.said[case.promise.goal_id, case.facts.revision]
        assert seq not in case.model.erased, "a promise was confirmed whose words are gone"


def _erased(case: Case) -> None:
    goal_id = None if case.event.goal_id is None else str(case.event.goal_id)
    being = case.model.living(case.event.actor)
    assert being is not None
    assert being.kind == "person", "words were erased by nobody"
    if goal_id is None:
        assert "owner" in being.roles
    else:
        assert case.event.actor in case.model.owners(case.promise), "erased by somebody who does not own it"
    assert case.facts.seqs
    for seq in case.facts.seqs:
        assert seq < case.event.seq
        assert seq in case.model.worded, "words were erased that were never written, or twice"
        assert case.model.worded.pop(seq) == goal_id, "words of another goal were erased"
        case.model.erased.add(seq)


def gone(model: Model, rows: Iterable[EventRow]) -> None:
    """What is erased is in no row, with its salt; all else that was written is still there."""
    for row in rows:
        assert (row.words is None) == (row.salt is None)
        if row.seq in model.erased:
            assert row.words is None, "erased words are still there"
        elif row.seq in model.worded:
            assert row.words is not None, "words are gone that nobody erased"


CHECKS: dict[str, Callable[[Case], None]] = {"words.erased": _erased}
