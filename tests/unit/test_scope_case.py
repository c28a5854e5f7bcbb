"""Where case counts for nothing, two spellings of one path are one path: in overlap, in a boundary, in the index."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.rules.leases import LeaseRefusal
from ledger.rules.todos import TodoRefusal
from ledger.scope_case import folded, folded_boundary
from ledger.scope_index import CaselessScopeIndex, ScopeIndex, index_for
from ledger.scopes import canonical_scope, matches, overlap, within
from ledger.snapshot import restore
from tests.support.dump import dump
from tests.support.goal_ladders import ID
from tests.support.world import DOCS, World, replay


@pytest.mark.parametrize(
    ("scope", "meets", "holds"),
    [
        ("Docs/ReadMe.md", "docs/readme.md", "docs/readme.md"),
        ("STRASSE/STRAẞE", "strasse/straße", "strasse/straße"),
        ("src/[A-C]*.PY", "src/[abc]*.py", "src/[abc]*.py"),
        ("src/[!A-C]", "src/?", "src/[!abc]"),
        ("[Aa]", "[a]", "[a]"),
        ("[X-b]", "?", "[b-a]"),
        ("[b-a]", "[b-a]", "[b-a]"),
        ("[!b-a]", "?", "?"),
        ("[]A]", "?", "[b-a]"),
        ("[!!A]", "?", "[b-a]"),
        ("[ẞa]", "[aß]", "[aß]"),
        ("open[A/x", "open[a/x", "open[a/x"),
        ("**/*", "**/*", "**/*"),
    ],
)
def test_a_scope_is_spelled_once(scope, meets, holds):
    assert (folded(scope), folded_boundary(scope)) == (meets, holds)


@pytest.mark.parametrize(
    ("left", "right", "meet"),
    [
        ("Docs/**", "docs/a.md", True),
        ("DOCS", "docs/a/b.md", True),
        ("docs/Caf\u00e9/**", "docs/cafe\u0301/x", True),
        ("docs/cafe/**", "docs/cafe\u0301/x", False),
        ("src/*.PY", "SRC/a.py", True),
        ("src/[A-C].py", "src/b.PY", True),
        ("src/[A-C].py", "src/d.PY", False),
        ("src/[!a].py", "src/A.py", True),
        ("src/[X-b].py", "src/Z.py", True),
        ("Straße/x", "STRAẞE/x", True),
        ("docs/a.md", "docs/b.md", False),
        ("docs", "docs2/x", False),
    ],
)
def test_spellings_meet_where_case_counts_for_nothing(left, right, meet):
    for ours, theirs in ((left, right), (right, left)):
        index = index_for(fold_case=True)
        index.add("todo_theirs", (theirs,))
        assert bool(list(index.conflicts("todo_ours", (ours,)))) is meet
        assert list(index_for(fold_case=False).conflicts("todo_ours", (ours,))) == []


@pytest.mark.parametrize(
    ("scope", "boundary", "inside"),
    [
        ("docs/a.md", ("Docs/**",), True),
        ("DOCS/A.MD", ("docs/a.md",), True),
        ("docs/cafe\u0301/x", ("docs/CAF\u00c9/**",), True),
        ("docs/a.md", ("DOCS",), True),
        ("src/B.py", ("src/[a-c].py",), True),
        ("src/d.py", ("src/[A-C].py",), False),
        ("src/z.py", ("src/[X-b].py",), False),
        ("src/[X-b].py", ("src/[X-b].py",), True),
        ("docs2/a.md", ("Docs/**",), False),
        ("docs/a.md", (), False),
    ],
)
def test_a_boundary_holds_every_spelling_of_what_it_holds(scope, boundary, inside):
    assert within(scope, boundary, fold_case=True) is inside


@pytest.mark.parametrize("scope", ["docs/a.md", "DOCS"])
def test_case_counts_where_nothing_is_said(scope):
    assert not within(scope, ("Docs/**",))


_SEGMENTS = st.text(alphabet="aAbBzZ_[]!-*?.ßẞİ/", min_size=1, max_size=12)
_SCOPES = _SEGMENTS.map(canonical_scope).filter(lambda scope: scope is not None)
_PATHS = st.text(alphabet="aAbBzZ_.!-", min_size=1, max_size=6)


@example("[!a]", "A")
@given(_SCOPES, _PATHS)
def test_folding_loses_no_path_that_a_scope_names(scope, path):
    if matches(scope, path):
        assert matches(folded(scope), path.casefold())


@given(_SCOPES, _SCOPES)
def test_what_meets_by_its_letters_meets_without_their_case(left, right):
    if overlap(left, right):
        assert overlap(folded(left), folded(right))


@given(_SCOPES, _SCOPES)
def test_what_is_inside_by_its_letters_and_can_be_folded_is_inside_without_their_case(scope, outer):
    if folded(outer) == folded_boundary(outer) and within(scope, (outer,)):
        assert within(scope, (outer,), fold_case=True)


@given(st.lists(st.tuples(st.sampled_from(["one", "two", "three"]), _SCOPES), max_size=12), _SCOPES)
def test_the_index_finds_what_comparing_all_would(held, asked):
    index = CaselessScopeIndex()
    for holder, scope in held:
        index.add(holder, (scope,))
    found = {(holder, their) for holder, their, _ in index.conflicts("me", (asked,))}
    assert found == {(holder, folded(scope)) for holder, scope in held if overlap(folded(scope), folded(asked))}
    for holder, scope in held:
        index.remove(holder, (scope.swapcase() if scope.isascii() and "[" not in scope else scope,))
    assert dump(index) == dump(ScopeIndex())


@pytest.fixture
def world():
    world = World()
    world.activate(write_scope=["Reports/**"], fold_case=True)
    return world


def test_a_lease_meets_another_under_any_spelling_and_is_refused(world):
    world.add("todo_one", required_write_scope=["reports/A.md"])
    world.add("todo_two", required_write_scope=["REPORTS/a.md"])
    world.lease("todo_one")
    assert world.outcome("helper", "task-lease.acquire", **_asked("todo_two")) == LeaseRefusal.WRITE_SCOPE_CONFLICT


def test_a_boundary_is_one_under_any_spelling(world):
    outside = {**ID, "text": "x", "required_write_scope": ["report/x"]}
    assert world.outcome("ann", "todo.add", **outside) == TodoRefusal.SCOPE_OUTSIDE_BOUNDARY
    world.add("todo_one", required_write_scope=["rEPORTS/x"])
    world.lease("todo_one", write_scope=["REPORTS/X"])


def test_the_index_is_caseless_in_every_copy_of_the_goal(world):
    world.add("todo_one", required_write_scope=["reports/A.md"])
    world.lease("todo_one")
    world.writer.keep_snapshot(world.writer.snapshot_rows("reducer-1"))
    skipped: list[str] = []
    restored = restore(world.store, "reducer-1", skipped.append)
    assert skipped == []
    for goal in (world.goal(), world.goal().copy(), restored.goals[DOCS], replay(world.store).goals[DOCS]):
        assert isinstance(goal.scopes, CaselessScopeIndex)
        assert [holder for holder, _, _ in goal.scopes.conflicts("todo_two", ("REPORTS/a.MD",))] == ["todo_one"]


def _asked(todo_id):
    return {**ID, "todo_id": todo_id, "idempotency_key": "run-2"}
