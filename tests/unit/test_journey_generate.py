"""Drawn repositories: the defect is real, everything else is sound, and nothing that mends it goes with them."""

import random

import pytest

from bot.journey.generate import (
    EXAMPLES,
    PACKAGE,
    TRIALS,
    NoDefect,
    bank,
    examples_of,
    failing,
    function_of,
    git,
    lay_out,
    make_repository,
    spoil_again,
    spoiled,
)
from bot.journey.programs.definitions import DEFINITIONS, counterexample, drawn
from bot.journey.programs.regressions import add_regressions
from bot.journey.programs.suite import run_suite
from bot.journey.programs.trials import Bench, answers

QUICK, MANY = range(1, 6), range(6, 106)
SEEDS = [*QUICK, *(pytest.param(seed, marks=pytest.mark.journeys) for seed in MANY)]


def wrong_input(name, text, seed=11):
    inputs = drawn(name, seed, TRIALS)
    return counterexample(name, inputs, answers(function_of(name, text), inputs))


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
def test_a_module_of_the_bank_does_what_its_specification_says(name):
    assert wrong_input(name, bank(name)) is None


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
def test_a_definition_is_not_the_module_over_again(name):
    """Otherwise a slip in one would be a slip in both: it is written in another way, and says no for a wrong answer."""
    inputs = drawn(name, 3, 50)
    assert counterexample(name, inputs, [None] * len(inputs)) is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_defect_is_real_and_what_a_first_search_finds_is_not_yet_right(tmp_path, seed):
    defect = spoiled(seed)
    name = defect.module
    assert 0 < len(defect.failing) < EXAMPLES // 2
    assert failing(name, bank(name), defect.examples) == ()
    assert failing(name, defect.text, defect.examples) == defect.failing
    assert wrong_input(name, defect.text) is not None
    lay_out(tmp_path, {name: defect.text}, {name: defect.examples})
    tests = [f"test_{name}"]
    first, _ = Bench(tmp_path, f"{PACKAGE}.{name}", tests).search()
    measured = wrong_input(name, first.text, seed)
    assert measured is not None, "a review would have nothing to measure"
    tests.append(add_regressions(tmp_path, PACKAGE, name, DEFINITIONS[name].function, [measured]))
    second, _ = Bench(tmp_path, f"{PACKAGE}.{name}", tests).search()
    assert wrong_input(name, second.text, seed) is None


def test_the_same_seed_is_the_same_repository_and_another_is_another(tmp_path):
    def contents(folder):
        return {path.relative_to(folder): path.read_bytes() for path in folder.glob("t*/*.py")}

    for folder, seed in (("one", 4), ("same", 4), ("other", 5)):
        make_repository(tmp_path / folder, seed)
    assert contents(tmp_path / "one") == contents(tmp_path / "same")
    assert contents(tmp_path / "one") != contents(tmp_path / "other")


def test_only_the_spoiled_module_s_tests_fail_and_no_file_holds_the_module_as_it_should_be(tmp_path):
    root = tmp_path / "repository"
    defect, modules = make_repository(root, 4)
    ran = run_suite(root)
    assert ran.failing == (f"test_{defect.module}",)
    assert ran.count == EXAMPLES * len(modules)
    body = bank(defect.module).partition("def ")[2]
    everything = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert [path for path in everything if body in path.read_text(encoding="utf-8")] == []
    assert git(root, "rev-list", "--count", "--all").strip() == "1", "no earlier commit holds it either"


def test_a_second_round_brings_another_module_and_another_defect(tmp_path):
    root = tmp_path / "repository"
    _, modules = make_repository(root, 4)
    again = spoil_again(root, 5, modules)
    assert again.module not in modules
    assert f"test_{again.module}" in run_suite(root).failing
    assert git(root, "status", "--porcelain") == ""


def test_where_nothing_can_be_spoiled_it_is_said():
    with pytest.raises(NoDefect):
        spoiled(1, but=frozenset(DEFINITIONS))


def test_examples_differ():
    for name in DEFINITIONS:
        found = examples_of(name, random.Random(2))
        assert len({repr(one.args) for one in found}) == EXAMPLES
