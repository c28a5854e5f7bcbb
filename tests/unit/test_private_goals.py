"""The work of a private goal is for those who have a part in it; ids, states and counts stay for everybody."""

import typing

import msgspec
import pytest

from ledger.codec import decode_event
from ledger.events import Words
from ledger.ids import BOT, OPERATOR, GoalId, MemberId
from ledger.outlines import outline_of
from ledger.projections import documents, outlet
from ledger.projections.cards import goal_view, review_view
from ledger.projections.documents import READERS
from ledger.projections.privacy import WITHHELD, screened
from ledger.projections.views import CardView
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.rules.goal_events import IntentWords
from tests.replay.script import everything
from tests.support.private_goal import CONTACT, docs_script, warned
from tests.support.readings import queries

WORK = {"title": "Ask the clinic", "acceptance": "Two answers of the clinic"}


def _private_script():
    script = docs_script(private=True)
    asked = {"text": WORK["title"], "acceptance": WORK["acceptance"]}
    script.do("builder", "todo.add", goal_id="docs", todo_id="todo_one", **asked)
    script.do("builder", "todo.claim", goal_id="docs", todo_id="todo_one")
    script.do(
        "builder", "artifact.submit", goal_id="docs", todo_id="todo_one", kind="report", label="Answers of the clinic",
        summary="Both of them said no", sha256="a" * 64, size_bytes=1, criterion=("c1",),
    )  # fmt: skip
    return script


def test_the_work_of_a_private_goal_is_shown_to_those_who_have_a_part_in_it():
    script = _private_script()
    for reader in ("ann", "cara", "builder"):
        (row,) = script.read(reader, "todo.list", goal_id="docs")["todos"]
        assert {name: row[name] for name in WORK} == WORK
    for reader in ("ben", OPERATOR, BOT):
        shown = script.read(reader, "todo.list", goal_id="docs")
        (row,) = shown["todos"]
        assert {row[name] for name in WORK} == {WITHHELD}
        assert (row["todo_id"], row["status"], row["claimed_by"]) == ("todo_one", "open", "builder")
        assert ("todos[0].title", "private_goal") in warned(shown)
        assert shown["total"] == 1
        artifact = script.read(reader, "artifact.list", goal_id="docs")["artifacts"][0]
        assert (artifact["label"], artifact["summary"], artifact["sha256"]) == (WITHHELD, WITHHELD, "a" * 64)


def test_a_way_to_reach_a_person_is_withheld_from_everybody_but_the_one_who_asks_for_the_original():
    script = _private_script()
    for reader in ("ann", "cara", "builder", "ben"):
        assert CONTACT not in repr(script.read(reader, "goal.show", goal_id="docs"))
    assert CONTACT in script.read("ann", "goal.show", goal_id="docs", full=True)["objective"]
    assert CONTACT in docs_script().read("ben", "goal.show", goal_id="docs")["objective"]


def test_a_person_has_a_part_by_name_and_not_because_every_goal_is_open_to_them():
    script = _private_script()
    assert script.seen.members[MemberId("ben")].goals == ("*",)
    script.do(OPERATOR, "member.add", member_id="dora", kind="person", display_name="Dora", goal_id=("docs",))
    assert script.read("dora", "todo.list", goal_id="docs")["todos"][0]["title"] == WORK["title"]


def test_a_press_in_a_chat_is_no_way_in():
    script = _private_script()
    goal = script.goal()
    assert outlet.has_part(script.seen, goal, script.caller("ann"))
    assert not outlet.has_part(script.seen, goal, script.caller("ann", "lark"))


def _all_private():
    """A long history in which every goal is private."""
    world = everything()
    for goal in world.state.goals.values():
        goal.intents[:] = [msgspec.structs.replace(intent, private=True) for intent in goal.intents]
    return world


def _work_words(world):
    """What people wrote into the work: all words of the history but those of promises, names and enumerations."""
    for row in world.store.events(0):
        words = decode_event(row.body, row.words, row.hash).words
        if words is not None and row.goal_id is not None and not isinstance(words, IntentWords):
            yield from _texts(words)


def _texts(value: Words | object) -> typing.Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _texts(getattr(value, name))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def test_no_document_shows_a_word_of_private_work_to_a_stranger():
    """Whatever can be read, of whatever family, also of one that was not there when this was written."""
    world = _all_private()
    promised = "".join(text for row in world.store.events(0) for text in _promise(row))
    words = {text for text in _work_words(world) if len(text) >= 6 and " " in text and text not in promised}
    assert len(words) > 20
    stranger = Caller(member_id=BOT, kind="bot", surface="http")
    for question, params in queries(world.state).items():
        answer = READERS[question.partition(" ")[0]](world.state, stranger, params, world.state.at_ms)
        shown = _texts_in(msgspec.to_builtins(answer)) if not isinstance(answer, Refusal) else set()
        told = {word for word in words if any(word in text for text in shown)}
        assert not told, question


