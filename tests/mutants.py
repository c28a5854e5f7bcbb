"""Mutants: break each rule on purpose, one at a time, and demand that the tests that guard it turn red.

A rule whose breaking no test notices is not kept by anything. The lists are `tests/mutants.toml`, whose head describes
the format, and one file a family in `tests/mutants/`. The tree is copied to a temporary folder, so that nothing here
is touched.

    python -m tests.mutants                 all of them
    python -m tests.mutants --only NAME     one of them (repeatable; a prefix is enough)
    python -m tests.mutants --list          their names
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
LISTS = ("tests/mutants.toml", "tests/mutants/*.toml")
COPIED = ("bot", "cards", "daemon", "ledger", "tests", "config", "docs")
FILES = ("pyproject.toml", "README.md", "Makefile", "constraints.txt")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".hypothesis", "*.sqlite3*")
SECONDS_MAX = 180
UNBROKEN_SECONDS_MAX = 1_800
"""For all the tests together, before anything is broken."""
KILLED, SURVIVED, BROKEN = "killed", "SURVIVED", "BROKEN"
TESTS_FAILED, TESTS_PASSED = 1, 0
"""Exit codes of pytest; every other one says that it did not come to a verdict."""


class MutantError(Exception):
    """The list does not fit the tree: a mutant that cannot be applied proves nothing."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One way to break one rule, and the tests that must notice."""

    name: str
    rule: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]

    def apply(self, root: Path) -> str:
        """Break the rule in this tree; the text of before comes back. Raises MutantError if it cannot be applied."""
        path = root / self.file
        whole = path.read_text(encoding="utf-8")
        if (found := whole.count(self.before)) != 1:
            raise MutantError(f"{self.name}: the text to replace is in {self.file} {found} times, not once")
        path.write_text(whole.replace(self.before, self.after), encoding="utf-8")
        return whole


def read(root: Path = ROOT) -> list[Mutant]:
    """All lists. Raises MutantError for an entry that lacks something or has too much."""
    files = [file for pattern in LISTS for file in sorted(root.glob(pattern))]
    entries = [entry for file in files for entry in tomllib.loads(file.read_text(encoding="utf-8")).get("mutant", [])]
    mutants = []
    for entry in entries:
        try:
            mutants.append(Mutant(**(entry | {"tests": tuple(entry["tests"])})))
        except (KeyError, TypeError) as error:
            raise MutantError(f"{entry.get('name', 'a mutant without a name')}: {error}") from error
    return mutants


def copy_tree(to: Path) -> None:
    """The parts of the tree that tests need, as they are now, committed or not."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=LEFT_OUT)
    for name in FILES:
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, to / name)


def run(root: Path, tests: Sequence[str], seconds_max: int = SECONDS_MAX) -> int:
    """Run these tests in that tree; pytest's exit code. A test that hangs has noticed something."""
    # No byte code is written: two versions of a file within one second look alike to its cache.
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, timeout=seconds_max, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return TESTS_FAILED
    if done.returncode not in {TESTS_PASSED, TESTS_FAILED} or (done.returncode and seconds_max > SECONDS_MAX):
        sys.stderr.write(done.stdout[-2_000:] + done.stderr[-2_000:])
    return done.returncode


def verdict(mutant: Mutant, root: Path) -> str:
    """What becomes of one mutant in this tree, which is whole again afterwards."""
    whole = mutant.apply(root)
    code = run(root, mutant.tests)
    (root / mutant.file).write_text(whole, encoding="utf-8")
    return {TESTS_FAILED: KILLED, TESTS_PASSED: SURVIVED}.get(code, BROKEN)


def judge(mutants: Sequence[Mutant], jobs: int = 1) -> int:
    """Print the table as it comes; 0 if every mutant was killed. Each job breaks a tree of its own."""
    with tempfile.TemporaryDirectory(prefix="frontstage-mutants-") as folder:
        trees: Queue[Path] = Queue()
        for number in range(jobs):
            copy_tree(Path(folder) / str(number))
            trees.put(Path(folder) / str(number))
        every_test = sorted({test for mutant in mutants for test in mutant.tests})
        if run(Path(folder) / "0", every_test, UNBROKEN_SECONDS_MAX) != TESTS_PASSED:
            sys.stdout.write("The tests do not pass as they are: nothing can be said of mutants.\n")
            return 1

        def judged(mutant: Mutant) -> tuple[Mutant, str]:
            tree = trees.get()
            try:
                return mutant, verdict(mutant, tree)
            finally:
                trees.put(tree)

        began, counts = monotonic(), dict.fromkeys((KILLED, SURVIVED, BROKEN), 0)
        with ThreadPoolExecutor(jobs) as pool:
            for mutant, became in pool.map(judged, mutants):
                counts[became] += 1
                sys.stdout.write(f"{became:<9} {mutant.name:<44} {mutant.rule}\n")
                sys.stdout.flush()
        summary = ", ".join(f"{count} {became.lower()}" for became, count in counts.items())
        sys.stdout.write(f"{summary} in {monotonic() - began:.0f} s\n")
        return 0 if counts[KILLED] == len(mutants) else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a name or the beginning of one")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    asked = parser.parse_args(arguments)
    mutants = [mutant for mutant in read() if not asked.only or mutant.name.startswith(tuple(asked.only))]
    if not mutants:
        sys.stdout.write("No mutant has that name.\n")
        return 1
    if asked.list:
        sys.stdout.writelines(f"{mutant.name:<44} {mutant.rule}\n" for mutant in mutants)
        return 0
    return judge(mutants, max(1, asked.jobs))


if __name__ == "__main__":
    raise SystemExit(main())
