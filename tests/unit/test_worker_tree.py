"""A worktree of a turn: what differs from the base is handed in, and nothing of it lies outside of the scopes."""

import os
import subprocess

import pytest

from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_scope import Scopes, inside
from daemon.agents.worker_tree import WorkTree, require_clean
from tests.support.worker import git, repository

FILES = {"src/a.py": "one\n", "src/sub/b.py": "two\n", "README.md": "# Read\n", ".gitignore": "*.pyc\nbuild/\n"}
GOAL = ["src/**", "docs/**"]


@pytest.mark.parametrize(
    ("path", "scope", "holds"),
    [
        ("src/a.py", "src", True),
        ("src/a.py", "src/**", True),
        ("src/sub/b.py", "src/*", True),
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src/**/a.py", True),
        ("src/sub/a.py", "src/**/a.py", True),
        ("a.py", "**/*.py", True),
        ("x/a.py", "*.py", True),
        ("src/a.py", "**", True),
        ("src/a1.py", "src/a[0-9].py", True),
        ("src/ab.py", "src/a[!0-9].py", True),
        ("src/a].py", "src/a[]].py", True),
        ("src/a.py", "src/?.py", True),
        ("src2/a.py", "src", False),
        ("src", "src/**", False),
        ("SRC/a.py", "src/**", False),
        ("src/a.pyc", "src/*.py", False),
        ("src/a1.py", "src/a[!0-9].py", False),
        ("../src/a.py", "**", False),
        ("src/../a.py", "**", False),
        ("/src/a.py", "**", False),
        (".git/config", "**", False),
        (".Git/config", "**", False),
        ("src//a.py", "**", False),
        ("src/a.py", "src/[z-a].py", False),
        ("", "**", False),
        ("a\nb", "a*", True),
    ],
)
def test_a_path_lies_in_a_scope_or_not(path, scope, holds):
    assert inside(path, [scope]) is holds


def test_a_path_must_lie_in_the_todo_and_in_the_goal():
    assert Scopes(["src/**", "x"], GOAL).outside(["src/a", "docs/b", "x"]) == ["docs/b", "x"]
    assert Scopes([], GOAL).outside(["src/a"]) == Scopes(GOAL, []).outside(["src/a"]) == ["src/a"]


@pytest.mark.parametrize(
    ("path", "scope", "holds"),
    [
        ("SRC/A.py", "src/**", True),
        ("src/a.py", "SRC", True),
        ("src/ab.py", "src/A[A-C].py", True),
        ("src/ab.py", "src/a[!B].py", False),
        ("src/É.py", "src/e\u0301.py", True),
        ("src/strasse.py", "src/straße.py", False),
        ("docs/a.py", "src/**", False),
        (".GIT/config", "**", False),
    ],
)
def test_where_case_counts_for_nothing_another_spelling_lies_in_a_scope_too(path, scope, holds):
    assert inside(path, [scope], fold_case=True) is holds
    assert Scopes([scope], ["**"], fold_case=True).outside([path]) == ([] if holds else [path])


@pytest.fixture
def tree(tmp_path):
    repo = repository(tmp_path / "repo", FILES)
    made = WorkTree(repo, tmp_path / "turn" / "work", require_clean(repo, "HEAD"))
    made.folder.parent.mkdir()
    made.make()
    return made


def change(text):
    return lambda tree: (tree.folder / "src/a.py").write_text(text)


def test_what_changed_is_a_patch_that_applies_to_the_base(tree, tmp_path):
    (tree.folder / "src/a.py").write_text("one more\n")
    (tree.folder / "src/sub/b.py").unlink()
    (tree.folder / "src/new.bin").write_bytes(bytes(range(256)))
    patch = tree.patch(Scopes(["src/**"], GOAL))
    other = tmp_path / "other"
    git(tree.repository, "clone", "-q", str(tree.repository), str(other))
    subprocess.run(["git", "apply", "--index", "-"], cwd=other, input=patch, check=True)
    assert (other / "src/a.py").read_text() == "one more\n"
    assert (other / "src/new.bin").read_bytes() == bytes(range(256))
    assert not (other / "src/sub/b.py").exists()


def test_what_did_not_change_is_no_patch(tree):
    assert tree.patch(Scopes([], [])) == b""
    (tree.folder / "src/x.pyc").write_text("ignored")
    assert tree.patch(Scopes(["src/**"], GOAL)) == b""


def test_what_the_program_committed_counts_too(tree):
    change("one more\n")(tree)
    git(tree.folder, "commit", "-qam", "More")
    assert b"one more" in tree.patch(Scopes(["src/**"], GOAL))
    (tree.folder / "README.md").write_text("changed")
    git(tree.folder, "commit", "-qam", "Outside")
    with pytest.raises(TreeRefused, match=r"README\.md"):
        tree.patch(Scopes(["src/**"], GOAL))