_STAYS = ("_id", "_ids", "_at", "_by", "_seq", "status", "state", "waits_for", "subject", "presence", "members", "kind")


def test_ids_states_and_counts_of_private_work_stay():
    world = _all_private()
    stranger = Caller(member_id=BOT, kind="bot", surface="http")
    asked_as = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
    compared = 0
    for question, params in queries(world.state).items():
        reader = READERS[question.partition(" ")[0]]
        whole, shown = (reader(world.state, who, params, world.state.at_ms) for who in (asked_as, stranger))
        if not isinstance(whole, Refusal) and question.split(" ")[0] in {
            "todo.list",
            "gate.show",
            "plan.show",
            "goal.show",
        }:
            compared += _same("", msgspec.to_builtins(whole), msgspec.to_builtins(shown))
    assert compared > 1_000


def _same(name, whole, shown):
    """How many values that are not words stand in both as they are."""
    if isinstance(whole, dict):
        return sum(_same(key, one, shown[key]) for key, one in whole.items() if key != "source_warnings")
    if isinstance(whole, list | tuple):
        return sum(_same(name, *pair) for pair in zip(whole, shown, strict=True))
    if not isinstance(whole, str) or name.endswith(_STAYS):
        assert whole == shown, name
        return 1
    return 0


@pytest.mark.parametrize(
    "document",
    [
        {"order": "newest"},
        {"hash": "0a1b2c3d4e5f"},
        {"words_erased": ["title", "note"]},
        {"agent_model": "peer_v1"},
        {"profile_role": "reviewer"},
        {"default_task_classes": ["advancement_task"]},
        {"answer": "adopt"},
        {"quota": {"reason": "There is work to do.", "spend_policy": "after_validated_writeback"}},
        {"reason": "There is work to do.", "reason_codes": ["work_ready"]},
        {"gap_lanes": [{"lane_id": "a", "names": ["x"], "reason": "agent_not_registered"}]},
        {"field_class": {"title": "retained", "acceptance": "retained", "agent": "enforced"}},
        {
            "recent_events": [
                {"classification": "goal.withdrawn", "generated_at": "x", "summary": "goal.withdrawn by ann"}
            ]
        },
    ],
)
def test_what_is_our_own_is_withheld_from_nobody(document):
    for rights in ("open", "member", "stranger"):
        assert screened(document, lambda _, rights=rights: rights, "docs") == document


def test_the_same_names_hold_peoples_words_elsewhere():
    for document in ({"reason": "Too early"}, {"title": "retained"}, {"summary": "Both of them said no"}):
        (name,) = document
        shown = screened(document, lambda _: "stranger", "docs")
        assert shown[name] == WITHHELD


def test_no_constant_of_ours_is_withheld_from_a_stranger_in_any_document():
    """Whatever one word of a closed list stands anywhere in a document: a stranger reads it."""
    world = _all_private()
    stranger = Caller(member_id=BOT, kind="bot", surface="http")
    ours = {"reject", "adopt", "agent_not_registered", "enforced", "advisory", "peer_v1", "newest", "advancement_task"}
    met = set()
    for question, params in queries(world.state).items():
        name = question.partition(" ")[0]
        made = documents._MADE[name](world.state, stranger, params, world.state.at_ms)
        shown = READERS[name](world.state, stranger, params, world.state.at_ms)
        if not isinstance(made, Refusal):
            whole, seen = (_texts_in(msgspec.to_builtins(one)) & ours for one in (made, shown))
            assert whole == seen, question
            met |= whole
    assert len(met) >= 4


def _promise(row):
    words = decode_event(row.body, row.words, row.hash).words
    return _texts(words) if isinstance(words, IntentWords) or row.goal_id is None else ()


def _texts_in(value):
    if isinstance(value, str):
        return {value}
    rows = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return set().union(*(_texts_in(one) for one in rows))


def test_a_card_shows_a_chat_no_word_of_private_work_and_what_the_promise_says():
    script = _private_script()
    goal = script.seen.goals[GoalId("docs")]
    view = CardView(
        kind="review", audience="group", tokens={"goal.confirm": "t" * 40}, mentions=("ou_" + "a" * 32,),
        goal=goal_view(script.seen, goal, script.now_ms), review=review_view(script.seen, goal, 1),
    )  # fmt: skip
    shown = outlet.shown_in_chat(script.seen, view)
    assert shown.goal.title == "Check the docs"
    assert shown.goal.objective == WITHHELD
    assert [criterion.text for criterion in shown.review.criteria] == ["Every link works", "Every command runs"]
    assert shown.goal.todos[0].title == WITHHELD
    assert (shown.goal.todos[0].todo_id, shown.goal.todos_total) == ("todo_one", 1)
    assert shown.goal.artifacts[0].label == WITHHELD
    assert (shown.tokens, shown.mentions) == (view.tokens, view.mentions)
    assert shown.review.basis == goal.intents[0].basis
    assert outlet.title_in_chat(script.seen, outline_of(goal)) == "Check the docs"
