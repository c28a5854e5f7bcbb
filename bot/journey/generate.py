"""Repositories with a defect that nobody has written a patch for.

The seed draws some modules of the bank, spoils one by a small change, and draws the examples that become its tests:
those that the spoiled module fails are what there is to reproduce. A draw counts only where the defect is real, where
all else passes, and where the first thing that a search finds passes every test that is there and is still wrong by the
specification: then a review has something to measure. Whether that is so is found out by making the search, here and in
a folder of its own; nothing of it goes with the repository.
"""

import random
import shutil
import subprocess
import tempfile
import types
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from bot.journey.programs.definitions import DEFINITIONS, Args, Value, counterexample, drawn
from bot.journey.programs.edits import edits
from bot.journey.programs.regressions import add_regressions
from bot.journey.programs.trials import Bench, answers

PACKAGE = "tally"
MODULES, EXAMPLES = 4, 6
FAMILY_MAX = 4
"""Defects are slips: another operator, a number one off, a case left out; not a condition made up of new parts."""
ROUNDS_MAX = 2
"""One search that is measured to be wrong, and one that is right."""
TRIALS = 400
DRAWS_MAX = 400
AUTHOR = ("-c", "user.name=Tally", "-c", "user.email=tally@example.org", "-c", "commit.gpgsign=false")


class NoDefect(Exception):
    """No draw of this seed was one that counts."""


@dataclass(frozen=True)
class Example:
    """What one function must give for one input."""

    args: Args
    expected: Value


@dataclass(frozen=True)
class Defect:
    """One spoiled module and the examples that are its tests."""

    module: str
    text: str
    line: int
    examples: tuple[Example, ...]
    failing: tuple[int, ...]
    rounds: int
    """How often the search has to be made until what it finds is right."""


def spoiled(seed: int, *, but: frozenset[str] = frozenset()) -> Defect:
    """A defect by this seed, in none of these modules. Raises NoDefect."""
    dice = random.Random(f"defect {seed}")  # noqa: S311  (a draw, not a secret)
    names = sorted(DEFINITIONS.keys() - but)
    if not names:
        raise NoDefect("there is no module left to spoil")
    for _ in range(DRAWS_MAX):
        if (found := _draw(dice, dice.choice(names), seed)) is not None:
            return found
    raise NoDefect(f"no defect that counts in {DRAWS_MAX} draws of seed {seed}")


def _draw(dice: random.Random, name: str, seed: int) -> Defect | None:
    """One draw; none where it would be no test of anybody."""
    text = bank(name)
    slips = [one for one in edits(text, dict.fromkeys(range(1, text.count("\n") + 1), 1.0)) if one.family <= FAMILY_MAX]
    slip = dice.choice(slips)
    if not is_python(slip.text):
        return None
    examples = examples_of(name, dice)
    wrong = failing(name, slip.text, examples)
    if not 0 < len(wrong) < EXAMPLES // 2:
        return None
    rounds = _rounds(name, slip.text, examples, seed)
    if rounds is None or rounds < 2:
        return None
    return Defect(name, slip.text, slip.line, examples, wrong, rounds)


def _rounds(name: str, text: str, examples: tuple[Example, ...], seed: int) -> int | None:
    """How many searches and measurements it takes to mend the module; none where it is not mended in so many."""
    with tempfile.TemporaryDirectory(prefix="fs-draw-") as folder:
        root = Path(folder)
        lay_out(root, {name: text}, {name: examples})
        known: list[tuple[Args, Value]] = []
        for number in range(1, ROUNDS_MAX + 1):
            tests = [f"test_{name}"]
            if known:
                tests.append(add_regressions(root, PACKAGE, name, DEFINITIONS[name].function, known))
            found, _ = Bench(root, f"{PACKAGE}.{name}", tests).search()
            if found is None:
                return None
            inputs = drawn(name, seed, TRIALS)
            wrong = counterexample(name, inputs, answers(function_of(name, found.text), inputs))
            if wrong is None:
                return number
            known.append(wrong)
    return None


def failing(name: str, text: str, examples: tuple[Example, ...]) -> tuple[int, ...]:
    """The examples that a module's text does not meet, by their place."""
    with tempfile.TemporaryDirectory(prefix="fs-draw-") as folder:
        root = Path(folder)
        lay_out(root, {name: text}, {name: examples})
        failed = Bench(root, f"{PACKAGE}.{name}", [f"test_{name}"]).run().failed
    return tuple(sorted(int(one.rpartition("_")[2]) for one in failed))


