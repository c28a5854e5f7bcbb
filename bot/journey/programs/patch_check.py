"""Measuring a patch in a clean checkout: the repository's tests, whether they show anything, and the specification.

    python -m bot.journey.programs.patch_check suite --repository R [--base REF]
    python -m bot.journey.programs.patch_check definition --repository R --seed N [--base REF]

As a validator it reads the patch from `ARTIFACT_FILE` and ends with 0 where it holds. `suite` is what anybody can run;
`definition` draws inputs and compares what the changed modules give with what their specifications say.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.journey.programs.checkouts import DoesNotApply, changed_paths, clean_checkout, git
from bot.journey.programs.definitions import DEFINITIONS, Args, counterexample, drawn
from bot.journey.programs.measured import Measured
from bot.journey.programs.suite import run_suite

TRIALS = 400
ASK = """
import importlib, json, signal, sys

class TooLong(BaseException):
    pass

def end(number, frame):
    raise TooLong

signal.signal(signal.SIGVTALRM, end)
function = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
answers = []
for args in json.load(sys.stdin):
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    try:
        answers.append({"answer": function(*args)})
    except (Exception, TooLong) as problem:
        answers.append({"problem": repr(problem)})
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
json.dump(answers, sys.stdout)
"""
SECONDS_MAX = 60


@dataclass(frozen=True)
class Finding:
    """What one check of a patch measured."""

    name: str
    words: tuple[str, ...]
    exit_code: int
    duration_ms: int
    says: str
    measured: Measured | None = None


def suite(repository: Path, patch: Path, base: str) -> Finding:
    """All tests pass with the patch; some fail when only its tests are kept."""
    words = ("suite", "--base", base)
    began = time.monotonic_ns()
    try:
        with clean_checkout(repository, (patch,), base=base) as root:
            changed = changed_paths(root)
            ran = run_suite(root)
            if not ran.passed:
                return _finding(
                    "suite", words, 1, began, f"{', '.join(ran.failing) or 'the suite'} fails with the patch."
                )
            code = [path for path in changed if not path.startswith("tests/")]
            git("-C", str(root), "checkout", "--quiet", base, "--", *code)
            if not code or run_suite(root).passed:
                return _finding("suite", words, 1, began, "No test fails without the change: it shows nothing.")
    except DoesNotApply as problem:
        return _finding("suite", words, 2, began, f"The patch does not apply: {problem}")
    return _finding(
        "suite", words, 0, began, f"{ran.count} tests pass in a clean checkout, and not without the change."
    )


def definition(repository: Path, patch: Path, base: str, seed: int) -> Finding:
    """What the changed modules give for drawn inputs is what their specifications say."""
    words = ("definition", "--base", base, "--seed", str(seed))
    began = time.monotonic_ns()
    try:
        with clean_checkout(repository, (patch,), base=base) as root:
            paths = [Path(path) for path in changed_paths(root)]
            modules = [path for path in paths if path.suffix == ".py" and path.stem in DEFINITIONS]
            for path in modules:
                name = path.stem
                inputs = drawn(name, seed, TRIALS)
                wrong = counterexample(name, inputs, answers_of(root, path, DEFINITIONS[name].function, inputs))
                if wrong is not None:
                    found = Measured(name, DEFINITIONS[name].function, tuple(wrong[0]), wrong[1])
                    return _finding("definition", words, 1, began, f"Measured: {found.sentence}", found)
    except DoesNotApply as problem:
        return _finding("definition", words, 2, began, f"The patch does not apply: {problem}")
    says = f"{TRIALS} drawn inputs give what the specification says, in {len(modules)} changed module(s)."
    return _finding("definition", words, 0, began, says)


def answers_of(root: Path, path: Path, function: str, inputs: Sequence[Args]) -> list[object]:
    """What a function of a checkout gives, asked in a process of its own; None where it gives nothing."""
    argv = [sys.executable, "-c", ASK, ".".join(path.with_suffix("").parts), function]
    done = subprocess.run(
        argv, cwd=root, input=json.dumps(inputs), capture_output=True, text=True, timeout=SECONDS_MAX, check=False
    )
    if done.returncode:
        return [None] * len(inputs)
    return [one.get("answer") for one in json.loads(done.stdout)]


def _finding(
    name: str, words: tuple[str, ...], exit_code: int, began: int, says: str, measured: Measured | None = None
) -> Finding:
    return Finding(name, words, exit_code, (time.monotonic_ns() - began) // 1_000_000, says, measured)


def main(argv: list[str] | None = None) -> int:
    """One check as a validator."""
    parser = argparse.ArgumentParser(prog="patch_check", description="Measure a patch in a clean checkout.")
    parser.add_argument("check", choices=("suite", "definition"))
    parser.add_argument("--repository", required=True, type=Path)
    parser.add_argument("--base", default="HEAD")
    parser.add_argument("--seed", type=int, default=0)
    asked_for = parser.parse_args(argv)
    patch = Path(os.environ["ARTIFACT_FILE"])
    if asked_for.check == "suite":
        found = suite(asked_for.repository, patch, asked_for.base)
    else:
        found = definition(asked_for.repository, patch, asked_for.base, asked_for.seed)
    print(found.says)  # noqa: T201  (the validator's own output)
    return found.exit_code


if __name__ == "__main__":
    sys.exit(main())
