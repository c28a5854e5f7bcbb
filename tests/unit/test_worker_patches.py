"""Patches that a program made itself: what they would make of the base is held to the same rules as what it did."""

import pytest

from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_scope import Scopes
from daemon.agents.worker_tree import WorkTree, require_clean
from tests.support.worker import git, repository

GOAL = ["src/**", "docs/**"]
FILES = {"src/a.py": "one\n", "src/sub/b.py": "two\n"}


@pytest.fixture
def tree(tmp_path):
    repo = repository(tmp_path / "repo", FILES)
    made = WorkTree(repo, tmp_path / "turn" / "work", require_clean(repo, "HEAD"))
    made.folder.parent.mkdir()
    made.make()
    return made


def made_link(path, target):
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 120000\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1 @@\n+{target}\n\\ No newline at end of file\n"
    )


OWN_REPOSITORY = (
    "diff --git a/src/inner b/src/inner\nnew file mode 160000\n--- /dev/null\n+++ b/src/inner\n"
    "@@ -0,0 +1 @@\n+Subproject commit 1111111111111111111111111111111111111111\n"
)
SECOND = "diff --git a/src/A.py b/src/A.py\nnew file mode 100644\n--- /dev/null\n+++ b/src/A.py\n@@ -0,0 +1 @@\n+x\n"
NOT_HERE = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-nowhere\n+x\n"
HANDED_IN = {
    "link out": ([made_link("src/l", "/etc/passwd")], "link_leads_out"),
    "link up": ([made_link("src/l", "../../x")], "link_leads_out"),
    "link by another link": ([made_link("src/d", ".."), made_link("src/l", "d/../x")], "link_leads_out"),
    "repository": ([OWN_REPOSITORY], "submodule_changed"),
    "second spelling": ([SECOND], "case_collision"),
    "link that nobody can follow": ([NOT_HERE + made_link("src/l", "a.py")], "link_unknown"),
    "outside": ([made_link("l", "src/a.py")], "outside_write_scope"),
}


@pytest.mark.parametrize(("patches", "code"), HANDED_IN.values(), ids=HANDED_IN)
def test_a_patch_that_the_program_made_is_held_to_the_same_rules(tree, patches, code):
    with pytest.raises(TreeRefused) as refused:
        tree.require_fit(kept(tree, patches), Scopes(["src/**"], GOAL))
    assert refused.value.code == code
    assert git(tree.repository, "worktree", "list").count("\n") == 2


@pytest.mark.parametrize(
    "patches",
    [[made_link("src/l", "a.py")], [NOT_HERE], ["no patch"], [made_link("src/l", "sub"), made_link("src/k", "l/b.py")]],
)
def test_a_patch_that_the_program_made_may_be_what_it_did_could_be(tree, patches):
    tree.require_fit(kept(tree, patches), Scopes(["src/**"], GOAL))
    assert git(tree.repository, "worktree", "list").count("\n") == 2


def kept(tree, patches):
    """Files with these patches."""
    files = [tree.folder.parent / f"{number}.patch" for number in range(len(patches))]
    for file, text in zip(files, patches, strict=True):
        file.write_text(text)
    return files
