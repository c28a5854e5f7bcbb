"""Sentences of events say who did what to whom: who held something, who acts for another; no code in any language."""

from typing import Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from ledger.catalogue import ACTIONS
from ledger.events import ERASED
from ledger.ids import MemberId
from ledger.projections import ends
from ledger.projections.history import Asking
from ledger.projections.stored import STORED_READERS
from ledger.rules.amendments import amendment_basis
from ledger.rules.common import Caller
from ledger.text.happened import Ended, sentence
from ledger.text.lines import committed_line
from ledger.text.say import LOCALES, has, placeholders
from ledger.wire import all_kinds
from tests.support.world import DOCS, World

ANN = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
GATE = {"gate_id": "gate_go", "quorum": 2, "status": "rejected", "until_ms": 0, "delegate": "zoe"}
ITS_TODO = {"todo_id": "todo_one", "owner": "quill", "to_agent": "quill", "expires_at_ms": 0}
OTHER = {
    "gate.vote_recorded": "seat",
    "gate.approved": "seat",
    "gate.refused": "seat",
    "gate.deferred": "seat",
    "gate.delegated": "seat",
    "lease.transferred": "from_owner",
    "todo.handed_off": "from_agent",
    "todo.handoff_prepared": "from_agent",
}


def told(world, locale="en", **params):
    asked = ACTIONS["history.list"].params.model_validate({"order": "oldest", "limit": 200, **params})
    asking = Asking(world.state, ANN, world.state.seq, world.now_ms, locale)
    page = msgspec.to_builtins(STORED_READERS["history.list"](asking, asked)(world.store))
    return [event["sentence"] for event in page["events"]]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(("kind", "by_right"), OTHER.items())
def test_who_acts_for_another_is_told_apart_from_who_acts_alone(kind, by_right, locale):
    facts = {**GATE, **ITS_TODO}
    own = sentence(kind, {**facts, by_right: "ann"}, "ann", locale)
    assert own.count("ann") == 1
    assert "seat of" not in own
    assert "席位" not in own
    other = sentence(kind, {**facts, by_right: "ben"}, "ann", locale)
    assert other.count("ann") == other.count("ben") == 1


@pytest.mark.parametrize("kind", sorted(ends.ENDS))
@pytest.mark.parametrize(
    ("ended", "en", "zh"),
    [
        (Ended("ann"), "ann gave back", "ann 归还了"),
        (Ended(None), " ended.", "已结束"),
        (Ended("scout"), "ann ended the", "ann 结束了 scout"),
        (Ended("scout", "Ann paused."), "was ended by this: Ann paused.", "因此结束：Ann paused."),
    ],
)
def test_only_who_held_something_gave_it_back(kind, ended, en, zh):
    for locale, part in (("en", en), ("zh", zh)):
        said = sentence(kind, {"todo_id": "todo_one"}, "ann", locale, ended=ended)
        assert part in said
        assert "todo_one" in said
        assert (ended.holder or "todo_one") in said
        assert ("gave back" in said or "归还" in said) == (ended.holder == "ann")


def held(lease=True):
    world = World()
    world.activate()
    world.add("todo_one")
    if lease:
        world.lease("todo_one")
    else:
        world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    return world


@pytest.mark.parametrize(
    ("lease", "kind", "who", "action", "params", "said"),
    [
        (True, "lease.released", "ann", "todo.cancel", {"todo_id": "todo_one", "reason": "Enough"},
         "The lease of builder on todo_one was ended by this: ann cancelled todo_one."),
        (True, "lease.released", "builder", "task-lease.release",
         {"todo_id": "todo_one", "owner": "builder", "idempotency_key": "run-1", "expected_version": 1},
         "builder gave back the lease on todo_one."),
        (False, "todo.released", "ann", "todo.release", {"todo_id": "todo_one"},
         "ann ended the claim of builder on todo_one."),
        (False, "todo.released", "builder", "todo.release", {"todo_id": "todo_one"}, "builder gave back todo_one."),
    ],
)  # fmt: skip
def test_an_end_is_told_by_who_held_it_and_by_what_ended_it(lease, kind, who, action, params, said):
    world = held(lease)
    world.do(who, action, goal_id=DOCS, **params)
    assert told(world, kind=kind) == [said]


