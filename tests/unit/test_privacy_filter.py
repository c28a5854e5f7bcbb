"""Whatever leaves passes one filter: it withholds whole values, says where and why, and leaves the rest alone."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import detectors
from ledger.catalogue import ACTIONS
from ledger.ids import BOT, OPERATOR, MemberId
from ledger.key_families import key_reason
from ledger.projections import ordinary, outlet, views
from ledger.projections.documents import READERS
from ledger.projections.form_views import FormView
from ledger.projections.privacy import WARNING_KIND, WARNINGS_MAX, WITHHELD, Part, clip, screened
from ledger.projections.views import CardView
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller
from ledger.text.documents import render
from ledger.wire import all_kinds
from tests.replay.script import everything
from tests.support.ledger_script import Script
from tests.support.ordinary_prose import ALL
from tests.support.private_goal import docs_script, warned
from tests.support.readings import queries

HOME_PATH = "/home/ann/plans/secret.md"


def open_to_all(_goal_id):
    return "open"


@pytest.mark.parametrize("made", [dict, Part])
def test_a_part_that_many_documents_share_is_looked_at_like_any_other(made):
    part = made({"goal_id": "docs", "text": f"It is in {HOME_PATH}", "inner": {"api_key": "k"}})
    for _ in range(2):
        shown = screened({"rows": [part]}, open_to_all)
        assert shown["rows"] == [{"goal_id": "docs", "text": WITHHELD, "inner": {"api_key": WITHHELD}}]
        assert [one["field_path"] for one in shown["source_warnings"]] == ["rows[0].text", "rows[0].inner.api_key"]
    assert part["text"] == f"It is in {HOME_PATH}"


def test_a_part_of_a_goal_that_became_private_since_is_withheld():
    rights = {"docs": "open"}
    document = {"rows": [Part({"subject": {"goal_id": "docs"}, "row": {"goal_id": "docs", "text": "What ann wrote"}})]}
    assert screened(document, rights.__getitem__) is document
    rights["docs"] = "stranger"
    assert screened(document, rights.__getitem__)["rows"][0]["row"]["text"] == WITHHELD


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


@pytest.mark.parametrize("count", [1, WARNINGS_MAX, WARNINGS_MAX + 1, 100])
def test_a_document_that_passes_twice_is_told_of_once(count):
    """A document of the past passes by what held then and by what holds now."""
    once = screened({"rows": [HOME_PATH] * count, "source_warnings": []}, open_to_all)
    twice = screened(once, open_to_all)
    assert twice["source_warnings"] == once["source_warnings"]
    private = screened(once | {"goal_id": "docs", "note": "Ask the clinic"}, lambda _: "stranger")
    assert private["note"] == WITHHELD
    told = private["source_warnings"]
    assert count + 1 == len([one for one in told if "count" not in one]) + sum(one.get("count", 0) for one in told)


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


def test_a_path_is_withheld_everywhere_and_the_original_is_read_by_those_who_have_a_part():
    script = docs_script()
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
    script = docs_script()
    script.add_todo(f"Rewrite {HOME_PATH}")
    text = render("status.show", script.read("ann", "status.show"), "en")
    assert "Withheld as private: 1." in text
    assert "Withheld" not in render("goal.list", script.read("ann", "goal.list"), "en")


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


def test_texts_are_forgotten_when_words_are_erased():
    text = "Words that somebody will erase"
    assert screened({"title": text}, open_to_all) == {"title": text}
    assert text in ordinary.ordinary_texts
    ordinary.forget_texts()
    assert text not in ordinary.ordinary_texts
    assert detectors._short.cache_info().currsize == 0
