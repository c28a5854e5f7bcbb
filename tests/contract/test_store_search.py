"""What every store promises of searching: terms are literal, the newest come first, erased words are not found."""

import pytest

from ledger.ports import Erasure, Group, Head, SearchRow, SearchState, WriterFenced
from ledger.store.sqlite_search import TRIGRAM
from ledger.testing import event_rows
from tests.contract.stores import LIFE

TEXTS = {
    1: "every link works",
    2: "修好链接的报告",
    3: 'he said "no" and left; or* not (x) near -y ^z {a b}: c',
    4: "links again",
    5: "100% of the links_work\\here",
    6: "",
    7: "a b",
}
WIDE = 10**9


def row(seq: int, text: str, goal_id: str | None = "docs") -> SearchRow:
    return SearchRow(seq, text, "todo", f"todo_{seq}", goal_id)


@pytest.fixture
def filled(store, term):
    rows = [row(seq, text) for seq, text in TEXTS.items()]
    store.keep_searched(term, SearchState(1, 7), rows)
    return store


def found(store, *terms, after=0, before=WIDE, limit=50):
    return [hit.seq for hit in store.find_words(terms, after, before, limit)]


def test_a_new_store_has_nothing_to_search(store):
    assert store.search_state() == SearchState(0, 0)
    assert found(store, "link") == []


@pytest.mark.parametrize(
    ("terms", "seqs"),
    [
        (("link",), [5, 4, 1]),
        (("links",), [5, 4]),
        (("link", "works"), [1]),
        (("ink wor",), [1]),
        (("链接",), [2]),
        (("链",), [2]),
        (("修好链接",), [2]),
        (("好链接的报",), [2]),
        (("链接", "修好链"), [2]),
        (("b",), [7, 3]),
        (("a b",), [7, 3]),
        (("nothing",), []),
        (("LINK",), []),
    ],
)
def test_each_term_stands_in_the_text(filled, terms, seqs):
    assert found(filled, *terms) == found(filled.reader(), *terms) == seqs


@pytest.mark.parametrize(
    "word",
    ['"no"', "or*", "(x)", "near -y", "^z", "{a b}:", "100%", "links_work", "work\\here", "left;", 'd "no', "b}: c"],
)
def test_nothing_in_a_term_is_syntax(filled, word):
    assert len(found(filled, word)) == 1


@pytest.mark.parametrize(
    "word", ['"', '""', "a OR b", "link*", "folded:link", "link AND works", "%", "___", "'; DROP TABLE event; --"]
)
def test_what_would_be_syntax_finds_only_itself(filled, word):
    expected = [seq for seq, text in reversed(TEXTS.items()) if word in text]
    assert found(filled, word) == expected


def test_a_range_and_a_limit_bound_what_is_found(filled):
    assert found(filled, "link", before=5) == [4, 1]
    assert found(filled, "link", after=1, before=5) == [4]
    assert found(filled, "link", limit=2) == [5, 4]
    assert found(filled, "b", before=7) == [3]
    assert found(filled, "b", after=3) == [7]


def test_a_hit_is_the_row_that_was_kept(filled):
    assert filled.find_words(("修好链接",), 0, WIDE, 1) == [row(2, TEXTS[2])]
    assert len("修好链接") >= TRIGRAM > len("链接")


def test_more_is_entered_and_another_version_begins_with_nothing(filled, term):
    filled.keep_searched(term, SearchState(1, 9), [row(9, "the ninth link", None)])
    assert (found(filled, "link"), filled.search_state()) == ([9, 5, 4, 1], SearchState(1, 9))
    assert filled.find_words(("ninth",), 0, WIDE, 1)[0].goal_id is None
    filled.keep_searched(term, SearchState(2, 1), [row(1, "only this link")])
    assert (found(filled, "link"), filled.search_state()) == ([1], SearchState(2, 1))


def test_what_is_entered_is_there_after_reopening(opener):
    store = opener()
    store.keep_searched(store.open_term(LIFE), SearchState(1, 1), [row(1, "a link")])
    store.close()
    again = opener()
    assert (found(again, "link"), again.search_state()) == ([1], SearchState(1, 1))


@pytest.mark.parametrize(
    ("erasure", "left"),
    [
        (Erasure(4, seqs=(1, 4)), [3, 2]),
        (Erasure(4, goal_id="docs"), [4, 3]),
        (Erasure(4, member_id="ann"), []),
        (Erasure(4, member_id="bob"), [4, 3, 2, 1]),
        (Erasure(4), [4, 3, 2, 1]),
    ],
)
def test_words_that_are_erased_are_not_found_any_more(store, term, erasure, left):
    first = event_rows(2, goal_id="docs", text="private link")
    rows = [*first, *event_rows(2, after=Head(first[-1].seq, first[-1].hash), text="private link")]
    store.append(term, Group(events=rows))
    store.keep_searched(term, SearchState(1, 4), [row(one.seq, "private link", one.goal_id) for one in rows])
    store.append(term, Group(erasures=[erasure]))
    assert found(store, "private") == found(store.reader(), "private") == left
    assert found(store, "pr") == left


def test_a_fenced_writer_enters_nothing(opener, store, term):
    opener().open_term(LIFE)
    with pytest.raises(WriterFenced):
        store.keep_searched(term, SearchState(1, 1), [row(1, "a link")])
    assert found(store.reader(), "link") == []
