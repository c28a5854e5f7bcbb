"""The list of mutants fits the tree: each can be applied, names what it breaks, and is guarded by tests that exist."""

import re

import pytest

from tests import mutants
from tests.mutants import ROOT, Mutant, MutantError, judge, read

MUTANTS_MIN = 40
ALL = read()


def test_there_are_enough_and_no_two_have_one_name():
    names = [mutant.name for mutant in ALL]
    assert len(names) >= MUTANTS_MIN
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_applied_and_has_tests_that_exist(mutant):
    whole = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert whole.count(mutant.before) == 1, "the rule was rewritten: so must its mutant be"
    assert mutant.before != mutant.after
    if mutant.file.endswith(".py"):
        compile(whole.replace(mutant.before, mutant.after), mutant.file, "exec")
    assert re.fullmatch(r"[a-z][a-z0-9-]+", mutant.name)
    assert mutant.rule
    assert mutant.tests
    for test in mutant.tests:
        path, *names = re.sub(r"\[.*\]$", "", test).split("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf"^ *(?:def|async def|class) {name}\b", text, re.MULTILINE), test


def test_each_family_may_keep_a_list_of_its_own(tmp_path):
    entry = '[[mutant]]\nname = "{0}"\nrule = "r"\nfile = "f"\nbefore = "b"\nafter = "a"\ntests = ["t"]\n'
    (tmp_path / "tests" / "mutants").mkdir(parents=True)
    (tmp_path / "tests" / "mutants.toml").write_text(entry.format("first"), encoding="utf-8")
    (tmp_path / "tests" / "mutants" / "work.toml").write_text(entry.format("second"), encoding="utf-8")
    (tmp_path / "tests" / "mutants" / "empty.toml").write_text("", encoding="utf-8")
    assert [mutant.name for mutant in read(tmp_path)] == ["first", "second"]
    (tmp_path / "tests" / "mutants" / "wrong.toml").write_text(entry.format("x") + "more = 1\n", encoding="utf-8")
    with pytest.raises(MutantError, match="x: "):
        read(tmp_path)


@pytest.mark.parametrize("fault", ["F1", "F2", "F3", "F4"])
def test_each_of_the_four_faults_has_a_mutant_that_its_scenarios_notice(fault):
    guarded = [mutant for mutant in ALL if f"({fault})" in mutant.rule]
    assert guarded
    for mutant in guarded:
        assert any("four_faults" in test or "test_writer" in test or "test_rules" in test for test in mutant.tests)


@pytest.fixture
def small_tree(tmp_path, monkeypatch):
    """A tree with one rule, one test that guards it and one that does not."""
    (tmp_path / "ledger").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "ledger" / "rule.py").write_text("def allowed(n):\n    return n < 3\n", encoding="utf-8")
    guard = "import pathlib, sys\nsys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'ledger'))\nimport rule\n"
    guard += "def test_limit():\n    assert not rule.allowed(3)\ndef test_nothing():\n    assert rule\n"
    (tmp_path / "tests" / "test_rule.py").write_text(guard, encoding="utf-8")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    return tmp_path


def _mutant(**changes: object) -> Mutant:
    given = {"name": "m", "rule": "r", "file": "ledger/rule.py", "before": "n < 3", "after": "n < 4"}
    return Mutant(**(given | {"tests": ("tests/test_rule.py::test_limit",)} | changes))


def test_a_mutant_whose_test_turns_red_is_killed_and_the_tree_is_untouched(small_tree, capsys):
    assert judge([_mutant(), _mutant(name="n", after="n <= 3")], 2) == 0
    assert "2 killed, 0 survived, 0 broken" in capsys.readouterr().out
    assert "n < 3" in (small_tree / "ledger" / "rule.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"tests": ("tests/test_rule.py::test_nothing",)}, "SURVIVED"),
        ({"after": "n < 2"}, "SURVIVED"),
        ({"after": "n <"}, "BROKEN"),
    ],
)
def test_a_mutant_that_nobody_notices_fails_the_run(small_tree, capsys, changes, verdict):
    assert judge([_mutant(), _mutant(name="other", **changes)]) == 1
    assert f"{verdict:<9} other" in capsys.readouterr().out


def test_nothing_is_said_of_mutants_while_the_tests_fail_by_themselves(small_tree, capsys):
    assert judge([_mutant(tests=("tests/test_rule.py::test_missing",))]) == 1
    assert "nothing can be said" in capsys.readouterr().out


def test_a_mutant_that_no_longer_fits_is_an_error(small_tree):
    with pytest.raises(MutantError, match="0 times"):
        _mutant(before="n > 3").apply(small_tree)
