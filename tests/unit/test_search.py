"""Search over a long history: what it finds is what the log says, in pages, and for whoever may read it."""

import msgspec
import pytest
from msgspec import inspect
from pydantic import ValidationError

from ledger import searching
from ledger.catalogue import ACTIONS
from ledger.codec import decode_row
from ledger.ids import MemberId
from ledger.projections import search
from ledger.projections.history import Asking
from ledger.projections.stored import STORED_READERS
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.searching import OF_THE_PLATFORM, folded, index_words, search_row, texts_of
from ledger.text.documents import render
from ledger.wire import all_kinds
from tests.replay.script import everything
from tests.support.world import DOCS, World

ANN = Caller(member_id=MemberId("ann"), kind="person", surface="cli")
STRANGER = Caller(member_id=MemberId("stranger"), kind="agent", surface="cli")


def caught_up(world):
    while index_words(world.store, world.writer._term, 50) < world.state.seq:
        pass
    return world


def ask(world, query, caller=ANN, at=None, **params):
    through = world.state.seq if at is None else at
    given = ACTIONS["search.find"].params.model_validate({"query": query, **params})
    reading = STORED_READERS["search.find"](Asking(world.state, caller, through, world.now_ms, "en"), given)
    return reading if isinstance(reading, Refusal) else msgspec.to_builtins(reading(world.store))


def seqs(world, query, **params):
    found, after = [], None
    while True:
        page = ask(world, query, **params, **({} if after is None else {"after": after}))
        found += [hit["seq"] for hit in page["hits"]]
        after = page["next_after"]
        if after is None:
            return list(dict.fromkeys(found))


@pytest.fixture(scope="module")
def played():
    return caught_up(everything())


def _worded(world):
    return {row.seq: [folded(text) for text in texts_of(decode_row(row).words)] for row in world.store.events(0)}


@pytest.mark.parametrize(
    "query", ["page", "Every PAGE", "check", "links work", "the", "no", "链接", "从头", "zzz", "a b"]
)
@pytest.mark.parametrize("limit", [1, 50])
def test_every_term_is_found_wherever_it_stands_and_nowhere_else(played, query, limit):
    terms = folded(query).split()
    texts = _worded(played)
    expected = [seq for seq, said in texts.items() if all(term in "\n".join(said) for term in terms)]
    assert seqs(played, query, limit=limit) == expected[::-1]


def test_things_are_found_by_what_was_said_of_them():
    world = World()
    world.activate()
    world.add("todo_links", text="Repair the Broken links")
    world.add("todo_later")
    world.do(
        "builder", "gate.open", goal_id=DOCS, gate_id="gate_go", question="Repair by hand?", blocks_todo=["todo_later"]
    )
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_links")
    world.submit("todo_links", summary="Repair done")
    world.do("ann", "goal.pause", goal_id=DOCS, reason="Repair the repairer")
    caught_up(world)
    found = {hit["kind"]: (hit["id"], hit["event_kind"]) for hit in ask(world, "repair")["hits"]}
    assert found.pop("artifact")[1] == "artifact.submitted"
    assert found == {
        "todo": ("todo_links", "todo.added"),
        "gate": ("gate_go", "gate.opened"),
        "event": (DOCS, "goal.paused"),
    }
    assert [hit["id"] for hit in ask(world, "repair", kind="todo")["hits"]] == ["todo_links"]
    assert [hit["kind"] for hit in ask(world, "page", goal_id=DOCS)["hits"]] == ["goal"]
    (hit,) = ask(world, "ＢＲＯＫＥＮ")["hits"]
    assert hit["snippet"] == "Repair the Broken links"
    assert "todo_links" in render("search.find", ask(world, "broken"), "en")


def found(world, query, **params):
    return {(hit["kind"], hit["id"]) for hit in ask(world, query, **params)["hits"]}