def test_an_amendment_that_stops_work_says_that_it_ended_the_lease():
    world = held()
    operation = {"op": "reprioritise", "todo_id": "todo_one", "priority": "P0"}
    asked = {"amendment_class": "shared_acceptance", "amendment_id": "amend_a", "why": "It must"}
    world.do("builder", "amendment.submit", goal_id=DOCS, operation=[operation], stop_todo=["todo_one"], **asked)
    basis = amendment_basis(world.goal(), world.goal().amendments.by_id["amend_a"])
    world.do("ann", "amendment.commit", goal_id=DOCS, amendment_id="amend_a", basis=basis)
    why = "was ended by this: ann committed amendment amend_a."
    assert told(world, kind="lease.released") == [f"The lease of builder on todo_one {why}"]


def test_a_revocation_says_that_it_ended_what_was_held():
    for lease, kind, hold in ((True, "lease.released", "lease"), (False, "todo.released", "claim")):
        world = held(lease)
        world.do("ann", "member.revoke", member_id="builder")
        assert told(world, kind=kind) == [
            f"The {hold} of builder on todo_one was ended by this: ann took all rights of builder."
        ]


def test_a_holder_is_looked_for_in_a_bounded_number_of_events(monkeypatch):
    world = held()
    for number in range(4):
        world.add(f"todo_{number:03}")
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_one", reason="Enough")
    monkeypatch.setattr(ends, "LOOKED_BACK_MAX", 3)
    assert told(world, kind="lease.released") == ["The lease on todo_one ended."]


def _codes():
    for kind in all_kinds():
        key = f"history.{kind.name}"
        if kind.upcast is None and has(key):
            for name, hint in get_type_hints(kind.facts).items():
                for one in (hint, *get_args(hint)):
                    if get_origin(one) is Literal:
                        yield from ((kind, name, code) for code in get_args(one) if name in placeholders(key))


@pytest.mark.parametrize(("kind", "name", "code"), list(_codes()), ids=str)
def test_a_code_goes_by_its_name_in_a_sentence(kind, name, code):
    values = {field: f"<{field}>" for field in kind.facts.__struct_fields__}
    said = sentence(kind.name, {**values, name: code}, "ann", "zh")
    assert code not in said, said


def test_a_short_span_is_told_to_the_second():
    facts = {"owner": "quill", "todo_id": "todo_one", "lease_epoch": 1, "expires_at_ms": 1_000_008_000}
    assert "00:00:08 UTC" not in sentence("lease.acquired", facts, "quill", "en")
    near = sentence("lease.acquired", facts, "quill", "en", at_ms=1_000_000_000)
    far = sentence("lease.acquired", facts, "quill", "en", at_ms=0)
    assert "1970-01-12 13:46:48 UTC" in near
    assert "1970-01-12 13:46 UTC" in far


def test_words_follow_the_sentence_and_erased_ones_are_said_to_be_gone():
    facts = {"todo_id": "todo_one"}
    assert sentence("todo.cancelled", facts, "ann", "en", text="Enough") == "ann cancelled todo_one. “Enough”"
    assert (
        sentence("todo.cancelled", facts, "ann", "en", erased=True) == "ann cancelled todo_one. Its words were erased."
    )
    assert ERASED not in sentence("todo.cancelled", facts, "ann", "zh", erased=True)


@pytest.mark.parametrize(("ttl_seconds", "shown"), [(8, "until 1970-01-12 13:46:48 UTC"), (3_600, "13:46 UTC")])
def test_a_short_lease_is_answered_to_the_second(ttl_seconds, shown):
    result = {
        "todo_id": "todo_one",
        "owner": "quill",
        "acquire_ttl_seconds": ttl_seconds,
        "expires_at_ms": 1_000_008_000,
    }
    result |= {"version": 1, "lease_epoch": 1}
    document = {"result": result, "events": [{"kind": "lease.acquired", "seq": 1}]}
    assert shown in committed_line("task-lease.acquire", document, "en")
