"""Whatever leaves passes one filter: it withholds whole values, says where and why, and leaves the rest alone."""

import typing

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import detectors
from ledger.catalogue import ACTIONS
from ledger.codec import decode_event
from ledger.events import Words
from ledger.ids import BOT, OPERATOR, GoalId, MemberId
from ledger.key_families import key_reason
from ledger.outlines import outline_of
from ledger.projections import ordinary, outlet, views
from ledger.projections.cards import goal_view, review_view
from ledger.projections.documents import READERS
from ledger.projections.privacy import WARNING_KIND, WARNINGS_MAX, WITHHELD, clip, screened
from ledger.projections.views import CardView, FormView
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller
from ledger.rules.goal_events import IntentWords
from ledger.text.documents import render
from ledger.wire import all_kinds
from tests.replay.script import everything
from tests.support.ledger_script import Script
from tests.support.ordinary_prose import ALL
from tests.support.readings import queries

HOME_PATH = "/home/ann/plans/secret.md"
CONTACT = "ann@example.com"


def open_to_all(_goal_id):
    return "open"


def warned(document):
    return [(one["field_path"], one["reason"]) for one in document.get("source_warnings", [])]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("api_key", "credential"),
        ("apiKey", "credential"),
        ("API-KEY", "credential"),
        ("secret", "credential"),
        ("clientSecret", "credential"),
        ("token", "credential"),
        ("github_token", "credential"),
        ("password_hint", "credential"),
        ("Authorization", "credential"),
        ("transcript", "raw_material"),
        ("agentTranscriptTail", "raw_material"),
        ("stdout", "raw_material"),
        ("stdout_tail", "raw_material"),
        ("trajectories", "raw_material"),
        ("raw_logs", "raw_material"),
        ("rawTaskText", "raw_material"),
        ("production_log", "raw_material"),
        ("backlog", None),
        ("catalog", None),
        ("tokenizer", None),
        ("raw_material_cost", None),
        ("token_cap", None),
        ("tokens_used", None),
        ("token_id", None),
        ("tokens", None),
        ("secret_digest", None),
        ("transcript_sha256", None),
        ("secretary", None),
        ("", None),
    ],
)
def test_a_name_means_a_family_by_its_whole_words(name, reason):
    assert key_reason(name) == reason


def _own_names():
    """Every name of a field in what we store, ask for, show, and answer with."""
    for action in ACTIONS.values():
        yield from action.params.model_fields
    for kind in all_kinds():
        yield from kind.facts.__struct_fields__
    for one in vars(views).values():
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            yield from one.__struct_fields__
    workspace = everything().state
    for question, params in queries(workspace).items():
        caller = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
        answer = READERS[question.partition(" ")[0]](workspace, caller, params, workspace.at_ms)
        yield from _names_in(msgspec.to_builtins(answer))


def _names_in(value):
    if isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from _names_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _names_in(one)


def test_no_name_of_our_own_means_a_family():
    names = set(_own_names())
    assert len(names) > 200
    assert {name for name in names if key_reason(name) is not None} == set()


def test_a_value_is_withheld_whole_with_its_place_and_reason():
    document = {
        "schema_version": "x_v1",
        "rows": [{"title": "Fine"}, {"title": f"See {HOME_PATH}", "seq": 3}],
        "stdout": ["line"],
        "apiKey": 5,
        "token": None,
        "secret": "",
        "nested": {"texts": ("ok", "password=hunter2")},
    }
    shown = screened(document, open_to_all)
    assert shown["rows"] == [{"title": "Fine"}, {"title": WITHHELD, "seq": 3}]
    assert (shown["stdout"], shown["apiKey"], shown["token"], shown["secret"]) == (WITHHELD, WITHHELD, None, "")
    assert shown["nested"]["texts"] == ("ok", WITHHELD)
    assert all(one["kind"] == WARNING_KIND for one in shown["source_warnings"])
    assert warned(shown) == [
        ("rows[1].title", "absolute_path"),
        ("stdout", "raw_material"),
        ("apiKey", "credential"),
        ("nested.texts[1]", "credential"),
    ]
    assert "source_warnings" not in document
    assert HOME_PATH in document["rows"][1]["title"]


def test_a_warning_stands_in_the_document_that_it_is_about():
    inner = {"goal_id": "docs", "title": HOME_PATH, "source_warnings": []}
    shown = screened({"items": [inner, {"title": "Fine", "source_warnings": []}], "note": HOME_PATH}, open_to_all)
    assert warned(shown["items"][0]) == [("title", "absolute_path")]
    assert shown["items"][1] == {"title": "Fine", "source_warnings": []}
    assert warned(shown) == [("note", "absolute_path")]


def test_warnings_are_bounded_and_the_rest_is_counted():
    shown = screened({"rows": [HOME_PATH] * 100}, open_to_all)
    assert shown["rows"] == [WITHHELD] * 100
    *named, last = shown["source_warnings"]
    assert len(named) == WARNINGS_MAX - 1
    assert last == {"kind": WARNING_KIND, "field_path": "", "reason": "more", "count": 100 - len(named)}


_PLAIN = st.one_of(st.sampled_from(ALL), st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False))
_NAMES = st.sampled_from(("title", "note", "rows", "backlog", "token_cap", "goal_id", "summary", "evidence"))
_DOCUMENTS = st.dictionaries(
    _NAMES, st.recursive(_PLAIN, lambda inner: st.lists(inner) | st.dictionaries(_NAMES, inner), max_leaves=20)
)