def examples_of(name: str, dice: random.Random) -> tuple[Example, ...]:
    """Inputs that differ, with what must come out for them."""
    definition = DEFINITIONS[name]
    found: dict[str, Example] = {}
    while len(found) < EXAMPLES:
        args = definition.draw(dice)
        found.setdefault(repr(args), Example(args, definition.expected(*args)))
    return tuple(found.values())


def bank(name: str) -> str:
    """A module as it should be."""
    return (resources.files("bot.journey.bank") / f"{name}.py").read_text(encoding="utf-8")


def is_python(text: str) -> bool:
    """Whether it can be compiled."""
    try:
        compile(text, "module", "exec")
    except SyntaxError:
        return False
    return True


def function_of(name: str, text: str) -> Callable[..., object]:
    """The function that a module's text is about."""
    module = types.ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)  # noqa: S102  (a text of the bank, or a small edit of one)
    function: Callable[..., object] = getattr(module, DEFINITIONS[name].function)
    return function


def lay_out(root: Path, modules: dict[str, str], tests: dict[str, tuple[Example, ...]]) -> None:
    """Write a package and its tests."""
    for folder, says in ((PACKAGE, "Small, exact functions; each module says what it promises."), ("tests", "Tests.")):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "__init__.py").write_text(f'"""{says}"""\n', encoding="utf-8")
    for name, text in modules.items():
        (root / PACKAGE / f"{name}.py").write_text(text, encoding="utf-8")
    for name, examples in tests.items():
        (root / "tests" / f"test_{name}.py").write_text(_tests_of(name, examples), encoding="utf-8")


def _tests_of(name: str, examples: tuple[Example, ...]) -> str:
    function = DEFINITIONS[name].function
    lines = [
        f'"""Examples of what `{PACKAGE}.{name}` promises."""', "", "import unittest", "",
        f"from {PACKAGE} import {name}", "", "", f"class {name.title().replace('_', '')}Test(unittest.TestCase):",
    ]  # fmt: skip
    for number, one in enumerate(examples):
        call = f"{name}.{function}({', '.join(map(repr, one.args))})"
        lines += [f"    def test_{function}_{number}(self):", f"        self.assertEqual({call}, {one.expected!r})", ""]
    return "\n".join(lines)


def make_repository(root: Path, seed: int) -> tuple[Defect, tuple[str, ...]]:
    """A fresh repository with a defect in its first commit; that defect, and the modules. Raises NoDefect, OSError."""
    defect = spoiled(seed)
    dice = random.Random(f"repository {seed}")  # noqa: S311  (a draw, not a secret)
    others = dice.sample(sorted(DEFINITIONS.keys() - {defect.module}), MODULES - 1)
    root.mkdir(parents=True)
    lay_out(
        root,
        {**{name: bank(name) for name in others}, defect.module: defect.text},
        {**{name: examples_of(name, dice) for name in others}, defect.module: defect.examples},
    )
    names = sorted([*others, defect.module])
    readme = (
        f"# Tally\n\nSmall, exact functions: {', '.join(names)}. What each promises stands at the top of its module.\n"
    )
    (root / "README.md").write_text(readme + "\n    python -m unittest discover -s tests -t .\n", encoding="utf-8")
    (root / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, "Small, exact functions")
    return defect, tuple(names)


def spoil_again(root: Path, seed: int, known: tuple[str, ...]) -> Defect:
    """A change to a repository that brings another module, and another defect with it."""
    defect = spoiled(seed, but=frozenset(known))
    lay_out(root, {defect.module: defect.text}, {defect.module: defect.examples})
    commit(root, f"Add {defect.module}")
    return defect


def commit(root: Path, message: str) -> None:
    """Everything as it stands in the folder."""
    git(root, "add", "--all")
    git(root, *AUTHOR, "commit", "--quiet", "--message", message)


def git(root: Path, *words: str) -> str:
    """What git answers. Raises subprocess.CalledProcessError."""
    program = shutil.which("git") or "git"
    done = subprocess.run([program, "-C", str(root), *words], capture_output=True, text=True, check=True)
    return done.stdout
