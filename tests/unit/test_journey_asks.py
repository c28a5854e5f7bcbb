"""What was asked and which card showed it, and what came late where no fence stood: as the report tells it."""

from dataclasses import replace

import pytest

from bot.journey.expected import counts
from bot.journey.notices import Notice, notices_of
from bot.journey.records import Event
from tests.unit.journey_history import good, says, verdicts


@pytest.mark.parametrize("place", range(5))
def test_an_ask_that_no_card_showed_is_found_and_counted(place):
    records, measured = good()
    unseen = replace(measured, notices=(*measured.notices[:place], *measured.notices[place + 1 :]))
    assert verdicts(records, unseen)["every ask was on a card"] == "failed"
    assert says(records, unseen, "every ask was on a card").startswith("4 of 5 shown; no card showed #")
    assert counts(records, unseen, "ann")["decisions_shown"] == 4


def gates(records, *moments):
    opened = (
        Event(seq=900 + at, at_ms=at, kind="gate.opened", goal_id="g1", actor="fixer", surface="http", proof="token",
              facts={"gate_id": f"gate_{at}"})
        for at in moments
    )  # fmt: skip
    return replace(records, events=(*records.events, *opened))


def asking(at_ms, message_id):
    return Notice(title="Mend it", button="Approve", at_ms=at_ms, message_id=message_id)


@pytest.mark.parametrize(
    ("notices", "verdict"),
    [
        ((), "failed"),
        ((asking(70, "om_a"), asking(80, "om_a")), "failed"),
        ((asking(20, "om_a"), asking(90, "om_b")), "failed"),
        ((asking(70, "om_a"), asking(80, "om_b")), "passed"),
    ],
)
def test_gates_are_asks_and_each_has_a_card_of_its_own(notices, verdict):
    records, measured = good()
    both = replace(measured, notices=(*notices, *measured.notices))
    assert verdicts(gates(records, 50, 60), both)["every ask was on a card"] == verdict


def card(*buttons, **more):
    parts = [{"tag": "button", "text": {"content": one}, **more} for one in buttons]
    title = {"title": {"tag": "plain_text", "content": "Mend it"}}
    return {"header": title, "body": {"elements": [{"tag": "column_set", "columns": [{"elements": parts}]}]}}


def test_every_version_of_a_card_tells_what_it_asked_for():
    versions = [card("Revise…"), card("Revise…", "Confirm"), card("Confirm", disabled=True), card("Accept")]
    message = {
        "message_id": "om_a", "kind": "interactive",
        "versions": [{"at_ms": at, "content": one} for at, one in enumerate(versions)],
    }  # fmt: skip
    text = {"message_id": "om_b", "kind": "text", "versions": [{"at_ms": 1, "content": {"text": "Confirm"}}]}
    found = [(one.title, one.button, one.at_ms) for one in notices_of([text, message])]
    assert found == [("Mend it", "Confirm", 1), ("Mend it", "Accept", 3)]


def unfenced(*, done):
    """A history in which the first of those who were lost held a claim without a lease, and what it sent late came."""
    records, measured = good()
    lost = replace(measured.lost[0], lease_epoch=None, late_sha256="ab" * 32)
    facts = {"artifact_id": "late", "todo_id": "fix", "revision": 2, "sha256": lost.late_sha256}
    late = Event(seq=901, at_ms=901_000, kind="artifact.submitted", goal_id="g1", actor="fixer", surface="http",
                 proof="token", facts=facts)  # fmt: skip
    completed = replace(late, seq=902, kind="todo.completed", facts={"todo_id": "fix", "evidence": ["late"]})
    kept = tuple(one for one in records.events if not (one.kind == "todo.completed" and one.goal_id == "g1"))
    events = (*kept, late, completed) if done else (*kept, late)
    return replace(records, events=events), replace(measured, lost=(lost, *measured.lost[1:]))


@pytest.mark.parametrize(
    ("done", "told"),
    [(True, "#902 todo.completed, #901 artifact.submitted of fix"), (False, "#901 artifact.submitted of fix")],
)
def test_what_came_late_where_no_lease_could_end_is_told_by_its_digest(done, told):
    records, measured = unfenced(done=done)
    assert verdicts(records, measured)["a late writer was refused"] == "failed"
    expected = f"no fence refused fixer, who wrote late: {told}"
    assert says(records, measured, "a late writer was refused") == expected


def test_what_turned_late_words_down_instead_of_a_fence_is_said():
    records, measured = good()
    other = tuple(
        replace(one, code="validator_required") if one.action == "todo.complete" else one for one in records.refusals
    )
    assert says(replace(records, refusals=other), measured, "a late writer was refused").endswith(
        "about fix: turned down only by validator_required"
    )
