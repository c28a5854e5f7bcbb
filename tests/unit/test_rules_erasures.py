"""Erasing words: who may, what there is to erase, and that nothing which is decided changes by it."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.catalogue import ACTIONS
from ledger.decide import decide
from ledger.events import ERASED
from ledger.past import _REGISTRY, state_at
from ledger.refusals import Refusal
from ledger.rules.common import Held
from ledger.state import Workspace
from ledger.text.documents import render
from ledger.text.explain import explain
from tests.replay.script import everything
from tests.support.dump import dump, state_digest
from tests.support.views import view
from tests.support.walk import Walker
from tests.support.world import DOCS, World, replay

SECRET = "Call 555-0142 about it"


def begun() -> World:
    world = World()
    world.activate()
    world.add("todo_one", text=SECRET)
    return world


def seq_of(world, kind):
    return next(row.seq for row in world.store.events(0) if row.kind == kind)


def erase(world, *seqs, who="ann", goal_id: str | None = DOCS):
    about = {} if goal_id is None else {"goal_id": goal_id}
    return world.ask(who, "words.erase", seq=list(seqs), reason_code="personal_data", **about)


def test_words_go_and_the_event_stays():
    world = begun()
    seq = seq_of(world, "todo.added")
    before = [row._replace(words=None, salt=None) for row in world.store.events(0)]
    (event,) = erase(world, seq).events
    assert (event.kind, event.facts.seqs, event.facts.reason_code) == ("words.erased", (seq,), "personal_data")
    assert [row._replace(words=None, salt=None) for row in world.store.events(0)][:-1] == before
    assert [row.seq for row in world.store.events(0) if row.words is not None and SECRET.encode() in row.words] == []
    report = world.proved()
    assert (report.holds, report.redacted_seqs) == (True, (seq,))
    assert world.todo("todo_one").title == ERASED
    assert SECRET not in repr(dump(world.state))


def test_state_writer_and_replay_are_one_after_it():
    world = everything()
    for goal_id in [None, *world.state.goals]:
        rows = [row for row in world.store.events(0) if row.goal_id == goal_id and row.words is not None]
        erase(world, *[row.seq for row in rows[:5]], goal_id=goal_id)
    assert state_digest(world.state) == state_digest(replay(world.store)) == state_digest(world.writer._ahead)
    assert world.proved().holds
    assert world.proved().redacted > 20


@pytest.mark.parametrize(
    ("who", "goal_id", "seqs", "code"),
    [
        ("bob", DOCS, [1], "not_an_owner"),
        ("bob", None, [1], "not_an_owner"),
        ("builder", DOCS, [1], "not_permitted"),
        ("operator", None, [1], "not_permitted"),
        ("ann", "nowhere", [1], "goal_not_found"),
        ("ann", DOCS, [1], "event_not_found"),
        ("ann", DOCS, [10_000], "event_not_found"),
        ("ann", None, ["todo.added"], "event_not_found"),
        ("ann", DOCS, ["todo.added", 1], "event_not_found"),
        ("ann", DOCS, ["goal.confirmed"], "nothing_to_erase"),
        ("ann", DOCS, ["todo.added", "goal.confirmed"], None),
        ("ann", None, [1], None),
    ],
)
def test_the_first_broken_rule_is_the_answer(who, goal_id, seqs, code):
    world = begun()
    named = [seq_of(world, seq) if isinstance(seq, str) else seq for seq in seqs]
    answer = erase(world, *named, who=who, goal_id=goal_id)
    assert (None if answer.refusal is None else answer.refusal.code.value) == code


def test_erasing_again_is_refused_and_changes_nothing():
    world = begun()
    seq = seq_of(world, "todo.added")
    erase(world, seq)
    head = world.store.head()
    again = erase(world, seq, seq)
    assert (again.refusal.code, again.refusal.details) == ("nothing_to_erase", {"seqs": [seq]})
    assert world.store.head() == head


def test_the_same_request_again_has_its_first_answer():
    world = begun()
    asked = {"seq": [seq_of(world, "todo.added")], "goal_id": DOCS, "reason_code": "mistake"}
    first = world.ask("ann", "words.erase", "key-of-erasing", **asked)
    again = world.ask("ann", "words.erase", "key-of-erasing", **asked)
    assert again.replayed
    assert again.events == first.events


def test_an_event_of_the_same_batch_loses_its_words_at_once():
    world = begun()
    seq = world.state.seq + 1
    adding = world.request("ann", "todo.add", goal_id=DOCS, todo_id="todo_two", text=SECRET)
    erasing = world.request("ann", "words.erase", goal_id=DOCS, seq=[seq], reason_code="mistake")
    twice = world.request("ann", "words.erase", goal_id=DOCS, seq=[seq], reason_code="mistake")
    answers = world.drain(adding, erasing, twice)
    assert [answer.refusal and answer.refusal.code.value for answer in answers] == [None, None, "nothing_to_erase"]
    assert next(world.store.events(seq - 1, limit=1)).words is None
    assert world.todo("todo_two").title == ERASED
    assert state_digest(world.writer._ahead) == state_digest(world.state)


def test_the_past_has_lost_them_too():
    world = begun()
    seq = seq_of(world, "todo.added")
    erase(world, seq)
    assert state_at(world.store, seq).goals[DOCS].todos["todo_one"].title == ERASED


def test_every_part_of_a_workspace_is_taken_over_or_is_its_place_in_the_log():
    place = {"seq", "hash", "at_ms", "created", "goals"}
    assert {*_REGISTRY} | place == {*Workspace.__slots__}


def test_a_promise_whose_words_are_gone_is_confirmed_by_nobody_until_it_is_said_anew():
    world = World()
    world.propose()
    erase(world, seq_of(world, "goal.proposed"))
    basis = world.goal().intents[-1].basis
    refusal = world.ask("ann", "goal.confirm", goal_id=DOCS, basis=basis).refusal
    assert (refusal.code, refusal.details) == (
        "promise_erased", {"revision": 1, "fields": ["title", "objective", "criteria"]},
    )  # fmt: skip
    for locale in ("en", "zh"):
        assert "goal revise" in explain(refusal, locale)[1]
    # What is said anew in part is not yet a promise.
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Every link works")
    basis = world.goal().intents[-1].basis
    refusal = world.ask("ann", "goal.confirm", goal_id=DOCS, basis=basis).refusal
    assert refusal.details == {"revision": 2, "fields": ["title", "criteria"]}
    world.do("ann", "goal.revise", goal_id=DOCS, title="Links", criterion=["None is broken"])
    world.do("ann", "goal.confirm", goal_id=DOCS, basis=world.goal().intents[-1].basis)
    assert world.goal().state == "active"


def test_a_promise_that_was_confirmed_stays_confirmed_when_its_words_go():
    world = begun()
    erase(world, seq_of(world, "goal.proposed"))
    assert world.goal().state == "active"
    world.finish("todo_one")


def test_whose_promise_was_erased_is_asked_to_say_it_anew_and_not_to_confirm_it():
    world = World()
    world.propose()
    erase(world, seq_of(world, "goal.proposed"))
    (item,) = view(world, "attention.show")["items"]
    assert (item["action"], item["reason_code"]) == ("goal.revise", "promise_erased")
    assert "ann" in item["waits_for"]
    for locale in ("en", "zh"):
        assert "goal.revise" not in render("attention.show", view(world, "attention.show"), locale)


def test_what_was_erased_is_no_cause_of_a_state():
    world = begun()
    cause = world.goal().cause
    erase(world, seq_of(world, "todo.added"))
    assert world.goal().cause == cause


def _decided(decision):
    if isinstance(decision, Refusal):
        # Which fields of a promise read otherwise is told, and is nothing that is decided on.
        return decision.code.value, {name: value for name, value in decision.details.items() if name != "changed"}
    if isinstance(decision, Held):
        return "held", decision.seq
    return [(type(draft.facts).__name__, msgspec.to_builtins(draft.facts)) for draft in decision]


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32))
def test_no_rule_decides_otherwise_when_every_word_is_gone(seed):
    world = World()
    generator = random.Random(seed)
    walker = Walker(world, generator.choice)
    for _ in range(60):
        move = walker.next()
        world.ask(move.who, move.action, **move.params)
        world.now_ms += generator.choice((0, 1_000, 20_000))
    bare = _bare(world)
    for _ in range(60):
        move = walker.next()
        if ACTIONS[move.action].writes:
            asked = (move.who, move.action)
            with_words, without = (_decided(one.decide(*asked, **move.params)) for one in (world, bare))
            # To say again what was erased is to say something: only there do the words of a wish count.
            # And a promise that nobody can read is confirmed by nobody.
            if move.action == "goal.confirm" and without[0] == "promise_erased":
                continue
            assert with_words in (without, ("nothing_to_change", {})), move


def _bare(world: World) -> World:
    """The same without a word. Erasing has events of its own; here only what the words could change is changed."""
    bare = World.__new__(World)
    bare.__dict__.update(world.__dict__)
    world.records.events[:] = [row._replace(words=None, salt=None) for row in world.store.events(0)]
    bare.state = replay(world.store)
    return bare


def test_every_command_of_the_long_history_is_decided_alike_without_a_word():
    world = everything()
    bare = _bare(world)
    asked = [request for request in world.asked if request.action.writes and not request.action.names_events]
    assert len(asked) > 150
    for request in asked:
        about = (request.action, request.caller, request.params, world.now_ms)
        assert _decided(decide(bare.state, *about)) == _decided(decide(world.state, *about)), request
