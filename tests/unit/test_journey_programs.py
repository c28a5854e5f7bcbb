"""The programs in the engineering seats, each run as a worker runs it: a packet in, files and one result out."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from bot.journey.generate import bank, commit, git, lay_out, make_repository
from bot.journey.programs.edits import edits
from bot.journey.programs.measured import Measured, all_measured
from bot.journey.programs.note_check import faults_in
from bot.journey.programs.notes import changes, faults, wants_input
from bot.journey.programs.patch_check import definition, suite
from bot.journey.programs.trials import Bench, answers
from tests.tidy.sources import imported

ROOT = Path(__file__).parents[2]
SEED = 4
GOAL = {
    "objective": "Mend it.", "constraints": [],
    "criteria": [{"criterion_id": "c1", "text": "The suite passes"}, {"criterion_id": "c2", "text": "A note"}],
}  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    root = tmp_path_factory.mktemp("journey") / "repository"
    defect, _ = make_repository(root, SEED)
    return root, defect


def run(name, packet, folder, *words, cwd=None):
    """One turn of a program; its result, and the folder of what it hands in."""
    out = folder / "out"
    out.mkdir(parents=True, exist_ok=True)
    result = folder / "result.json"
    done = subprocess.run(
        [sys.executable, "-P", "-m", f"bot.journey.programs.{name}", *words],
        input=json.dumps(packet), capture_output=True, text=True, check=False, cwd=cwd or folder, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), "FRONTSTAGE_RESULT": str(result), "FRONTSTAGE_OUT": str(out)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(result.read_text(encoding="utf-8")), out


def checkout(repository, folder):
    git(repository, "worktree", "prune")
    root = folder / "tree"
    subprocess.run(["git", "clone", "-q", str(repository), str(root)], check=True)
    return root


def given(path, **more):
    digest = sha256(path.read_bytes()).hexdigest()
    return {
        "artifact_id": "art_000001", "label": path.name, "kind": "patch", "sha256": digest, "status": "submitted",
        "counts": True, "path": str(path), **more,
    }  # fmt: skip


def fix(repository, folder, rejected=()):
    root = checkout(repository, folder)
    packet = {"kind": "todo", "goal": GOAL, "inputs": [], "rejected": list(rejected)}
    result, out = run("fixer", packet, folder, cwd=root)
    return result, out / "fix.patch"


@pytest.fixture(scope="module")
def mended(repository, tmp_path_factory):
    """The first patch, what was measured of it, and the second one."""
    root, _ = repository
    first = fix(root, tmp_path_factory.mktemp("first"))
    measured = definition(root, first[1], "HEAD", SEED)
    no = {"artifact_id": "art_000001", "reason": measured.says, "by": "reviewer", "checks": []}
    second = fix(root, tmp_path_factory.mktemp("second"), [no])
    return first, measured, second


def test_the_first_patch_passes_the_suite_and_is_measured_to_be_wrong(repository, mended):
    root, defect = repository
    (result, patch), measured, _ = mended
    assert result["outcome"] == "done"
    assert result["artifacts"][0]["criteria"] == ["c1"]
    assert suite(root, patch, "HEAD").exit_code == 0
    assert measured.exit_code == 1
    assert measured.measured.module == defect.module


def test_a_measured_counterexample_becomes_a_test_and_the_next_patch_is_right(repository, mended):
    root, defect = repository
    _, measured, (result, patch) = mended
    assert result["outcome"] == "done"
    paths = [one.path for one in changes(patch.read_text(encoding="utf-8"))]
    assert f"tests/test_{defect.module}_regressions.py" in paths
    assert suite(root, patch, "HEAD").exit_code == 0
    assert definition(root, patch, "HEAD", SEED).exit_code == 0
    assert repr(next(iter(measured.measured.args))) in patch.read_text(encoding="utf-8")


def test_where_every_test_passes_there_is_nothing_to_reproduce(repository, tmp_path):
    root, defect = repository
    tree = checkout(root, tmp_path)
    (tree / "tally" / f"{defect.module}.py").write_text(bank(defect.module), encoding="utf-8")
    result, out = run("fixer", {"kind": "todo", "goal": GOAL, "inputs": [], "rejected": []}, tmp_path, cwd=tree)
    assert result["outcome"] == "no_progress"
    assert list(out.iterdir()) == []


def test_what_no_small_edit_mends_is_said_and_nothing_is_handed_in(tmp_path):
    lay_out(tmp_path, {"paging": "def bounds(total, size, number):\n    return None\n"}, {})
    (tmp_path / "tests" / "test_paging.py").write_text(
        "import unittest\nfrom tally import paging\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n"
        "        self.assertEqual(paging.bounds(9, 4, 2), [4, 8])\n"
    )
    result, out = run("fixer", {"kind": "todo", "goal": GOAL, "inputs": [], "rejected": []}, tmp_path)
    assert result["outcome"] == "failed"
    assert [path.name for path in out.iterdir()] == []


def test_the_reviewer_rejects_by_measurement_and_accepts_what_holds(repository, mended, tmp_path):
    root, _ = repository
    (_, wrong), measured, (_, right) = mended
    words = ("--repository", str(root), "--seed", str(SEED))
    decisions = []
    for number, patch in enumerate((wrong, right)):
        packet = {"kind": "request", "goal": GOAL, "inputs": [given(patch)]}
        result, _ = run("reviewer", packet, tmp_path / str(number), *words)
        decisions.append(result["reviews"][0])
    assert [one["decision"] for one in decisions] == ["reject", "accept"]
    assert all_measured(decisions[0]["reason"]) == [measured.measured]
    assert [check["exit_code"] for check in decisions[0]["checks"]] == [0, 1]
    assert [check["name"] for check in decisions[1]["checks"]] == ["suite", "definition"]


def test_a_reviewer_that_does_not_measure_accepts_what_is_wrong(repository, mended, tmp_path):
    root, _ = repository
    (_, wrong), _, _ = mended
    packet = {"kind": "request", "goal": GOAL, "inputs": [given(wrong)]}
    result, _ = run("reviewer", packet, tmp_path, "--repository", str(root), "--unmeasured")
    assert result["reviews"][0]["decision"] == "accept"
    assert "checks" not in result["reviews"][0]


def test_a_reviewer_takes_nothing_on_trust(repository, mended, tmp_path):
    root, _ = repository
    packet = {"kind": "request", "goal": GOAL, "inputs": [{**given(mended[2][1]), "path": None}]}
    result, _ = run("reviewer", packet, tmp_path, "--repository", str(root))
    assert result["reviews"][0]["decision"] == "reject"


@pytest.mark.parametrize(
    ("counts", "path", "outcome"), [(True, True, "done"), (False, True, "blocked"), (True, False, "blocked")]
)
def test_a_note_is_written_of_a_patch_that_counts_and_is_here(repository, mended, tmp_path, counts, path, outcome):
    root, _ = repository
    patch = mended[2][1]
    one = given(patch, status="accepted", counts=counts) | {"path": str(patch) if path else None}
    packet = {"kind": "todo", "goal": GOAL, "inputs": [one], "rejected": []}
    result, out = run("writer", packet, tmp_path, "--repository", str(root))
    assert result["outcome"] == outcome
    assert (out / "change-note.md").exists() == (outcome == "done")


@pytest.mark.parametrize("asks", [False, True])
def test_a_note_says_what_the_patch_does_and_an_input_where_one_is_wanted(repository, mended, tmp_path, asks):
    root, _ = repository
    patch = mended[2][1]
    criteria = [*GOAL["criteria"], {"criterion_id": "c3", "text": "It names an input that came out wrong"}]
    goal = {**GOAL, "criteria": criteria if asks else GOAL["criteria"]}
    packet = {"kind": "todo", "goal": goal, "inputs": [given(patch, status="accepted")], "rejected": []}
    _, out = run("writer", packet, tmp_path, "--repository", str(root))
    note = (out / "change-note.md").read_text(encoding="utf-8")
    assert faults(note, patch, with_input=False) == []
    assert (faults(note, patch, with_input=True) == []) == asks
    assert faults_in(note, root) == []


@pytest.mark.parametrize(
    ("cut", "says"),
    [("Patch `", "digest"), ("- `tally/", "says nothing"), ("  - now: `", "leaves out"), (" gave `", "names no input")],
)
def test_a_note_that_lacks_something_is_told_what(repository, mended, tmp_path, cut, says):
    root, _ = repository
    patch = mended[2][1]
    goal = {**GOAL, "objective": "Name an input."}
    packet = {"kind": "todo", "goal": goal, "inputs": [given(patch, status="accepted")], "rejected": []}
    _, out = run("writer", packet, tmp_path, "--repository", str(root))
    note = (out / "change-note.md").read_text(encoding="utf-8")
    less = "\n".join(line for line in note.splitlines() if cut not in line)
    found = faults(less, patch, with_input=True)
    assert found
    assert any(says in one for one in found), found


def test_a_patch_whose_tests_show_nothing_is_turned_down(repository, tmp_path):
    root, defect = repository
    tree = checkout(root, tmp_path)
    (tree / "README.md").write_text("# Tally, again\n", encoding="utf-8")
    (tree / "tests" / f"test_{defect.module}.py").unlink()
    patch = tmp_path / "empty.patch"
    patch.write_text(git(tree, "diff"), encoding="utf-8")
    found = suite(root, patch, "HEAD")
    assert found.exit_code == 1
    assert "shows nothing" in found.says


@pytest.mark.parametrize("text", ["", "no patch at all\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"])
def test_what_does_not_apply_is_said_and_is_no_fault_of_the_program(repository, tmp_path, text):
    root, _ = repository
    patch = tmp_path / "bad.patch"
    patch.write_text(text, encoding="utf-8")
    for found in (suite(root, patch, "HEAD"), definition(root, patch, "HEAD", SEED)):
        assert found.exit_code == 2
        assert "does not apply" in found.says


def test_a_counterexample_survives_being_said_and_read_again():
    one = Measured("intervals", "merged", ([[1, 2], [2, 3]],), [[1, 3]])
    assert all_measured(f"Measured: {one.sentence} And more.") == [one]


@pytest.mark.parametrize(
    "text",
    ["`a.b(__import__('os').system('true'))` must be `1`", "`a.b(1)` must be `open('x')`", "`a.b(` must be `1`", ""],
)
def test_what_is_no_literal_is_no_counterexample(text):
    assert all_measured(text) == []


def test_edits_are_of_suspected_lines_alone_and_the_simplest_come_first():
    text = bank("insertion")
    line = next(number for number, one in enumerate(text.splitlines(), start=1) if "<= wanted" in one)
    found = edits(text, {line: 1.0})
    assert {one.line for one in found} == {line}
    assert [one.family for one in found] == sorted(one.family for one in found)
    assert "values[middle] < wanted" in [one.now for one in found]
    assert edits(text, {}) == []


def test_an_edit_that_never_ends_is_one_that_fails(tmp_path):
    lay_out(tmp_path, {"endless": "def f(n):\n    while n != 3:\n        n = n + 0\n    return n\n"}, {})
    (tmp_path / "tests" / "test_endless.py").write_text(
        "import unittest\nfrom tally import endless\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n"
        "        self.assertEqual(endless.f(1), 3)\n"
    )
    bench = Bench(tmp_path, "tally.endless", ["test_endless"])
    assert len(bench.run().failed) == 1
    found, _ = bench.search()
    assert found.now in {"n + 1", "1"}


def test_a_function_that_never_ends_gives_no_answer():
    def endless(_value):
        while True:
            pass

    assert answers(endless, [[1]]) == [None]


@pytest.mark.parametrize(
    ("text", "wanted"), [("Name an input", True), ("the INPUTS", True), ("It is putative", False), ("", False)]
)
def test_whether_an_input_is_wanted_is_read_from_the_promise(text, wanted):
    assert wants_input([text]) == wanted


def test_a_commit_of_the_generator_needs_nobody_s_name(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "empty"
    root.mkdir()
    git(root, "init", "--quiet")
    (root / "a").write_text("1")
    commit(root, "One")
    assert git(root, "log", "--format=%an").strip() == "Tally"


def known_to(name, seen=None):
    """Every module that a program imports, and what those import."""
    seen = set() if seen is None else seen
    path = ROOT / (name.replace(".", "/") + ".py")
    if name in seen or not path.exists():
        return seen
    seen.add(name)
    for one in imported(path):
        known_to(one, seen)
    return seen


@pytest.mark.parametrize("name", ["fixer", "writer", "reviewer", "patch_check", "note_check", "planner"])
def test_a_program_knows_programs_alone_and_never_the_modules_as_they_should_be(name):
    known = known_to(f"bot.journey.programs.{name}")
    assert len(known) > 1 or name in {"planner", "note_check"}
    assert {one for one in known if not one.startswith("bot.journey.programs.")} == set()


def test_whoever_mends_sees_no_definition():
    assert "bot.journey.programs.definitions" not in known_to("bot.journey.programs.fixer")
    assert "bot.journey.programs.definitions" in known_to("bot.journey.programs.reviewer")