def test_a_todo_of_a_plan_is_found_by_the_words_of_its_lane():
    world = World()
    world.activate()
    lanes = [
        {"lane_id": "chapters", "title": "Rewrite the chapters", "acceptance": "The editor nods", "agent": "builder"},
        {"lane_id": "index", "title": "Rewrite the index", "agent": "builder"},
    ]
    world.do("ann", "plan.propose", goal_id=DOCS, plan_id="plan_book", lane=lanes)
    caught_up(world)
    both = {("todo", "todo_plan_book_chapters"), ("todo", "todo_plan_book_index")}
    assert found(world, "rewrite") == found(world, "rewrite", kind="todo") == found(world, "rewrite", limit=1) == both
    assert found(world, "nods") == {("todo", "todo_plan_book_chapters")}
    assert found(world, "rewrite", kind="event") == set()
    assert found(world, "nods index") == {("event", DOCS)}, "said of two todos, and so of neither"
    (hit,) = ask(world, "chapters")["hits"]
    assert hit["snippet"] == "Rewrite the chapters"


def test_a_title_that_an_amendment_restates_is_found_by_its_old_words_and_by_its_new_ones():
    world = World()
    world.activate()
    world.add("todo_words", text="Collect the vocabulary")
    operation = {"op": "restate", "todo_id": "todo_words", "title": "Write the glossary"}
    asked = {"amendment_class": "shared_acceptance", "why": "Readers ask", "operation": [operation]}
    world.do("builder", "amendment.submit", goal_id=DOCS, **asked)
    caught_up(world)
    assert found(world, "vocabulary") == found(world, "glossary") == {("todo", "todo_words")}
    assert found(world, "readers", kind="event") == {("event", DOCS)}


def _sample(kind):
    """Words of this kind with a word of their own in every place, and those words."""
    marks = []

    def filled(wanted):
        shape = inspect.type_info(wanted) if isinstance(wanted, type) else wanted
        match shape:
            case inspect.StrType():
                marks.append(f"mark{len(marks)}x")
                return marks[-1]
            case inspect.UnionType():
                return filled(next(one for one in shape.types if not isinstance(one, inspect.NoneType)))
            case inspect.VarTupleType() | inspect.ListType():
                return (filled(shape.item_type), filled(shape.item_type))
            case inspect.StructType():
                return shape.cls(**{field.name: filled(field.type) for field in shape.fields})
            case _:
                return None

    return filled(kind.words), marks


@pytest.mark.parametrize(
    "kind", [kind for kind in all_kinds() if kind.words is not None], ids=lambda kind: f"{kind.name}-{kind.version}"
)
def test_whatever_people_write_is_searchable_wherever_it_stands(kind):
    words, marks = _sample(kind)
    assert marks
    said = set(texts_of(words))
    hidden = {getattr(words, name) for name in OF_THE_PLATFORM & set(words.__struct_fields__)}
    assert said == set(marks) - hidden


def test_a_row_says_its_goal_once_and_what_an_event_is():
    world = World()
    world.activate()
    world.do("ann", "goal.pause", goal_id=DOCS, reason="Lunch with the page")
    caught_up(world)
    event, *others = render("search.find", ask(world, "page"), "en").splitlines()
    assert event.split()[:4] == ["event", "goal.paused", f"#{world.state.seq}", DOCS]
    assert [row.split()[:4].count(DOCS) for row in (event, *others)] == [1] * (1 + len(others))
    assert others


def test_a_snippet_is_a_short_piece_around_what_was_found():
    world = World()
    world.activate()
    world.add("todo_long", text=f"{'before ' * 20}needle {'after ' * 50}")
    caught_up(world)
    (hit,) = ask(world, "needle")["hits"]
    assert "needle" in hit["snippet"]
    assert hit["snippet"].startswith("…")
    assert hit["snippet"].endswith("…")
    assert len(hit["snippet"]) <= search.SNIPPET_CHARS + 2


def test_a_search_of_then_finds_what_was_said_by_then(played):
    all_of = seqs(played, "page")
    assert seqs(played, "page", at=all_of[1]) == all_of[1:]