@given(_DOCUMENTS)
def test_a_document_of_ordinary_texts_goes_out_as_it_came(document):
    assert screened(document, open_to_all) is document


@given(_DOCUMENTS, st.sampled_from((HOME_PATH, "password=hunter2", "http://10.0.0.7/x")))
def test_one_private_text_is_all_that_changes(document, text):
    asked = {**document, "why": [text]}
    shown = screened(asked, open_to_all)
    assert shown == {**document, "why": [WITHHELD], "source_warnings": shown["source_warnings"]}
    assert [path for path, _ in warned(shown)] == ["why[0]"]
    assert text not in repr(shown)


def test_half_of_a_secret_is_not_shown_either():
    assert clip("x" * 90 + f" {HOME_PATH}", 100) == WITHHELD
    assert clip("x" * 90 + " an ordinary text", 100).endswith("…")
    assert screened({"title": WITHHELD}, open_to_all)["source_warnings"][0]["field_path"] == "title"


def test_every_document_leaves_through_the_filter():
    """A reader that is entered into the table is wrapped by the table, not by whoever wrote it."""
    assert {reader.__qualname__ for reader in READERS.values()} == {"through_the_filter.<locals>.read"}


def _script(*, private=False):
    script = Script()
    script.add_person("ben", "Ben Ortiz")
    script.add_person("cara", "Cara Diaz")
    script.add_agent("builder")
    script.propose(objective=f"Write to {CONTACT}", approver=("cara",), private=private)
    script.do("ann", "goal.confirm", goal_id="docs", basis=script.goal().intents[0].basis)
    return script


def test_a_path_is_withheld_everywhere_and_the_original_is_read_by_those_who_have_a_part():
    script = _script()
    script.add_todo(f"Rewrite {HOME_PATH}", acceptance="An ordinary one")
    for reader in ("ann", "ben", "builder", OPERATOR, BOT):
        shown = script.read(reader, "todo.list", goal_id="docs")
        assert shown["todos"][0]["title"] == WITHHELD
        assert shown["todos"][0]["acceptance"] == "An ordinary one"
        assert warned(shown) == [("todos[0].title", "absolute_path")]
        assert HOME_PATH not in repr(script.read(reader, "goal.show", goal_id="docs"))
        assert HOME_PATH not in repr(script.read(reader, "status.show"))
    for reader in ("ann", "cara", "builder"):
        assert script.read(reader, "todo.list", goal_id="docs", full=True)["todos"][0]["title"].endswith(HOME_PATH)
        assert "source_warnings" not in script.read(reader, "todo.list", goal_id="docs", full=True)
    for reader in ("ben", OPERATOR, BOT):
        refusal = script.try_read(reader, "todo.list", goal_id="docs", full=True)
        assert isinstance(refusal, Refusal)
        assert refusal.code is GeneralRefusal.ORIGINALS_NOT_YOURS


def test_a_basis_is_over_the_original():
    script = Script()
    goal = script.propose(objective=f"Tidy {HOME_PATH}")
    shown, full = (script.read("ann", "goal.show", goal_id="docs", full=full) for full in (False, True))
    assert shown["basis"] == full["basis"]
    assert shown["review"].basis == full["review"].basis == goal.intents[0].basis
    assert full["objective"].endswith(HOME_PATH)
    assert shown["objective"] == WITHHELD


def test_the_text_for_a_shell_counts_what_is_withheld():
    script = _script()
    script.add_todo(f"Rewrite {HOME_PATH}")
    text = render("status.show", script.read("ann", "status.show"), "en")
    assert "Withheld as private: 1." in text
    assert "Withheld" not in render("goal.list", script.read("ann", "goal.list"), "en")


WORK = {"title": "Ask the clinic", "acceptance": "Two answers of the clinic"}


def _private_script():
    script = _script(private=True)
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
    assert CONTACT in _script().read("ben", "goal.show", goal_id="docs")["objective"]


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


def _promise(row):
    words = decode_event(row.body, row.words, row.hash).words
    return _texts(words) if isinstance(words, IntentWords) or row.goal_id is None else ()


def _texts_in(value):
    if isinstance(value, str):
        return {value}
    rows = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return set().union(*(_texts_in(one) for one in rows))


def test_no_clean_goal_yields_a_warning():
    workspace = everything().state
    for question, params in queries(workspace).items():
        caller = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
        answer = READERS[question.partition(" ")[0]](workspace, caller, params, workspace.at_ms)
        assert WARNING_KIND not in repr(msgspec.to_builtins(answer)), question


def test_a_form_gives_back_what_was_typed_but_no_secret():
    form = FormView(
        status="open",
        values={"objective": f"Tidy {HOME_PATH}", "title": "password=hunter2"},
        problem_code="credential_in_text",
        problem_details={"field": "title"},
        goal_id=None,
    )
    card = CardView(kind="form", audience="group", tokens={"goal.propose": "sk-0123456789abcdef0123"}, form=form)
    shown = outlet.shown_in_chat(Script().seen, card)
    assert shown.form.values == {"objective": f"Tidy {HOME_PATH}", "title": ""}
    assert shown.tokens == card.tokens


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


def test_texts_are_forgotten_when_words_are_erased():
    text = "Words that somebody will erase"
    assert screened({"title": text}, open_to_all) == {"title": text}
    assert text in ordinary.ordinary_texts
    ordinary.forget_texts()
    assert text not in ordinary.ordinary_texts
    assert detectors._short.cache_info().currsize == 0
