"""Write scopes: one spelling, overlap on the safe side."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.scopes import SCOPE_CHARS_MAX, canonical_scope, matches, overlap, within


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("a", "a"),
        ("./a//b", "a/b"),
        ("a/", "a"),
        ("a/./b/.", "a/b"),
        (".", "**"),
        ("./", "**"),
        ("**", "**"),
        ("docs/**/*.md", "docs/**/*.md"),
        ("文档/说明.md", "文档/说明.md"),
        (".github/x", ".github/x"),
        ("a" * SCOPE_CHARS_MAX, "a" * SCOPE_CHARS_MAX),
        ("a" * (SCOPE_CHARS_MAX + 1), None),
        ("", None),
        ("/etc", None),
        ("~/x", None),
        ("./~root/x", None),
        ("a/../b", None),
        ("..", None),
        ("a b", None),
        ("a\tb", None),
        ("a\nb", None),
        ("a<b", None),
        ("a>b", None),
        ("a\\b", None),
        ("a\x00b", None),
        ("a\x7fb", None),
        ("a\u3000b", None),
        ("a..b", "a..b"),
    ],
)
def test_a_scope_has_one_spelling_or_none(text, scope):
    assert canonical_scope(text) == scope


PATHS = st.text(alphabet="ab.*?[]!-/", min_size=1, max_size=12)


@given(PATHS)
def test_spelling_it_again_changes_nothing(text):
    scope = canonical_scope(text)
    assert scope is None or canonical_scope(scope) == scope


OVERLAPS = [
    ("a", "a", True),
    ("a", "b", False),
    ("a", "ab", False),
    ("a", "a/b", True),
    ("a/b", "a/c", False),
    ("**", "any/where", True),
    ("*", "any/where", True),
    ("a/**", "a", True),
    ("a/**", "a/b/c", True),
    ("a/**", "b", False),
    ("a/*", "a/b/c", True),
    ("a/*.md", "a/x.md", True),
    ("a/*.md", "a/b/x.md", True),
    ("a/*.md", "a/x.txt", False),
    ("a/*.md", "a/b", True),
    ("a/?", "a/b", True),
    ("a/?", "a/bc", False),
    ("a/[bc]", "a/b", True),
    ("a/[!bc]", "a/b", False),
    ("a/[!bc]", "a/d", True),
    ("a/[a!]x", "a/!x", True),
    ("a/[0-9]x", "a/7x", True),
    ("a/[0-9]x", "a/bx", False),
    ("a/[z-a]", "a/b", False),
    ("a/[", "a/[", True),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "a/xb", True),
    ("a/**/b", "a/xb.md", False),
    ("*/x", "docs", True),
    ("do*/x", "docs", True),
    ("da*/x", "docs", False),
    ("*.md", "notes.md", True),
    ("*.md", "notes.txt", False),
    ("*.md", "v1.2", True),
    ("a/*", "a/b*", True),
    ("a/b*", "a/c*", False),
    ("a*/x", "ab/y*", True),
    ("A", "a", False),
]


@pytest.mark.parametrize(("left", "right", "meet"), OVERLAPS)
def test_overlap_is_what_the_table_says_both_ways(left, right, meet):
    assert (overlap(left, right), overlap(right, left)) == (meet, meet)


NAMES = ("a", "b", "ab", "ba")
DEPTH_MAX = 3
EVERY_PATH = [
    "/".join(parts)
    for parts in (
        *((one,) for one in NAMES),
        *((one, two) for one in NAMES for two in NAMES),
        *((one, two, three) for one in NAMES for two in NAMES for three in NAMES),
    )
]
SCOPES = st.lists(
    st.sampled_from(["a", "b", "ab", "*", "**", "a*", "*b", "?", "[ab]", "[!a]b", "a?"]), min_size=1, max_size=DEPTH_MAX
).map("/".join)


def _names(scope: str, path: str) -> bool:
    """Whether the scope names the path, in the plainest words there are."""
    if not any(char in scope for char in "*?["):
        return path == scope or path.startswith(scope + "/")
    return matches(scope, path)


@given(SCOPES, SCOPES)
@example("*/a", "b")
@example("a*/b", "ab")
def test_scopes_that_name_a_common_path_overlap(left, right):
    common = [path for path in EVERY_PATH if _names(left, path) and _names(right, path)]
    assert not common or overlap(left, right)


@given(SCOPES, SCOPES)
def test_overlap_looks_the_same_from_both_sides(left, right):
    assert overlap(left, right) == overlap(right, left)


@given(SCOPES, SCOPES)
@example("a", "a/*")
@example("a", "a/**")
def test_what_is_inside_a_boundary_names_nothing_outside_of_it(scope, outer):
    """A literal is inside a glob as the one path that it names; its subtree is asked of subtrees only."""
    if within(scope, (outer,)):
        named = [scope] if _is_literal(scope) and not _is_literal(outer) else EVERY_PATH
        beyond = [path for path in named if _names(scope, path) and not _names(outer, path)]
        # A directory is inside the glob over all that it holds, though the glob does not name the directory itself.
        assert beyond in ([], [outer], [outer.rstrip("*").removesuffix("/")])


def _is_literal(scope: str) -> bool:
    return not any(char in scope for char in "*?[")


@pytest.mark.parametrize(
    ("scope", "boundary", "inside"),
    [
        ("docs/a", (), False),
        ("docs/a", ("docs",), True),
        ("docs", ("docs",), True),
        ("docs2", ("docs",), False),
        ("docs/**", ("docs",), True),
        ("docs/**", ("docs/**",), True),
        ("docs/a/**", ("docs/**",), True),
        ("docs/a/**", ("docs/**/*",), True),
        ("docs", ("docs/**",), True),
        ("**", ("docs/**",), False),
        ("**", ("docs/**", "**"), True),
        ("docs/x.md", ("docs/*.md",), True),
        ("docs/*.md", ("docs/*.md",), True),
        ("docs/a*.md", ("docs/*.md",), False),
        ("src/x", ("docs", "src"), True),
    ],
)
def test_a_scope_is_within_a_boundary_or_not(scope, boundary, inside):
    assert within(scope, boundary) is inside


def test_a_hostile_pattern_costs_no_more_than_its_length_times_the_paths():
    """A backtracking matcher would not come back from this one."""
    assert not matches("a*" * 60 + "b", "a" * 159)
    assert overlap("a*" * 60 + "b", "a" * 30)


@pytest.mark.parametrize(
    ("directory", "glob", "meets"),
    [
        ("conf.d", "conf.d/**", True),
        ("conf.d", "conf.d/*", True),
        ("node.js", "node.js/**/x", True),
        ("src/app.v2", "src/app.v2/*", True),
        ("pkg.d", "*.d/x.py", True),
        ("notes.md", "*.py", False),
        ("notes.md", "**/x.py", False),
        ("docs/notes.md", "docs/**/x.py", False),
    ],
)
def test_a_name_with_a_dot_is_a_file_until_a_glob_goes_into_it(directory, glob, meets):
    assert overlap(directory, glob) is overlap(glob, directory) is meets
