"""The index of scopes finds exactly what comparing everything would find, and compares no more the more there is."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger import scope_index
from ledger.scope_index import ScopeIndex
from ledger.scopes import canonical_scope, endings, overlap
from tests.support.dump import dump

SEGMENTS = ("a", "b", "ab", "a.d", "b.d", "*", "**", "a*", "*b", "?", "[ab]", "[!a]b", "a?", "*.d", "a*.d", "?.d", "[")
SCOPES = st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=4).map("/".join)
ODD = st.text(alphabet="ab.*?[]!-/(\U0010ffff", min_size=1, max_size=8).map(canonical_scope).filter(bool)
HELD = st.dictionaries(st.sampled_from(["t1", "t2", "t3", "t4", "t5"]), st.lists(SCOPES | ODD, max_size=4).map(tuple))


def index_of(held):
    index = ScopeIndex()
    for holder, theirs in held.items():
        index.add(holder, theirs)
    return index


@given(HELD, st.lists(SCOPES | ODD, min_size=1, max_size=3).map(tuple), st.sets(st.sampled_from(["t1", "t2", "t3"])))
@example({"t1": ("a/b",), "t2": ("a",)}, ("a", "a/b/c"), set())
@example({"t1": ("etc/a.d",)}, ("**/a.d/x",), set())
@example({"t1": ("a.d",), "t2": ("b/a.d",), "t3": ("a/xa.d",)}, ("**/*a.d/?",), set())
@example({"t1": ("a\U0010ffff/b",), "t2": ("a\U0010ffff.d",)}, ("a\U0010ffff*",), set())
@example({"t1": ("a*",), "t2": ("a",), "t3": ("**",)}, ("a",), {"t3"})
def test_the_index_finds_exactly_what_comparing_everything_would_find(held, asked, gone):
    index = index_of(held)
    for holder in gone & set(held):
        index.remove(holder, held[holder])
    left = {holder: theirs for holder, theirs in held.items() if holder not in gone}
    brute = {
        (holder, their, ours)
        for holder, theirs in left.items()
        for their in theirs
        for ours in asked
        if holder != "t5" and overlap(their, ours)
    }
    found = list(index.conflicts("t5", tuple(dict.fromkeys(asked))))
    assert set(found) == brute
    assert len(found) == len(brute)


@given(HELD)
def test_an_index_that_everybody_left_is_empty(held):
    index = index_of(held)
    for holder, theirs in held.items():
        index.remove(holder, theirs)
    assert dump(index) == dump(ScopeIndex())


@given(HELD)
def test_an_index_is_the_same_in_whatever_order_it_came_to_be(held):
    assert dump(index_of(held)) == dump(index_of(dict(reversed(held.items()))))


@pytest.mark.parametrize(
    ("glob", "ends"),
    [
        ("*", ("",)),
        ("src/*.py", ("src", ".py")),
        ("**/test_x.py", ("test_x.py",)),
        ("**/a.d/*_x", ("a.d", "_x")),
        ("a/**/b", ("a", "b")),
        ("x[ab]c", ("c",)),
        ("x[a]c", ("xac",)),
    ],
)
def test_how_a_file_must_end(glob, ends):
    assert set(endings(glob)) == set(ends)


KINDS = [
    (("reports/{}/**", "src/{}"), ("reports/{}/a", "src/new")),
    (("docs/page{}-*",), ("docs/new-*",)),
    (("docs/page{}-*",), ("docs/new.md",)),
    (("src/part{}/*.py",), ("src/new/*.py",)),
    (("src/part{}/[ab]*.py",), ("src/new",)),
    (("src/{}.py",), ("**/test_new.py",)),
    (("src/{}.py",), ("**/*.md",)),
    (("src/{}.py",), ("src/new.py",)),
    (("{}/conf.d/x",), ("new/**",)),
]


@pytest.mark.parametrize("leases", [10, 1_000])
@pytest.mark.parametrize(("theirs", "ours"), KINDS)
def test_one_more_lease_compares_no_more_scopes_however_many_there_are(leases, theirs, ours, monkeypatch):
    """One lease in the way, and any number that are not."""
    index = ScopeIndex()
    for number in range(leases):
        index.add(f"todo_{number}", tuple(scope.format(number) for scope in theirs))
    index.add("todo_in_the_way", tuple(scope.format("new") for scope in ours))
    compared = []

    def counted(left, right):
        compared.append((left, right))
        return overlap(left, right)

    monkeypatch.setattr(scope_index, "overlap", counted)
    asked = tuple(scope.format("new") for scope in ours)
    assert {other for other, _, _ in index.conflicts("todo_asking", asked)} == {"todo_in_the_way"}
    assert len(compared) <= len(asked) + 1