def test_erased_words_are_not_found():
    world = caught_up(everything())
    seq = ask(world, "lunch", goal_id=DOCS)["hits"][0]["seq"]
    world.do("ann", "words.erase", goal_id=DOCS, seq=[seq], reason_code="mistake")
    assert ask(world, "lunch", goal_id=DOCS)["hits"] == []
    caught_up(world)
    assert ask(world, "lunch", goal_id=DOCS)["hits"] == []
    assert ask(world, "telephone")["hits"] == []


def test_identities_of_the_platform_and_withheld_texts_are_not_searchable(played):
    for query in ("ou_1", "on_1", "cli_1", "t1"):
        assert ask(played, query)["hits"] == []
    world = World()
    world.activate()
    world.add("todo_path", text="See /home/ann/plans/secret.txt for more")
    caught_up(world)
    assert ask(world, "secret")["hits"] == []
    assert search_row(list(world.store.events(0))[-1]) is None


def test_who_has_no_part_in_a_private_goal_finds_nothing_of_it():
    world = World()
    world.activate("hidden", private=True)
    world.add("todo_hidden", "hidden", text="A quiet errand")
    caught_up(world)
    assert [hit["id"] for hit in ask(world, "errand")["hits"]] == ["todo_hidden"]
    assert ask(world, "errand", caller=STRANGER)["hits"] == []
    assert "er" in "errand"
    assert {hit["goal_id"] for hit in ask(world, "er", caller=STRANGER)["hits"]} == {None}


def test_a_search_looks_at_a_bounded_number_of_texts(played, monkeypatch):
    monkeypatch.setattr(search, "LOOKED_AT_MAX", 3)
    page = ask(played, "page", goal_id=DOCS)
    assert page["next_after"] is not None
    monkeypatch.setattr(search, "LOOKED_AT_MAX", 2_000)
    monkeypatch.setattr(search, "SHORT_SPAN", 10)
    page = ask(played, "no")
    assert page["next_after"] == played.state.seq - 9
    monkeypatch.undo()
    whole = seqs(played, "no")
    monkeypatch.setattr(search, "SHORT_SPAN", 10)
    monkeypatch.setattr(search, "LOOKED_AT_MAX", 3)
    assert seqs(played, "no") == whole != []


def test_what_cannot_be_looked_for_is_refused(played):
    refused = ask(played, "a b c d e f g h i")
    assert (refused.code, refused.details["field"]) == ("malformed_params", "query")
    for query in ("", " ", "\u200b", "\x00", "\t\n", "x" * 201):
        with pytest.raises(ValidationError):
            ask(played, query)
    assert ask(played, "x", goal_id="nowhere").code == "goal_not_found"


def test_what_is_not_searchable_yet_is_said():
    world = everything()
    index_words(world.store, world.writer._term, 30)
    page = ask(world, "page")
    assert (page["indexed_through"], page["complete"]) == (30, False)
    assert "30" in render("search.find", page, "en")
    assert ask(caught_up(world), "page")["complete"] is True


def test_another_way_of_making_texts_makes_all_of_them_anew(monkeypatch):
    world = caught_up(everything())
    before = seqs(world, "page")
    monkeypatch.setattr(searching, "VERSION", searching.VERSION + 1)
    assert index_words(world.store, world.writer._term, 10) == 10
    assert seqs(world, "page") == []
    assert seqs(caught_up(world), "page") == before


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ＡＢＣ", "abc"),
        ("  a \n\t b ", "a b"),
        ("Straße", "strasse"),
        ("a\u0000b\u200bc", "a b c"),
        ("修 好", "修 好"),
    ],
)
def test_folding_makes_equal_what_reads_equal(text, seen):
    assert folded(text) == seen
    assert folded(folded(text)) == folded(text)


def test_no_words_are_searchable_by_where_somebody_is_reached():
    """Whatever event comes to name a field like this keeps it out of the search."""
    told = {name for kind in all_kinds() if kind.words for name in kind.words.__struct_fields__}
    assert {name for name in told if name.endswith(("_id", "_key"))} == OF_THE_PLATFORM