def test_a_change_that_keeps_the_size_and_the_time_is_seen(tree):
    path = tree.folder / "src/a.py"
    before = path.stat()
    path.write_text("two\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert b"+two" in tree.patch(Scopes(["src/**"], GOAL))
    git(tree.folder, "update-index", "--assume-unchanged", "README.md")
    (tree.folder / "README.md").write_text("# Lead\n")
    with pytest.raises(TreeRefused, match=r"README\.md"):
        tree.patch(Scopes(["src/**"], GOAL))


def test_what_is_ignored_and_was_added_all_the_same_counts(tree):
    (tree.folder / "build").mkdir()
    (tree.folder / "build/out").write_text("x")
    git(tree.folder, "add", "-f", "build/out")
    with pytest.raises(TreeRefused, match="build/out"):
        tree.patch(Scopes(["src/**"], GOAL))


@pytest.mark.parametrize("told", [".gitconfig", ".config/git/ignore"])
def test_what_the_user_tells_git_hides_nothing(tree, tmp_path, monkeypatch, told):
    home = tmp_path / "home"
    (home / told).parent.mkdir(parents=True)
    (home / "hidden").write_text("*.new\n")
    words = f"[core]\n\texcludesFile = {home / 'hidden'}\n" if told == ".gitconfig" else "*.new\n"
    (home / told).write_text(words)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tree.folder / "src/a.new").write_text("one\n")
    assert b"src/a.new" in tree.patch(Scopes(["src/**"], GOAL))
    (tree.folder / "other.new").write_text("one\n")
    with pytest.raises(TreeRefused, match=r"other\.new"):
        tree.patch(Scopes(["src/**"], GOAL))


@pytest.mark.parametrize(
    ("told", "words"),
    [(".gitconfig", "[core]\n\tautocrlf = input\n"), (".config/git/attributes", "*.py text\n")],
)
def test_what_the_user_tells_git_changes_no_byte(tree, tmp_path, monkeypatch, told, words):
    home = tmp_path / "home"
    (home / told).parent.mkdir(parents=True)
    (home / told).write_text(words)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tree.folder / "src/a.py").write_bytes(b"one more\r\n")
    assert b"+one more\r\n" in tree.patch(Scopes(["src/**"], GOAL))


def move(tree):
    (tree.folder / "src/a.py").rename(tree.folder / "src/c.py")


def move_out(tree):
    (tree.folder / "src/a.py").rename(tree.folder / "a.py")


def move_in(tree):
    (tree.folder / "README.md").rename(tree.folder / "src/README.md")


def link(target):
    return lambda tree: (tree.folder / "src/link").symlink_to(target)


def folder_link(tree):
    for path in (tree.folder / "src").rglob("*.py"):
        path.unlink()
    (tree.folder / "src/sub").rmdir()
    (tree.folder / "src").rmdir()
    (tree.folder / "src").symlink_to("/etc")


def own_repository(tree):
    (tree.folder / "src/inner").mkdir()
    git(tree.folder / "src/inner", "init", "-q")
    (tree.folder / "src/inner/x").write_text("x")
    git(tree.folder / "src/inner", "add", "-A")
    git(tree.folder / "src/inner", "commit", "-qm", "x")


def another_git(tree):
    (tree.folder / ".git").unlink()
    git(tree.folder, "init", "-q")


def no_git(tree):
    (tree.folder / ".git").unlink()


def look_elsewhere(tree):
    git(tree.folder, "config", "extensions.worktreeConfig", "true")
    git(tree.folder, "config", "--worktree", "core.worktree", str(tree.repository))
    (tree.folder / "README.md").write_text("changed")


def told_to_ignore(tree):
    (tree.repository / ".git/info").mkdir(exist_ok=True)
    (tree.repository / ".git/info/exclude").write_text("conftest.py\n")
    (tree.folder / "conftest.py").write_text("not seen")


def told_to_clean(tree):
    (tree.repository / ".git/info").mkdir(exist_ok=True)
    (tree.repository / ".git/info/attributes").write_text("README.md filter=was\n")
    git(tree.folder, "config", "filter.was.clean", "git show HEAD:README.md")
    (tree.folder / "README.md").write_text("changed")


def hidden(tree):
    (tree.folder / "src/more").mkdir()
    (tree.folder / "src/more/.gitignore").write_text("*\n")
    (tree.folder / "src/more/helper.py").write_text("x")


def hidden_below(tree):
    hidden(tree)
    (tree.folder / "src/more/helper.py").unlink()
    (tree.folder / "src/more/deep").mkdir()
    (tree.folder / "src/more/deep/.gitignore").write_text("!*\n")
    (tree.folder / "src/more/deep/helper.py").write_text("x")


def hidden_with_a_false_tag(tree):
    hidden(tree)
    (tree.folder / "src/more/CACHEDIR.TAG").write_text("a cache")


WRONG = {
    "hidden": (hidden, "hidden_by_ignore"),
    "hidden with a false tag": (hidden_with_a_false_tag, "hidden_by_ignore"),
    "outside": (lambda tree: (tree.folder / "README.md").write_text("x"), "outside_write_scope"),
    "new outside": (lambda tree: (tree.folder / "x").write_text("x"), "outside_write_scope"),
    "moved out": (move_out, "outside_write_scope"),
    "moved in": (move_in, "outside_write_scope"),
    "another case": (
        lambda tree: (tree.folder / "src").rename(tree.folder / "SRC"),
        "outside_write_scope",
    ),
    "ignore file": (lambda tree: (tree.folder / ".gitignore").write_text("*"), "outside_write_scope"),
    "mode": (lambda tree: (tree.folder / "README.md").chmod(0o755), "outside_write_scope"),
    "whole link": (link("/etc/passwd"), "link_leads_out"),
    "link up": (link("../../x"), "link_leads_out"),
    "link to git": (link("../.git"), "link_leads_out"),
    "link for a folder": (folder_link, "outside_write_scope"),
    "repository inside": (own_repository, "submodule_changed"),
    "second spelling": (lambda tree: (tree.folder / "src/A.py").write_text("x"), "case_collision"),
    "another repository": (another_git, "worktree_replaced"),
    "git looks elsewhere": (look_elsewhere, "repository_changed"),
    "git was told to ignore": (told_to_ignore, "repository_changed"),
    "git was told to clean": (told_to_clean, "repository_changed"),
    "no repository": (no_git, "worktree_replaced"),
}


@pytest.mark.parametrize(("do", "code"), WRONG.values(), ids=WRONG)
def test_what_may_not_be_handed_in_is_refused_whole(tree, do, code):
    change("one more\n")(tree)
    do(tree)
    with pytest.raises(TreeRefused) as refused:
        tree.patch(Scopes(["src/**"], GOAL))
    assert refused.value.code == code


def built(tree):
    """By the repository's own rules, with an ignore file as packages bring it along."""
    (tree.folder / "src/build/pkg").mkdir(parents=True)
    (tree.folder / "src/build/pkg/.gitignore").write_text("*\n")
    (tree.folder / "src/build/pkg/made.py").write_text("x")
    move(tree)


def cached(tree):
    hidden(tree)
    (tree.folder / "src/more/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n# a cache")
    move(tree)


def hidden_elsewhere(tree):
    """Outside of the scopes, where nothing could be handed in."""
    (tree.folder / ".venv").mkdir()
    (tree.folder / ".venv/.gitignore").write_text("*\n")
    (tree.folder / ".venv/x.py").write_text("x")
    move(tree)


def told_openly(tree):
    (tree.folder / "src/.gitignore").write_text("*.log\n")
    (tree.folder / "src/run.log").write_text("x")


TAKEN = {
    "moved inside": move,
    "link": link("a.py"),
    "link down": link("sub/b.py"),
    "built": built,
    "cached": cached,
    "hidden elsewhere": hidden_elsewhere,
    "ignored openly": told_openly,
}


@pytest.mark.parametrize("do", TAKEN.values(), ids=TAKEN)
def test_what_stays_inside_is_taken(tree, do):
    do(tree)
    assert tree.patch(Scopes(["src/**"], GOAL))


def test_it_goes_away_and_leaves_the_repository_as_it_was(tree):
    change("x")(tree)
    tree.remove()
    assert not tree.folder.exists()
    assert git(tree.repository, "worktree", "list").count("\n") == 1
    assert git(tree.repository, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (lambda repo: (repo / "README.md").write_text("x"), "repository_dirty"),
        (lambda repo: (repo / "new").write_text("x"), "repository_dirty"),
        (lambda repo: subprocess.run(["rm", "-rf", str(repo / ".git")], check=True), "repository_missing"),
        (lambda repo: subprocess.run(["rm", "-rf", str(repo)], check=True), "repository_missing"),
    ],
    ids=["changed", "new file", "no git", "nothing"],
)
def test_a_repository_that_cannot_be_worked_from_is_refused(tmp_path, harm, code):
    # A repository around it is not taken for it.
    repository(tmp_path / "around", FILES)
    repo = repository(tmp_path / "around" / "repo", FILES)
    harm(repo)
    with pytest.raises(TreeRefused) as refused:
        require_clean(repo, "HEAD")
    assert refused.value.code == code


def test_a_base_that_is_none_is_refused(tmp_path):
    repo = repository(tmp_path / "repo", FILES)
    for base in ("nowhere", "--all", ""):
        with pytest.raises(TreeRefused) as refused:
            require_clean(repo, base)
        assert refused.value.code == "base_missing"
